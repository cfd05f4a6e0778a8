package postgres_test

import (
	"fmt"
	"testing"

	"visite/schema"
)

// A limited scan looks at pages of every template it knows, however many of one
// were found before the others.
func TestALimitedScanSamplesAcrossTemplates(t *testing.T) {
	w := newWorld(t)
	scan := w.running(60)
	var all []schema.Candidate
	for i := range 3000 {
		all = append(all, schema.Candidate{URL: fmt.Sprintf("http://127.0.0.1:8080/archive/an-article-%d", i), Depth: 1, Via: schema.ViaSitemap})
	}
	for _, section := range []string{"shop", "help", "people"} {
		for i := range 30 {
			all = append(all, schema.Candidate{URL: fmt.Sprintf("http://127.0.0.1:8080/%s/%d.html", section, i), Depth: 1, Via: schema.ViaSitemap})
		}
	}
	all = append(all, schema.Candidate{URL: "http://127.0.0.1:8080/far/away", Depth: 3, Via: schema.ViaLink})
	for range 2 { // found again, nothing changes
		_, err := w.AddCandidates(w.ctx, scan.ID, all)
		must(t, err)
	}
	claimed := map[string]int{}
	var order []string
	for i := range 60 {
		c := w.claim(scan, fmt.Sprint("t", i))
		claimed[schema.PathShape(c.URL)]++
		order = append(order, c.URL)
	}
	// 3 of each, then 12 more of each as the farther page's turn comes, then the archive again.
	for shape, want := range map[string]int{"/": 1, "/archive/*": 15, "/shop/*.html": 15, "/help/*.html": 15} {
		if claimed[shape] < want-2 || claimed[shape] > want+2 {
			t.Errorf("%d pages of %s, want about %d", claimed[shape], shape, want)
		}
	}
	if claimed["/people/*.html"] < 10 {
		t.Errorf("%d pages of the template found last", claimed["/people/*.html"])
	}
	equal(t, "the first after the seed", order[1], "http://127.0.0.1:8080/archive/an-article-0")
	equal(t, "the first of the second template", order[4], "http://127.0.0.1:8080/shop/0.html")
}
