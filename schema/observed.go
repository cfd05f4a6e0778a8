package schema

// Observed is what Chromium saw of a page while it loaded, beside the document. It
// lives in memory: the judge makes figures and findings of it.
type Observed struct {
	Speed    *Speed  // nil where nothing was painted or it could not be read
	Layout   *Layout // nil where it could not be read
	Contacts []Contact
	Stored   []Stored
	// TrackersBy is what was asked about Contacts; empty where the page contacted no other host.
	TrackersBy TrackersBy
	// FirstVisit: the first page of its run in this browser; nothing was in the cache.
	FirstVisit bool
}

// MaxContacts bounds the hosts that are told apart of one page.
const MaxContacts = 200

// FileKind is what a page asks for. A closed list.
type FileKind string

const (
	FileDocument FileKind = "document" // the page itself, and those in its frames
	FileScript   FileKind = "script"
	FileStyle    FileKind = "style"
	FileImage    FileKind = "image"
	FileFont     FileKind = "font"
	FileMedia    FileKind = "media"
	FileCall     FileKind = "call" // by scripts: fetch, XMLHttpRequest, beacons, sockets
	FileOther    FileKind = "other"
)

// Contact is a host that a page's requests were meant for. What the page's own
// policy kept back is not among them; what the door did not let out is: a
// visitor's browser would have sent it.
type Contact struct {
	Host         string // lower case, without port
	Requests     int
	Refused      int // of these, begun after a consent banner had been refused
	FullReferrer int // of these, told the page's address with path or query
	Files        map[FileKind]FileSum
	// Of the requests, those that a list of trackers names, and of these the ones
	// begun after a consent banner had been refused.
	Listed        int
	ListedRefused int
	List          TrackerList // the list; EasyPrivacy where both do; empty: none
}

// TrackerList is a list that names trackers. A closed list.
type TrackerList string

const (
	ListEasyPrivacy TrackerList = "EasyPrivacy" // what follows visitors
	ListEasyList    TrackerList = "EasyList"    // advertising
)

// TrackersBy is how trackers are told from other hosts. A closed list.
type TrackersBy string

const (
	TrackersByLists TrackersBy = "lists" // by EasyPrivacy and EasyList, and by names
	TrackersByNames TrackersBy = "names" // by the names of known companies alone
)

// FileSum is a number of files and what they weigh.
type FileSum struct {
	Requests int   `json:"requests"`
	Bytes    int64 `json:"bytes"` // as transferred, headers included; from the cache: as when it was transferred
}

// StoredKind is where a page left something in the browser. A closed list.
type StoredKind string

const (
	StoredCookie  StoredKind = "cookie"
	StoredLocal   StoredKind = "local_storage"
	StoredSession StoredKind = "session_storage"
)

// Stored is something a page left in the browser: its name, never its value.
type Stored struct {
	Kind     StoredKind
	Name     string // as the page has it; a name can carry words, see the privacy rules
	Host     string // cookies: the domain, without leading dot
	Days     int    // cookies: until it expires, rounded up; 0: with the session
	Secure   bool
	HTTPOnly bool
	SameSite string // "Strict", "Lax", "None" or empty
	Refused  bool   // it came after a consent banner had been refused
}

// Speed is how fast a page was, in milliseconds from the start of the navigation
// unless it says otherwise: in Chromium on the scan's device, not throttled,
// through our proxy, until the page had come to rest, before it was scrolled.
type Speed struct {
	TTFBMS    float64   `json:"ttfb_ms"` // first byte (web.dev TTFB)
	FCPMS     float64   `json:"fcp_ms"`  // first contentful paint
	LCPMS     float64   `json:"lcp_ms"`  // largest contentful paint; 0 where none was reported
	CLS       float64   `json:"cls"`     // cumulative layout shift, a figure without unit
	TBTMS     float64   `json:"tbt_ms"`  // total blocking time: what long tasks took beyond 50 ms each
	LongTasks int       `json:"long_tasks"`
	LCPAt     string    `json:"lcp_at"` // selector of the largest element
	CLSAt     string    `json:"cls_at"` // selector of the element that moved most
	LCPParts  *LCPParts `json:"lcp_parts,omitempty"`
	Loads     int       `json:"loads"` // the figures are the median of so many loads
	Cache     string    `json:"cache"` // CacheEmpty or CacheShared
}

// What was in the browser's cache when a page was measured.
const (
	CacheEmpty  = "empty"  // the first page of the run
	CacheShared = "shared" // files that pages of the run share may have been there
)

// LCPParts is what the largest contentful paint was made of; their sum is it.
type LCPParts struct {
	TTFBMS        float64 `json:"ttfb_ms"`
	LoadDelayMS   float64 `json:"load_delay_ms"`
	LoadMS        float64 `json:"load_ms"`
	RenderDelayMS float64 `json:"render_delay_ms"`
}

// Held takes out the time that our own door kept the page's request back.
func (s *Speed) Held(ms float64) {
	if s == nil || ms <= 0 {
		return
	}
	s.TTFBMS, s.FCPMS = max(s.TTFBMS-ms, 0), max(s.FCPMS-ms, 0)
	if s.LCPMS > 0 {
		s.LCPMS = max(s.LCPMS-ms, 0)
	}
	if s.LCPParts != nil {
		s.LCPParts.TTFBMS = max(s.LCPParts.TTFBMS-ms, 0)
	}
}

// Weight is what a page makes a browser load.
type Weight struct {
	Requests   int                  `json:"requests"`
	Bytes      int64                `json:"bytes"`
	Files      map[FileKind]FileSum `json:"files"`
	ThirdParty FileSum              `json:"third_party"` // of all, what comes from other sites
	Hosts      int                  `json:"third_party_hosts"`
}
