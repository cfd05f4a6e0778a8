package courtesy_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"visite/internal/courtesy"
	"visite/internal/fixturesite"
	"visite/internal/pgtest"
	"visite/internal/postgres"
	"visite/schema"
)

// Two workers visit for three customers at one host: gaps and visits at once
// are kept by all together, seen from the visited side.
// proves S-32, S-33, C-44, C-45
func TestWorkersKeepOnePace(t *testing.T) {
	site := fixturesite.Serve(t, small)
	site.Handle("/a", fixturesite.Slow(100*time.Millisecond, fixturesite.HTML("<!doctype html><title>A</title>")))
	store := postgres.NewCourtesyStore(pgtest.DB(t))
	doors := []*harness{}
	for range 2 {
		doors = append(doors, &harness{Door: newDoor(t, courtesy.Options{Store: store, AllowLoopback: true}), store: store, t: t})
	}
	var all sync.WaitGroup
	for customer := range 3 {
		all.Go(func() {
			for i := range 2 {
				v := visit(site.URL("/a"), careful())
				v.Run.ScanID, v.MaxWait = fmt.Sprintf("scan %d", customer), time.Minute
				doors[(customer+i)%2].load(v)
			}
		})
	}
	together(t, &all)
	pages := site.Arrivals().Kinds(fixturesite.KindDocument)
	if len(pages) != 6 {
		t.Fatalf("%d pages arrived, want 6", len(pages))
	}
	site.Arrivals().RobotsFirst(t)
	pages.MinGap(t, 400*time.Millisecond) // four response times of 100 ms
	if documents, _ := site.Arrivals().MaxInFlight(); documents > 2 {
		t.Errorf("%d documents at once", documents)
	}
	if share := pages.BusyShare(); share > 0.25 {
		t.Errorf("a connection was busy for %.2f of the time, want at most 0.25", share)
	}
}

// proves S-32
func TestTurnsAtOnceAndPerAddress(t *testing.T) {
	h := newHarness(t, courtesy.Options{Resolver: &table{fixed: map[string]string{"a.test": "127.0.0.1", "b.test": "127.0.0.1", "c.test": "127.0.0.1"}}})
	site := fixturesite.Serve(t, small)
	port := site.URL("")[strings.LastIndex(site.URL(""), ":"):]
	p := free()
	p.Limits.PagesAtOnce, p.Limits.VisitsPerIP = 2, 3
	ask := func(host string) schema.Visit {
		v := visit("http://"+host+port+"/", p)
		v.MaxWait = 0
		return v
	}
	for _, host := range []string{"a.test", "b.test", "c.test"} { // robots.txt first
		if _, _, err := h.ReadRobots(within(t), ask(host)); err != nil {
			t.Fatal(err)
		}
	}
	first := h.enter(ask("a.test"))
	h.enter(ask("a.test"))
	if a := h.refused(ask("a.test")); a.Kind != schema.AdmissionWait || !strings.Contains(a.Words, "a.test") {
		t.Errorf("a third visit to the host: %+v", a)
	}
	h.enter(ask("b.test"))
	if a := h.refused(ask("c.test")); a.Kind != schema.AdmissionWait {
		t.Errorf("a fourth visit to the address: %+v", a)
	}
	// A visit that waits goes on as soon as another leaves.
	waiting := ask("c.test")
	waiting.MaxWait = time.Minute
	time.AfterFunc(50*time.Millisecond, func() { _ = first.Leave(context.Background()) })
	began := time.Now()
	h.enter(waiting)
	if took := time.Since(began); took < 40*time.Millisecond || took > 50*time.Second {
		t.Errorf("waited %v for another visit's end", took)
	}
}

// Once its turn has lapsed a visit lets nothing out any more.
func TestLapsedTurnLetsNothingOut(t *testing.T) {
	site := fixturesite.Serve(t, small)
	pool := pgtest.DB(t)
	h := &harness{Door: newDoor(t, courtesy.Options{Store: postgres.NewCourtesyStore(pool), AllowLoopback: true}), t: t}
	pass := h.enter(visit(site.URL("/a"), free()))
	if err := pass.Renew(within(t)); err != nil {
		t.Errorf("renew in time: %v", err)
	}
	if _, err := pool.Exec(within(t), `UPDATE courtesy_turns SET expires_at = courtesy_now() - interval '1 second'`); err != nil {
		t.Fatal(err)
	}
	if err := pass.Renew(within(t)); err == nil {
		t.Error("a lapsed turn was renewed")
	}
	if _, _, err := get(t, pass, site.URL("/a")); err == nil {
		t.Error("a request left after the turn had lapsed")
	}
	if n := site.Arrivals().Count("/a"); n != 0 {
		t.Errorf("%d requests arrived", n)
	}
}

// The wait a refusal asks for is kept by every run and every process, and what
// comes after is slower.
// proves S-34, S-35, S-36, S-37, S-39, C-50, R-04
func TestRefusals(t *testing.T) {
	shared := newHarness(t, courtesy.Options{})
	for _, c := range []struct {
		name       string
		status     int
		retryAfter string
		rest       time.Duration
		reload     bool
		reason     schema.Reason
	}{
		{"1 s is at least 3", 429, "1", 3 * time.Second, true, schema.ReasonRefusedForNow},
		{"10 s", 429, "10", 10 * time.Second, true, schema.ReasonRefusedForNow},
		{"30 s", 503, "30", 30 * time.Second, true, schema.ReasonRefusedForNow},
		{"31 s", 429, "31", 31 * time.Second, false, schema.ReasonServerParked},
		{"an hour", 503, "3600", time.Hour, false, schema.ReasonServerParked},
		{"none", 429, "", 5 * time.Second, true, schema.ReasonRefusedForNow},
		{"negative", 429, "-7", 5 * time.Second, true, schema.ReasonRefusedForNow},
		{"words", 429, "soon", 5 * time.Second, true, schema.ReasonRefusedForNow},
		{"zero", 429, "0", 3 * time.Second, true, schema.ReasonRefusedForNow},
		{"date gone by", 429, "Mon, 02 Jan 2006 15:04:05 GMT", 3 * time.Second, true, schema.ReasonRefusedForNow},
	} {
		for _, browser := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s browser=%v", c.name, browser), func(t *testing.T) {
				h := shared.with(t)
				site := fixturesite.Serve(t, small)
				site.HandleFunc("/a", func(w http.ResponseWriter, _ *http.Request) {
					if c.retryAfter != "" {
						w.Header().Set("Retry-After", c.retryAfter)
					}
					w.WriteHeader(c.status)
				})
				v := visit(site.URL("/a"), careful())
				var facts schema.DocumentFacts
				if browser {
					pass := h.enter(inBrowser(v))
					resp, _ := ask(t, proxied(t, h.Door, pass), "GET", v.URL)
					if resp.StatusCode != http.StatusNoContent {
						t.Errorf("the browser got %d, want 204", resp.StatusCode)
					}
					if resp, _ := ask(t, proxied(t, h.Door, pass), "GET", site.URL("/style.css")); resp.StatusCode != http.StatusForbidden {
						t.Errorf("a file of the parked host: %d, want 403", resp.StatusCode)
					}
					if err := pass.Leave(within(t)); err != nil {
						t.Fatal(err)
					}
					facts = pass.Document()
				} else {
					facts, _ = h.load(v)
				}
				r := facts.RetryAfter
				if facts.Outcome != schema.OutcomeNotAnalysed || facts.Reason != c.reason || r == nil || r.Status != c.status || r.Reload != c.reload {
					t.Fatalf("facts: %+v, retry after %+v", facts, r)
				}
				if left := time.Until(r.Until); left > c.rest || left < c.rest-time.Second {
					t.Errorf("parked for %v, want %v", left, c.rest)
				}
				// Another customer's run in another process.
				other := &harness{Door: newDoor(t, courtesy.Options{Store: h.store, AllowLoopback: true}), t: t}
				site.Forget()
				later := visit(site.URL("/"), careful())
				later.Run = schema.RunRef{WorkspaceID: "other", ScanID: "other"}
				later.MaxWait = 0
				a := other.refused(later)
				if a.Kind != schema.AdmissionWait || a.Reason != schema.ReasonServerParked || !strings.Contains(a.Words, "rest") || a.Until.Sub(r.Until).Abs() > 500*time.Millisecond {
					t.Errorf("another run: %+v, want a wait until %v", a, r.Until)
				}
				pace, err := h.store.HostPace(within(t), schemaHost(site.URL("/")))
				if err != nil || pace.SlowFactor != 2 {
					t.Errorf("slow factor %v (%v), want 2", pace.SlowFactor, err)
				}
				if n := len(site.Arrivals()); n != 0 {
					t.Errorf("%d requests arrived during the rest", n)
				}
			})
		}
	}
}

func schemaHost(address string) string { return visit(address, free()).ScopeHost }

// proves S-34
func TestRetryAfterDates(t *testing.T) {
	h := newHarness(t, courtesy.Options{})
	for _, skew := range []time.Duration{0, -2 * time.Hour, 2 * time.Hour} {
		site := fixturesite.Serve(t, small)
		site.HandleFunc("/a", func(w http.ResponseWriter, _ *http.Request) {
			now := time.Now().UTC().Add(skew)
			w.Header().Set("Date", now.Format(http.TimeFormat))
			w.Header().Set("Retry-After", now.Add(20*time.Second).Format(http.TimeFormat))
			w.WriteHeader(503)
		})
		facts, _ := h.load(visit(site.URL("/a"), careful()))
		if r := facts.RetryAfter; r == nil || r.Asked != 20*time.Second || !r.Stated || !r.Reload {
			t.Errorf("clock off by %v: %+v", skew, r)
		}
	}
}

// A short rest is waited for in place.
// proves S-34
func TestShortRestIsSleptOut(t *testing.T) {
	site := fixturesite.Serve(t, small)
	site.Handle("/a", fixturesite.Refusing(1, 429, "3", fixturesite.HTML("<!doctype html><title>A</title>")))
	h := newHarness(t, courtesy.Options{})
	h.load(visit(site.URL("/a"), free()))
	facts, _ := h.load(visit(site.URL("/a"), free()))
	if facts.Outcome != schema.OutcomeAnalysed {
		t.Errorf("after the rest: %+v", facts)
	}
	site.Arrivals().Path("/a").MinGap(t, 3*time.Second)
}

// A third party that refuses is left alone too, and nobody else is.
func TestRefusingThirdParty(t *testing.T) {
	site, cdn := fixturesite.Serve(t, small), fixturesite.Serve(t, small)
	cdn.Handle("/a.js", status(429))
	h := newHarness(t, courtesy.Options{})
	pass := h.enter(inBrowser(visit(site.URL("/"), free())))
	client := proxied(t, h.Door, pass)
	ask(t, client, "GET", site.URL("/"))
	ask(t, client, "GET", cdn.URL("/a.js"))
	if resp, _ := ask(t, client, "GET", cdn.URL("/style.css")); resp.StatusCode != http.StatusForbidden {
		t.Errorf("after its refusal: %d, want 403", resp.StatusCode)
	}
	if resp, _ := ask(t, client, "GET", site.URL("/style.css")); resp.StatusCode != 200 {
		t.Errorf("the site itself: %d, want 200", resp.StatusCode)
	}
	if n := len(cdn.Arrivals()); n != 1 {
		t.Errorf("%d requests arrived at the third party, want 1", n)
	}
	if facts := pass.Document(); facts.RetryAfter != nil || facts.Outcome != schema.OutcomeAnalysed {
		t.Errorf("the document is blamed: %+v", facts)
	}
}

// A timeout counts with its full length.
// proves C-44
func TestTimeoutLengthensThePause(t *testing.T) {
	site := fixturesite.Serve(t, small)
	site.Handle("/a", fixturesite.Silent())
	h := newHarness(t, courtesy.Options{Bounds: courtesy.Bounds{ResponseHeader: 500 * time.Millisecond}})
	facts, totals := h.load(visit(site.URL("/a"), careful()))
	if facts.Reason != schema.ReasonTimeout || totals.ResponseTime < 500*time.Millisecond {
		t.Errorf("%+v %+v", facts, totals)
	}
	v := visit(site.URL("/"), careful())
	v.MaxWait = 0
	a := h.refused(v)
	if left := time.Until(a.Until); left < 1500*time.Millisecond || left > 2500*time.Millisecond {
		t.Errorf("pause of %v, want about 2 s", left)
	}
}

// A connection kept open that the site has closed meanwhile: the request is
// sent again, and has a second line.
func TestEachRequestOnTheWireHasItsLine(t *testing.T) {
	site := fixturesite.Serve(t, small)
	drop := true
	site.HandleFunc("/a", func(w http.ResponseWriter, r *http.Request) {
		if drop {
			drop = false
			fixturesite.Drop().ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
	})
	h := newHarness(t, courtesy.Options{})
	h.load(visit(site.URL("/"), free()))
	facts, totals := h.load(visit(site.URL("/a"), free()))
	if facts.Status != 200 || totals.Requests != 2 {
		t.Errorf("%+v %+v", facts, totals)
	}
	if arrived, lines := len(site.Arrivals()), len(h.lines()); arrived != lines || arrived != 4 {
		t.Errorf("%d requests arrived, %d lines, want 4 of each", arrived, lines)
	}
	if l := h.lines()[2]; l.Failure != schema.ReasonConnection || l.Status != 0 {
		t.Errorf("line of the first attempt: %+v", l)
	}
}
