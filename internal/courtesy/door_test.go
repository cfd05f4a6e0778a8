package courtesy_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"visite/internal/courtesy"
	"visite/internal/fixturesite"
	"visite/internal/pgtest"
	"visite/internal/postgres"
	"visite/schema"
)

const info = "https://visite.example/robots-page/"

// careful is a profile with the contract's own limits.
func careful() schema.Profile {
	return schema.Profile{
		Name: "careful", Product: "Visite", Version: "1.0", Info: info,
		UserAgents: schema.UserAgents{Browser: "{chrome} Visite/1.0 (+{info})", Client: "Mozilla/5.0 (compatible; Visite/1.0; +{info})"},
		Tokens:     []string{"Visite", "VisiteAgent"},
		Limits:     schema.ContractLimits(),
	}
}

// free is a profile for this machine, without pauses.
func free() schema.Profile {
	p := careful()
	p.Name, p.LoopbackOnly = "free", true
	p.Limits.PauseMin, p.Limits.PauseFactor, p.Limits.PagesAtOnce, p.Limits.VisitsPerIP = 0, 0, 16, 16
	return p
}

const chromeAgent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36 Visite/1.0 (+" + info + ")"

// harness is a door on a database of its own.
type harness struct {
	*courtesy.Door
	store *postgres.CourtesyStore
	t     testing.TB
}

func newHarness(t testing.TB, o courtesy.Options) *harness {
	t.Helper()
	store := postgres.NewCourtesyStore(pgtest.DB(t))
	o.Store, o.AllowLoopback = store, true
	return &harness{Door: newDoor(t, o), store: store, t: t}
}

// with is the same door for a subtest.
func (h *harness) with(t testing.TB) *harness { return &harness{Door: h.Door, store: h.store, t: t} }

func newDoor(t testing.TB, o courtesy.Options) *courtesy.Door {
	t.Helper()
	door, err := courtesy.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = door.Close() })
	return door
}

var holders atomic.Int64

// visit asks for a page under a profile, scoped to the page's host.
func visit(address string, p schema.Profile) schema.Visit {
	u, err := url.Parse(address)
	if err != nil {
		panic(err)
	}
	return schema.Visit{
		Run: schema.RunRef{WorkspaceID: "w", SiteID: "s", ScanID: "scan"}, Cause: schema.CauseScan, Purpose: schema.PurposePage,
		Profile: p, URL: address, ScopeHost: schema.HostKey(u), Holder: fmt.Sprintf("holder %d", holders.Add(1)), MaxWait: 10 * time.Second,
	}
}

func inBrowser(v schema.Visit) schema.Visit {
	v.Browser, v.UserAgent = true, chromeAgent
	return v
}

// patience is the longest time one step of a test may take, on the slowest
// machine: whatever hangs fails its own test instead of the whole run.
const patience = 2 * time.Minute

// within is the test's context with a deadline.
func within(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// await waits until something has come about.
func await(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited %v for %s", patience, what)
		}
	}
}

// receive takes what a test's goroutine has to say.
func receive[T any](t testing.TB, what string, from <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-from:
	case <-time.After(patience):
		t.Fatalf("waited %v for %s", patience, what)
	}
	return v
}

// together waits for a test's goroutines. Those that hang are left behind.
func together(t testing.TB, all *sync.WaitGroup) {
	t.Helper()
	done := make(chan struct{})
	go func() { all.Wait(); close(done) }()
	receive(t, "goroutines to end", done)
}

// enter expects a grant.
func (h *harness) enter(v schema.Visit) *courtesy.Pass {
	h.t.Helper()
	pass, admission, err := h.Enter(within(h.t), v)
	if err != nil || pass == nil {
		h.t.Fatalf("enter %s: %+v %v", v.URL, admission, err)
	}
	h.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		_ = pass.Leave(ctx)
	})
	return pass
}

// refused expects no grant.
func (h *harness) refused(v schema.Visit) schema.Admission {
	h.t.Helper()
	pass, admission, err := h.Enter(within(h.t), v)
	if err != nil || pass != nil {
		h.t.Fatalf("enter %s: granted, or %v", v.URL, err)
	}
	return admission
}

// get sends a GET through a pass as the http engine does: redirects followed by
// a standard client.
func get(t testing.TB, pass *courtesy.Pass, address string) (*http.Response, string, error) {
	t.Helper()
	client := &http.Client{Transport: pass, Timeout: patience, CheckRedirect: func(*http.Request, []*http.Request) error { return nil }}
	return getWith(t, client, address)
}

func getWith(t testing.TB, client *http.Client, address string) (*http.Response, string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(within(t), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp, string(body), err
}

// load visits a page over the http engine's way and leaves.
func (h *harness) load(v schema.Visit) (schema.DocumentFacts, schema.VisitTotals) {
	h.t.Helper()
	pass := h.enter(v)
	_, _, _ = get(h.t, pass, v.URL) // what came of it is in the facts
	if err := pass.Leave(within(h.t)); err != nil {
		h.t.Fatal(err)
	}
	return pass.Document(), pass.Totals()
}

func (h *harness) lines() []schema.LedgerLine {
	h.t.Helper()
	lines, err := h.store.Lines(within(h.t), "scan")
	if err != nil {
		h.t.Fatal(err)
	}
	return lines
}

const small = `
-- /robots.txt --
User-agent: *
Disallow: /private/
Sitemap: {{base}}/sitemap.xml
-- / --
<!doctype html><title>Home</title><p>Hello
-- /a --
<!doctype html><title>A</title><p>A
-- /style.css --
body { color: black }
-- /private/x.css --
body { color: red }
-- /private/page --
<!doctype html><title>Private</title>
`

// The first request to a host is for robots.txt, it counts as a visit, and each
// request has its ledger line with all that belongs to it.
// proves S-02, S-07, S-11, S-25, C-52
func TestFirstVisit(t *testing.T) {
	site := fixturesite.Serve(t, small)
	h := newHarness(t, courtesy.Options{})
	v := visit(site.URL("/a?token=secret&q=1#part"), careful())
	facts, totals := h.load(v)
	if facts.Outcome != schema.OutcomeAnalysed || facts.Status != 200 || facts.MediaType != "text/html" {
		t.Errorf("facts: %+v", facts)
	}
	if facts.WireBytes == 0 || facts.Timing.TTFBMS <= 0 || facts.Timing.ConnectMS != 0 || facts.Protocol != "HTTP/1.1" {
		t.Errorf("facts of the network: %+v", facts) // no connect: robots.txt came over the same connection
	}
	if totals.Requests != 1 || totals.ResponseTime <= 0 || totals.WireBytes != facts.WireBytes {
		t.Errorf("totals: %+v", totals)
	}
	arrivals := site.Arrivals()
	if got, want := strings.Join(arrivals.Requests(), ", "), "GET /robots.txt, GET /a?token=secret&q=1"; got != want {
		t.Fatalf("arrived: %s, want %s", got, want)
	}
	for _, a := range arrivals {
		if a.UserAgent() != careful().ClientUserAgent() {
			t.Errorf("%s came as %q", a.Request(), a.UserAgent())
		}
	}
	arrivals.MinGap(t, 250*time.Millisecond)
	lines := h.lines()
	if len(lines) != 2 {
		t.Fatalf("%d ledger lines, want 2", len(lines))
	}
	robots, page := lines[0], lines[1]
	if robots.Purpose != schema.PurposeRobots || robots.Method != "GET" || robots.Status != 200 || robots.URL != site.URL("/robots.txt") {
		t.Errorf("line of robots.txt: %+v", robots)
	}
	if page.Purpose != schema.PurposePage || page.Cause != schema.CauseScan || page.Profile != "careful" || page.WorkspaceID != "w" ||
		page.URL != site.URL("/a?token=*&q=*") || page.IP != "127.0.0.1" || page.Status != 200 || page.Bytes != facts.WireBytes || page.WaitedMS < 200 {
		t.Errorf("line of the page: %+v", page)
	}
	for i, a := range arrivals {
		if !lines[i].At.Before(a.In) {
			t.Errorf("line %d is of %v, its request arrived at %v", i, lines[i].At, a.In)
		}
	}
}

// lineFirst is a store that notes when ledger lines were committed.
type lineFirst struct {
	courtesy.Store
	begun atomic.Int64
}

func (s *lineFirst) BeginLines(ctx context.Context, lines []schema.LedgerLine) ([]int64, []time.Time, error) {
	time.Sleep(50 * time.Millisecond)
	ids, parked, err := s.Store.BeginLines(ctx, lines)
	s.begun.Add(int64(len(lines)))
	return ids, parked, err
}

// proves S-11
func TestLedgerLineIsWrittenBeforeTheRequestLeaves(t *testing.T) {
	site := fixturesite.Serve(t, small)
	store := &lineFirst{Store: postgres.NewCourtesyStore(pgtest.DB(t))}
	var early atomic.Int64
	arrived := atomic.Int64{}
	site.HandleFunc("/a", func(w http.ResponseWriter, _ *http.Request) {
		if store.begun.Load() != arrived.Add(1)+1 { // robots.txt had one too
			early.Add(1)
		}
		w.Header().Set("Content-Type", "text/html")
	})
	h := &harness{Door: newDoor(t, courtesy.Options{Store: store, AllowLoopback: true}), t: t}
	for range 3 {
		h.load(visit(site.URL("/a"), free()))
	}
	if early.Load() != 0 || arrived.Load() != 3 {
		t.Errorf("%d of %d requests arrived before their line was written", early.Load(), arrived.Load())
	}
}

// Without its ledger nothing leaves, and that is our own trouble.
func TestNothingLeavesWithoutALedger(t *testing.T) {
	site := fixturesite.Serve(t, small)
	pool := pgtest.DB(t)
	h := &harness{Door: newDoor(t, courtesy.Options{Store: postgres.NewCourtesyStore(pool), AllowLoopback: true}), t: t}
	pass := h.enter(visit(site.URL("/a"), free()))
	site.Forget()
	if _, err := pool.Exec(within(t), `ALTER TABLE ledger RENAME TO lost`); err != nil {
		t.Fatal(err)
	}
	_, _, err := get(t, pass, site.URL("/a"))
	if err == nil || strings.Contains(err.Error(), "connection_failed") {
		t.Errorf("error %v, want one of ours", err)
	}
	if n := len(site.Arrivals()); n != 0 {
		t.Errorf("%d requests arrived", n)
	}
	if facts := pass.Document(); facts.Outcome != "" || pass.Fault() == nil {
		t.Errorf("the site is blamed: %+v, fault %v", facts, pass.Fault())
	}
	browser := h.enter(inBrowser(visit(site.URL("/"), free())))
	client := proxied(t, h.Door, browser)
	if resp, _ := ask(t, client, "GET", site.URL("/style.css")); resp.StatusCode != http.StatusBadGateway || browser.Fault() == nil {
		t.Errorf("a file: %d, fault %v", resp.StatusCode, browser.Fault())
	}
	if n := len(site.Arrivals()); n != 0 {
		t.Errorf("%d requests arrived", n)
	}
}

// proves S-26, S-46, S-47, C-62, C-63
func TestRobotsDecides(t *testing.T) {
	site := fixturesite.Serve(t, small)
	h := newHarness(t, courtesy.Options{})
	if a := h.refused(visit(site.URL("/private/page"), free())); a.Kind != schema.AdmissionDenied || a.Reason != schema.ReasonRobots || a.Rule != "Disallow: /private/" {
		t.Errorf("private page: %+v", a)
	}
	h.load(visit(site.URL("/a"), free()))
	if got := site.Arrivals().Count("/robots.txt"); got != 1 {
		t.Errorf("robots.txt was read %d times, want once", got)
	}
	// New rules that another process has read end it here too, at once.
	site.SetText("/robots.txt", "User-agent: VisiteAgent\nDisallow: /\n")
	other := &harness{Door: newDoor(t, courtesy.Options{Store: h.store, AllowLoopback: true}), store: h.store, t: t}
	since := visit(site.URL("/"), free())
	since.RobotsSince = time.Now()
	if a := other.refused(since); a.Reason != schema.ReasonRobots {
		t.Errorf("a run begun since: %+v", a)
	}
	if a := h.refused(visit(site.URL("/a"), free())); a.Reason != schema.ReasonRobots || a.Rule != "Disallow: /" {
		t.Errorf("the process with the old copy: %+v", a)
	}
	if got := len(site.Arrivals().Kinds(fixturesite.KindDocument)); got != 1 {
		t.Errorf("%d pages were asked for, want 1", got)
	}
}

// proves S-27, S-28
func TestRobotsStatus(t *testing.T) {
	shared := newHarness(t, courtesy.Options{})
	for _, c := range []struct {
		name   string
		answer http.Handler
		want   schema.Reason
	}{
		{"not found", status(404), ""},
		{"forbidden", status(403), ""},
		{"server error", status(500), schema.ReasonRobotsUnreached},
		{"unavailable", status(503), schema.ReasonRobotsUnreached},
		{"too many requests", status(429), schema.ReasonRobotsUnreached},
		{"dropped", fixturesite.Drop(), schema.ReasonRobotsUnreached},
		{"garbled", fixturesite.Garbled(), schema.ReasonRobotsUnreached},
		{"loop", fixturesite.RedirectTo(302, "/robots.txt"), schema.ReasonRobotsUnreached},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			site := fixturesite.Serve(t, small)
			site.Handle("/robots.txt", c.answer)
			h := shared.with(t)
			reading, admission, err := h.ReadRobots(within(t), visit(site.URL("/"), free()))
			if err != nil || admission.Kind != schema.AdmissionGranted {
				t.Fatalf("%+v %v", admission, err)
			}
			if c.want == "" {
				h.load(visit(site.URL("/"), free()))
				if !reading.Decision.Allow || site.Arrivals().Count("/") != 1 {
					t.Errorf("not loaded: %+v", reading)
				}
				return
			}
			if reading.Decision.Allow || reading.Copy.Outcome != schema.RobotsDenyAll {
				t.Errorf("reading: %+v", reading)
			}
			if a := h.refused(visit(site.URL("/"), free())); a.Kind != schema.AdmissionDenied || a.Reason != c.want {
				t.Errorf("admission: %+v", a)
			}
			if n := site.Arrivals().Count("/"); n != 0 {
				t.Errorf("the page was asked for %d times", n)
			}
		})
	}
}

func status(code int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) })
}

func TestReadRobotsTellsSitemapsAndDelay(t *testing.T) {
	site := fixturesite.Serve(t, small)
	site.SetText("/robots.txt", "User-agent: visite\nCrawl-delay: 2.5\nSitemap: /maps/1.xml\n")
	h := newHarness(t, courtesy.Options{})
	reading, _, err := h.ReadRobots(within(t), visit(site.URL("/"), careful()))
	if err != nil {
		t.Fatal(err)
	}
	if reading.CrawlDelay != 2500*time.Millisecond || len(reading.Sitemaps) != 1 || reading.Sitemaps[0] != site.URL("/maps/1.xml") {
		t.Errorf("reading: %+v", reading)
	}
	v := visit(site.URL("/"), careful())
	v.MaxWait = 0
	a := h.refused(v)
	if left := time.Until(a.Until); a.Kind != schema.AdmissionWait || a.Reason != "" || left < 1500*time.Millisecond || left > 2500*time.Millisecond {
		t.Errorf("after robots.txt: %+v, want a wait of the rest of 2.5 s", a)
	}
}

// Where any redirect is followed, the other host's rules and pace hold there.
func TestRedirectToAnotherHost(t *testing.T) {
	for _, browser := range []bool{false, true} {
		from, to, closed := fixturesite.Serve(t, small), fixturesite.Serve(t, small), fixturesite.Serve(t, small)
		closed.SetText("/robots.txt", "User-agent: *\nDisallow: /a\n")
		from.Handle("/to", fixturesite.RedirectTo(301, to.URL("/a")))
		from.Handle("/to-closed", fixturesite.RedirectTo(301, closed.URL("/a")))
		h := newHarness(t, courtesy.Options{})
		run := func(path string) schema.DocumentFacts {
			v := visit(from.URL(path), free())
			v.ScopeHost = ""
			if !browser {
				facts, _ := h.load(v)
				return facts
			}
			pass := h.enter(inBrowser(v))
			follow(t, proxied(t, h.Door, pass), v.URL, "")
			if err := pass.Leave(within(t)); err != nil {
				t.Fatal(err)
			}
			return pass.Document()
		}
		if facts := run("/to"); facts.Outcome != schema.OutcomeAnalysed || facts.Final != to.URL("/a") || len(facts.Hops) != 1 || facts.Hops[0].Status != 301 {
			t.Errorf("browser=%v: %+v", browser, facts)
		}
		if facts := run("/to-closed"); facts.Outcome != schema.OutcomeDisallowed || facts.Rule != "Disallow: /a" {
			t.Errorf("browser=%v: %+v", browser, facts)
		}
		to.Arrivals().RobotsFirst(t)
		if got := strings.Join(closed.Arrivals().Requests(), ", "); got != "GET /robots.txt" {
			t.Errorf("browser=%v: the closed host was asked for %s", browser, got)
		}
		for _, site := range []*fixturesite.Site{from, to} {
			if pace, err := h.store.HostPace(within(t), schemaHost(site.URL("/"))); err != nil || pace.InFlight != 0 {
				t.Errorf("browser=%v: %d turns left (%v)", browser, pace.InFlight, err)
			}
		}
	}
}

// Nobody's words reach the log or an error: addresses in them are bare.
func TestErrorsNameNoQuery(t *testing.T) {
	site := fixturesite.Serve(t, small)
	site.Handle("/a", fixturesite.Garbled())
	h := newHarness(t, courtesy.Options{})
	pass := h.enter(visit(site.URL("/a?token=secret"), free()))
	req, err := http.NewRequestWithContext(within(t), http.MethodGet, site.URL("/a?token=secret"), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = pass.RoundTrip(req)
	if err == nil || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "garbled") {
		t.Errorf("error %v", err)
	}
	for _, l := range h.lines() {
		if strings.Contains(l.URL, "secret") {
			t.Errorf("ledger: %s", l.URL)
		}
	}
}

// What robots.txt allows us and not a search engine's robot is told with the page.
func TestPagesHiddenFromSearchEnginesAreTold(t *testing.T) {
	site := fixturesite.Serve(t, small)
	site.SetText("/robots.txt", "User-agent: VisiteAgent\nAllow: /\n\nUser-agent: Googlebot\nAllow: /shown\nDisallow: /\n")
	h := newHarness(t, courtesy.Options{})
	for path, hidden := range map[string]bool{"/a": true, "/shown": false} {
		if facts, _ := h.load(visit(site.URL(path), free())); facts.HiddenFromSearch != hidden {
			t.Errorf("%s: hidden %v, want %v", path, facts.HiddenFromSearch, hidden)
		}
	}
}
