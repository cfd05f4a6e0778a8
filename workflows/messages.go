package workflows

import (
	"time"

	"visite/schema"
)

// ScanInput starts ScanSite. Limits travel here, not in a worker's config, so
// that a running scan keeps the limits it was ordered with.
type ScanInput struct {
	ScanID      string
	WorkspaceID string
	SiteID      string
	URL         string
	Host        string
	Engine      schema.Engine
	Device      schema.Device
	MaxPages    int
	Profile     schema.Profile
	Policy      ScanPolicy
	Cause       schema.Cause `json:",omitempty"` // empty: a customer's scan
	Carry       *ScanCarry   // set by continue-as-new only
}

// ScanPolicy bounds a scan's steps.
type ScanPolicy struct {
	HeartbeatTimeout time.Duration // of activities that visit; a crash shows after this long
	PageDeadline     time.Duration // for one page, browser or http
	MaxWait          time.Duration // pauses up to this are slept out in the activity
	HistoryLimit     int           // events after which the scan continues as new
	LinkWait         time.Duration // for verdicts on links to other servers, after the last page
}

// DefaultScanPolicy is what the API starts scans with.
func DefaultScanPolicy() ScanPolicy {
	return ScanPolicy{HeartbeatTimeout: 30 * time.Second, PageDeadline: 60 * time.Second, MaxWait: 5 * time.Second, HistoryLimit: 2_000, LinkWait: time.Minute}
}

// ScanCarry is what ScanSite takes along when it continues as new.
type ScanCarry struct {
	Phase     schema.Phase
	StartedAt time.Time // robots.txt must have been read since
	Tickets   int
	Failures  int // pages in a row that could not be loaded (S-43)
	Sitemaps  []string
	SeenMaps  []string
	ScopeHost string
	DelayMS   int64    `json:",omitempty"` // robots.txt's Crawl-delay, for the details
	Rule      string   `json:",omitempty"` // the line of robots.txt that forbids the seed, likewise
	Brisk     *Brisk   `json:",omitempty"` // the latest brisk gait (C-47)
	Timeouts  VisitLog `json:",omitempty"` // which of the latest visits timed out (C-51)
}

// ScanResult is what ScanSite returns; the report is in PostgreSQL.
type ScanResult struct {
	State    schema.ScanState
	Reason   string
	Progress schema.Progress
}

// ScanSiteName is the registered workflow type.
const ScanSiteName = "ScanSite"
