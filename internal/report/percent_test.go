package report

import (
	"strings"
	"testing"

	"visite/schema"
)

// W03: what is nearly all is not all, and what is hardly anything is not nothing.
func TestPercentNeverRoundsToAllOrNothing(t *testing.T) {
	for share, want := range map[float64]float64{
		0: 0, 1: 100, 24_999.0 / 25_000: 99.9, 0.9999999: 99.9, 0.991: 99.1, 0.99: 99, 0.985: 99, 0.28: 28, 0.3636: 36, 0.01: 1, 0.0099: 1, 0.004: 0.4, 0.000001: 0.1, -0.1: 0, 1.5: 100,
	} {
		if got := Percent(share); got != want {
			t.Errorf("%v is %v %%, want %v", share, got, want)
		}
	}
}

// W03: the page's list, its details and the figures beside them round alike.
func TestSharesOfThePageNeverRoundToAllOrNothing(t *testing.T) {
	src := &recorded{}
	p := schema.Page{URL: sampleSite + "/", Outcome: schema.OutcomeAnalysed, Status: 200, Title: "x"}
	for range 2999 {
		p.Findings = append(p.Findings, axe("image-alt", schema.SeverityCritical, "", "", "img", "Images"))
	}
	p.Findings = append(p.Findings, axe("label", schema.SeverityMinor, "", "", "input", "Labels"))
	src.add(p)
	src.scores = sampleScores()
	src.scores.Categories[0].Estimate = schema.Estimate{Share: 0.99996, Low: 0.0001, High: 1}
	page := htmlOf(t, src, sampleScan(), English)
	if got := section(t, page, "summary"); !strings.Contains(got, "Critical 2,999 1 99.9 %") || !strings.Contains(got, "Minor 1 1 0.1 %") {
		t.Errorf("severities: %s", got)
	}
	if got := section(t, page, "scores"); !strings.Contains(got, "99.9 %") || !strings.Contains(got, "0.1 %") || !strings.Contains(got, "100 %") {
		t.Errorf("scores: %s", got)
	}
}
