package report

import (
	"fmt"
	"testing"

	"visite/schema"
)

func TestTemplatesAreTold(t *testing.T) {
	s := &recorded{}
	page := func(path string, structure uint64, faults int) {
		p := schema.Page{URL: sampleSite + path, Outcome: schema.OutcomeAnalysed, Structure: structure}
		for range faults {
			p.Findings = append(p.Findings, axe("image-alt", schema.SeverityCritical, "", "", "img", "x"))
		}
		s.add(p)
	}
	for i := range 5 {
		page(fmt.Sprintf("/blog/post-%d", i), 0xff00+uint64(i), i%2)
	}
	page("/blog/about", ^uint64(0), 0) // another template in the same folder
	page("/shop/1", 0xff00, 3)
	s.add(schema.Page{URL: sampleSite + "/blog/gone", Outcome: schema.OutcomeErrorAnswer})
	_, doc := jsonOf(t, s, sampleScan())
	got := fmt.Sprint(doc["templates"])
	want := fmt.Sprint([]any{
		map[string]any{"path": "/blog/*", "structure": "000000000000ff00", "pages": 5.0, "faulty": 2.0, "faults": 2.0, "example": sampleSite + "/blog/post-0"},
		map[string]any{"path": "/blog/*", "structure": "ffffffffffffffff", "pages": 1.0, "faulty": 0.0, "faults": 0.0, "example": sampleSite + "/blog/about"},
		map[string]any{"path": "/shop/*", "structure": "000000000000ff00", "pages": 1.0, "faulty": 1.0, "faults": 3.0, "example": sampleSite + "/shop/1"},
	})
	if got != want || doc["templates_left"] != 0.0 {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestTemplatesAreBounded(t *testing.T) {
	var sums templateSums
	for i := range 3 * templatesKept {
		sums.add(schema.Page{URL: fmt.Sprintf("%s/%c%c%c/x", sampleSite, 'a'+i%26, 'a'+i/26%26, 'a'+i/676), Outcome: schema.OutcomeAnalysed, Structure: 1})
	}
	if got := len(sums.ordered()); got != templatesKept || sums.left != 2*templatesKept {
		t.Errorf("%d templates and %d pages left", got, sums.left)
	}
}
