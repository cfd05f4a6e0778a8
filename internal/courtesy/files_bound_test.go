package courtesy_test

import (
	"fmt"
	"net/http"
	"testing"

	"visite/internal/courtesy"
	"visite/internal/fixturesite"
	"visite/schema"
)

// A page that has files loaded without end, its own and two other servers', sends
// us to each of them a bounded number of times; its next visit begins anew.
// proves S-17
func TestAPageHasABoundedNumberOfFilesLoaded(t *testing.T) {
	site, second, third := fixturesite.Serve(t, small), fixturesite.Serve(t, small), fixturesite.Serve(t, small)
	for _, s := range []*fixturesite.Site{site, second, third} {
		s.Handle("/file/*", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }))
	}
	h := newHarness(t, courtesy.Options{Bounds: courtesy.Bounds{Files: 12, FilesElsewhere: 3}})
	visitOnce := func() schema.VisitTotals {
		pass := h.enter(inBrowser(visit(site.URL("/"), free())))
		client := proxied(t, h.Door, pass)
		ask(t, client, "GET", site.URL("/"))
		for i := range 10 {
			for _, s := range []*fixturesite.Site{second, third, site} {
				resp, _ := ask(t, client, "GET", s.URL(fmt.Sprintf("/file/%d", i)))
				if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusForbidden {
					t.Errorf("file %d: %d", i, resp.StatusCode)
				}
			}
		}
		if err := pass.Leave(within(t)); err != nil {
			t.Fatal(err)
		}
		return pass.Totals()
	}
	for round := 1; round <= 2; round++ {
		totals := visitOnce()
		if totals.FilesOver != 18 || totals.Requests != 13 || totals.GivenUpFiles != 0 {
			t.Errorf("visit %d: %+v, want 12 files and 18 left", round, totals)
		}
		if own, b, c := len(files(site)), len(files(second)), len(files(third)); own != 6*round || b != 3*round || c != 3*round {
			t.Errorf("after visit %d there arrived %d, %d and %d files, want 6, 3 and 3 of each visit", round, own, b, c)
		}
	}
}

func TestBoundsOfFiles(t *testing.T) {
	if schema.FilesAPage > 1000 || schema.FilesElsewhere >= schema.FilesAPage {
		t.Errorf("a page may have %d files loaded, %d of them elsewhere", schema.FilesAPage, schema.FilesElsewhere)
	}
}
