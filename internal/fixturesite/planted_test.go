package fixturesite_test

import (
	"io"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"visite/internal/fixturesite"
	"visite/internal/inspect"
	"visite/schema"
)

// judged lists the rules that speak of one page when its source alone is looked at.
func judged(t *testing.T, site *fixturesite.Site, path string) []string {
	t.Helper()
	at := time.Now()
	res, err := (&http.Client{Timeout: time.Minute}).Get(site.URL(path))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	first := time.Since(at)
	source, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	address, err := url.Parse(site.URL(path))
	if err != nil {
		t.Fatal(err)
	}
	page, _ := inspect.Page(inspect.Document{Engine: schema.EngineHTTP, Source: source, Facts: schema.DocumentFacts{
		Requested: address.String(), Final: address.String(), Status: res.StatusCode, Header: res.Header, MediaType: "text/html", Outcome: schema.OutcomeAnalysed,
		Timing: schema.Timing{TTFBMS: float64(first.Milliseconds())}, Bytes: int64(len(source)), WireBytes: int64(len(source)),
	}}, schema.HostKey(address))
	var rules []string
	for _, f := range page.Findings {
		rules = append(rules, f.Rule)
	}
	slices.Sort(rules)
	return slices.Compact(rules)
}

// The demo site has the faults it was given and no others.
func TestDemoFaultsAreThoseThatAreFound(t *testing.T) {
	elsewhere := []fixturesite.Fault{
		fixturesite.FaultContrast, fixturesite.FaultBrokenLink, fixturesite.FaultDuplicateTitle, fixturesite.FaultRedirectChain, fixturesite.FaultCanonicalBroken,
	}
	site := fixturesite.Demo().Start(t)
	for _, path := range fixturesite.DemoPages {
		var want []string
		for _, p := range fixturesite.DemoPlanted {
			if p.Path == path && !slices.Contains(elsewhere, p.Fault) {
				want = append(want, string(p.Fault))
			}
		}
		slices.Sort(want)
		if got := judged(t, site, path); !slices.Equal(got, want) {
			t.Errorf("%s: found %v, planted %v", path, got, want)
		}
	}
}

func TestGeneratedFaultsAreThoseThatAreFound(t *testing.T) {
	plan := fixturesite.Plan{Pages: 78, Sitemap: true, Faults: true}
	site := plan.Site().Start(t)
	faulty := 0
	for i := range plan.Pages {
		var want []string
		for _, f := range plan.Planted(i) {
			want = append(want, string(f))
		}
		slices.Sort(want)
		if got := judged(t, site, plan.Path(i)); !slices.Equal(got, want) {
			t.Errorf("page %d: found %v, planted %v", i, got, want)
		}
		faulty += len(want)
	}
	if faulty != 15+11+7 {
		t.Errorf("%d faults planted, want 33", faulty)
	}
}
