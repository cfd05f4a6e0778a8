package report

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"visite/schema"
)

func htmlOf(t *testing.T, src Source, scan schema.Scan, lang Lang) string {
	t.Helper()
	var out bytes.Buffer
	if err := HTML(t.Context(), &out, src, scan, Options{Lang: lang}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func parse(t *testing.T, page string) *html.Node {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func text(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode && d.Parent.Data != "style" {
			b.WriteString(d.Data + " ")
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// section is the text of the part of the page with an id.
func section(t *testing.T, page, id string) string {
	t.Helper()
	for n := range parse(t, page).Descendants() {
		if attr(n, "id") == id {
			return text(n)
		}
	}
	t.Fatalf("no part %q in the page", id)
	return ""
}

func TestHTMLGolden(t *testing.T) {
	got := htmlOf(t, sample(), sampleScan(), English)
	got = regexp.MustCompile(`(?s)<style>.*</style>`).ReplaceAllString(got, "<style></style>")
	const golden = "testdata/report.golden.html"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		gotLines, wantLines := strings.Split(got, "\n"), strings.Split(string(want), "\n")
		for i := range min(len(gotLines), len(wantLines)) {
			if gotLines[i] != wantLines[i] {
				t.Fatalf("line %d is\n%s\nwant\n%s\n(go test -update writes it anew)", i+1, gotLines[i], wantLines[i])
			}
		}
		t.Fatalf("%d lines, want %d", len(gotLines), len(wantLines))
	}
}

// The page needs nothing but itself and holds what assistive technology needs.
func TestHTMLStandsAlone(t *testing.T) {
	for _, lang := range Langs() {
		doc := parse(t, htmlOf(t, sample(), sampleScan(), lang))
		count := map[string]int{}
		ids := map[string]int{}
		last := 0
		for n := range doc.Descendants() {
			if n.Type != html.ElementNode {
				continue
			}
			if n.Namespace == "" { // a picture has a title of its own
				count[n.Data]++
			}
			if id := attr(n, "id"); id != "" {
				ids[id]++
			}
			switch n.Data {
			case "html":
				if attr(n, "lang") != string(lang) {
					t.Errorf("lang is %q, want %q", attr(n, "lang"), lang)
				}
			case "script", "img", "iframe", "object", "embed", "form", "base":
				t.Errorf("%s: the page has a %s", lang, n.Data)
			case "link":
				if attr(n, "href") != "data:," {
					t.Errorf("%s: the page asks for %s", lang, attr(n, "href"))
				}
			case "th":
				if attr(n, "scope") == "" {
					t.Errorf("%s: header cell without scope: %s", lang, text(n))
				}
			case "h1", "h2", "h3":
				level := int(n.Data[1] - '0')
				if level > last+1 {
					t.Errorf("%s: heading level jumps from %d to %d at %q", lang, last, level, text(n))
				}
				last = level
			case "svg":
				if attr(n, "aria-hidden") != "true" && (attr(n, "role") != "img" || attr(n, "aria-labelledby") == "") {
					t.Errorf("%s: a picture is neither named nor hidden from screen readers", lang)
				}
			case "a":
				href := attr(n, "href")
				if strings.HasPrefix(href, "#") && href != "#report" && ids[href[1:]] == 0 && !strings.Contains(htmlOf(t, sample(), sampleScan(), lang), `id="`+href[1:]+`"`) {
					t.Errorf("%s: link to %s leads nowhere", lang, href)
				}
				if !strings.HasPrefix(href, "#") && attr(n, "rel") != "noreferrer nofollow" {
					t.Errorf("%s: link %s has rel %q", lang, href, attr(n, "rel"))
				}
			}
			for _, a := range n.Attr {
				if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "src" {
					t.Errorf("%s: %s has the attribute %s", lang, n.Data, a.Key)
				}
			}
		}
		for _, once := range []string{"h1", "main", "header", "footer", "nav", "title", "style"} {
			if count[once] != 1 {
				t.Errorf("%s: %d times %s, want once", lang, count[once], once)
			}
		}
		for id, n := range ids {
			if n != 1 {
				t.Errorf("%s: id %s stands %d times", lang, id, n)
			}
		}
	}
	if css, _ := pageFiles.ReadFile("page/report.css"); bytes.Contains(css, []byte("url(")) || bytes.Contains(css, []byte("@import")) {
		t.Error("the style asks for another file")
	}
}

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

func TestHostileTextIsHarmless(t *testing.T) {
	long := strings.Repeat("W", 10_000)
	const rude = "\u202E</title></style><script>alert(1)</script><img src=x onerror=alert(1)>\u2066\"'"
	scan, src := sampleScan(), sample()
	scan.Contact, scan.Basis.Party, scan.BrowserVersion, scan.WaitingFor, scan.State = rude, rude+long, rude, rude, schema.ScanRunning
	src.hosts[0].Host = rude + long
	src.pages[0].Title, src.pages[0].URL = rude+long, sampleSite+"/"+rude+long
	src.pages[1].URL = "javascript:alert(1)"
	src.pages[2].Reason, src.pages[2].Outcome = rude, rude
	src.pages[5].Notes = []string{rude}
	f := &src.pages[0].Findings[0]
	f.Rule, f.Selector, f.Detail, f.Help, f.Category, f.Severity = rude, rude+long, rude+long, rude+long, rude, rude
	f.WCAG = []string{rude}
	src.links[1].Link.URL, src.links[1].Link.FoundOn = "data:text/html,"+rude, []string{"vbscript:" + rude}
	page := htmlOf(t, src, scan, German)
	for n := range parse(t, page).Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if slices.Contains([]string{"script", "img", "iframe"}, n.Data) {
			t.Errorf("a %s got in", n.Data)
		}
		for _, a := range n.Attr {
			scheme, _, _ := strings.Cut(a.Val, ":")
			if strings.HasPrefix(a.Key, "on") || (a.Key == "href" && !strings.HasPrefix(a.Val, "#") && a.Val != "data:," && scheme != "http" && scheme != "https") {
				t.Errorf("%s got the attribute %s=%.60q", n.Data, a.Key, a.Val)
			}
		}
		if n.Data == "bdi" && len([]rune(text(n))) > 310 {
			t.Errorf("%d characters in one place", len([]rune(text(n))))
		}
	}
	for _, r := range []rune{'\u202E', '\u2066'} {
		if strings.ContainsRune(text(parse(t, page)), r) {
			t.Errorf("%U reached the reader", r)
		}
	}
	if want := strings.Repeat("W", 500); strings.Contains(text(parse(t, page)), want) {
		t.Error("a very long word is not cut")
	}
}

func TestLargeScanIsBounded(t *testing.T) {
	src := large(20_000)
	src.asked = func(list string, r schema.Range) {
		if r.Limit > itemStretch || r.Limit < 1 {
			t.Errorf("%s: %d items asked for at once", list, r.Limit)
		}
	}
	page := htmlOf(t, src, sampleScan(), English)
	if len(page) > 1<<20 {
		t.Errorf("the page has %d bytes", len(page))
	}
	for id, want := range map[string]string{
		"summary":    "18,000 of 20,000 addresses known faults 90,000",
		"mend":       "36 more kinds are in the JSON report.",
		"pages":      "17,500 more pages are in the JSON report.",
		"links":      "19,900 more are in the JSON report.",
		"apart":      "1,980 more are in the JSON report.",
		"categories": "Accessibility 72,000",
	} {
		if got := section(t, page, id); !strings.Contains(got, want) {
			t.Errorf("%s does not tell %q: %.300s", id, want, got)
		}
	}
	if got := section(t, page, "mend"); !strings.Contains(got, "Where: the first 10 of 72,000 places") {
		t.Errorf("mend %.300q", got)
	}
}

// What a digest keeps does not grow with the scan.
func TestDigestKeepsLittle(t *testing.T) {
	held := func(n int) uint64 {
		src := large(n)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		d, err := gather(t.Context(), src, sampleScan())
		if err != nil {
			t.Fatal(err)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		runtime.KeepAlive(src)
		runtime.KeepAlive(d)
		return after.HeapAlloc - min(before.HeapAlloc, after.HeapAlloc)
	}
	if large := held(20_000); large > 4<<20 {
		t.Errorf("the digest of 20,000 pages holds %d bytes", large)
	}
}

func TestExamplesComeFromManyPages(t *testing.T) {
	sums := ruleSums{}
	for p := range 4 {
		for k := range 20 {
			sums.add(fmt.Sprintf("/%d", p), schema.Finding{Rule: "r", Selector: fmt.Sprint(k), Severity: schema.SeverityMinor}, "/*")
		}
	}
	sum := sums.ordered()[0]
	if sum.count != 80 || sum.pages != 4 {
		t.Errorf("%d places on %d pages", sum.count, sum.pages)
	}
	byPage := map[string]int{}
	for _, p := range sum.examples() {
		byPage[p.URL]++
	}
	if len(sum.examples()) != placesShown || len(byPage) != 4 || byPage["/3"] != 2 {
		t.Errorf("examples by page %v", byPage)
	}
}

func TestPagesWithTheGravestFaultsStay(t *testing.T) {
	var rows pageRows
	for i := range 5 * pagesShown {
		row := pageRow{Page: schema.Page{ID: int64(i)}}
		if i%pagesShown == 7 {
			row.faults[4] = 1
		}
		rows.add(row)
	}
	kept := rows.cut()
	if len(kept) != pagesShown || rows.count != 5*pagesShown {
		t.Fatalf("%d of %d kept", len(kept), rows.count)
	}
	for i, id := range []int64{7, 507, 1007, 1507, 2007, 0, 1, 2} {
		if kept[i].ID != id {
			t.Errorf("row %d is page %d, want %d", i, kept[i].ID, id)
		}
	}
}

// broken is a source that cannot be read.
type broken struct{ recorded }

var errSource = errors.New("database away")

func (b *broken) Links(_ context.Context, _ string, _ schema.LinkFilter, _ schema.Range) ([]schema.ListedLink, error) {
	return nil, errSource
}

func TestTroubleOfTheSourceIsTold(t *testing.T) {
	var out bytes.Buffer
	if err := HTML(t.Context(), &out, &broken{}, sampleScan(), Options{}); !errors.Is(err, errSource) || out.Len() > 0 {
		t.Errorf("%v, %d bytes written", err, out.Len())
	}
	if err := JSON(t.Context(), &out, &broken{}, sampleScan(), Options{}); !errors.Is(err, errSource) {
		t.Errorf("%v", err)
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
