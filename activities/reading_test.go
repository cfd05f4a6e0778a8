package activities

import (
	"net/url"
	"reflect"
	"testing"
	"time"

	"visite/internal/inspect/sitemap"
	"visite/schema"
)

// Only an answer about the page counts: not a refusal, a challenge, or a redirect
// that leaves the site.
func TestReadingTheAnswerForAPageThatIsNotThere(t *testing.T) {
	answered := func(status int, outcome schema.Outcome) schema.DocumentFacts {
		return schema.DocumentFacts{Status: status, Outcome: outcome, MediaType: "text/html", Final: "https://shop.example/x"}
	}
	const page = `<!doctype html><html lang="en"><head><title>Shop</title></head><body><h1>Shop</h1><p>Everything for the garden.</p><a href="/a">a</a></body></html>`
	resting := answered(503, schema.OutcomeErrorAnswer)
	resting.RetryAfter = &schema.RetryAfter{}
	moved := answered(200, schema.OutcomeAnalysed)
	moved.Hops = []schema.Hop{{URL: "https://shop.example/x", Status: 302}}
	challenged := answered(403, schema.OutcomeErrorAnswer)
	challenged.Header = map[string][]string{"Cf-Mitigated": {"challenge"}}
	for name, c := range map[string]struct {
		facts schema.DocumentFacts
		want  schema.NotFoundFacts
	}{
		"not found":        {answered(404, schema.OutcomeErrorAnswer), schema.NotFoundFacts{State: schema.LookDone, Status: 404}},
		"success":          {answered(200, schema.OutcomeAnalysed), schema.NotFoundFacts{State: schema.LookDone, Status: 200}},
		"the home page":    {moved, schema.NotFoundFacts{State: schema.LookDone, Status: 200, Redirects: 1}},
		"asked for a rest": {resting, schema.NotFoundFacts{State: schema.LookUnknown}},
		"a challenge":      {challenged, schema.NotFoundFacts{State: schema.LookUnknown, Reason: schema.ReasonChallenge}},
		"robots.txt":       {schema.DocumentFacts{Outcome: schema.OutcomeDisallowed, Reason: schema.ReasonRobots}, schema.NotFoundFacts{State: schema.LookUnknown, Reason: schema.ReasonRobots}},
		"another site":     {answered(301, schema.OutcomeRedirected), schema.NotFoundFacts{State: schema.LookUnknown}},
	} {
		t.Run(name, func(t *testing.T) {
			got := readNotFound(c.facts, []byte(page), nil, "shop.example")
			if c.want.Reason == "" && c.want.State == schema.LookUnknown {
				got.Reason = ""
			}
			if got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
}

func TestASitemapIsSummedUp(t *testing.T) {
	base, err := url.Parse("https://shop.example/sitemap.xml?key=secret")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	entries := func(n int, at time.Time) []sitemap.Entry {
		out := make([]sitemap.Entry, n)
		for i := range out {
			out[i] = sitemap.Entry{Loc: "https://www.shop.example/a", LastMod: at}
		}
		return out
	}
	whole := sitemap.Result{Pages: append(entries(2, now.AddDate(-1, 0, 0)), sitemap.Entry{Loc: "https://other.example/"}, sitemap.Entry{Loc: "https://shop.example/", LastMod: now.AddDate(0, 0, 2)}),
		Children: []string{"https://shop.example/b.xml"}, Problems: []sitemap.Problem{sitemap.ProblemXML}}
	want := schema.SitemapFile{URL: "https://shop.example/sitemap.xml?key=*", Status: 200, Outcome: schema.OutcomeAnalysed, Pages: 4, Children: 1, Foreign: 1, Future: 1, Problems: []string{"xml_broken"}}
	if got := sitemapFile(whole, base, now); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	for n, same := range map[int]bool{19: false, 20: true} {
		if got := sitemapFile(sitemap.Result{Pages: entries(n, now)}, base, now); got.SameDate != same {
			t.Errorf("%d equal dates: %v", n, got.SameDate)
		}
	}
	if sitemapFile(sitemap.Result{Pages: entries(30, time.Time{})}, base, now).SameDate {
		t.Error("no dates are no equal dates")
	}
}
