package site

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"visite/schema"
)

func fromSitemap(p *schema.PageFacts) { p.Via = schema.ViaSitemap }

func noindexed(p *schema.PageFacts) { p.RobotsTags = []string{"noindex"} }

func versions(of map[string]string) func(*schema.PageFacts) {
	return func(p *schema.PageFacts) {
		p.Hreflang = map[string]string{}
		for code, path := range of {
			p.Hreflang[code] = host + path
		}
	}
}

func TestTheSitemapNamesWhatCanBeListed(t *testing.T) {
	b := &build{}
	home := b.page("/", 200, fromSitemap)
	for i, change := range []func(*schema.PageFacts){
		func(*schema.PageFacts) {}, noindexed, canonical("/"), movedTo("/", 1), outcome(schema.OutcomeDisallowed, schema.ReasonRobots), outcome(schema.OutcomeBlocked, schema.ReasonChallenge),
	} {
		b.link(fmt.Sprint(host, "/", i), b.page(fmt.Sprint("/", i), 200, change, fromSitemap), home)
	}
	b.link(host+"/", home, 2)
	expect(t, b,
		"1 link-to-redirect: "+host+"/3 to "+host+"/",
		"3 sitemap-noindex", "4 sitemap-canonical: "+host+"/", "5 sitemap-redirect: "+host+"/", "6 sitemap-disallowed")
}

func TestLanguageVersionsNameEachOther(t *testing.T) {
	b := &build{}
	all := map[string]string{"en": "/en", "de": "/de", "es": "/es"}
	b.page("/en", 200, versions(all))
	b.page("/de", 200, versions(all))
	b.page("/es", 200, versions(map[string]string{"es": "/es"})) // does not name the others
	b.page("/x", 200, versions(map[string]string{"x-default": "/x", "fr": "/gone", "it": "/hidden", "nl": "/not-loaded", "pl": "https://elsewhere.example/"}))
	b.page("/gone", 404)
	b.page("/hidden", 200, noindexed)
	expect(t, b, "1 hreflang-return: es: "+host+"/es", "2 hreflang-return: es: "+host+"/es", "4 hreflang-target: fr, answers with an error: "+host+"/gone")
}

// Where as many versions are kept as are kept at most, the return link may be one more.
func TestAReturnLinkMayStandBelowWhatWasKept(t *testing.T) {
	for n, want := range map[int]int{schema.HreflangMost - 1: 1, schema.HreflangMost: 0} {
		b, all := &build{}, map[string]string{}
		for i := range n {
			all[fmt.Sprintf("x-%03d", i)] = fmt.Sprint("/not-loaded/", i)
		}
		b.page("/en", 200, versions(map[string]string{"en": "/en", "de": "/de"}))
		b.page("/de", 200, versions(all))
		if v := Judge(b.f, "shop.example"); len(v.Findings) != want {
			t.Errorf("%d versions: %q", n, told(v))
		}
	}
}

func TestCanonicalChains(t *testing.T) {
	b := &build{}
	b.page("/", 200)
	b.page("/a", 200, canonical("/b"))
	b.page("/b", 200, canonical("/c"))
	b.page("/c", 200)
	expect(t, b, "2 canonical-chain: "+host+"/b names "+host+"/c")
}

func TestTheHomePageIsNoOtherPagesName(t *testing.T) {
	for n, want := range map[int]int{4: 0, 5: 5} {
		b := &build{}
		b.page("/", 200)
		for i := range n {
			b.page(fmt.Sprint("/", i), 200, canonical("/"))
		}
		if v := Judge(b.f, "shop.example"); len(v.Findings) != want {
			t.Errorf("%d pages: %q", n, told(v))
		}
	}
}

func TestRedirectsThatMendAnAddressAreMeantToStay(t *testing.T) {
	b := &build{}
	hop := func(status int) func(*schema.PageFacts) {
		return func(p *schema.PageFacts) { p.FirstHop = status }
	}
	b.page("/a", 200, movedTo("/a/", 1), hop(302))
	b.page("/b", 200, movedTo("/b/", 1), hop(301))
	b.page("/", 200, movedTo("/de/", 1), hop(302))
	b.page("/C", 200, movedTo("/c", 1), hop(307))
	expect(t, b, "1 redirect-temporary: 302 to "+host+"/a/", "4 redirect-temporary: 307 to "+host+"/c")
}

func TestClicksAreCountedByLinks(t *testing.T) {
	for _, open := range []bool{false, true} {
		b := &build{}
		last := b.page("/", 200, func(p *schema.PageFacts) { p.Via = schema.ViaSeed })
		for i := range 4 {
			path := fmt.Sprint("/", i)
			next := b.page(path, 200, fromSitemap)
			b.link(host+path, next, last)
			last = next
		}
		if open { // somewhere we did not look a shorter way may begin
			b.page("/late", 200, outcome(schema.OutcomeNotAnalysed, schema.ReasonTimeout))
			expect(t, b)
			continue
		}
		expect(t, b, "5 page-deep: 4 clicks")
	}
}

// Every rule of the site can be found, and stands in the list.
func TestEverySiteRuleIsListed(t *testing.T) {
	for _, id := range []string{CanonicalChain, CanonicalHome, AddressVariants, RedirectTemporary, PageDeep, SitemapRedirect, SitemapNoindex, SitemapCanonical, SitemapDisallowed, HreflangReturn, HreflangTarget} {
		if infoOf(id).Title == "" {
			t.Errorf("%s is not in the list", id)
		}
	}
}

// What is wrong with robots.txt and sitemaps is told on the first page read.
func TestWhatASiteSaysToRobots(t *testing.T) {
	const map1 = host + "/sitemap.xml"
	read := func(change func(*schema.SitemapFile)) schema.SitemapFile {
		m := schema.SitemapFile{URL: map1, Status: 200, Outcome: schema.OutcomeAnalysed, Pages: 3}
		change(&m)
		return m
	}
	missing := schema.SitemapFile{URL: map1, Status: 404, Outcome: schema.OutcomeErrorAnswer, Reason: schema.ReasonErrorStatus}
	refused := schema.SitemapFile{URL: map1, Status: 403, Outcome: schema.OutcomeErrorAnswer, Reason: schema.ReasonErrorStatus}
	named := &schema.RobotsFile{Bytes: 100, Sitemaps: 1}
	maps := func(m ...schema.SitemapFile) []schema.SitemapFile { return m }
	for name, c := range map[string]struct {
		reading schema.SiteReading
		want    []string
	}{
		"in order":          {schema.SiteReading{Robots: named, Sitemaps: maps(read(func(*schema.SitemapFile) {}))}, nil},
		"neither":           {schema.SiteReading{Sitemaps: maps(missing)}, nil},
		"a page":            {schema.SiteReading{Robots: &schema.RobotsFile{Markup: true, NotUTF8: true}}, []string{"1 robots-txt-markup"}},
		"all at once":       {schema.SiteReading{Robots: &schema.RobotsFile{Bytes: 512 << 10, NotUTF8: true, Unknown: 2, Noindex: 1}}, []string{"1 robots-txt-encoding", "1 robots-txt-large: 512 KiB", "1 robots-txt-syntax: 2 lines", "1 robots-txt-noindex: 1 lines"}},
		"named, not there":  {schema.SiteReading{Robots: named, Sitemaps: maps(missing)}, []string{"1 sitemap-unreadable: 404 " + map1}},
		"named, refused us": {schema.SiteReading{Robots: named, Sitemaps: maps(refused)}, nil},
		"not named":         {schema.SiteReading{Robots: &schema.RobotsFile{}, Sitemaps: maps(read(func(*schema.SitemapFile) {}))}, []string{"1 sitemap-not-named: " + map1}},
		"faulty": {schema.SiteReading{Robots: named, Sitemaps: maps(read(func(m *schema.SitemapFile) {
			m.Problems, m.Foreign, m.Future = []string{"xml_broken", "loc_relative"}, 2, 1
		}))}, []string{"1 sitemap-invalid: xml broken, loc relative in " + map1, "1 sitemap-other-host: 2 of 3 in " + map1, "1 sitemap-dates: 1 dates lie ahead in " + map1}},
		"some page at the usual place": {schema.SiteReading{Sitemaps: maps(read(func(m *schema.SitemapFile) { m.Pages, m.Problems = 0, []string{"not_a_sitemap"} }))}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			b := &build{}
			b.page("/", 200)
			b.f.Reading = c.reading
			expect(t, b, c.want...)
		})
	}
}

func TestSuccessForNothing(t *testing.T) {
	for facts, want := range map[schema.NotFoundFacts]string{
		{State: schema.LookDone, Status: 404}:               "",
		{State: schema.LookDone, Status: 410, Redirects: 1}: "",
		{State: schema.LookUnknown, Status: 200}:            "",
		{State: schema.LookDone, Status: 200}:               "1 soft-not-found: 200",
		{State: schema.LookDone, Status: 200, Redirects: 1}: "1 soft-not-found: 200 after a redirect",
	} {
		b := &build{}
		b.page("/", 200)
		b.f.Security.Probe = &schema.SiteProbe{NotFound: facts}
		if got := told(Judge(b.f, "shop.example")); strings.Contains(strings.Join(got, "\n"), "soft-not-found") != (want != "") || want != "" && !slices.Contains(got, want) {
			t.Errorf("%+v: %q", facts, got)
		}
	}
}

func TestOldHTTPIsTold(t *testing.T) {
	for facts, want := range map[schema.TLSFacts]bool{
		{State: schema.LookDone, Version: "TLS 1.3"}:                                 true,
		{State: schema.LookDone, Version: "TLS 1.3", HTTP2: true}:                    false,
		{State: schema.LookDone, Reason: schema.ReasonConnection}:                    false,
		{State: schema.LookUnknown, Version: "TLS 1.3", Reason: schema.ReasonRobots}: false,
	} {
		b := &build{}
		b.page("/", 200)
		b.f.Security.Probe = &schema.SiteProbe{TLS: facts}
		if got := slices.Contains(told(Judge(b.f, "shop.example")), "1 http-1-only"); got != want {
			t.Errorf("%+v: %v, want %v", facts, got, want)
		}
	}
}
