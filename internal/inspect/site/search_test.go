package site

import (
	"fmt"
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
