package report

import (
	"net/url"
	"time"

	"visite/schema"
)

// The JSON report, key by key as report.schema.json describes them. Keys are
// only ever added.

// Scan is the key "scan".
type Scan struct {
	ID              string           `json:"id"`
	Site            string           `json:"site"`
	URL             string           `json:"url"`
	Engine          schema.Engine    `json:"engine"`
	Device          schema.Device    `json:"device"`
	State           schema.ScanState `json:"state"`
	StateReason     string           `json:"state_reason"`
	Partial         bool             `json:"partial"`
	CreatedAt       time.Time        `json:"created_at"`
	StartedAt       *time.Time       `json:"started_at"`
	FinishedAt      *time.Time       `json:"finished_at"`
	Profile         string           `json:"profile"`
	Contact         string           `json:"contact"`
	Basis           schema.Basis     `json:"basis"`
	UserAgent       string           `json:"user_agent"`
	ClientUserAgent string           `json:"client_user_agent"`
	Browser         string           `json:"browser"`
	MaxPages        int              `json:"max_pages"`
	Progress        schema.Progress  `json:"progress"`
	BriskGait       []BriskGait      `json:"brisk_gait"`
	Robots          *Robots          `json:"robots"`
}

// Robots is the key "robots" of a scan.
type Robots struct {
	Status      int       `json:"status"`
	CrawlDelayS float64   `json:"crawl_delay_s"`
	Rule        string    `json:"rule"`
	ReadAt      time.Time `json:"read_at"`
}

// BriskGait is an item of the key "brisk_gait" of the scan (contract C-47).
type BriskGait struct {
	ID      string              `json:"id"`
	Outcome schema.BriskOutcome `json:"outcome"`
	By      string              `json:"by"`
	Reason  string              `json:"reason"`
	Minutes int                 `json:"minutes"`
	AskedAt time.Time           `json:"asked_at"`
	Until   *time.Time          `json:"until"`
	Refusal string              `json:"refusal"`
	Held    schema.BriskHold    `json:"held"`
}

// Page is an item of the key "pages".
type Page struct {
	URL          string            `json:"url"`
	FinalURL     string            `json:"final_url"`
	Depth        int               `json:"depth"`
	Status       int               `json:"status"`
	Outcome      schema.Outcome    `json:"outcome"`
	Reason       schema.Reason     `json:"reason"`
	BlockedBy    string            `json:"blocked_by"`
	Redirects    []schema.Hop      `json:"redirects"`
	Title        string            `json:"title"`
	Description  string            `json:"description"`
	Sharing      map[string]string `json:"sharing"`
	Languages    schema.Languages  `json:"languages"`
	Robots       []string          `json:"robots"`
	Canonical    string            `json:"canonical"`
	MediaType    string            `json:"media_type"`
	Charset      string            `json:"charset"`
	Protocol     string            `json:"protocol"`
	Encoding     string            `json:"encoding"`
	Words        int               `json:"words"`
	Elements     int               `json:"elements"`
	Structure    string            `json:"structure"` // as in templates
	Bytes        int64             `json:"bytes"`
	WireBytes    int64             `json:"wire_bytes"`
	TTFBMS       float64           `json:"ttfb_ms"`
	LoadMS       float64           `json:"load_ms"`
	Timing       schema.Timing     `json:"timing"`
	Requests     int               `json:"requests"`
	RefusedCalls int               `json:"refused_calls"`
	Speed        *schema.Speed     `json:"speed"`
	Weight       *schema.Weight    `json:"weight"`
	TrackersBy   schema.TrackersBy `json:"trackers_by"`
	Notes        []string          `json:"notes"`
	InspectedAt  *time.Time        `json:"inspected_at"`
	Preview      *PagePreview      `json:"preview"`
	Findings     []Finding         `json:"findings"`
	// Coverage says by success criterion how far the page was tested.
	Coverage map[string]schema.Coverage `json:"coverage"`
}

// Finding is an item of the keys "findings", of a page and of the whole report.
type Finding struct {
	URL      string                `json:"url"`
	Rule     string                `json:"rule"`
	Engine   string                `json:"engine"`
	Category schema.Category       `json:"category"`
	Severity schema.Severity       `json:"severity"`
	Outcome  schema.FindingOutcome `json:"outcome"`
	WCAG     []string              `json:"wcag"`
	ACTRules []string              `json:"act_rules"`
	Selector string                `json:"selector"`
	Title    string                `json:"title"`
	Help     string                `json:"help"`
	Detail   string                `json:"detail"`
	Item     string                `json:"item"` // schema.Fingerprint
	State    schema.ItemState      `json:"item_state"`
}

// Link is an item of the key "links".
type Link struct {
	URL     string             `json:"url"`
	Verdict schema.LinkVerdict `json:"verdict"`
	Status  int                `json:"status"`
	FoundOn []string           `json:"found_on"`
	Pages   int                `json:"pages"`

	Reason      schema.Reason `json:"reason"`
	Target      string        `json:"target"`
	CheckedAt   *time.Time    `json:"checked_at"`
	NextCheckAt *time.Time    `json:"next_check_at"`
}

// Requests is a value of the key "requests".
type Requests struct {
	Count       int   `json:"count"`
	Bytes       int64 `json:"bytes"`
	MaxInFlight int   `json:"max_in_flight"`
	BusyMS      int64 `json:"busy_ms"`
	WaitedMS    int64 `json:"waited_ms"`
	// BusyShare is the part of the scan's time in which a request was under way; null
	// before its end.
	BusyShare *float64 `json:"busy_share"`
}

// Courtesy is the key "courtesy": what the scan kept to.
type Courtesy struct {
	RobotsExemptions []string `json:"robots_exemptions"` // rules that were lifted; there is no way to lift any
	RobotsKeptOut    int      `json:"robots_kept_out"`
	Blocked          int      `json:"blocked"`
	NotAnalysed      int      `json:"not_analysed"`
}

func documentCourtesy(besides []tallyOf) Courtesy {
	return Courtesy{RobotsExemptions: []string{}, RobotsKeptOut: countOf(besides, schema.OutcomeDisallowed),
		Blocked: countOf(besides, schema.OutcomeBlocked), NotAnalysed: countOf(besides, schema.OutcomeNotAnalysed)}
}

func documentRequests(t schema.HostTotals, scan schema.Scan) Requests {
	r := Requests{Count: t.Count, Bytes: t.Bytes, MaxInFlight: t.MaxInFlight, BusyMS: t.BusyMS, WaitedMS: t.WaitedMS}
	if share := busyShare(t, scan); !scan.FinishedAt.IsZero() {
		r.BusyShare = &share
	}
	return r
}

func documentScan(s schema.Scan, p schema.Progress, brisk []schema.BriskGait) Scan {
	page, client := userAgents(s)
	return Scan{
		ID: s.ID, Site: siteOf(s.URL), URL: s.URL, Engine: s.Engine, Device: s.Device, State: s.State, StateReason: s.StateReason,
		Partial: s.State != schema.ScanFinished, CreatedAt: s.CreatedAt.UTC(), StartedAt: timeOrNull(s.StartedAt), FinishedAt: timeOrNull(s.FinishedAt),
		Profile: s.Profile.Name, Contact: s.Contact, Basis: s.Basis, UserAgent: page, ClientUserAgent: client, Browser: s.BrowserVersion,
		MaxPages: s.MaxPages, Progress: p, BriskGait: documentBrisk(brisk), Robots: documentRobots(s.Robots),
	}
}

// documentRobots is null until robots.txt has been read.
func documentRobots(r schema.ScanRobots) *Robots {
	if r.ReadAt.IsZero() {
		return nil
	}
	return &Robots{Status: r.Status, CrawlDelayS: r.CrawlDelay.Seconds(), Rule: r.Rule, ReadAt: r.ReadAt.UTC()}
}

func documentBrisk(gaits []schema.BriskGait) []BriskGait {
	out := make([]BriskGait, len(gaits))
	for i, g := range gaits {
		out[i] = BriskGait{
			ID: g.ID, Outcome: g.Outcome, By: g.Order.By, Reason: g.Order.Reason, Minutes: g.Order.Minutes, AskedAt: g.AskedAt.UTC(),
			Until: timeOrNull(g.Until), Refusal: g.Refusal, Held: g.Held,
		}
	}
	return out
}

// ordinary stands for the part of a User-Agent that is the browser's own.
const ordinary = "…"

// userAgents are those of pages and of everything else. Before the first page
// what the browser says of itself is not known; an ellipsis holds its place.
func userAgents(s schema.Scan) (page, client string) {
	client = s.Profile.ClientUserAgent()
	if s.UserAgent != "" {
		return s.UserAgent, client
	}
	if s.Engine == schema.EngineBrowser {
		return s.Profile.BrowserUserAgent(ordinary), client
	}
	return client, client
}

func documentPage(p schema.Page, speak words, states schema.ItemStates) Page {
	out := Page{
		URL: p.URL, FinalURL: p.FinalURL, Depth: p.Depth, Status: p.Status, Outcome: p.Outcome, Reason: p.Reason, BlockedBy: p.BlockedBy, Redirects: list(p.Redirects),
		Title: p.Title, Description: p.Description, Sharing: p.Sharing, Languages: p.Languages, Robots: list(p.RobotsTags), Canonical: p.Canonical,
		MediaType: p.MediaType, Charset: p.Charset, Protocol: p.Protocol, Encoding: p.Encoding, Words: p.Words, Elements: p.Elements, Structure: structureWord(p.Structure),
		Bytes: p.Bytes, WireBytes: p.WireBytes, TTFBMS: p.Timing.TTFBMS, LoadMS: p.Timing.LoadMS, Timing: p.Timing,
		Requests: p.Requests, RefusedCalls: p.RefusedCalls, Speed: p.Speed, Weight: p.Weight, TrackersBy: p.TrackersBy, Notes: list(p.Notes), InspectedAt: timeOrNull(p.InspectedAt),
		Findings: make([]Finding, len(p.Findings)),
	}
	if out.Sharing == nil {
		out.Sharing = map[string]string{}
	}
	path := schema.PathShape(p.URL)
	for i, f := range p.Findings {
		out.Findings[i] = documentFinding(p.URL, path, speak.inWords(f), states)
	}
	return out
}

// documentFinding shows a finding of a page; path is the shape of its path.
func documentFinding(url, path string, f schema.Finding, states schema.ItemStates) Finding {
	item := schema.FingerprintIn(f, path)
	return Finding{
		URL: url, Rule: f.Rule, Engine: f.Engine, Category: f.Category, Severity: f.Severity, Outcome: f.Outcome,
		WCAG: list(f.WCAG), ACTRules: list(f.ACTRules), Selector: f.Selector, Title: f.Title, Help: f.Help, Detail: f.Detail, Item: item, State: states.Of(item).State,
	}
}

func documentLink(l schema.Link) Link {
	verdict := l.Verdict
	if verdict == "" {
		verdict = schema.LinkUnchecked // verdicts come at the end of a scan
	}
	return Link{URL: l.URL, Verdict: verdict, Status: l.Status, FoundOn: list(l.FoundOn), Pages: l.Pages,
		Reason: l.Reason, Target: l.Target, CheckedAt: timeOrNull(l.CheckedAt), NextCheckAt: timeOrNull(l.NextAt)}
}

// siteOf is the origin of an address with a trailing slash.
func siteOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return schema.Origin(u) + "/"
}

func timeOrNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// list makes an empty JSON list of nil.
func list[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}
