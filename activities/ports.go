package activities

import (
	"context"
	"net/http"
	"time"

	"visite/schema"
)

// Pass is one granted turn at a host. Everything the visit sends goes through
// it; RoundTrip asks robots.txt, guards the address and writes the ledger.
type Pass interface {
	http.RoundTripper
	// Renew keeps the turn while the visit goes on; call at least every 10 s.
	Renew(ctx context.Context) error
	// ProxyAddr is "127.0.0.1:port", the only way out for this run's Chromium
	// context; empty unless Visit.Browser.
	ProxyAddr() string
	// Document tells what the network saw of the visit's document so far.
	Document() schema.DocumentFacts
	// Source is the document as served to Chromium, decoded, in memory only; nil where it is not kept.
	Source() []byte
	// Totals tells what the visit cost so far.
	Totals() schema.VisitTotals
	// Fault is trouble of our own that kept a request from leaving, nil where there
	// was none: Chromium cannot be told, so ask after its visit.
	Fault() error
	// Handshake connects and shakes hands, asking nothing; the site's trouble is in the result.
	Handshake(ctx context.Context, ask schema.HandshakeAsk) (schema.Handshake, error)
	// Leave gives the turn back and sets the pause that follows. Safe to call twice.
	Leave(ctx context.Context) error
}

// NameServers answers what a name's records say about security
// (internal/nameservers). What cannot be found out is unknown in the facts.
type NameServers interface {
	Look(ctx context.Context, host, domain string) schema.DNSFacts
}

// Door is the only way out (internal/courtesy).
type Door interface {
	// Enter asks for a turn. A wait or a denial comes back as a value with a nil Pass.
	Enter(ctx context.Context, v schema.Visit) (Pass, schema.Admission, error)
	// ReadRobots reads robots.txt of the visit's origin now unless a copy read at or
	// after v.RobotsSince is there, and gives the verdict on v.URL.
	ReadRobots(ctx context.Context, v schema.Visit) (RobotsReading, schema.Admission, error)
	// EndRun closes what was held open for a run in this process (proxy, connections).
	EndRun(scanID string)
}

// RobotsReading is what a run learns from robots.txt before its first page.
type RobotsReading struct {
	Copy       schema.RobotsCopy
	Decision   schema.RobotsDecision
	CrawlDelay time.Duration
	Sitemaps   []string // absolute addresses from Sitemap lines
}

// Fetched is an answer in memory; its body never leaves the activity.
type Fetched struct {
	Body      []byte // decoded, at most the limit asked for
	Truncated bool
}

// Fetcher carries out a GET through a pass: redirects, decoding, limits. Facts
// about the answer are in pass.Document().
type Fetcher interface {
	// Get follows up to 10 redirects. limit bounds the decoded body in bytes.
	Get(ctx context.Context, pass Pass, url string, limit int64) (Fetched, error)
}

// BrowserVisit is one page to open in a run's Chromium context.
type BrowserVisit struct {
	ScanID    string
	ProxyAddr string
	URL       string
	Device    schema.Device
	UserAgent string // complete, suffix included
	Deadline  time.Duration
	// Markup gives the served document in UTF-8 once the page has loaded; nothing where
	// it was not kept.
	Markup func() []byte
	// Preview asks for a drawing of the page; nil: none. It is told what was rendered
	// and gives the selectors whose places are to be marked.
	Preview func(Rendered) []string
}

// Rendered is what a browser visit brought back. In memory only.
type Rendered struct {
	HTML           string // serialised DOM, at most 16 MiB; empty where Failure is set
	HTMLCut        bool
	Elements       int
	ClientRedirect string                  // where the page itself tried to go; not followed
	LoadMS         float64                 // navigation start to load event
	Axe            []byte                  // cleaned axe results, see internal/browser/scripts
	Checks         []byte                  // cleaned results of our own checks, a schema.CheckResults as JSON
	QualWeb        []byte                  // cleaned results of the second engine
	Validity       *schema.ValidityResults // nil where the served source was not validated
	Observed       schema.Observed
	Preview        *schema.Preview // nil where none was asked for or none could be made
	AxeEngine      string          // "axe-core 4.14.1"
	ConsoleErrors  int
	Dialogs        int
	Popups         int
	RefusedForms   int // forms the page tried to send by itself (S-19)
	Notes          []string
	FramesSkipped  int
	Failure        schema.Reason // the browser's side of a failure: timeout, browser_crashed
	OurFault       bool          // the browser itself died, not this page's renderer
}

// Browser is Chromium behind the door (internal/browser).
type Browser interface {
	// UserAgent is the ordinary User-Agent of the Chromium really used, for the
	// device, up to and including "Safari/537.36", without "Headless" (S-03, S-05, S-06).
	UserAgent(ctx context.Context, d schema.Device) (string, error)
	// Version is "Chromium 156.0.8078.73".
	Version(ctx context.Context) (string, error)
	// Visit opens one page in the run's context (made on first use), waits, inspects,
	// closes its tab. Cancelling ctx closes the tab at once.
	Visit(ctx context.Context, v BrowserVisit) (Rendered, error)
	// EndRun closes a run's context.
	EndRun(scanID string)
}

// ScanStore keeps scans (internal/postgres).
type ScanStore interface {
	// StartScan marks a scan as running (once; repeating keeps the first start) and queues its seed.
	StartScan(ctx context.Context, scanID string) (schema.Scan, error)
	// Scan reads a scan as recorded.
	Scan(ctx context.Context, scanID string) (schema.Scan, error)
	// SetPhase says what a scan is busy with and, where it waits, for what.
	SetPhase(ctx context.Context, scanID string, phase schema.Phase, waitingFor string, until time.Time) error
	// SetScope moves the scope to the host the seed redirected to.
	SetScope(ctx context.Context, scanID, host string) error
	// SetRobots records what robots.txt came to before the first page.
	SetRobots(ctx context.Context, scanID string, r schema.ScanRobots) error
	// SetRobotsFile records how robots.txt is written.
	SetRobotsFile(ctx context.Context, scanID string, f schema.RobotsFile) error
	// SetSitemapFile records what one sitemap came to. Idempotent by its address.
	SetSitemapFile(ctx context.Context, scanID string, f schema.SitemapFile) error
	// SetBrowser records the Chromium really used and the User-Agent it goes by.
	SetBrowser(ctx context.Context, scanID, version, userAgent string) error
	// AddCandidates queues addresses not known yet; tells how many were new.
	AddCandidates(ctx context.Context, scanID string, c []schema.Candidate) (int, error)
	// Claim takes the next address for a ticket; the same ticket gets the same address
	// again. Never more addresses than the scan's page limit are claimed.
	Claim(ctx context.Context, scanID, ticket string) (schema.Claim, error)
	// BeginLoad notes that a load of the claimed address is about to start; returns loads begun, this one included.
	BeginLoad(ctx context.Context, claim schema.Claim) (int, error)
	// UndoLoad takes a load back from the count: nothing was sent for it.
	UndoLoad(ctx context.Context, claim schema.Claim) error
	// PutOff notes that the server refused the page for now, and clears the load's interruption mark.
	PutOff(ctx context.Context, claim schema.Claim, until time.Time) error
	// RecordPage stores page, findings, links and new candidates in one transaction.
	// A page already recorded for this claim stays as it is.
	RecordPage(ctx context.Context, claim schema.Claim, page schema.Page, c []schema.Candidate) error
	// PreviewWanted tells whether a preview of the claimed address is to be made.
	PreviewWanted(ctx context.Context, claim schema.Claim) (bool, error)
	// Flush makes what was recorded before safe from a crash of the database too.
	Flush(ctx context.Context) error
	// RecordRedirect stores a claimed address that only redirected (no verdicts) and,
	// from the same load, the page it led to, unless that address is dealt with already.
	RecordRedirect(ctx context.Context, claim schema.Claim, from, to schema.Page, c []schema.Candidate) error
	// SkipQueued marks all addresses still queued as not analysed (the stop after three, cancellation).
	SkipQueued(ctx context.Context, scanID string, reason schema.Reason) error
	// SiteProbe reads what is known of the site's connections so far; zero where nothing is.
	SiteProbe(ctx context.Context, scanID string) (schema.SiteProbe, error)
	// SetSiteProbe records it.
	SetSiteProbe(ctx context.Context, scanID string, p schema.SiteProbe) error
	// SetFront records what the page the scan began at tells browsers.
	SetFront(ctx context.Context, scanID string, f schema.FrontSecurity) error
	// SiteFacts reads what the verdicts over the whole site need.
	SiteFacts(ctx context.Context, scanID string) (schema.SiteFacts, error)
	// WriteVerdicts replaces link verdicts and site-wide findings. Idempotent.
	WriteVerdicts(ctx context.Context, scanID string, v schema.SiteVerdicts) error
	// ScoreFacts counts what the scan's scores are made from.
	ScoreFacts(ctx context.Context, scanID string) (schema.ScoreFacts, error)
	// SetScores records them.
	SetScores(ctx context.Context, scanID string, scores schema.Scores) error
	// FoldItems keeps what the findings fold to, for reports. Idempotent.
	FoldItems(ctx context.Context, scanID string) error
	// Finish closes the scan; a scan already closed keeps its state.
	Finish(ctx context.Context, scanID string, state schema.ScanState, reason string) error
	// GrantBrisk puts an order of a brisk gait into force; repeating changes nothing.
	GrantBrisk(ctx context.Context, id, scanID string, o schema.BriskOrder) (until time.Time, err error)
	// Progress counts.
	Progress(ctx context.Context, scanID string) (schema.Progress, error)
}
