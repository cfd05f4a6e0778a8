package api

import (
	"net/http"

	"visite/internal/conformance"
)

// rowsView is the courtesy contract's rows with the tests that prove them.
type rowsView struct {
	publicPage
	Kept []conformance.Proof
	Open []conformance.Proof
}

// rowTable is one table of rows.
type rowTable struct {
	Words phrases
	Rows  []conformance.Proof
	Tests bool
}

// KeptTable is the rows that tests prove.
func (v rowsView) KeptTable() rowTable { return rowTable{v.phrases, v.Kept, true} }

// OpenTable is the rows that none proves.
func (v rowsView) OpenTable() rowTable { return rowTable{v.phrases, v.Open, false} }

// showConformance shows each promise with its tests (C-65). A promise without a
// test is not said to be kept.
func (a *API) showConformance(w http.ResponseWriter, r *http.Request) {
	v := rowsView{publicPage: a.publicPage(r, "/bot/conformance")}
	v.Title = v.T("rows")
	for _, p := range conformance.Table() {
		if len(p.Tests) > 0 {
			v.Kept = append(v.Kept, p)
		} else {
			v.Open = append(v.Open, p)
		}
	}
	w.Header().Set("Cache-Control", "public, max-age=300")
	a.render(w, r, http.StatusOK, "rows.html.tmpl", v.Lang, v)
}
