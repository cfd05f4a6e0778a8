package schema

import "time"

// Purpose is what one request is for. Closed list; the ledger's column has the
// same list as a constraint.
type Purpose string

const (
	PurposeRobots   Purpose = "robots"    // robots.txt
	PurposeSitemap  Purpose = "sitemap"   // a sitemap or sitemap index
	PurposePage     Purpose = "page"      // a page's document, redirects included
	PurposePageFile Purpose = "page_file" // what a page loads while it is open
	PurposeProof    Purpose = "proof"     // the file by which somebody proves to run a host

	PurposeLink Purpose = "link_check" // a link's address on another server: HEAD, at most one GET (C-09, C-13)
	// The site's connections: handshakes, what its http address answers, security.txt.
	PurposeSecurity Purpose = "security"
	// PurposeNotFound asks once a scan for an address that cannot be there.
	PurposeNotFound Purpose = "not_found"
)

// Purposes lists all.
var Purposes = []Purpose{PurposeRobots, PurposeSitemap, PurposePage, PurposePageFile, PurposeProof, PurposeLink, PurposeSecurity, PurposeNotFound}

// Cause is why we visit at all (contract S-11). Closed list.
type Cause string

const (
	CauseScan          Cause = "customer_scan"  // a scan a customer ordered
	CauseHostProof     Cause = "host_proof"     // whoever runs the host asked to see our requests to it
	CauseFree          Cause = "free_analysis"  // somebody without an account had one page analysed (S-16)
	CauseRobotsExplain Cause = "robots_explain" // a customer asked what a host's robots.txt says; nothing else is read
	CauseLinkCheck     Cause = "link_check"     // pages of a scan a customer ordered link to the host
)

// Causes lists all; the ledger's column has the same list as a constraint.
var Causes = []Cause{CauseScan, CauseFree, CauseHostProof, CauseRobotsExplain, CauseLinkCheck}

// Methods are those that leave, whoever asks.
var Methods = []string{"GET", "HEAD", "OPTIONS"}

// LedgerMethods are what a line of the ledger may be: a method, or a handshake
// over which nothing is asked.
var LedgerMethods = append([]string{MethodHandshake}, Methods...)

// RobotsAge is how old a read robots.txt may become before it is read again,
// within a run too.
const RobotsAge = 15 * time.Minute

// What one page may have loaded while it is open, beside its document, redirects
// counted. A convention of ours: well above what pages load (the median of the web
// is about 70, the hundredth page in a hundred about 400), and a page that means
// harm gets no further.
const (
	FilesAPage     = 1000
	FilesElsewhere = 300 // from one host other than the page's own
)

// RunRef names the run a request belongs to.
type RunRef struct {
	WorkspaceID string
	SiteID      string
	ScanID      string
}

// Visit asks the door for one turn at a host: one document with its redirects
// and files, one robots.txt, or one sitemap.
type Visit struct {
	Run         RunRef
	Cause       Cause
	Purpose     Purpose
	Profile     Profile
	Browser     bool   // Chromium sends it: browser identity, files included
	UserAgent   string // of the browser really used; empty where Browser is false
	URL         string
	ScopeHost   string        // HostKey the document must stay on; empty: any redirect is followed
	Holder      string        // names this turn; asking again with the same name is the same turn
	MaxWait     time.Duration // longest pause slept out inside; more comes back as AdmissionWait
	Handshake   bool          // a connection over which nothing is asked: robots.txt, which is about what is asked, does not decide
	Onward      bool          // the run goes on to its next page at once: where no pause lies between, the turn may be handed on
	RobotsSince time.Time     // robots.txt must have been read at or after; zero: 15 min rule only
	PublicOnly  bool          // this machine's own sites are not meant, whatever the door's settings: a page of the internet named the address
}

// AdmissionKind is the door's answer.
type AdmissionKind string

const (
	AdmissionGranted AdmissionKind = "granted"
	AdmissionWait    AdmissionKind = "wait"   // come back at Until
	AdmissionDenied  AdmissionKind = "denied" // not in this run
)

// Admission is the door's answer to a Visit. Denials and waits are values.
type Admission struct {
	Kind   AdmissionKind
	Until  time.Time // AdmissionWait: not before
	Reason Reason    // AdmissionDenied, or ReasonServerParked for a wait on a parked server
	Rule   string    // the robots.txt line that decided, e.g. "Disallow: /x"
	Words  string    // for people, without page text: "example.com asked for 120 s of rest"
}

// DocumentFacts is what the network saw of a visit's document: gathered by the
// door, whichever engine asked.
type DocumentFacts struct {
	Requested   string
	Final       string // where the chain ended; the out-of-scope target where it left the scope
	Hops        []Hop
	Status      int
	Header      map[string][]string // of the final answer; in memory only
	MediaType   string
	Disposition bool // Content-Disposition: attachment
	Encoding    string
	Protocol    string
	Timing      Timing
	WireBytes   int64
	Bytes       int64
	Outcome     Outcome // OutcomeAnalysed where a page came
	Reason      Reason
	Rule        string
	// HiddenFromSearch: robots.txt lets us load the page but not a search engine's
	// robot, here Googlebot.
	HiddenFromSearch bool
	Held             time.Duration // the door kept the request back for so long, for the pause; part of a browser's load time
	RetryAfter       *RetryAfter   // set on 429, or 503 with Retry-After
}

// RetryAfter is a server's wish to be left alone.
type RetryAfter struct {
	Status int
	Asked  time.Duration // as stated; 0 when nothing was stated
	Stated bool
	Until  time.Time // the server is parked until then, after clamping (S-34, S-35, R-04)
	Reload bool      // short enough that this page is loaded once more in this run (S-37, S-39)
}

// VisitTotals is what one visit cost the site.
type VisitTotals struct {
	Requests        int
	WireBytes       int64
	RefusedCalls    int              // by method: not GET, HEAD, OPTIONS
	OwnRefused      int              // of these, to the site's own host
	DisallowedFiles int              // own-host files not loaded because of robots.txt (S-47)
	GivenUpFiles    int              // not loaded because their host refused files of the page (S-38)
	FilesOver       int              // not loaded because the page asked for more than FilesAPage or FilesElsewhere
	Insecure        []string         // http:// addresses really requested by an https page, at most 50
	FailedFiles     map[string]int   // own-host file address -> status >= 400, at most 50
	Uncompressed    map[string]int64 // own-host text file sent without compression -> its bytes, at most 50
	Uncached        []string         // own-host files that may not be kept or state no lifetime, at most 50
	ResponseTime    time.Duration    // time with at least one request to the host under way
}

// LedgerLine is one request as the ledger keeps it (contract S-09). Query values
// are redacted before the line is made.
type LedgerLine struct {
	ID          int64
	At          time.Time
	ScanID      string
	WorkspaceID string
	Host        string
	IP          string
	Method      string
	URL         string
	Purpose     Purpose
	Cause       Cause
	Profile     string
	Rule        string // the robots rule that allowed it; empty: no rule spoke
	WaitedMS    int64
	Status      int
	Bytes       int64
	Failure     Reason
	TookMS      int64
}

// HostTotals sums a scan's requests to one host, from the ledger.
type HostTotals struct {
	Host        string `json:"host"`
	Count       int    `json:"count"`
	Bytes       int64  `json:"bytes"`
	MaxInFlight int    `json:"max_in_flight"`
	BusyMS      int64  `json:"busy_ms"`   // while at least one request was under way
	WaitedMS    int64  `json:"waited_ms"` // pauses kept before requests, added up
}
