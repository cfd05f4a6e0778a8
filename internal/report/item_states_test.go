package report

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"visite/schema"
)

// decided is the sample with an acknowledged, an ignored and an ended decision.
func decided() (s *recorded, acknowledged, ignored, ended string) {
	s = sample()
	first := func(rule string) string {
		for _, p := range s.pages {
			for _, f := range p.Findings {
				if f.Rule == rule {
					return schema.Fingerprint(f, p.URL)
				}
			}
		}
		return ""
	}
	acknowledged, ignored, ended = first("label"), first("heading-order"), first("button-name")
	s.states = schema.ItemStates{
		acknowledged: {State: schema.ItemAcknowledged, Reason: "The form is made anew in May", Until: time.Date(2026, 5, 31, 0, 0, 0, 0, time.UTC)},
		ignored:      {State: schema.ItemIgnored, Reason: "=cmd|' /C calc'!A0"},
		ended:        {State: schema.ItemAcknowledged, Reason: "last year", Until: time.Date(2025, 5, 31, 0, 0, 0, 0, time.UTC), Ended: true},
	}
	return s, acknowledged, ignored, ended
}

// What was decided is in every format, and what ended is open again.
func TestDecisionsAreToldInAllFormats(t *testing.T) {
	s, acknowledged, ignored, ended := decided()
	raw, doc := jsonOf(t, s, sampleScan())
	if err := validate(t, raw); err != nil {
		t.Error(err)
	}
	for _, of := range doc["items"].([]any) {
		item := of.(map[string]any)
		want := map[string]string{acknowledged: "acknowledged", ignored: "ignored", ended: "open"}[item["id"].(string)]
		if want == "" {
			want = "open"
		}
		if item["state"] != want || (want == "open") != (item["state_reason"] == "") || (want == "acknowledged") != (item["state_until"] != nil) {
			t.Errorf("item %v, want %s", item, want)
		}
	}
	states := map[string]int{}
	for _, f := range doc["findings"].([]any) {
		states[f.(map[string]any)["item_state"].(string)]++
	}
	if states["acknowledged"] != 1 || states["ignored"] != 1 {
		t.Errorf("findings by state %v", states)
	}
	var sarif struct {
		Runs []struct {
			Results []struct {
				RuleID       string
				Suppressions []struct{ Kind, Status, Justification string }
			}
		}
	}
	if err := json.Unmarshal(rendered(t, s, sampleScan(), FormatSARIF), &sarif); err != nil {
		t.Fatal(err)
	}
	suppressed := 0
	for _, r := range sarif.Runs[0].Results {
		if len(r.Suppressions) > 0 {
			suppressed++
			if r.RuleID != "label" && r.RuleID != "heading-order" || r.Suppressions[0].Kind != "external" {
				t.Errorf("suppressed: %+v", r)
			}
		}
	}
	if suppressed != 2 {
		t.Errorf("%d results suppressed, want 2", suppressed)
	}
	if junit := string(rendered(t, s, sampleScan(), FormatJUnit)); !strings.Contains(junit, `<skipped message="Acknowledged: The form is made anew in May"`) || strings.Contains(junit, "last year") {
		t.Error("the JUnit report does not tell of what was decided")
	}
	if csv := string(rendered(t, s, sampleScan(), FormatCSV)); !strings.Contains(csv, acknowledged+",acknowledged") || !strings.Contains(csv, ended+",open") {
		t.Error("the CSV report does not tell of what was decided")
	}
}

// A question that was decided is not counted among the faults.
func TestDecidedQuestionsAreNoFaults(t *testing.T) {
	sums, known := decidedSums{}, schema.ItemDecision{State: schema.ItemAcknowledged}
	sums.add(schema.Page{ID: 1}, schema.Finding{Rule: "label", Outcome: schema.FindingFailed}, "a", known)
	sums.add(schema.Page{ID: 1}, schema.Finding{Rule: "lcp-slow", Outcome: schema.FindingNeedsReview}, "b", known)
	if n := sums.count(schema.ItemAcknowledged); n != 1 || len(sums.ordered()) != 2 {
		t.Errorf("%d faults of %d items", n, len(sums.ordered()))
	}
}
