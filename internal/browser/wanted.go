package browser

import (
	"encoding/json"
	"hash/maphash"
	"net/url"
	"strings"
	"sync"

	"github.com/go-rod/rod/lib/proto"

	"visite/schema"
)

// Bounds of what is remembered of one page.
const (
	maxAsked   = 3_000 // requests
	maxAddress = 2_000 // bytes of an address; what lies behind is a long query
)

// wanted is what a page asked for: to which host, of what kind, how much came. No
// address outlives the visit, only its host and a hash.
type wanted struct {
	mu      sync.Mutex
	sizes   *sizes
	page    string // the document's address as a referrer would tell it; empty where it tells no more than the host
	host    string
	refused bool // a consent banner has been refused
	acted   int  // so many files were asked for when what may refuse was last begun
	closed  bool // what comes now, our own checks may have caused
	by      map[proto.NetworkRequestID]int
	files   []file
}

type file struct {
	host          string
	kind          schema.FileKind
	hash          uint64
	bytes         int64
	refused, full bool
	address       string // of another host than the document's, until it is judged; cut at maxAddress
	as            string // what the lists call its kind
	kept          bool   // back by the page's own policy: it never left
}

// wantedEvent is the part of Network events that is looked at.
type wantedEvent struct {
	RequestID proto.NetworkRequestID    `json:"requestId"`
	FrameID   proto.PageFrameID         `json:"frameId"`
	Type      proto.NetworkResourceType `json:"type"`
	URL       string                    `json:"url"` // of a socket
	Request   struct {
		URL     string            `json:"url"`
		Headers map[string]string `json:"headers"`
	} `json:"request"`
	Redirect *struct {
		Length float64 `json:"encodedDataLength"`
	} `json:"redirectResponse"`
	Length  float64 `json:"encodedDataLength"`
	Blocked string  `json:"blockedReason"`
}

func (a *wanted) event(method string, params json.RawMessage, main proto.PageFrameID) {
	switch method {
	case "Network.requestWillBeSent", "Network.loadingFinished", "Network.loadingFailed", "Network.webSocketCreated":
	default:
		return
	}
	var e wantedEvent
	if json.Unmarshal(params, &e) != nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.sizes == nil { // a document of ours
		return
	}
	switch method {
	case "Network.requestWillBeSent":
		if e.Redirect != nil {
			a.end(e.RequestID, int64(e.Redirect.Length), false)
		}
		if e.Type == proto.NetworkResourceTypeDocument && e.FrameID == main {
			a.document(e.Request.URL)
		}
		a.begin(e.RequestID, e.Request.URL, e.Type, e.Request.Headers)
	case "Network.webSocketCreated":
		a.begin(e.RequestID, e.URL, proto.NetworkResourceTypeWebSocket, nil)
	default:
		a.end(e.RequestID, int64(e.Length), e.Blocked != "")
	}
}

// start begins the listening for a visit of a run.
func (a *wanted) start(r *run) {
	a.mu.Lock()
	defer a.mu.Unlock()
	r.banners.open.Add(1)
	if a.sizes, a.refused = &r.sizes, r.banners.no.Load(); a.refused {
		r.banners.open.Add(-1)
	}
}

// document notes the page's address, redirects included.
func (a *wanted) document(address string) {
	u, err := url.Parse(address)
	if err != nil || a.closed {
		return
	}
	a.host, a.page = strings.ToLower(u.Hostname()), ""
	if (u.Path != "" && u.Path != "/") || u.RawQuery != "" {
		u.Fragment, u.User = "", nil
		a.page = u.String()
	}
}

func (a *wanted) begin(id proto.NetworkRequestID, address string, as proto.NetworkResourceType, headers map[string]string) {
	if a.closed || len(a.files) >= maxAsked {
		return
	}
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" { // data:, blob:
		return
	}
	switch u.Scheme {
	case "http", "https", "ws", "wss":
	default:
		return
	}
	f := file{host: strings.ToLower(u.Hostname()), kind: kindOf(as), hash: hashOf(address), refused: a.refused}
	if f.host != a.host {
		f.address, f.as = address[:min(len(address), maxAddress)], filterType(as)
	}
	if a.page != "" && f.host != a.host {
		f.full = headers["Referer"] == a.page
	}
	a.by[id] = len(a.files)
	a.files = append(a.files, f)
}

func (a *wanted) end(id proto.NetworkRequestID, bytes int64, kept bool) {
	i, ok := a.by[id]
	if !ok {
		return
	}
	delete(a.by, id)
	f := &a.files[i]
	f.kept = kept
	f.bytes = a.sizes.know(f.hash, bytes)
}

// act notes that something is begun that may refuse consent. Whether it did is
// only known later, when the banner has gone.
func (a *wanted) act() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.acted = len(a.files)
}

// refuse notes that from what was last begun on nothing is consented to.
func (a *wanted) refuse() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.refused = true
	for i := a.acted; i < len(a.files); i++ {
		a.files[i].refused = true
	}
}

// isRefused tells whether consent has been refused.
func (a *wanted) isRefused() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.refused
}

// documentHost is the host of the page's document.
func (a *wanted) documentHost() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.host
}

// close ends the listening and sums up, in the order of first contact.
func (a *wanted) close() []schema.Contact {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
	var order []string
	by := map[string]*schema.Contact{}
	for _, f := range a.files {
		if f.kept {
			continue
		}
		c := by[f.host]
		if c == nil {
			if len(order) == schema.MaxContacts {
				continue
			}
			c = &schema.Contact{Host: f.host, Files: map[schema.FileKind]schema.FileSum{}}
			by[f.host], order = c, append(order, f.host)
		}
		c.Requests++
		if f.refused {
			c.Refused++
		}
		if f.full {
			c.FullReferrer++
		}
		s := c.Files[f.kind]
		c.Files[f.kind] = schema.FileSum{Requests: s.Requests + 1, Bytes: s.Bytes + f.bytes}
	}
	out := make([]schema.Contact, len(order))
	for i, host := range order {
		out[i] = *by[host]
	}
	return out
}

// questions are the requests to other hosts, which lists may name, and the host of
// the document. What the page's own policy kept back is not among them.
func (a *wanted) questions() (host string, asks []question) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := range a.files {
		f := &a.files[i]
		if f.address != "" && !f.kept {
			asks = append(asks, question{f.address, f.as, i})
		}
		f.address = ""
	}
	return a.host, asks
}

// name puts beside the contacts how many of their requests lists name.
func (a *wanted) name(asks []question, lists []schema.TrackerList, contacts []schema.Contact) {
	a.mu.Lock()
	defer a.mu.Unlock()
	by := map[string]*schema.Contact{}
	for i := range contacts {
		by[contacts[i].Host] = &contacts[i]
	}
	for i, q := range asks {
		f := a.files[q.file]
		c := by[f.host]
		if c == nil || lists[i] == "" {
			continue
		}
		c.Listed++
		if f.refused {
			c.ListedRefused++
		}
		if c.List == "" || lists[i] == schema.ListEasyPrivacy {
			c.List = lists[i]
		}
	}
}

// filterTypes are the names that lists have for Chromium's resource types.
var filterTypes = map[proto.NetworkResourceType]string{
	proto.NetworkResourceTypeDocument: "sub_frame", proto.NetworkResourceTypeScript: "script",
	proto.NetworkResourceTypeStylesheet: "stylesheet", proto.NetworkResourceTypeImage: "image",
	proto.NetworkResourceTypeFont: "font", proto.NetworkResourceTypeMedia: "media", proto.NetworkResourceTypeTextTrack: "media",
	proto.NetworkResourceTypeXHR: "xmlhttprequest", proto.NetworkResourceTypeFetch: "xmlhttprequest", proto.NetworkResourceTypeEventSource: "xmlhttprequest",
	proto.NetworkResourceTypePing: "ping", proto.NetworkResourceTypeWebSocket: "websocket",
}

func filterType(t proto.NetworkResourceType) string {
	if name, ok := filterTypes[t]; ok {
		return name
	}
	return "other"
}

// kinds gives Chromium's resource types our names.
var kinds = map[proto.NetworkResourceType]schema.FileKind{
	proto.NetworkResourceTypeDocument: schema.FileDocument, proto.NetworkResourceTypeScript: schema.FileScript,
	proto.NetworkResourceTypeStylesheet: schema.FileStyle, proto.NetworkResourceTypeImage: schema.FileImage,
	proto.NetworkResourceTypeFont: schema.FileFont, proto.NetworkResourceTypeMedia: schema.FileMedia,
	proto.NetworkResourceTypeTextTrack: schema.FileMedia, proto.NetworkResourceTypeXHR: schema.FileCall,
	proto.NetworkResourceTypeFetch: schema.FileCall, proto.NetworkResourceTypePing: schema.FileCall,
	proto.NetworkResourceTypeEventSource: schema.FileCall, proto.NetworkResourceTypeWebSocket: schema.FileCall,
}

func kindOf(t proto.NetworkResourceType) schema.FileKind {
	if k, ok := kinds[t]; ok {
		return k
	}
	return schema.FileOther
}

// sizes remembers what files of a run weighed when they were transferred: later
// pages have them from the cache.
type sizes struct {
	mu sync.Mutex
	by map[uint64]int64
}

var hashSeed = maphash.MakeSeed()

func hashOf(address string) uint64 { return maphash.String(hashSeed, address) }

// maxSizes bounds what is remembered of one run.
const maxSizes = 20_000

// know is a file's size; one that came from the cache has that of its transfer.
func (s *sizes) know(hash uint64, bytes int64) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if bytes <= 0 {
		return s.by[hash]
	}
	if _, known := s.by[hash]; known || len(s.by) < maxSizes {
		if s.by == nil {
			s.by = map[uint64]int64{}
		}
		s.by[hash] = max(bytes, s.by[hash]) // an answer "not modified" is smaller than the file
	}
	return max(bytes, s.by[hash])
}
