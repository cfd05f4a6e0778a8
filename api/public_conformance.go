package api

import (
	"net/http"

	"visite/internal/conformance"
)

// rowsView is the courtesy contract's rows with the tests that prove them.
type rowsView struct {
	publicPage
	Results conformance.Results
	Kept    []conformance.Proof
	Failed  []conformance.Proof
	Open    []conformance.Proof
}

// When says of which version the results are and when the tests ran, or that
// this program carries none.
func (v rowsView) When() string {
	if !v.Results.Known() {
		return v.T("rows.results.none")
	}
	return v.T("rows.results", v.Results.Version, v.moment(v.Results.From), v.moment(v.Results.To))
}

// rowTable is one table of rows.
type rowTable struct {
	Words phrases
	Rows  []conformance.Proof
	Tests bool
	known bool
}

// Result is how a test went when it last ran; empty where no results are known.
func (t rowTable) Result(test conformance.Test) string {
	switch {
	case !t.known:
		return ""
	case test.Result == "":
		return t.Words.T("result.none")
	}
	return t.Words.T("result." + test.Result)
}

func (v rowsView) table(rows []conformance.Proof, tests bool) rowTable {
	return rowTable{v.phrases, rows, tests, v.Results.Known()}
}

// KeptTable is the rows that tests prove.
func (v rowsView) KeptTable() rowTable { return v.table(v.Kept, true) }

// FailedTable is the rows with a test that failed.
func (v rowsView) FailedTable() rowTable { return v.table(v.Failed, true) }

// OpenTable is the rows that no test proves.
func (v rowsView) OpenTable() rowTable { return v.table(v.Open, false) }

// showConformance shows each promise with its tests and how they last went (C-65).
// A promise without a test, or with one that failed, is not said to be kept.
func (a *API) showConformance(w http.ResponseWriter, r *http.Request) {
	v := rowsView{publicPage: a.publicPage(r, "/bot/conformance"), Results: a.TestResults}
	v.Title = v.T("rows")
	for _, p := range conformance.TableWith(v.Results) {
		switch {
		case p.Failed():
			v.Failed = append(v.Failed, p)
		case len(p.Tests) > 0:
			v.Kept = append(v.Kept, p)
		default:
			v.Open = append(v.Open, p)
		}
	}
	w.Header().Set("Cache-Control", "public, max-age=300")
	a.render(w, r, http.StatusOK, "rows.html.tmpl", v.Lang, v)
}
