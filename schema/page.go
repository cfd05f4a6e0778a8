package schema

import "time"

// Outcome is what became of one address (contract S-23, S-40). The site's
// trouble is such a value, never an error.
type Outcome string

const (
	OutcomeAnalysed     Outcome = "analysed"
	OutcomeRedirected   Outcome = "redirected_out_of_scope"
	OutcomeDuplicate    Outcome = "redirected_in_scope" // its final address is dealt with on its own
	OutcomeDisallowed   Outcome = "robots_disallowed"
	OutcomeBlocked      Outcome = "blocked" // a challenge stood in the way
	OutcomeNotAnalysed  Outcome = "not_analysed"
	OutcomeErrorAnswer  Outcome = "error_answer"       // loaded, but the status is 4xx or 5xx: no verdicts
	OutcomeNotPage      Outcome = "not_a_page"         // a file: download, image, PDF ...
	OutcomePasswordWall Outcome = "password_protected" // 401 with WWW-Authenticate
)

// Reason says why an outcome is not "analysed". A closed list, English words.
type Reason string

const (
	ReasonNone             Reason = ""
	ReasonTimeout          Reason = "timeout"
	ReasonConnection       Reason = "connection_failed"
	ReasonNameNotFound     Reason = "name_not_found"
	ReasonTLS              Reason = "tls_failed"
	ReasonTooManyRedirects Reason = "too_many_redirects"
	ReasonRedirectLoop     Reason = "redirect_loop"
	ReasonBadRedirect      Reason = "bad_redirect" // Location missing or not an address
	ReasonTooLarge         Reason = "too_large"
	ReasonEndless          Reason = "endless_response"
	ReasonDecoding         Reason = "undecodable" // broken or bombing compression
	ReasonProtocol         Reason = "protocol_error"
	ReasonRefusedForNow    Reason = "refused_for_now" // 429, or 503 with Retry-After, after the wait
	ReasonServerParked     Reason = "server_parked"   // asked us to stay away over 30 s (S-39)
	ReasonBrowserCrashed   Reason = "browser_crashed" // on the site's side
	ReasonDownload         Reason = "download"
	ReasonMediaType        Reason = "media_type"
	ReasonGuarded          Reason = "guarded_address"
	ReasonRobots           Reason = "robots_disallowed"
	ReasonRobotsUnreached  Reason = "robots_unreachable"
	ReasonChallenge        Reason = "challenge"
	ReasonOurCrash         Reason = "interrupted" // our own crash twice; neutral for the stop after three
	ReasonCancelled        Reason = "cancelled"
	ReasonPort             Reason = "port_not_web"
	ReasonStopped          Reason = "scan_stopped" // after three pages in a row (S-43)
	ReasonObjection        Reason = "objection"    // the host asked us to stay away (C-43)
	ReasonQuietHours       Reason = "quiet_hours"  // the host asked for quiet at this time of day (S-49)
	ReasonErrorStatus      Reason = "error_status" // answered, but not with 200

	// Why a link to another server was not checked, or not yet.
	ReasonServerResting Reason = "server_resting"   // its visits' addresses are used up (C-11)
	ReasonCheckPending  Reason = "check_pending"    // the scan did not wait any longer
	ReasonQueryNotKept  Reason = "address_redacted" // the address is not kept whole (R-23, S-24)
	ReasonPageFile      Reason = "page_file"        // loaded with the page, not followed by people
)

// Timing holds phases in milliseconds; a phase that did not happen is 0.
type Timing struct {
	DNSMS     float64 `json:"dns_ms"`
	ConnectMS float64 `json:"connect_ms"`
	TLSMS     float64 `json:"tls_ms"`
	TTFBMS    float64 `json:"ttfb_ms"` // request written to first byte of the final answer
	BodyMS    float64 `json:"body_ms"`
	LoadMS    float64 `json:"load_ms"` // navigation start to load event; http engine: to the last byte
}

// Hop is one redirect on the way.
type Hop struct {
	URL    string `json:"url"`
	Status int    `json:"status"`
}

// Page is what is recorded of one address. Of the page's words it holds only
// what the page says of itself (contract C-59, C-60): title, description,
// sharing data and language marking.
type Page struct {
	ID           int64
	ScanID       string
	URL          string
	FinalURL     string
	Depth        int
	Outcome      Outcome
	Reason       Reason
	BlockedBy    string // the product whose challenge it was, "Cloudflare"; empty where none is known (S-23)
	Status       int    // 0 where nothing answered; any three digits are accepted
	Redirects    []Hop
	Timing       Timing
	WireBytes    int64 // of the document as it came, all hops
	Bytes        int64 // of the document decoded
	MediaType    string
	Charset      string
	Protocol     string // HTTP/1.1, HTTP/2.0
	Encoding     string // Content-Encoding as served
	Words        int
	Elements     int
	Title        string // cut at 300 characters
	Description  string // cut at 500
	Sharing      map[string]string
	Languages    Languages
	RobotsTags   []string // directives of meta robots and X-Robots-Tag, lower case
	Canonical    string
	ContentHash  uint64 // of the text and title; tells duplicates, cannot be read back
	Structure    uint64 // of the element skeleton; near that of pages of the same template (SameStructure); 0: not known
	Requests     int    // sent for this page's files (browser)
	RefusedCalls int    // POSTs, beacons, sockets that were not let out
	Notes        []string
	Speed        *Speed  // nil where it was not measured
	Weight       *Weight // nil where it was not measured
	TrackersBy   TrackersBy
	Preview      *Preview // to be recorded; nil for none, and where pages are read
	InspectedAt  time.Time
	Findings     []Finding
	Links        []PageLink
}

// HreflangMost bounds the language versions kept of a page; there may be more where
// it is reached.
const HreflangMost = 100

// Languages is a page's language marking.
type Languages struct {
	HTML     string            `json:"html,omitempty"`   // lang of the html element
	Header   string            `json:"header,omitempty"` // Content-Language
	Hreflang map[string]string `json:"hreflang,omitempty"`
}

// Notes a page may carry; a closed list.
const (
	NoteContentIncomplete = "content_may_be_incomplete" // an own-site call was not let out, or files were given up (S-38)
	NoteDialog            = "dialog_dismissed"
	NotePopup             = "popup_closed"
	NoteHardLimit         = "load_hard_limit"
	NoteFramesUnchecked   = "frames_not_checked"
	NoteAxeIncomplete     = "accessibility_groups_not_run"
	NoteTooManyElements   = "too_many_elements"
	NoteLinksCut          = "links_cut"
	NoteValidityUnchecked = "html_validity_not_checked" // the served source was too long, not kept, or took too long; or it could not be read to its end
	NoteBannerRejected    = "banner_rejected"           // a consent banner was refused before the page was judged
	NoteBannerClosed      = "banner_closed"             // closed or hidden, nothing accepted
	NoteBannerOpen        = "banner_open"               // only accepting was offered, or it could not be closed
	NoteScrollLocked      = "scroll_locked"             // the page stayed locked after its banner was gone
	NoteFindingsCut       = "findings_cut"
	NoteFilesCut          = "files_cut" // it asked for more files than one page may have loaded (FilesAPage)
)
