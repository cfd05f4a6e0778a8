package report

import (
	"strings"
	"testing"

	"visite/schema"
)

// proves S-40
func TestHTMLTellsWhatMatters(t *testing.T) {
	page := htmlOf(t, sample(), sampleScan(), English)
	for id, wants := range map[string][]string{
		"summary":    {"11 of 17 addresses known", "Not judged: Answered with an error 1, Leads to another page of the site 1, Closed by robots.txt 1, Not a page 1, Not analysed 1, Leads to another site 1.", "18 of 13 kinds", "1 never counted as faults", "2 on this site and to others", "Critical 5 3 28 %"},
		"mend":       {"Images must have alternative text Critical 2 places on 2 pages Accessibility WCAG 1.1.1 Rule image-alt", "/shop li:nth-child(3) > a > img", "A link leads to an error What to do: Mend or remove the link Moderate one place on one page Links Rule link-broken", "1.83:1, at least 4.5:1"},
		"categories": {"Accessibility 5 4 1 0 0 10", "Search engines 0 1 3 0 1 5"},
		"review":     {"Elements must meet minimum color contrast ratio thresholds Serious one place on one page", "background is a picture"},
		"links":      {"2 addresses that pages link to do not answer with a page.", "/news/regatta-results Status 404 /news", "/shop/oar Status 500 /shop / /about and 6 more pages"},
		"apart": {"Answered with an error 1", "/shop/oar Status 500", "/old-news Status 301 leads to /news", "/partner Status 302 leads to", "Closed by robots.txt 1", "/members/", "Not analysed: the answer does not end 1",
			"Leads to another site 1", "leads to https://boats.example.net/", "/downloads/rules.pdf"},
		"pages":     {"Become a member of the club | Millbrook Rowing Club /membership", "no title /news", "The page opened a dialog, which was closed.", "200 loaded in 212 ms 2 Critical"},
		"footprint": {"rowing.example 61 1.4 MB 7", "fonts.example.org 4 88.2 kB 2", "Total 65 1.5 MB", "At most 2 pages at a time on a server, with pauses of at least 250 ms, or 4 times", "wanted to send something 2 times"},
		"visit": {"a real browser", "a desktop computer", "Chromium 156.0.8078.114", "sitenorma", "… SiteNorma/1.0 (+https://sitenorma.com/rastreador/)",
			"Mozilla/5.0 (compatible; SiteNorma/1.0; +https://sitenorma.com/rastreador/)", "harbour@rowing.example", "a site with the permission of Millbrook Rowing Club", "2 March 2026, 09:30 UTC", "104 s", "500"},
	} {
		part := section(t, page, id)
		for _, want := range wants {
			if !strings.Contains(part, want) {
				t.Errorf("%s does not tell %q; it tells %q", id, want, part)
			}
		}
	}
	if strings.Contains(page, "Please note") {
		t.Error("a finished scan carries a notice")
	}
	mend := section(t, page, "mend")
	if strings.Index(mend, "image-alt") > strings.Index(mend, "html-has-lang") || strings.Contains(mend, "background is a picture") {
		t.Errorf("order or contents of what to mend: %s", mend)
	}
}

// What was not done stands first and plainly.
func TestNotices(t *testing.T) {
	begin := func(f func(*schema.Scan, *recorded)) string {
		scan, src := sampleScan(), sample()
		f(&scan, src)
		page := htmlOf(t, src, scan, English)
		_, rest, found := strings.Cut(text(parse(t, page)), " Please note ")
		if !found {
			return ""
		}
		notice, _, _ := strings.Cut(rest, " Summary ")
		return notice
	}
	for name, c := range map[string]struct {
		change func(*schema.Scan, *recorded)
		want   string
	}{
		"cancelled": {func(s *schema.Scan, r *recorded) { s.State = schema.ScanCancelled; r.progress.Found = 30 },
			"This report is partial. The scan was cancelled before it was through. 13 addresses that are known have not been dealt with."},
		"stopped": {func(s *schema.Scan, _ *recorded) { s.State, s.StateReason = schema.ScanStopped, "pages_not_loadable" },
			"This report is partial. The scan was ended early so as not to burden the site: several pages in a row could not be loaded."},
		"refused": {func(s *schema.Scan, r *recorded) {
			s.State, s.StateReason = schema.ScanRefused, string(schema.ReasonRobots)
			*r = recorded{}
		}, "The site was not scanned: robots.txt forbids it. No page was loaded."},
		"failed": {func(s *schema.Scan, _ *recorded) { s.State, s.StateReason = schema.ScanFailed, "our_fault" },
			"This report is partial. The scan was ended by a fault on our side, which is no fault of the site."},
		"running": {func(s *schema.Scan, _ *recorded) {
			s.State, s.WaitingFor = schema.ScanRunning, "rowing.example asked for 120 s of rest"
		}, "The scan is still running. This report shows what is known so far. It is waiting: rowing.example asked for 120 s of rest"},
		"limit": {func(s *schema.Scan, r *recorded) { s.MaxPages = 17; r.progress.Found = 18 },
			"The scan was ordered for 17 pages at most. One more address is known and was not visited."},
		"names": {func(_ *schema.Scan, r *recorded) {
			r.pages[0].TrackersBy, r.pages[1].TrackersBy, r.pages[2].TrackersBy = schema.TrackersByNames, schema.TrackersByNames, schema.TrackersByLists
		}, "On 2 pages trackers were told by the names of known companies alone; the lists EasyPrivacy and EasyList were not consulted."},
		"http": {func(s *schema.Scan, _ *recorded) { s.Engine = schema.EngineHTTP },
			"The pages were loaded without a browser. What only a browser shows was not checked: much of accessibility, what scripts make of the pages, layout, speed, and whether the HTML is valid."},
		"unvalidated": {func(_ *schema.Scan, r *recorded) { r.pages[2].Notes = []string{schema.NoteValidityUnchecked} },
			"On one page it was not checked, or not to the end, whether the HTML is valid. Such faults may be there and are not counted in the scores."},
		"nothing": {func(_ *schema.Scan, r *recorded) { r.pages, r.progress = nil, schema.Progress{} },
			"No page could be analysed. That no faults are listed therefore says nothing about the site."},
	} {
		if got := begin(c.change); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// Nothing found is told apart from nothing looked at.
func TestNothingFoundAndNothingLookedAt(t *testing.T) {
	clean := &recorded{}
	clean.add(schema.Page{URL: sampleSite + "/", Outcome: schema.OutcomeAnalysed, Status: 200, Title: "Start"})
	page := htmlOf(t, clean, sampleScan(), English)
	if got := section(t, page, "summary"); !strings.Contains(got, "found no faults on the page analysed") {
		t.Errorf("summary %q", got)
	}
	if got := section(t, page, "mend"); got != "What to mend first No faults were found." {
		t.Errorf("mend %q", got)
	}
	none := &recorded{}
	none.add(schema.Page{URL: sampleSite + "/", Outcome: schema.OutcomeNotAnalysed, Reason: schema.ReasonTimeout})
	page = htmlOf(t, none, sampleScan(), English)
	if all := text(parse(t, page)); strings.Contains(all, "found no faults") || strings.Contains(all, "No faults were found") || strings.Contains(all, "No broken links") {
		t.Errorf("nothing was looked at, and the report says: %s", all)
	}
	if got := section(t, page, "mend"); got != "What to mend first no verdict" {
		t.Errorf("mend %q", got)
	}
}

// proves S-23
func TestABlockedPageNamesWhatStoodInTheWayAndWhatToAllow(t *testing.T) {
	for lang, words := range map[Lang][]string{
		English: {"Blocked by a security check: Cloudflare 1", "Blocked by a security check 1", "Allowing the User-Agent named below lets the page be checked.", "A banner asking for consent covers part of the page"},
		German:  {"Von einer Sicherheitsabfrage versperrt: Cloudflare 1", "Wird der unten genannte User-Agent zugelassen", "Ein Einwilligungsbanner verdeckt einen Teil der Seite"},
		Spanish: {"Bloqueada por un control de seguridad: Cloudflare 1", "Si se permite el User-Agent indicado", "Un aviso de consentimiento cubre parte de la página"},
	} {
		scan, src := sampleScan(), sample()
		src.pages[0].Notes = []string{schema.NoteBannerOpen}
		src.add(schema.Page{URL: sampleSite + "/guarded", Outcome: schema.OutcomeBlocked, Reason: schema.ReasonChallenge, BlockedBy: "Cloudflare", Status: 403})
		src.add(schema.Page{URL: sampleSite + "/guarded-too", Outcome: schema.OutcomeBlocked, Reason: schema.ReasonChallenge, Status: 403})
		said := text(parse(t, htmlOf(t, src, scan, lang)))
		for _, w := range words {
			if !strings.Contains(said, w) {
				t.Errorf("%s: the page does not say %q", lang, w)
			}
		}
	}
}

// Where nothing of the contract's pace applies, none of it is claimed.
func TestPaceOfThisMachine(t *testing.T) {
	scan := sampleScan()
	scan.Profile.LoopbackOnly = true
	scan.Profile.Limits.PagesAtOnce, scan.Profile.Limits.PauseMin, scan.Profile.Limits.PauseFactor = 8, 0, 0
	got := section(t, htmlOf(t, sample(), scan, English), "footprint")
	if !strings.Contains(got, "At most 8 pages at a time, without pauses: a site of this machine.") || strings.Contains(got, "0 ms") || strings.Contains(got, "last answer") {
		t.Errorf("footprint %q", got)
	}
}
