package report

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"visite/schema"
)

// recorded is a Source in memory.
type recorded struct {
	progress schema.Progress
	pages    []schema.Page
	links    []schema.ListedLink
	hosts    []schema.HostTotals
	brisk    []schema.BriskGait
	security schema.SiteSecurity
	scores   *schema.Scores
	former   []schema.ScoredScan
	states   schema.ItemStates
	previews []schema.ListedPreview
	asked    func(list string, r schema.Range) // told of each reading
}

func stretch[T any](items []T, id func(T) int64, keep func(T) bool, r schema.Range) []T {
	after, _ := strconv.ParseInt(r.After, 10, 64)
	begin, _ := slices.BinarySearchFunc(items, after+1, func(item T, want int64) int { return cmp.Compare(id(item), want) })
	var out []T
	for _, item := range items[begin:] {
		if len(out) == r.Limit {
			break
		}
		if keep(item) {
			out = append(out, item)
		}
	}
	return out
}

func (s *recorded) note(list string, r schema.Range) {
	if s.asked != nil {
		s.asked(list, r)
	}
}

func (s *recorded) Progress(context.Context, string) (schema.Progress, error) { return s.progress, nil }

func (s *recorded) Unlooked(context.Context, string) (u schema.Unlooked, _ error) {
	for _, p := range s.pages {
		if p.Outcome != schema.OutcomeAnalysed {
			continue
		}
		if p.TrackersBy == schema.TrackersByNames {
			u.ByNames++
		}
		if slices.Contains(p.Notes, schema.NoteValidityUnchecked) {
			u.Unvalidated++
		}
	}
	return u, nil
}

func (s *recorded) HostTotals(context.Context, string) ([]schema.HostTotals, error) {
	return s.hosts, nil
}

func (s *recorded) BriskGaits(context.Context, string) ([]schema.BriskGait, error) {
	return s.brisk, nil
}

func (s *recorded) Security(context.Context, string) (schema.SiteSecurity, error) {
	return s.security, nil
}

func (s *recorded) Scores(context.Context, string) (*schema.Scores, error) { return s.scores, nil }

func (s *recorded) ScoresBefore(_ context.Context, _ string, most int) ([]schema.ScoredScan, error) {
	return s.former[:min(len(s.former), most)], nil
}

func (s *recorded) ItemStates(context.Context, string) (schema.ItemStates, error) {
	return s.states, nil
}

func (s *recorded) Items(context.Context, string) (fold schema.ItemFold, _ error) {
	for _, p := range s.pages {
		path := fold.Look(p.URL, p.Outcome, schema.LooksOf(p.Notes, p.TrackersBy))
		for _, f := range p.Findings {
			fold.Add(schema.PageRef{ID: p.ID, URL: p.URL}, path, f)
		}
	}
	return fold, nil
}

func (s *recorded) Previews(context.Context, string) ([]schema.ListedPreview, error) {
	return s.previews, nil
}

func (s *recorded) Pages(_ context.Context, _ string, _ schema.PageFilter, r schema.Range) ([]schema.Page, error) {
	s.note("pages", r)
	return stretch(s.pages, func(p schema.Page) int64 { return p.ID }, func(schema.Page) bool { return true }, r), nil
}

func (s *recorded) Findings(_ context.Context, _ string, _ schema.FindingFilter, r schema.Range) ([]schema.ListedFinding, error) {
	s.note("findings", r)
	var all []schema.ListedFinding
	for _, p := range s.pages {
		for _, f := range p.Findings {
			all = append(all, schema.ListedFinding{ID: int64(len(all) + 1), PageID: p.ID, PageURL: p.URL, Finding: f})
		}
	}
	return stretch(all, func(f schema.ListedFinding) int64 { return f.ID }, func(schema.ListedFinding) bool { return true }, r), nil
}

func (s *recorded) Links(_ context.Context, _ string, f schema.LinkFilter, r schema.Range) ([]schema.ListedLink, error) {
	s.note("links", r)
	return stretch(s.links, func(l schema.ListedLink) int64 { return l.ID }, func(l schema.ListedLink) bool {
		return f.Verdict == "" || f.Verdict == l.Link.Verdict
	}, r), nil
}

func (s *recorded) add(p schema.Page) {
	p.ID = int64(len(s.pages) + 1)
	if p.FinalURL == "" {
		p.FinalURL = p.URL
	}
	s.pages = append(s.pages, p)
	s.progress.Found++
	s.progress.Done++
	if p.Outcome == schema.OutcomeAnalysed {
		s.progress.Analysed++
	} else {
		s.progress.NotAnalysed++
	}
	for _, f := range p.Findings {
		if f.Outcome == schema.FindingFailed {
			s.progress.Findings++
		} else {
			s.progress.NeedsReview++
		}
	}
}

const sampleSite = "https://rowing.example"

func axe(rule string, severity schema.Severity, sc, act, selector, help string) schema.Finding {
	f := schema.Finding{Rule: rule, Engine: "axe-core 4.14.1", Category: schema.CategoryAccessibility, Severity: severity, Outcome: schema.FindingFailed, Selector: selector, Title: help, Help: help}
	if sc != "" {
		f.WCAG = []string{sc}
	}
	if act != "" {
		f.ACTRules = []string{act}
	}
	return f
}

func own(rule string, category schema.Category, severity schema.Severity, help, detail string) schema.Finding {
	return schema.Finding{Rule: rule, Engine: "visite", Category: category, Severity: severity, Outcome: schema.FindingFailed, Help: help, Detail: detail}
}

func sampleScan() schema.Scan {
	limits := schema.ContractLimits()
	return schema.Scan{
		ID: "01KBXS5T4Y7Q2M9D8R3W6F1HVZ", WorkspaceID: "w", SiteID: "s", URL: sampleSite + "/", ScopeHost: "rowing.example",
		Engine: schema.EngineBrowser, Device: schema.DeviceDesktop, MaxPages: 500, Contact: "harbour@rowing.example", State: schema.ScanFinished,
		Basis: schema.Basis{Kind: schema.BasisPermission, Party: "Millbrook Rowing Club"},
		Profile: schema.Profile{Name: "sitenorma", Product: "SiteNorma", Version: "1.0", Info: "https://sitenorma.com/rastreador/", Limits: limits,
			UserAgents: schema.UserAgents{Browser: "{chrome} SiteNorma/1.0 (+{info})", Client: "Mozilla/5.0 (compatible; SiteNorma/1.0; +{info})"}},
		CreatedAt: time.Date(2026, 3, 2, 9, 29, 58, 0, time.UTC), StartedAt: time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC),
		FinishedAt: time.Date(2026, 3, 2, 9, 31, 44, 0, time.UTC), BrowserVersion: "Chromium 156.0.8078.114",
		Robots: schema.ScanRobots{Status: 200, CrawlDelay: 1500 * time.Millisecond, Rule: "Allow: /", ReadAt: time.Date(2026, 3, 2, 9, 30, 1, 0, time.UTC)},
	}
}

func sampleBrisk() schema.BriskGait {
	at := time.Date(2026, 11, 14, 3, 4, 0, 0, time.UTC)
	return schema.BriskGait{
		ID: "01JCBRISK0000000000000000A", ScanID: "s", Order: schema.BriskOrder{By: "Ada", Minutes: 20, Reason: "The club asked for it before its regatta."},
		AskedAt: at, Until: at.Add(20 * time.Minute), Outcome: schema.BriskGranted,
	}
}

func sampleSecurity() schema.SiteSecurity {
	return schema.SiteSecurity{
		Grade:  &schema.SecurityGrade{Grade: "B+", Score: 80, Tests: []schema.GradeTest{{Test: "content-security-policy", Result: "csp-not-implemented", Modifier: -25}}},
		Checks: []schema.SecurityCheck{{Rule: "certificate-expiry", Verdict: schema.CheckPassed, Detail: "61 days"}},
	}
}

func sampleScores() *schema.Scores {
	return &schema.Scores{Overall: 63, Analysed: 11, Known: 40, Categories: []schema.CategoryScore{
		{Category: schema.CategoryAccessibility, Score: 52, Faulty: 7, Estimate: schema.Estimate{Share: 0.6364, Low: 0.38, High: 0.82}},
		{Category: schema.CategoryLinks, Score: 99, Faulty: 1, Estimate: schema.Estimate{Share: 0.09, Low: 0.025, High: 0.34}},
		{Category: schema.CategorySEO, Score: 91, Faulty: 4, Estimate: schema.Estimate{Share: 0.3636, Low: 0.16, High: 0.63}},
	}}
}

func sampleFormer() []schema.ScoredScan {
	var out []schema.ScoredScan
	for i, overall := range []int{58, 44, 47} {
		at := time.Date(2026, 3, 1-i, 9, 30, 0, 0, time.UTC)
		s := *sampleScores()
		s.Overall, s.Analysed = overall, 9-i
		out = append(out, schema.ScoredScan{ScanID: fmt.Sprintf("01KBXS000000000000000000%02d", i), FinishedAt: at, Scores: s})
	}
	return out
}

// sample is a scan with one of everything.
func sample() *recorded {
	s := &recorded{hosts: []schema.HostTotals{
		{Host: "rowing.example", Count: 61, Bytes: 1_432_910, MaxInFlight: 7, BusyMS: 31_000, WaitedMS: 19_500}, {Host: "fonts.example.org", Count: 4, Bytes: 88_204, MaxInFlight: 2},
	}, brisk: []schema.BriskGait{sampleBrisk()}, security: sampleSecurity(), scores: sampleScores(), former: sampleFormer()}
	page := func(path, title string, findings ...schema.Finding) {
		s.add(schema.Page{
			URL: sampleSite + path, Outcome: schema.OutcomeAnalysed, Status: 200, Title: title, Description: "A few words on " + title, Words: 140 + len(path),
			Elements: 60, Structure: 0xfeed, Bytes: 2481, WireBytes: 2481, MediaType: "text/html", Charset: "utf-8", Protocol: "HTTP/2.0", Requests: 4,
			Timing:    schema.Timing{DNSMS: 1.5, ConnectMS: 4, TLSMS: 9, TTFBMS: 38.25, BodyMS: 2, LoadMS: 212.5},
			Languages: schema.Languages{HTML: "en"}, RobotsTags: []string{}, Canonical: sampleSite + path, InspectedAt: time.Date(2026, 3, 2, 9, 30, 10, 0, time.UTC),
			Findings: findings,
		})
	}
	alt := axe("image-alt", schema.SeverityCritical, "1.1.1", "23a2a8", "img.hero", "Images must have alternative text")
	contrast := func(selector, detail string) schema.Finding {
		f := axe("color-contrast", schema.SeveritySerious, "1.4.3", "afw4f7", selector, "Elements must meet minimum color contrast ratio thresholds")
		f.Detail = detail
		return f
	}
	duplicate := own("title-duplicate", schema.CategorySEO, schema.SeverityModerate, "Give each page a title of its own", "same as /shop/mug")
	named := func(title string, f schema.Finding) schema.Finding { f.Title = title; return f }
	page("/", "Millbrook Rowing Club: boats, tea and slow evenings on the lake", alt, own("redirect-chain", schema.CategoryTechnical, schema.SeverityMinor, "Link to the address where the redirects end", "3 redirects: /old-news"))
	page("/about", "About the club and its people | Millbrook Rowing Club", axe("heading-order", schema.SeverityModerate, "", "", "main > h4", "Heading levels should only increase by one"))
	page("/boats", "Our nine boats and who may take them out | Millbrook Rowing Club", contrast("p.faint", "1.83:1, at least 4.5:1"), contrast("td:nth-child(4)", "2.10:1, at least 4.5:1"), contrast("caption", "3.99:1, at least 4.5:1"))
	page("/calendar", "What happens when: the season's calendar | Millbrook Rowing Club", axe("html-has-lang", schema.SeveritySerious, "3.1.1", "b5c3f8", "html", "<html> element must have a lang attribute"), own("slow-answer", schema.CategoryPerformance, schema.SeverityMinor, "Find out what keeps the server busy", "1512 ms to the first byte"))
	review := contrast("header nav > a", "background is a picture")
	review.Outcome = schema.FindingNeedsReview
	page("/gallery", "Pictures from the water | Millbrook Rowing Club", axe("button-name", schema.SeverityCritical, "4.1.2", "97a4e1", "button.next", "Buttons must have discernible text"), own("viewport-missing", schema.CategorySEO, schema.SeverityModerate, "Add a viewport so that phones do not shrink the page", ""), review)
	s.pages[len(s.pages)-1].Notes = []string{schema.NoteDialog, schema.NotePopup}
	s.pages[len(s.pages)-1].RefusedCalls = 2
	page("/membership", "Become a member of the club | Millbrook Rowing Club", axe("label", schema.SeverityCritical, "4.1.2", "e086e5", "input[type=\"text\"]", "Form elements must have labels"), axe("label", schema.SeverityCritical, "4.1.2", "e086e5", "input[type=\"email\"]", "Form elements must have labels"))
	page("/news", "", own("title-missing", schema.CategorySEO, schema.SeveritySerious, "Give the page a title", ""), named("A link leads to an error", own("link-broken", schema.CategoryLinks, schema.SeverityModerate, "Mend or remove the link", "/news/regatta-results answers 404")))
	page("/shop", "Club shop: lanterns, mugs and spare oars | Millbrook Rowing Club", axe("image-alt", schema.SeverityCritical, "1.1.1", "23a2a8", "li:nth-child(3) > a > img", "Images must have alternative text"))
	page("/shop/lantern", "Millbrook club shop", duplicate)
	page("/shop/mug", "Millbrook club shop", duplicate, own("canonical-broken", schema.CategorySEO, schema.SeverityInfo, "Name an address that answers, or none", "/shop/cup answers 404"))
	page("/visit", "How to find the boathouse | Millbrook Rowing Club")
	s.previews = []schema.ListedPreview{samplePreview()}
	s.pages[0].Sharing = map[string]string{"og:title": "Millbrook Rowing Club"}
	s.pages[0].Languages.Hreflang = map[string]string{"de": sampleSite + "/de/"}
	s.pages[0].Languages.Header = "en"
	s.add(schema.Page{URL: sampleSite + "/shop/oar", Outcome: schema.OutcomeErrorAnswer, Reason: schema.ReasonErrorStatus, Status: 500, Title: "Something went wrong"})
	s.add(schema.Page{URL: sampleSite + "/old-news", FinalURL: sampleSite + "/news", Outcome: schema.OutcomeDuplicate, Status: 200, Redirects: []schema.Hop{{URL: sampleSite + "/old-news", Status: 301}, {URL: sampleSite + "/archive/news", Status: 302}}})
	s.add(schema.Page{URL: sampleSite + "/members/", Outcome: schema.OutcomeDisallowed, Reason: schema.ReasonRobots})
	s.add(schema.Page{URL: sampleSite + "/downloads/rules.pdf", Outcome: schema.OutcomeNotPage, Reason: schema.ReasonMediaType, Status: 200, MediaType: "application/pdf"})
	s.add(schema.Page{URL: sampleSite + "/live", Outcome: schema.OutcomeNotAnalysed, Reason: schema.ReasonEndless, Status: 200})
	s.add(schema.Page{URL: sampleSite + "/partner", FinalURL: "https://boats.example.net/", Outcome: schema.OutcomeRedirected, Status: 302})
	for i, l := range []schema.Link{
		{URL: sampleSite + "/", Verdict: schema.LinkOK, Status: 200, FoundOn: []string{sampleSite + "/about", sampleSite + "/boats"}, Pages: 11},
		{URL: sampleSite + "/news/regatta-results", Verdict: schema.LinkBroken, Status: 404, FoundOn: []string{sampleSite + "/news"}, Pages: 1},
		{URL: sampleSite + "/shop/oar", Verdict: schema.LinkBroken, Status: 500, FoundOn: []string{sampleSite + "/shop", sampleSite + "/", sampleSite + "/about", sampleSite + "/boats"}, Pages: 9},
		{URL: sampleSite + "/old-news", Verdict: schema.LinkRedirects, Status: 301, FoundOn: []string{sampleSite + "/"}, Pages: 1},
		{URL: "https://www.example.org/water-levels", Verdict: schema.LinkUnchecked, FoundOn: []string{sampleSite + "/"}, Pages: 1},
		{URL: sampleSite + "/members/", Verdict: schema.LinkDisallowed},
	} {
		s.links = append(s.links, schema.ListedLink{ID: int64(i + 1), Link: l})
	}
	return s
}

// large is a scan of n pages with several faults each.
func large(n int) *recorded {
	s := &recorded{}
	for i := range n {
		p := schema.Page{URL: fmt.Sprintf("%s/p/%d", sampleSite, i), Outcome: schema.OutcomeAnalysed, Status: 200, Title: fmt.Sprintf("Page %d", i)}
		if i%10 == 9 {
			p.Outcome, p.Reason, p.Status = schema.OutcomeNotAnalysed, schema.ReasonTimeout, 0
		} else {
			for k := range 4 {
				p.Findings = append(p.Findings, axe("image-alt", schema.SeverityCritical, "1.1.1", "", fmt.Sprintf("img:nth-child(%d)", k), "Images must have alternative text"))
			}
			p.Findings = append(p.Findings, own(fmt.Sprintf("rule-%d", i%150), schema.CategorySEO, schema.SeverityMinor, fmt.Sprintf("Mend number %d", i%150), ""))
		}
		s.add(p)
		s.links = append(s.links, schema.ListedLink{ID: int64(i + 1), Link: schema.Link{URL: fmt.Sprintf("%s/gone/%d", sampleSite, i), Verdict: schema.LinkBroken, Status: 404, FoundOn: []string{p.URL}, Pages: 1}})
	}
	return s
}

// samplePreview is of the first page, which has a picture without alternative text.
func samplePreview() schema.ListedPreview {
	box := func(kind schema.PreviewKind, x, y, w, h int, c schema.PreviewColour) schema.PreviewBox {
		return schema.PreviewBox{Kind: kind, PreviewPlace: schema.PreviewPlace{X: x, Y: y, Width: w, Height: h}, Colour: c}
	}
	p := schema.Preview{Width: 1366, Height: 2400, Ground: 0xffef, Boxes: []schema.PreviewBox{
		box(schema.PreviewSurface, 0, 0, 1366, 80, 0x034f), box(schema.PreviewText, 40, 30, 300, 22, 0xffff), box(schema.PreviewFrame, 40, 120, 400, 60, 0x999f),
		box(schema.PreviewPicture, 40, 1200, 640, 360, 0x999f), box(schema.PreviewText, 40, 1600, 640, 19, 0x222f), box(schema.PreviewText, 40, 1624, 512, 19, 0x222f),
	}}
	p.Sound()
	p.Mark("img.hero", schema.PreviewPlace{X: 40, Y: 1200, Width: 640, Height: 360})
	return schema.ListedPreview{PageID: 1, Until: time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC), Preview: p}
}
