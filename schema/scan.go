package schema

import "time"

// Engine is how pages are loaded.
type Engine string

const (
	// EngineBrowser renders each page in Chromium (contract S-17).
	EngineBrowser Engine = "browser"
	// EngineHTTP sends one GET a page and judges the served source.
	EngineHTTP Engine = "http"
)

// Device is what the browser presents itself as (contract S-06).
type Device string

const (
	// DeviceDesktop is a 1366x768 desktop window.
	DeviceDesktop Device = "desktop"
	// DeviceMobile is a phone; its User-Agent contains Android.
	DeviceMobile Device = "mobile"
)

// ScanState is where a scan stands. Queued and running are passing, the rest final.
type ScanState string

const (
	ScanQueued    ScanState = "queued"
	ScanRunning   ScanState = "running"
	ScanFinished  ScanState = "finished"  // every page within the limit was dealt with
	ScanStopped   ScanState = "stopped"   // given up out of courtesy, see StateReason (S-43)
	ScanRefused   ScanState = "refused"   // the site forbids it or cannot be asked (S-28, S-46)
	ScanCancelled ScanState = "cancelled" // on somebody's wish
	ScanFailed    ScanState = "failed"    // our own fault
)

// Final reports whether a scan in this state will not change any more.
func (s ScanState) Final() bool { return s != ScanQueued && s != ScanRunning }

// Phase is what a running scan is busy with, in travel order.
type Phase string

const (
	PhaseQueued   Phase = "queued"
	PhaseRobots   Phase = "robots"
	PhaseSitemap  Phase = "sitemap"
	PhasePages    Phase = "pages"
	PhaseLinks    Phase = "links" // links to other servers are being checked
	PhaseVerdicts Phase = "verdicts"
	PhaseDone     Phase = "done"
)

// Basis is why the customer may order a scan (contract S-12, R-29).
type Basis struct {
	Kind  BasisKind `json:"kind" enum:"own,permission" doc:"own: the customer's own site; permission: somebody permitted it"`
	Party string    `json:"party,omitempty" maxLength:"200" doc:"who permitted it, where kind is permission"`
}

// BasisKind is a closed list.
type BasisKind string

const (
	BasisOwn        BasisKind = "own"
	BasisPermission BasisKind = "permission"
	// BasisNone is that of a free analysis, which nobody declares anything for.
	BasisNone BasisKind = "none"
)

// Scan is one ordered examination of one site.
type Scan struct {
	ID             string
	WorkspaceID    string
	SiteID         string
	Cause          Cause  // CauseScan or CauseFree; empty: CauseScan
	URL            string // the seed, normalised
	ScopeHost      string // HostKey that pages must have; follows the seed's redirect
	Engine         Engine
	Device         Device
	Profile        Profile
	MaxPages       int // 1..MaxPagesLimit
	Basis          Basis
	Contact        string // for the visited site, may be empty on loopback
	State          ScanState
	StateReason    string
	Phase          Phase
	WaitingFor     string // human words without page text; empty when not waiting
	WaitingUntil   time.Time
	CreatedAt      time.Time
	StartedAt      time.Time
	FinishedAt     time.Time
	BrowserVersion string
	Robots         ScanRobots
	UserAgent      string // of page visits, as sent; empty until the first one by a browser
	Previews       bool   // the site's owner has them switched on, as the scan was read
}

// ScanRobots is what robots.txt came to when a scan read it before its first
// page; the zero value where it has not yet.
type ScanRobots struct {
	Status     int           // 0 where nothing answered
	CrawlDelay time.Duration // 0 where none is given
	Rule       string        // the line that decided about the address the scan begins at, "Disallow: /x"; empty where none did
	ReadAt     time.Time
}

// MaxPagesLimit bounds what one scan may be asked for.
const MaxPagesLimit = 50_000

// Progress counts a scan's addresses by what became of them.
type Progress struct {
	Found       int `json:"found" doc:"addresses known so far within the scope"`
	Done        int `json:"done" doc:"addresses dealt with, whatever the outcome"`
	Analysed    int `json:"analysed"`
	NotAnalysed int `json:"not_analysed"`
	Findings    int `json:"findings" doc:"failed findings; needs_review is counted apart"`
	NeedsReview int `json:"needs_review"`
}

// Workspace is a customer's own room: nothing in it is seen from another.
type Workspace struct {
	ID        string
	Name      string
	CreatedAt time.Time
}

// Site is an address a workspace has scanned or means to scan.
type Site struct {
	ID          string
	WorkspaceID string
	URL         string // origin with trailing slash
	Host        string // HostKey
	Loopback    bool   // listens on this machine
	CreatedAt   time.Time
	Previews    PreviewSwitch
}
