package performance

import (
	"testing"

	"visite/internal/inspect/page"
	"visite/schema"
)

// seen is a page of site.example of which a browser saw this.
func seen(o schema.Observed) *page.Content {
	return page.Read(page.Document{
		Facts: schema.DocumentFacts{Requested: "https://www.site.example/a"}, Rendered: "<!doctype html><title>t</title><p>w", Engine: schema.EngineBrowser, Observed: &o,
		Registrable: func(host string) string {
			if host == "www.site.example" {
				return "site.example"
			}
			return host
		},
	}, "www.site.example")
}

func verdicts(c *page.Content) map[string]string {
	out := map[string]string{}
	for _, r := range Rules() {
		for _, h := range r.Run(c) {
			f := r.Finding(h, h.Selector)
			out[f.Rule] = string(f.Severity) + " " + f.Selector + " " + f.Detail
			if f.Outcome == schema.FindingNeedsReview {
				out[f.Rule] = "asked, " + out[f.Rule]
			}
		}
	}
	return out
}

func TestVitalsGoByTheirPublishedThresholds(t *testing.T) {
	for name, c := range map[string]struct {
		speed schema.Speed
		want  map[string]string
	}{
		"good, at the border": {schema.Speed{LCPMS: 2500, CLS: 0.1, FCPMS: 1800, TBTMS: 200}, map[string]string{}},
		"needs improvement": {schema.Speed{LCPMS: 4000, CLS: 0.25, FCPMS: 3000, TBTMS: 600, LongTasks: 1, LCPAt: "html > body > img", CLSAt: "html > body > p"}, map[string]string{
			"lcp-slow": "asked, minor html > body > img 4000 ms", "cls-high": "minor html > body > p 0.25", "fcp-slow": "asked, minor  3000 ms", "tbt-high": "asked, minor  600 ms in 1 task"}},
		"poor": {schema.Speed{LCPMS: 4001, CLS: 0.26, FCPMS: 3001, TBTMS: 601, LongTasks: 2, LCPParts: &schema.LCPParts{TTFBMS: 1, LoadDelayMS: 2, LoadMS: 3, RenderDelayMS: 3995}}, map[string]string{
			"lcp-slow": "asked, moderate  4001 ms (first byte 1, load delay 2, load 3, render delay 3995)", "cls-high": "moderate  0.26", "fcp-slow": "asked, moderate  3001 ms", "tbt-high": "asked, moderate  601 ms in 2 tasks"}},
	} {
		got := verdicts(seen(schema.Observed{Speed: &c.speed}))
		if len(got) != len(c.want) {
			t.Errorf("%s: %v", name, got)
		}
		for id, want := range c.want {
			if got[id] != want {
				t.Errorf("%s: %s is %q, want %q", name, id, got[id], want)
			}
		}
	}
	if got := verdicts(seen(schema.Observed{})); len(got) != 0 {
		t.Errorf("nothing was measured, and there is %v", got)
	}
}

func TestWeightByKindAndShareOfOthers(t *testing.T) {
	o := schema.Observed{Contacts: []schema.Contact{
		{Host: "www.site.example", Requests: 2, Files: map[schema.FileKind]schema.FileSum{schema.FileDocument: {Requests: 1, Bytes: 20_000}, schema.FileImage: {Requests: 1, Bytes: 30_000}}},
		{Host: "site.example", Requests: 1, Files: map[schema.FileKind]schema.FileSum{schema.FileImage: {Requests: 1, Bytes: 10_000}}},
		{Host: "cdn.other.example", Requests: 1, Files: map[schema.FileKind]schema.FileSum{schema.FileScript: {Requests: 1, Bytes: 5_940_000}}},
	}}
	c := seen(o)
	w := Weigh(c)
	if w.Requests != 4 || w.Bytes != 6_000_000 || w.Hosts != 1 || w.ThirdParty != (schema.FileSum{Requests: 1, Bytes: 5_940_000}) || w.Files[schema.FileImage] != (schema.FileSum{Requests: 2, Bytes: 40_000}) {
		t.Errorf("%+v", w)
	}
	got := verdicts(c)
	if got["page-heavy"] != "minor  6000 kB in 4 requests, most of it script: 5940 kB" || got["third-parties-heavy"] != "info  5940 kB of 6000 kB from 1 host" || len(got) != 2 {
		t.Errorf("%v", got)
	}
	o.Contacts = o.Contacts[:2]
	if got := verdicts(seen(o)); len(got) != 0 {
		t.Errorf("a light page: %v", got)
	}
}

func TestTheDoorsOwnWaitIsNoneOfThePages(t *testing.T) {
	s := &schema.Speed{TTFBMS: 900, FCPMS: 1000, LCPMS: 1100, TBTMS: 40, LCPParts: &schema.LCPParts{TTFBMS: 900, LoadMS: 200}}
	s.Held(850)
	if s.TTFBMS != 50 || s.FCPMS != 150 || s.LCPMS != 250 || s.TBTMS != 40 || s.LCPParts.TTFBMS != 50 || s.LCPParts.LoadMS != 200 {
		t.Errorf("%+v", s)
	}
}
