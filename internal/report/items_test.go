package report

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"visite/schema"
)

type foldedReport struct {
	Items     []Item
	ItemsLeft int `json:"items_left"`
	Findings  []Finding
	Pages     []Page
}

func folded(t *testing.T, src Source) foldedReport {
	t.Helper()
	raw, _ := jsonOf(t, src, sampleScan())
	if err := validate(t, raw); err != nil {
		t.Fatal(err)
	}
	var out foldedReport
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// One fault of a template is one item, whatever pages show it; an item has a
// name that another scan gives it too.
func TestFindingsAreFolded(t *testing.T) {
	scanned := func(from, to int) *recorded {
		src := &recorded{}
		for i := from; i < to; i++ {
			src.add(schema.Page{URL: fmt.Sprintf("%s/blog/day-%d", sampleSite, i), Outcome: schema.OutcomeAnalysed, Findings: []schema.Finding{
				axe("image-alt", schema.SeverityCritical, "1.1.1", "", fmt.Sprintf("li:nth-child(%d) > img", i), "Images must have alternative text"),
				axe("image-alt", schema.SeveritySerious, "1.1.1", "", fmt.Sprintf("li:nth-child(%d) > img", i+1), "Images must have alternative text"),
				axe("label", schema.SeveritySerious, "4.1.2", "", "#field-"+fmt.Sprint(i), "Form elements must have labels"),
			}})
		}
		return src
	}
	first, second := folded(t, scanned(0, 30)), folded(t, scanned(20, 40))
	if len(first.Items) != 2 || first.ItemsLeft != 0 {
		t.Fatalf("%+v", first.Items)
	}
	alt := first.Items[0]
	if alt.Rule != "image-alt" || alt.Places != 60 || alt.Pages != 30 || len(alt.Examples) != schema.ItemExamples || alt.Selector != "li > img" || alt.Template != "/blog/*" || alt.Severity != schema.SeverityCritical {
		t.Errorf("%+v", alt)
	}
	for i := range first.Items {
		if first.Items[i].ID != second.Items[i].ID {
			t.Errorf("%s is %s in one scan and %s in another", first.Items[i].Rule, first.Items[i].ID, second.Items[i].ID)
		}
	}
}

// Every finding belongs to an item, and the items' counts are the findings'.
func TestItemsCountAllFindings(t *testing.T) {
	r := folded(t, sample())
	places := map[string]int{}
	for _, i := range r.Items {
		places[i.ID] = i.Places
	}
	for _, f := range r.Findings {
		places[f.Item]--
	}
	for id, left := range places {
		if left != 0 {
			t.Errorf("item %s counts %d too many", id, left)
		}
	}
	if r.Items[0].Outcome != schema.FindingFailed || r.Items[len(r.Items)-1].Outcome != schema.FindingNeedsReview {
		t.Error("questions stand before faults")
	}
	if line := string(rendered(t, sample(), sampleScan(), FormatCSV)); !strings.Contains(line, r.Items[0].ID) {
		t.Error("CSV does not name the item")
	}
	if log := string(rendered(t, sample(), sampleScan(), FormatSARIF)); !strings.Contains(log, `"partialFingerprints":{"visiteItem/v1":"`+r.Items[0].ID) {
		t.Error("SARIF does not name the item")
	}
}

func TestItemsAreBounded(t *testing.T) {
	var fold schema.ItemFold
	for i := range schema.ItemsMost + 7 {
		fold.Add(schema.PageRef{ID: 1, URL: sampleSite + "/"}, "/", schema.Finding{Rule: fmt.Sprint("r", i)})
	}
	if len(orderedItems(fold, nil, words{lang: English})) != schema.ItemsMost || fold.Left != 7 {
		t.Errorf("%d items, %d left", len(fold.Items), fold.Left)
	}
}
