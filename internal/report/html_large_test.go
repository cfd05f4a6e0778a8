package report

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"visite/schema"
)

func TestLargeScanIsBounded(t *testing.T) {
	src := large(20_000)
	src.asked = func(list string, r schema.Range) {
		if r.Limit > itemStretch || r.Limit < 1 {
			t.Errorf("%s: %d items asked for at once", list, r.Limit)
		}
	}
	page := htmlOf(t, src, sampleScan(), English)
	if len(page) > 1<<20 {
		t.Errorf("the page has %d bytes", len(page))
	}
	for id, want := range map[string]string{
		"summary":    "18,000 of 20,000 addresses known faults 90,000",
		"mend":       "36 more kinds are in the JSON report.",
		"pages":      "17,500 more pages are in the JSON report.",
		"links":      "19,900 more are in the JSON report.",
		"apart":      "1,980 more are in the JSON report.",
		"categories": "Accessibility 72,000",
	} {
		if got := section(t, page, id); !strings.Contains(got, want) {
			t.Errorf("%s does not tell %q: %.300s", id, want, got)
		}
	}
	if got := section(t, page, "mend"); !strings.Contains(got, "Where: the first 10 of 72,000 places") {
		t.Errorf("mend %.300q", got)
	}
}

// What a digest keeps does not grow with the scan.
func TestDigestKeepsLittle(t *testing.T) {
	held := func(n int) uint64 {
		src := large(n)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		d, err := gather(t.Context(), src, sampleScan())
		if err != nil {
			t.Fatal(err)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		runtime.KeepAlive(src)
		runtime.KeepAlive(d)
		return after.HeapAlloc - min(before.HeapAlloc, after.HeapAlloc)
	}
	if large := held(20_000); large > 4<<20 {
		t.Errorf("the digest of 20,000 pages holds %d bytes", large)
	}
}

func TestExamplesComeFromManyPages(t *testing.T) {
	sums := ruleSums{}
	for p := range 4 {
		for k := range 20 {
			sums.add(fmt.Sprintf("/%d", p), schema.Finding{Rule: "r", Selector: fmt.Sprint(k), Severity: schema.SeverityMinor}, "/*")
		}
	}
	sum := sums.ordered()[0]
	if sum.count != 80 || sum.pages != 4 {
		t.Errorf("%d places on %d pages", sum.count, sum.pages)
	}
	byPage := map[string]int{}
	for _, p := range sum.examples() {
		byPage[p.URL]++
	}
	if len(sum.examples()) != placesShown || len(byPage) != 4 || byPage["/3"] != 2 {
		t.Errorf("examples by page %v", byPage)
	}
}

func TestPagesWithTheGravestFaultsStay(t *testing.T) {
	var rows pageRows
	for i := range 5 * pagesShown {
		row := pageRow{Page: schema.Page{ID: int64(i)}}
		if i%pagesShown == 7 {
			row.faults[4] = 1
		}
		rows.add(row)
	}
	kept := rows.cut()
	if len(kept) != pagesShown || rows.count != 5*pagesShown {
		t.Fatalf("%d of %d kept", len(kept), rows.count)
	}
	for i, id := range []int64{7, 507, 1007, 1507, 2007, 0, 1, 2} {
		if kept[i].ID != id {
			t.Errorf("row %d is page %d, want %d", i, kept[i].ID, id)
		}
	}
}

// A page with 3,000 findings is one row, one rule and one item, with all of them counted
// and the first places named.
func TestThreeThousandFindingsOnAPage(t *testing.T) {
	src := &recorded{}
	p := schema.Page{URL: sampleSite + "/gallery", Outcome: schema.OutcomeAnalysed, Status: 200, Title: "Gallery"}
	for i := range 3000 {
		p.Findings = append(p.Findings, axe("image-alt", schema.SeverityCritical, "1.1.1", "", fmt.Sprintf("li:nth-child(%d) > img", i+1), "Images must have alternative text"))
	}
	src.add(p)
	page := htmlOf(t, src, sampleScan(), English)
	if len(page) > 100_000 {
		t.Errorf("the page has %d bytes", len(page))
	}
	for id, want := range map[string]string{"summary": "3,000 faults", "mend": "Where: the first 10 of 3,000 places", "pages": "3,000 Critical", "categories": "Accessibility 3,000"} {
		if got := section(t, page, id); !strings.Contains(strings.ReplaceAll(got, "faults 3,000", "3,000 faults"), want) {
			t.Errorf("%s does not tell %q: %.300s", id, want, got)
		}
	}
	if r := folded(t, src); len(r.Items) != 1 || r.Items[0].Places != 3000 || r.Items[0].Pages != 1 || len(r.Findings) != 3000 {
		t.Errorf("%d items, %d findings", len(r.Items), len(r.Findings))
	}
	suite := junitOf(t, rendered(t, src, sampleScan(), FormatJUnit)).Suites[1]
	if said := *suite.Cases[0].Failure; suite.Failures != 1 || strings.Count(said, "li:nth-child") != junitPlaces || !strings.Contains(said, "(+ 2950)") {
		t.Errorf("JUnit: %d failures, %.200s ... %s", suite.Failures, said, said[max(0, len(said)-100):])
	}
	if rows := table(t, rendered(t, src, sampleScan(), FormatCSV)); len(rows) < 3002 {
		t.Errorf("CSV: %d rows", len(rows))
	}
}
