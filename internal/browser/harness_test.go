package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"visite/schema"
)

// shared is one Chromium for all tests that do not break it; each test has a
// browser context of its own.
var shared struct {
	once sync.Once
	b    *Browser
	err  error
}

func TestMain(m *testing.M) {
	if os.Getenv("VISITE_TEST_CHILD") != "" {
		child()
		return
	}
	code := m.Run()
	for _, b := range []*Browser{shared.b, plain.b, checking.b} {
		if b != nil {
			b.Close()
		}
	}
	os.Exit(code)
}

// needBrowser returns the shared browser; without Chromium the test is skipped,
// under CI it fails.
func needBrowser(t testing.TB) *Browser {
	t.Helper()
	shared.once.Do(func() {
		if shared.b, shared.err = New(Options{}); shared.b != nil {
			shared.b.limits.interact = time.Minute // tests are not to depend on speed
		}
	})
	if shared.err != nil {
		missing(t, shared.err)
	}
	return shared.b
}

// plain is a second Chromium for what happens before a page is examined.
var plain struct {
	once sync.Once
	b    *Browser
	err  error
}

const (
	noOwnChecks    = `globalThis.visiteOwn = { run: () => ({ hits: [], ran: [], not_run: [], plan: { audio: 0, changes: 0, turned: 0, boxes: 0, hidden: 0, stops: 0, motion: 0, scripts: 0 } }) };`
	noSecondEngine = `globalThis.visiteQualweb = { run: () => '{"violations":[],"incomplete":[],"ran":[],"whole":true}' };`
)

// plainBrowser returns it: axe-core runs there, the second engine and our own
// checks find nothing. They take most of a visit's time, and have tests of their own.
func plainBrowser(t testing.TB) *Browser {
	t.Helper()
	plain.once.Do(func() {
		if plain.b, plain.err = New(Options{}); plain.b != nil {
			plain.b.limits.draw, plain.b.limits.validity = time.Minute, time.Minute // tests are not to depend on speed
			plain.b.scripts.own, plain.b.scripts.qualweb = noOwnChecks, noSecondEngine
		}
	})
	if plain.err != nil {
		missing(t, plain.err)
	}
	return plain.b
}

// checking is a third Chromium, for our own checks: both engines find nothing there.
var checking struct {
	once sync.Once
	b    *Browser
	err  error
}

// checkingBrowser returns it. The accessibility engine is in place, as our checks
// borrow its computation of names; its rules do not run.
func checkingBrowser(t testing.TB) *Browser {
	t.Helper()
	checking.once.Do(func() {
		if checking.b, checking.err = New(Options{}); checking.b != nil {
			checking.b.limits.interact, checking.b.limits.check = time.Minute, time.Minute
			checking.b.scripts.axe += `;visiteAxe = { ...visiteAxe, run: () => '{"violations":[],"incomplete":[],"ran":[]}' };`
			checking.b.scripts.qualweb = noSecondEngine
		}
	})
	if checking.err != nil {
		missing(t, checking.err)
	}
	return checking.b
}

func ownBrowser(t *testing.T) *Browser {
	t.Helper()
	b, err := New(Options{})
	if err != nil {
		missing(t, err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

func missing(t testing.TB, err error) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(err)
	}
	t.Skip(err)
}

// door is a forward proxy that notes what passes. Names are mapped to one test
// server, so pages can have foreign parts.
type door struct {
	*httptest.Server
	mu   sync.Mutex
	seen []*http.Request
}

func newDoor(t testing.TB, site http.Handler) *door {
	t.Helper()
	d := &door{}
	d.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.mu.Lock()
		d.seen = append(d.seen, r.Clone(context.Background()))
		d.mu.Unlock()
		if r.Method == http.MethodConnect {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		site.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { d.CloseClientConnections(); d.Close() })
	return d
}

func (d *door) addr() string { return d.Listener.Addr().(*net.TCPAddr).String() }

// requests are those seen so far as "METHOD url".
func (d *door) requests() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []string
	for _, r := range d.seen {
		out = append(out, r.Method+" "+r.URL.String())
	}
	return out
}

func (d *door) count(part string) int {
	n := 0
	for _, r := range d.requests() {
		if strings.Contains(r, part) {
			n++
		}
	}
	return n
}

// whenAsked acts once, as soon as an address was asked for: a visit is under way
// then, however slow the machine. It says when that was.
func (d *door) whenAsked(part string, act func()) <-chan time.Time {
	asked := make(chan time.Time, 1)
	go func() {
		for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
			if d.count(part) > 0 {
				asked <- time.Now()
				act()
				return
			}
		}
	}()
	return asked
}

// pages is a site made of HTML texts by path; anything else is 404.
type pages map[string]string

func (p pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, ok := p[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	switch {
	case strings.HasSuffix(r.URL.Path, ".js"):
		w.Header().Set("Content-Type", "text/javascript")
	case strings.HasSuffix(r.URL.Path, ".css"):
		w.Header().Set("Content-Type", "text/css")
	case strings.HasSuffix(r.URL.Path, ".svg"):
		w.Header().Set("Content-Type", "image/svg+xml")
	default:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
	}
	io.WriteString(w, body)
}

const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><rect width="20" height="20"/></svg>`

// html is a document without any fault the engine could find.
func html(head, body string) string {
	return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page</title>` + head +
		`</head><body><main><h1>A heading</h1>` + body + `</main></body></html>`
}

var scanNumber struct {
	sync.Mutex
	n int
}

func newScan(t testing.TB, b *Browser) string {
	t.Helper()
	scanNumber.Lock()
	scanNumber.n++
	id := fmt.Sprintf("scan-%d", scanNumber.n)
	scanNumber.Unlock()
	t.Cleanup(func() { b.EndRun(id) })
	return id
}

// visitOf is a visit of http://site.example + path through the door.
func visitOf(t testing.TB, b *Browser, d *door, path string) Visit {
	t.Helper()
	ua, err := b.UserAgent(t.Context(), schema.DeviceDesktop)
	if err != nil {
		t.Fatal(err)
	}
	return Visit{
		ScanID: newScan(t, b), ProxyAddr: d.addr(), URL: "http://site.example" + path, Device: schema.DeviceDesktop,
		UserAgent: ua + " Test/1.0 (+https://visitor.example/about)", Deadline: 2 * time.Minute,
	}
}

// open visits a path of a site and fails the test on an error of ours.
func open(t testing.TB, b *Browser, d *door, path string) Rendered {
	t.Helper()
	out, err := b.Visit(t.Context(), visitOf(t, b, d, path))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// openPage visits a site of one page.
func openPage(t *testing.T, page string) (Rendered, *door) {
	t.Helper()
	d := newDoor(t, pages{"/": page, "/a.svg": svg})
	return open(t, needBrowser(t), d, "/"), d
}

func axeOf(t testing.TB, r Rendered) schema.AxeResults {
	t.Helper()
	var a schema.AxeResults
	if err := json.Unmarshal(r.Axe, &a); err != nil {
		t.Fatalf("axe results: %v (failure %q, notes %v)", err, r.Failure, r.Notes)
	}
	return a
}

// ids are the rules of a list with their counts, "image-alt:2".
func ids(rules []schema.AxeRule) []string {
	out := []string{}
	for _, r := range rules {
		out = append(out, fmt.Sprintf("%s:%d", r.ID, r.Count))
	}
	return out
}
