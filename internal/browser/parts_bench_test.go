package browser

import (
	"fmt"
	"testing"
	"time"

	"visite/schema"
)

// BenchmarkInspectionByPart reports what the parts of a page's inspection take,
// and the ratio of all of them to axe-core alone, run by a bare loop of the
// driver on the same pages, by turns.
//
//	go test -run '^$' -bench ByPart -benchtime 40x ./internal/browser/
func BenchmarkInspectionByPart(b *testing.B) {
	br := needBrowser(b)
	d := newDoor(b, newArticles())
	bare := newBare(b, d, br)
	spent := map[string]time.Duration{}
	n := 0
	for b.Loop() {
		path := fmt.Sprintf("/p/%d", n%40)
		byPart(b, br, d, path, spent)
		spent["bare-axe"] += bare.axeAlone(b, "http://site.example"+path)
		n++
	}
	all := time.Duration(0)
	for name, d := range spent {
		b.ReportMetric(float64(d.Microseconds())/1000/float64(n), "ms/"+name)
		if name != "bare-axe" && name != "settle" {
			all += d
		}
	}
	b.ReportMetric(float64(all)/float64(spent["bare-axe"]), "ratio")
}

// byPart inspects one page and adds what each part took.
func byPart(b *testing.B, br *Browser, d *door, path string, spent map[string]time.Duration) {
	t := heldTab(b, br, d, path)
	defer t.close()
	w, err := t.newWorld(t.main(), callLimit)
	if err != nil {
		b.Fatal(err)
	}
	var out Rendered
	var st state
	for _, part := range []struct {
		name string
		run  func() error
	}{
		{"settle", func() (err error) { st, err = t.settle(w, br.scripts, br.limits, &out); return err }},
		{"capture", func() error { return capture(w, st, br.limits.html, &out) }},
		{"axe", func() error { t.examine(w, br.scripts, &out); return nil }},
		{"own-checks", func() error { t.check(w, br.scripts, schema.DeviceDesktop, br.limits, &out); return nil }},
		{"qualweb", func() error { t.examineAgain(br.scripts, &out); return nil }},
	} {
		start := time.Now()
		if err := part.run(); err != nil {
			b.Fatal(part.name, err)
		}
		spent[part.name] += time.Since(start)
	}
	if len(axeOf(b, out).GroupsNotRun) > 0 || len(out.QualWeb) == 0 || len(out.Checks) == 0 {
		b.Fatalf("a part did not run: %v", out.Notes)
	}
}
