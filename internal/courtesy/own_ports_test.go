package courtesy_test

import (
	"net/url"
	"testing"

	"visite/internal/courtesy"
	"visite/internal/fixturesite"
	"visite/schema"
)

// A scan of this machine's sites is not let in at our own parts, neither for a
// page nor for what a page asks for.
func TestOurOwnPartsAreNotVisited(t *testing.T) {
	own := fixturesite.Serve(t, small)
	site := fixturesite.New()
	site.Handle("/", fixturesite.RedirectTo(302, own.URL("/a")))
	site.Start(t)
	port := mustParse(t, own.URL("/")).Port()
	h := newHarness(t, courtesy.Options{OwnPorts: []string{port}})
	if a := h.refused(visit(own.URL("/a"), free())); a.Reason != schema.ReasonGuarded {
		t.Errorf("%+v", a)
	}
	if _, refusal := h.Check(within(t), mustParse(t, own.URL("/a"))); refusal == nil || refusal.Code != "guarded-address" {
		t.Errorf("refusal %+v", refusal)
	}
	v := visit(site.URL("/"), free())
	v.ScopeHost = ""
	facts, _ := h.load(v)
	if facts.Status == 200 {
		t.Errorf("a redirect led in: %+v", facts)
	}
	if n := len(own.Arrivals()); n != 0 {
		t.Errorf("%d requests came", n)
	}
}

func mustParse(t *testing.T, address string) *url.URL {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
