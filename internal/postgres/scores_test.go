package postgres_test

import (
	"fmt"
	"reflect"
	"testing"

	"visite/schema"
)

func faultsOf(pairs ...any) (out []schema.Finding) {
	for i := 0; i < len(pairs); i += 3 {
		out = append(out, schema.Finding{Rule: pairs[i].(string), Engine: "visite", Category: pairs[i+1].(schema.Category), Severity: pairs[i+2].(schema.Severity), Outcome: schema.FindingFailed})
	}
	return out
}

// proves S-41, S-42: a page that could not be loaded is in no count, whatever is
// recorded of it; addresses nobody asked for are counted apart.
func TestScoresAreMadeOfAnalysedPages(t *testing.T) {
	w := newWorld(t)
	scan := w.running(5)
	next := []schema.Candidate{fromLink("http://127.0.0.1:8080/blog/a"), fromLink("http://127.0.0.1:8080/blog/b"), fromLink("http://127.0.0.1:8080/blog/c"), fromLink("http://127.0.0.1:8080/shop/x.html")}
	for i := range 6 {
		next = append(next, fromLink("http://127.0.0.1:8080/blog/later-%d", i))
	}
	home := w.claim(scan, "t0")
	page := analysed(home.URL)
	page.Findings = faultsOf("a", schema.CategorySEO, schema.SeverityMinor, "a", schema.CategorySEO, schema.SeveritySerious, "b", schema.CategoryLinks, schema.SeverityInfo)
	w.record(home, page, next...)
	for i := range 4 {
		c := w.claim(scan, fmt.Sprint("t", i+1))
		page := analysed(c.URL)
		page.Findings = faultsOf("a", schema.CategorySEO, schema.SeverityMinor)
		if i == 0 {
			page.Outcome, page.Reason = schema.OutcomeNotAnalysed, schema.ReasonTimeout
		}
		if i == 1 {
			page.Findings[0].Outcome = schema.FindingNeedsReview
		}
		w.record(c, page)
	}
	got, err := w.ScoreFacts(w.ctx, scan.ID)
	must(t, err)
	byCount := map[string]int{}
	for _, c := range got.Templates {
		byCount[fmt.Sprint(c.Analysed, " ", c.Waiting, " ", c.Faulty)]++
	}
	if want := map[string]int{"1 0 map[links:1 seo:1]": 1, "2 6 map[seo:1]": 1, "1 0 map[seo:1]": 1}; !reflect.DeepEqual(byCount, want) {
		t.Errorf("templates: %v, want %v", byCount, want)
	}
	want := []schema.RuleReach{{Rule: "a", Category: schema.CategorySEO, Pages: [5]int{0, 2, 0, 1, 0}}, {Rule: "b", Category: schema.CategoryLinks, Pages: [5]int{1, 0, 0, 0, 0}}}
	if !reflect.DeepEqual(got.Reaches, want) {
		t.Errorf("reaches: %+v, want %+v", got.Reaches, want)
	}
}

func TestScoresReadBackAndFormFormerOnes(t *testing.T) {
	w := newWorld(t)
	scores := func(n int) schema.Scores {
		return schema.Scores{Overall: n, Analysed: 3, Known: 9, Categories: []schema.CategoryScore{{Category: schema.CategorySEO, Score: n, Faulty: 1, Estimate: schema.Estimate{Share: 0.25, Low: 0.125, High: 0.5}}}}
	}
	ended := func(state schema.ScanState, n int) schema.Scan {
		scan := w.running(5)
		none, err := w.Scores(w.ctx, scan.ID)
		must(t, err)
		if none != nil {
			t.Errorf("scores before the end: %+v", none)
		}
		must(t, w.SetScores(w.ctx, scan.ID, scores(n)))
		must(t, w.Finish(w.ctx, scan.ID, state, ""))
		return scan
	}
	first, _, third := ended(schema.ScanFinished, 50), ended(schema.ScanCancelled, 60), ended(schema.ScanFinished, 70)
	last := ended(schema.ScanFinished, 80)
	got, err := w.Scores(w.ctx, last.ID)
	must(t, err)
	if got == nil || !reflect.DeepEqual(*got, scores(80)) {
		t.Errorf("read back %+v", got)
	}
	former, err := w.ScoresBefore(w.ctx, last.ID, 10)
	must(t, err)
	if len(former) != 2 || former[0].ScanID != third.ID || former[1].ScanID != first.ID || former[1].Scores.Overall != 50 || former[0].FinishedAt.IsZero() {
		t.Errorf("former ones: %+v", former)
	}
}
