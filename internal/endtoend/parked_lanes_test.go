package endtoend_test

import (
	"net/http"
	"testing"
	"time"

	"visite/internal/fixturesite"
)

// While one page is put off, the lanes beside it wait as well and lose nothing.
// proves S-37, R-04
func TestPagesBesideOneThatIsPutOffAreLoadedLater(t *testing.T) {
	t.Parallel()
	site := fixturesite.Plan{Pages: 40, Links: 12, Sitemap: true}.Site()
	site.Handle("/p/00009", fixturesite.Refusing(1, http.StatusTooManyRequests, "2", doc("Put off once")))
	site.Start(t)
	d := deployPatient(t)
	s := d.scan(order{"url": site.URL("/"), "engine": "http", "profile": "patient"})
	if s = d.finish(s.ID, time.Minute); s.State != "finished" || s.Progress.Analysed != 40 {
		t.Fatalf("scan %+v", s)
	}
	arrivals := site.Arrivals()
	refused := arrivals.Path("/p/00009")
	if len(refused) != 2 {
		t.Fatalf("the page that was put off was asked for %d times", len(refused))
	}
	for _, a := range arrivals {
		if a.In.After(refused[0].Out.Add(50*time.Millisecond)) && a.In.Before(refused[0].Out.Add(2*time.Second)) {
			t.Errorf("%s came during the rest", a.Request())
		}
	}
}
