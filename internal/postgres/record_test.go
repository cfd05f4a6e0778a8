package postgres_test

import (
	"fmt"
	"reflect"
	"testing"

	"visite/schema"
)

func fullPage(url string) schema.Page {
	return schema.Page{
		URL: url, FinalURL: url + "end", Outcome: schema.OutcomeAnalysed, Status: 200,
		Redirects: []schema.Hop{{URL: url, Status: 301}},
		Timing:    schema.Timing{DNSMS: 1.5, ConnectMS: 0.125, TLSMS: 12.3, TTFBMS: 40, BodyMS: 7.001, LoadMS: 912.34},
		WireBytes: 1 << 40, Bytes: 12345, MediaType: "text/html", Charset: "utf-8", Protocol: "HTTP/2.0", Encoding: "gzip",
		Words: 321, Elements: 88, Title: "A title", Description: "What it says of itself",
		Sharing: map[string]string{"og:title": "Shared"}, Languages: schema.Languages{HTML: "de", Hreflang: map[string]string{"en": "/en"}},
		RobotsTags: []string{"noindex"}, Canonical: url, ContentHash: 1<<63 + 5, Structure: 1<<63 + 9, Requests: 4, RefusedCalls: 2, BlockedBy: "A product",
		Speed:      &schema.Speed{FCPMS: 812.5, LCPMS: 900, CLS: 0.125, LCPAt: "html > body > img", LCPParts: &schema.LCPParts{LoadMS: 90}, Loads: 1, Cache: schema.CacheEmpty},
		Weight:     &schema.Weight{Requests: 4, Bytes: 1 << 33, Files: map[schema.FileKind]schema.FileSum{schema.FileImage: {Requests: 4, Bytes: 1 << 33}}, Hosts: 1},
		TrackersBy: schema.TrackersByLists,
		Notes:      []string{schema.NoteDialog}, InspectedAt: instant,
		Findings: []schema.Finding{
			{Rule: "image-alt", Engine: "axe-core 4.14.1", Category: schema.CategoryAccessibility, Severity: schema.SeverityCritical,
				Outcome: schema.FindingFailed, WCAG: []string{"1.1.1"}, ACTRules: []string{"23a2a8"}, Selector: "main > img:nth-child(2)", Title: "Images must have alternative text", Help: "Give it a text alternative."},
			{Rule: "slow-answer", Engine: "visite", Category: schema.CategoryPerformance, Severity: schema.SeverityMinor,
				Outcome: schema.FindingNeedsReview, WCAG: []string{}, ACTRules: []string{}, Help: "See what takes so long.", Detail: "612 ms"},
		},
	}
}

func TestAPageReadsBackAsRecorded(t *testing.T) {
	w := newWorld(t)
	scan := w.running(10)
	c := w.claim(scan, "t1")
	page := fullPage(c.URL)
	w.record(c, page)

	got := w.pages(scan)
	if len(got) != 1 {
		t.Fatalf("%d pages, want 1", len(got))
	}
	page.ID, page.ScanID = c.ID, scan.ID
	if !reflect.DeepEqual(got[0], page) {
		t.Errorf("read back\n%+v\nrecorded\n%+v", got[0], page)
	}
	p := w.progress(scan)
	equal(t, "progress", p, schema.Progress{Found: 1, Done: 1, Analysed: 1, Findings: 1, NeedsReview: 1})
}

// What was not looked at is counted over the pages that were analysed, and only those.
func TestPagesNotWhollyLookedAtAreCounted(t *testing.T) {
	w := newWorld(t)
	scan := w.running(10)
	_, err := w.AddCandidates(w.ctx, scan.ID, []schema.Candidate{fromLink("http://127.0.0.1:8080/a"), fromLink("http://127.0.0.1:8080/b"), fromLink("http://127.0.0.1:8080/c")})
	must(t, err)
	for i, change := range []func(*schema.Page){
		func(p *schema.Page) { p.TrackersBy = schema.TrackersByNames },
		func(p *schema.Page) {
			p.TrackersBy, p.Notes = schema.TrackersByNames, []string{schema.NoteDialog, schema.NoteValidityUnchecked}
		},
		func(p *schema.Page) { p.TrackersBy, p.Notes = schema.TrackersByLists, []string{schema.NoteDialog} },
		func(p *schema.Page) {
			p.Outcome, p.TrackersBy, p.Notes = schema.OutcomeNotAnalysed, schema.TrackersByNames, []string{schema.NoteValidityUnchecked}
		},
	} {
		c := w.claim(scan, fmt.Sprintf("t%d", i))
		page := analysed(c.URL)
		change(&page)
		w.record(c, page)
	}
	got, err := w.Unlooked(w.ctx, scan.ID)
	must(t, err)
	equal(t, "not wholly looked at", got, schema.Unlooked{Unvalidated: 1, ByNames: 2})
}

// A hostile page can send bytes that are no text to PostgreSQL.
func TestBytesThatAreNoTextDoNotStopAPage(t *testing.T) {
	w := newWorld(t)
	scan := w.running(10)
	c := w.claim(scan, "t1")
	page := analysed(c.URL)
	page.Title, page.Sharing = "a\x00b\xffc", map[string]string{"og:\x00": "\x00\xc3"}
	page.Links = []schema.PageLink{{URL: "http://127.0.0.1:8080/\x00\xfe", Kind: schema.LinkAnchor}}
	w.record(c, page)
	got := w.pages(scan)[0]
	equal(t, "title", got.Title, "ab\uFFFDc")
	equal(t, "sharing", got.Sharing["og:"], "\uFFFD")
}

// proves R-31
func TestRecordingTwiceKeepsTheFirst(t *testing.T) {
	w := newWorld(t)
	scan := w.running(10)
	c := w.claim(scan, "t1")
	first := fullPage(c.URL)
	w.record(c, first, fromLink("http://127.0.0.1:8080/a"))
	second := analysed(c.URL)
	second.Title = "another"
	w.record(c, second, fromLink("http://127.0.0.1:8080/b"))

	got := w.pages(scan)
	if len(got) != 1 || got[0].Title != "A title" || len(got[0].Findings) != 2 {
		t.Errorf("pages after the repeat: %+v", got)
	}
	equal(t, "progress", w.progress(scan), schema.Progress{Found: 2, Done: 1, Analysed: 1, Findings: 1, NeedsReview: 1})

	again := w.claim(scan, "t1")
	if !again.Recorded || again.ID != c.ID || again.Outcome != schema.OutcomeAnalysed {
		t.Errorf("the ticket's repeat got %+v, want the recorded page %d", again, c.ID)
	}
}

func TestRecordingWhatWasNeverClaimedIsAnError(t *testing.T) {
	w := newWorld(t)
	if err := w.RecordPage(w.ctx, schema.Claim{ID: 12345}, analysed("http://127.0.0.1:8080/"), nil); err == nil {
		t.Error("no error")
	}
}

func TestALinkTargetBecomesAPageWhenFoundAsCandidate(t *testing.T) {
	w := newWorld(t)
	scan := w.running(10)
	c := w.claim(scan, "t1")
	page := analysed(c.URL)
	page.Links = []schema.PageLink{{URL: "http://127.0.0.1:8080/later", Kind: schema.LinkAnchor, InScope: true}}
	w.record(c, page)
	if next := w.claim(scan, "t2"); next.Found || next.Pending {
		t.Fatalf("claimed %+v, want nothing: the link was no candidate", next)
	}
	n, err := w.AddCandidates(w.ctx, scan.ID, []schema.Candidate{fromLink("http://127.0.0.1:8080/later"), fromLink("http://127.0.0.1:8080/later#top")})
	must(t, err)
	equal(t, "new candidates", n, 1)
	next := w.claim(scan, "t2")
	equal(t, "claimed", next.URL, "http://127.0.0.1:8080/later")
}

func TestARedirectsTargetIsAPageOfItsOwnOnce(t *testing.T) {
	w := newWorld(t)
	scan := w.running(10)
	_, err := w.AddCandidates(w.ctx, scan.ID, []schema.Candidate{fromLink("http://127.0.0.1:8080/old1"), fromLink("http://127.0.0.1:8080/old2"), fromLink("http://127.0.0.1:8080/new")})
	must(t, err)
	seed, old1, old2 := w.claim(scan, "t0"), w.claim(scan, "t1"), w.claim(scan, "t2")
	w.record(seed, analysed(seed.URL))

	target := fullPage("http://127.0.0.1:8080/new")
	target.FinalURL, target.Redirects = target.URL, nil
	for _, c := range []schema.Claim{old1, old1, old2} { // the second is a repeat
		from := schema.Page{URL: c.URL, FinalURL: target.URL, Outcome: schema.OutcomeDuplicate, Status: 200, Redirects: []schema.Hop{{URL: c.URL, Status: 301}}}
		must(t, w.RecordRedirect(w.ctx, c, from, target, []schema.Candidate{fromLink("http://127.0.0.1:8080/beyond")}))
	}
	outcomes := map[string]schema.Outcome{}
	for _, p := range w.pages(scan) {
		outcomes[p.URL] = p.Outcome
	}
	want := map[string]schema.Outcome{
		seed.URL: schema.OutcomeAnalysed, old1.URL: schema.OutcomeDuplicate, old2.URL: schema.OutcomeDuplicate, target.URL: schema.OutcomeAnalysed,
	}
	if !reflect.DeepEqual(outcomes, want) {
		t.Errorf("outcomes %v, want %v", outcomes, want)
	}
	equal(t, "progress", w.progress(scan), schema.Progress{Found: 5, Done: 4, Analysed: 2, Findings: 1, NeedsReview: 1})
	next := w.claim(scan, "t3")
	equal(t, "the only address left", next.URL, "http://127.0.0.1:8080/beyond")
}

func TestARedirectLeavesATargetAloneThatAnotherIsLoading(t *testing.T) {
	w := newWorld(t)
	scan := w.running(10)
	_, err := w.AddCandidates(w.ctx, scan.ID, []schema.Candidate{fromLink("http://127.0.0.1:8080/new")})
	must(t, err)
	seed, loading := w.claim(scan, "t0"), w.claim(scan, "t1")
	from := schema.Page{URL: seed.URL, FinalURL: loading.URL, Outcome: schema.OutcomeDuplicate, Status: 200}
	must(t, w.RecordRedirect(w.ctx, seed, from, fullPage(loading.URL), nil))
	equal(t, "pages", len(w.pages(scan)), 1)
	w.record(loading, analysed(loading.URL))
	equal(t, "progress", w.progress(scan), schema.Progress{Found: 2, Done: 2, Analysed: 1})
}

func TestARedirectToAnAddressNobodyKnewAddsIt(t *testing.T) {
	w := newWorld(t)
	scan := w.running(1)
	seed := w.claim(scan, "t0")
	from := schema.Page{URL: seed.URL, FinalURL: "http://127.0.0.1:8080/home", Outcome: schema.OutcomeDuplicate, Status: 200}
	must(t, w.RecordRedirect(w.ctx, seed, from, analysed("http://127.0.0.1:8080/home"), nil))
	equal(t, "progress", w.progress(scan), schema.Progress{Found: 2, Done: 2, Analysed: 1})
	n, err := w.AddCandidates(w.ctx, scan.ID, []schema.Candidate{fromLink("http://127.0.0.1:8080/home")})
	must(t, err)
	equal(t, "new when found again", n, 0)
}
