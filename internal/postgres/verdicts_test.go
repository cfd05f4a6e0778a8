package postgres_test

import (
	"fmt"
	"reflect"
	"testing"

	"visite/schema"
)

func anchor(url string, inScope bool) schema.PageLink {
	return schema.PageLink{URL: url, Kind: schema.LinkAnchor, InScope: inScope}
}

// linked is a scan with 25 pages that all link to /hub, and the seed to a few more.
func linked(w world) schema.Scan {
	scan := w.running(100)
	seed := w.claim(scan, "seed")
	page := fullPage(seed.URL)
	page.FinalURL, page.Redirects = seed.URL, []schema.Hop{{URL: seed.URL, Status: 302}}
	page.Links = []schema.PageLink{anchor("http://127.0.0.1:8080/hub", true), anchor("http://127.0.0.1:8080/hub", true),
		anchor("https://elsewhere.example/", false), anchor("http://127.0.0.1:8080/p0", true)}
	next := []schema.Candidate{fromLink("http://127.0.0.1:8080/hub")}
	for i := range 24 {
		next = append(next, fromLink("http://127.0.0.1:8080/p%d", i))
	}
	w.record(seed, page, next...)
	for i := range 25 {
		c := w.claim(scan, fmt.Sprint("t", i))
		p := analysed(c.URL)
		p.Links = []schema.PageLink{anchor("http://127.0.0.1:8080/hub", true)}
		if c.URL == "http://127.0.0.1:8080/hub" {
			p = schema.Page{URL: c.URL, Outcome: schema.OutcomeErrorAnswer, Status: 404}
		}
		w.record(c, p)
	}
	return scan
}

func TestSiteFactsTellWhereEachAddressIsLinked(t *testing.T) {
	w := newWorld(t)
	scan := linked(w)
	facts, err := w.SiteFacts(w.ctx, scan.ID)
	must(t, err)
	equal(t, "pages", len(facts.Pages), 26)
	ids := map[string]schema.PageFacts{}
	for _, p := range facts.Pages {
		ids[p.URL] = p
	}
	seed := ids[scan.URL]
	want := schema.PageFacts{ID: seed.ID, URL: scan.URL, FinalURL: scan.URL, Status: 200, Outcome: schema.OutcomeAnalysed, Title: "A title",
		Description: "What it says of itself", Canonical: scan.URL, ContentHash: 1<<63 + 5, RobotsTags: []string{"noindex"}, Redirects: 1, FirstHop: 302, Via: schema.ViaSeed,
		Hreflang: map[string]string{"en": "/en"}}
	if !reflect.DeepEqual(seed, want) {
		t.Errorf("facts of the seed\n%+v, want\n%+v", seed, want)
	}
	links := map[string]schema.LinkFacts{}
	for _, l := range facts.Links {
		links[l.URL] = l
	}
	equal(t, "linked addresses", len(links), 3)
	hub := links["http://127.0.0.1:8080/hub"]
	equal(t, "pages that link to the hub", hub.Pages, 25)
	equal(t, "pages named", len(hub.FoundOn), schema.MaxFoundOn)
	equal(t, "first of them", hub.FoundOn[0], seed.ID)
	equal(t, "the hub's own page", hub.Page, ids[hub.URL].ID)
	out := links["https://elsewhere.example/"]
	if out.InScope || out.Page != 0 || !reflect.DeepEqual(out.FoundOn, []int64{seed.ID}) || out.Pages != 1 {
		t.Errorf("the link out: %+v", out)
	}
	equal(t, "a link within is in scope", links["http://127.0.0.1:8080/p0"].InScope, true)
}

func TestVerdictsReplaceEarlierOnes(t *testing.T) {
	w := newWorld(t)
	scan := linked(w)
	facts, err := w.SiteFacts(w.ctx, scan.ID)
	must(t, err)
	seed := facts.Pages[0]
	verdicts := schema.SiteVerdicts{}
	for _, l := range facts.Links {
		v := schema.LinkVerdictOf{ID: l.ID, Verdict: schema.LinkUnchecked}
		if l.Page != 0 {
			v = schema.LinkVerdictOf{ID: l.ID, Verdict: schema.LinkBroken, Status: 404}
		}
		verdicts.Links = append(verdicts.Links, v)
	}
	broken := schema.Finding{Rule: "link-broken", Engine: "visite", Category: schema.CategoryLinks, Severity: schema.SeveritySerious,
		Outcome: schema.FindingFailed, WCAG: []string{}, ACTRules: []string{}, Help: "Correct or remove the link.", Detail: "404"}
	verdicts.Findings = []schema.SiteFinding{{PageID: seed.ID, Finding: broken}, {PageID: seed.ID, Finding: broken}}
	must(t, w.WriteVerdicts(w.ctx, scan.ID, verdicts))
	verdicts.Findings = verdicts.Findings[:1]
	must(t, w.WriteVerdicts(w.ctx, scan.ID, verdicts))

	equal(t, "findings counted", w.progress(scan).Findings, 2)
	equal(t, "for review", w.progress(scan).NeedsReview, 1)
	found, err := w.Findings(w.ctx, scan.ID, schema.FindingFilter{Category: schema.CategoryLinks}, schema.Range{Limit: 10})
	must(t, err)
	if len(found) != 1 || !reflect.DeepEqual(found[0].Finding, broken) || found[0].PageURL != scan.URL || found[0].PageID != seed.ID {
		t.Errorf("findings on links: %+v", found)
	}

	links, err := w.Links(w.ctx, scan.ID, schema.LinkFilter{Verdict: schema.LinkBroken}, schema.Range{Limit: 10})
	must(t, err)
	byURL := map[string]schema.Link{}
	for _, l := range links {
		byURL[l.Link.URL] = l.Link
	}
	equal(t, "broken links", len(byURL), 2)
	hub := byURL["http://127.0.0.1:8080/hub"]
	equal(t, "status", hub.Status, 404)
	equal(t, "pages", hub.Pages, 25)
	equal(t, "pages named", len(hub.FoundOn), schema.MaxFoundOn)
	equal(t, "first page", hub.FoundOn[0], scan.URL)
}

func TestListsWithinAScanAreReadInStretches(t *testing.T) {
	w := newWorld(t)
	scan := linked(w)
	seen := map[int64]bool{}
	after := ""
	for {
		pages, err := w.Pages(w.ctx, scan.ID, schema.PageFilter{Outcome: schema.OutcomeAnalysed}, schema.Range{After: after, Limit: 7})
		must(t, err)
		if len(pages) == 0 {
			break
		}
		for _, p := range pages {
			if seen[p.ID] {
				t.Fatalf("page %d was listed twice", p.ID)
			}
			seen[p.ID] = true
		}
		after = fmt.Sprint(pages[len(pages)-1].ID)
	}
	equal(t, "analysed pages", len(seen), 25)
}

func TestFindingsAreNarrowed(t *testing.T) {
	w := newWorld(t)
	scan := w.running(5)
	c := w.claim(scan, "t0")
	w.record(c, fullPage(c.URL), fromLink("http://127.0.0.1:8080/a"))
	other := w.claim(scan, "t1")
	w.record(other, fullPage(other.URL))
	for _, q := range []struct {
		filter schema.FindingFilter
		want   int
	}{
		{schema.FindingFilter{}, 4},
		{schema.FindingFilter{Rule: "image-alt"}, 2},
		{schema.FindingFilter{Category: schema.CategoryPerformance}, 2},
		{schema.FindingFilter{MinSeverity: schema.SeveritySerious}, 2},
		{schema.FindingFilter{MinSeverity: schema.SeverityMinor}, 4},
		{schema.FindingFilter{Outcome: schema.FindingNeedsReview}, 2},
		{schema.FindingFilter{PageID: other.ID}, 2},
		{schema.FindingFilter{PageID: other.ID, Rule: "image-alt"}, 1},
		{schema.FindingFilter{Rule: "nope"}, 0},
	} {
		found, err := w.Findings(w.ctx, scan.ID, q.filter, schema.Range{Limit: 100})
		must(t, err)
		equal(t, fmt.Sprintf("findings for %+v", q.filter), len(found), q.want)
	}
	first, err := w.Findings(w.ctx, scan.ID, schema.FindingFilter{}, schema.Range{Limit: 3})
	must(t, err)
	rest, err := w.Findings(w.ctx, scan.ID, schema.FindingFilter{}, schema.Range{After: fmt.Sprint(first[2].ID), Limit: 3})
	must(t, err)
	equal(t, "in the second stretch", len(rest), 1)
}
