package fixturesite

import (
	"bufio"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Kind sorts arrivals as the visited side can tell them apart.
type Kind string

const (
	KindRobots   Kind = "robots"
	KindSitemap  Kind = "sitemap"
	KindDocument Kind = "document" // a page, or what was asked for as one
	KindFile     Kind = "file"     // what a page loads while it is open, frames included
)

// Arrival is one request as the visited side saw it.
type Arrival struct {
	Seq     int       // 1 for the first
	In      time.Time // request line and headers read
	Out     time.Time // answer complete; zero while under way
	Method  string
	Host    string // Host header
	Path    string // escaped, without query
	Query   string
	Header  http.Header
	Remote  string // IP and port
	Proto   string
	TLS     bool
	Status  int // 0 where no answer was given
	Bytes   int64
	Kind    Kind
	Follows int // Seq of the redirect that named this address, 0 for none
}

// Request is method, path and query, as a log line has it.
func (a Arrival) Request() string {
	if a.Query == "" {
		return a.Method + " " + a.Path
	}
	return a.Method + " " + a.Path + "?" + a.Query
}

// UserAgent is the arrival's User-Agent header.
func (a Arrival) UserAgent() string { return a.Header.Get("User-Agent") }

// log gathers arrivals; safe for many at once.
type log struct {
	mu      sync.Mutex
	entries []*Arrival
	targets map[string]int // redirect target not yet asked for -> Seq of the redirect
	under   int
	next    int
}

func (l *log) arrive(w http.ResponseWriter, r *http.Request) *recorder {
	a := &Arrival{
		In: time.Now(), Method: r.Method, Host: r.Host, Path: r.URL.EscapedPath(), Query: r.URL.RawQuery,
		Header: r.Header.Clone(), Remote: r.RemoteAddr, Proto: r.Proto, TLS: r.TLS != nil,
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.next++
	l.under++
	a.Seq = l.next
	address := Base(r) + r.URL.RequestURI()
	if from, ok := l.targets[address]; ok {
		a.Follows = from
		delete(l.targets, address)
	}
	a.Kind = kindOf(a, "")
	l.entries = append(l.entries, a)
	return &recorder{ResponseWriter: w, request: r, arrival: a}
}

func (l *log) leave(rec *recorder) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := rec.arrival
	a.Out = time.Now()
	if rec.complete() {
		a.Out = rec.lastWrite
	}
	if rec.status == 0 && !rec.hijacked && rec.request.Context().Err() == nil {
		rec.status = http.StatusOK // what net/http sends for a silent handler
	}
	a.Status, a.Bytes = rec.status, rec.written
	a.Kind = kindOf(a, rec.Header().Get("Content-Type"))
	l.under--
	if location := rec.Header().Get("Location"); location != "" && a.Status/100 == 3 {
		l.expect(rec.request, location, a.Seq)
	}
}

// expect remembers where a redirect sent its visitor.
func (l *log) expect(r *http.Request, location string, seq int) {
	from, err := url.Parse(Base(r) + r.URL.RequestURI())
	if err != nil {
		return
	}
	to, err := from.Parse(location)
	if err != nil {
		return
	}
	if l.targets == nil {
		l.targets = map[string]int{}
	}
	l.targets[to.Scheme+"://"+to.Host+to.RequestURI()] = seq
}

func (l *log) all() Arrivals {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make(Arrivals, len(l.entries))
	for i, a := range l.entries {
		out[i] = *a
	}
	return out
}

func (l *log) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries, l.targets = nil, nil
}

func (l *log) inFlight() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.under
}

// kindOf goes by what a browser says it wants and else by the address and by
// what was served.
func kindOf(a *Arrival, served string) Kind {
	path := strings.ToLower(a.Path)
	switch {
	case path == "/robots.txt":
		return KindRobots
	case strings.Contains(path, "sitemap") && !strings.HasPrefix(served, "text/html"):
		return KindSitemap
	}
	if dest := a.Header.Get("Sec-Fetch-Dest"); dest != "" {
		if dest == "document" {
			return KindDocument
		}
		return KindFile
	}
	last := path[strings.LastIndexByte(path, '/')+1:]
	if strings.HasPrefix(served, "text/html") || !strings.Contains(last, ".") {
		return KindDocument
	}
	return KindFile
}

// recorder notes what is answered.
type recorder struct {
	http.ResponseWriter
	request   *http.Request
	arrival   *Arrival
	status    int
	written   int64
	declared  int64 // Content-Length, -1 where not declared
	lastWrite time.Time
	hijacked  bool
}

// complete reports whether the visitor had the whole answer by the last write.
// With a declared length it can have come back before the handler returned.
func (r *recorder) complete() bool {
	return r.written > 0 && r.declared == r.written && !r.lastWrite.IsZero()
}

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 && status >= 200 {
		r.status = status
		r.declared = declaredLength(r.Header())
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(p []byte) (int, error) {
	if r.status == 0 {
		r.WriteHeader(http.StatusOK)
	}
	r.lastWrite = time.Now()
	n, err := r.ResponseWriter.Write(p)
	r.written += int64(n)
	return n, err
}

func declaredLength(h http.Header) int64 {
	n, err := strconv.ParseInt(h.Get("Content-Length"), 10, 64)
	if err != nil {
		return -1
	}
	return n
}

// Flush sends what has been written.
func (r *recorder) Flush() { http.NewResponseController(r.ResponseWriter).Flush() }

// Hijack hands the bare connection out.
func (r *recorder) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	r.hijacked = true
	return http.NewResponseController(r.ResponseWriter).Hijack()
}

// Unwrap serves http.ResponseController.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
