package fixturesite

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// TB is what this package needs of a *testing.T, so that the demo site can be
// served without the testing package in the binary.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Cleanup(func())
}

// Site answers requests and writes each one down. Content may be changed while
// it serves. The zero value is not usable; see New, Serve, Demo and Generated.
type Site struct {
	log log

	mu       sync.RWMutex
	files    map[string]File
	handlers map[string]http.Handler // exact paths, or prefixes ending in "*"

	listeners
}

// New makes a site that is not served yet.
func New(files ...File) *Site {
	s := &Site{files: map[string]File{}, handlers: map[string]http.Handler{}}
	for _, f := range files {
		s.Set(f)
	}
	return s
}

// Serve serves an archive at a free port of 127.0.0.1 until the test ends. A
// broken archive or a port that cannot be had ends the test.
func Serve(t TB, archive string) *Site {
	t.Helper()
	files, err := Parse(archive)
	if err != nil {
		t.Fatalf("fixture site: %v", err)
	}
	return New(files...).Start(t)
}

// Set puts an address in, or replaces it.
func (s *Site) Set(f File) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[f.Path] = f
}

// SetText puts a text answer with status 200 in, or replaces it; its type
// follows the address's ending. For rules and pages that change in mid-scan.
func (s *Site) SetText(path, body string) {
	s.Set(File{Path: path, Status: http.StatusOK, Text: true, Body: []byte(body), Header: http.Header{"Content-Type": {typeByPath(path)}}})
}

// Remove takes an address out; it answers 404 from then on.
func (s *Site) Remove(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.files, path)
	delete(s.handlers, path)
}

// Handle answers a path, or every path that begins with a prefix written as
// "/prefix/*". An exact path wins over members of the archive; a member wins
// over a prefix; of prefixes the longest wins.
func (s *Site) Handle(path string, h http.Handler) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handlers[path] = h
}

// HandleFunc is Handle for a function.
func (s *Site) HandleFunc(path string, h http.HandlerFunc) { s.Handle(path, h) }

// Handler answers and records, for a test that brings its own server. It lives
// in the test's process, so what it recorded outlasts the processes under test.
func (s *Site) Handler() http.Handler { return http.HandlerFunc(s.serve) }

// Arrivals is what has arrived so far, in order of arrival.
func (s *Site) Arrivals() Arrivals { return s.log.all() }

// Forget empties the log of arrivals.
func (s *Site) Forget() { s.log.forget() }

// InFlight is how many requests are under way now.
func (s *Site) InFlight() int { return s.log.inFlight() }

func (s *Site) serve(w http.ResponseWriter, r *http.Request) {
	rec := s.log.arrive(w, r)
	defer s.log.leave(rec)
	s.find(r).ServeHTTP(rec, r)
}

func (s *Site) find(r *http.Request) http.Handler {
	s.mu.RLock()
	defer s.mu.RUnlock()
	path := r.URL.EscapedPath()
	if h, ok := s.handlers[path]; ok {
		return h
	}
	if f, ok := s.files[path+"?"+r.URL.RawQuery]; ok && r.URL.RawQuery != "" {
		return f
	}
	if f, ok := s.files[path]; ok {
		return f
	}
	best, longest := http.Handler(http.HandlerFunc(notFound)), -1
	for pattern, h := range s.handlers {
		prefix, isPrefix := strings.CutSuffix(pattern, "*")
		if isPrefix && len(prefix) > longest && strings.HasPrefix(path, prefix) {
			best, longest = h, len(prefix)
		}
	}
	return best
}

// ServeHTTP answers with the file. Methods other than GET and HEAD get 405,
// OPTIONS 204; If-None-Match is honoured where the file has an ETag.
func (f File) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !wait(r, f.Delay) {
		return
	}
	for name, values := range f.Header {
		for _, v := range values {
			w.Header().Add(name, withBase(v, r))
		}
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead:
	case http.MethodOptions:
		w.Header().Set("Allow", "GET, HEAD, OPTIONS")
		w.WriteHeader(http.StatusNoContent)
		return
	default:
		w.Header().Set("Allow", "GET, HEAD, OPTIONS")
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	if tag := f.Header.Get("ETag"); tag != "" && r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body := f.Body
	if f.Text {
		body = []byte(withBase(string(body), r))
	}
	if f.Status != http.StatusNoContent && f.Status != http.StatusNotModified {
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	}
	w.WriteHeader(f.Status)
	if r.Method == http.MethodGet && len(body) > 0 {
		w.Write(body) // the visitor may be gone; nobody to tell
	}
}

// Base is the scheme, host and port that a visitor used.
func Base(r *http.Request) string {
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

func withBase(s string, r *http.Request) string { return strings.ReplaceAll(s, "{{base}}", Base(r)) }

// HTML answers with a text page in UTF-8; {{base}} is replaced.
func HTML(body string) http.Handler {
	return File{Status: http.StatusOK, Text: true, Body: []byte(body), Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}}
}

func notFound(w http.ResponseWriter, r *http.Request) {
	var page bytes.Buffer
	fmt.Fprint(&page, "<!doctype html><html lang=\"en\"><title>Not found</title><h1>Not found</h1><p>There is nothing at this address.</p></html>")
	File{Status: http.StatusNotFound, Body: page.Bytes(), Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}}.ServeHTTP(w, r)
}

// wait sleeps unless the visitor leaves first; it tells whether it may go on.
func wait(r *http.Request, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
		return false
	}
}
