package endtoend_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "go.temporal.io/api/sdk/v1"

	"visite/activities"
	"visite/internal/courtesy"
	"visite/internal/fixturesite"
	"visite/internal/local"
	"visite/internal/postgres"
	"visite/worker"
)

// page is a plain page with a body.
func page(path, body string) fixturesite.File {
	return fixturesite.File{
		Path: path, Status: http.StatusOK, Text: true, Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}},
		Body: []byte("<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Page " + path + "</title><meta name=\"viewport\" content=\"width=device-width\"><h1>Page</h1>" + body + "</html>"),
	}
}

// under tells the arrivals below a path.
func under(as fixturesite.Arrivals, prefix string) fixturesite.Arrivals {
	return as.Filter(func(a fixturesite.Arrival) bool { return strings.HasPrefix(a.Path, prefix) })
}

// in is the deployment for a subtest, which then fails for itself.
func (d *deployment) in(t *testing.T) *deployment {
	sub := *d
	sub.t = t
	return &sub
}

// A closed section is asked for by nothing: no page, file, frame, script,
// sitemap, redirect, refresh or form leads there.
//
// proves S-26, S-47, C-63, R-24
func TestClosedSectionsAreNeverAskedFor(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"browser", "http"} {
		t.Run(engine, func(t *testing.T) {
			site := fixturesite.New(
				page("/", `<link rel="canonical" href="/closed/canonical"><link rel="stylesheet" href="/closed/style.css"><link rel="preload" as="image" href="/closed/preload.png">
<a href="/closed/page">closed</a> <a href="/go">go</a> <a href="/hops/1">hops</a> <a href="/refreshes">refreshes</a> <a href="/submits">submits</a> <a href="/open">open</a>
<img src="/closed/picture.png" alt=""><iframe src="/closed/frame" title="frame"></iframe>
<script src="/closed/script.js"></script><script>fetch("/closed/data.json").catch(() => {}); fetch("/bounce").catch(() => {})</script>`),
				page("/open", `<p>An open page.</p>`),
				page("/refreshes", `<meta http-equiv="refresh" content="0;url=/closed/refreshed">`),
				page("/submits", `<form action="/closed/form" method="get"><input name="q" value="1"></form><script>document.forms[0].submit()</script>`),
			)
			site.SetText("/robots.txt", "User-agent: *\nDisallow: /closed/\nSitemap: {{base}}/map.xml\nSitemap: {{base}}/closed/map.xml\n")
			site.SetText("/map.xml", `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>{{base}}/closed/mapped</loc></url><url><loc>{{base}}/mapped</loc></url></urlset>`)
			site.Set(page("/mapped", `<p>From the sitemap.</p>`))
			site.Handle("/go", fixturesite.RedirectTo(http.StatusFound, "/closed/target"))
			site.Handle("/bounce", fixturesite.RedirectTo(http.StatusFound, "/closed/bounced"))
			site.Handle("/hops/*", fixturesite.Chain("/hops", 3, "/closed/deep"))
			site.HandleFunc("/closed/*", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "closed") })
			site.Start(t)
			d := deploy(t)
			s := d.scan(order{"url": site.URL("/"), "engine": engine})
			if s = d.finish(s.ID, 2*time.Minute); s.State != "finished" {
				t.Fatalf("scan %+v", s)
			}
			arrivals := site.Arrivals()
			arrivals.RobotsFirst(t)
			if closed := under(arrivals, "/closed/"); len(closed) > 0 {
				t.Errorf("asked for %q", closed.Requests())
			}
			for _, path := range []string{"/map.xml", "/", "/open", "/mapped", "/go", "/hops/1", "/hops/3", "/refreshes", "/submits"} {
				if arrivals.Count(path) == 0 {
					t.Errorf("%s was not visited", path)
				}
			}
			r := d.report(s.ID)
			for _, path := range []string{"/closed/page", "/closed/mapped", "/go", "/hops/1"} {
				if p := r.page(t, site.URL(path)); p.Outcome != "robots_disallowed" {
					t.Errorf("%s: outcome %s (%s)", path, p.Outcome, p.Reason)
				}
			}
			if p := r.page(t, site.URL("/open")); p.Outcome != "analysed" {
				t.Errorf("/open: outcome %s (%s)", p.Outcome, p.Reason)
			}
		})
	}
}

// robotsOf is what a report states about robots.txt.
func robotsOf(t *testing.T, r report) (status int, delay float64, rule string) {
	t.Helper()
	stated, ok := r.Scan["robots"].(map[string]any)
	if !ok {
		t.Fatalf("the report states %v about robots.txt", r.Scan["robots"])
	}
	if at, err := time.Parse(time.RFC3339, stated["read_at"].(string)); err != nil || time.Since(at) > time.Hour {
		t.Errorf("robots.txt was read at %v (%v)", stated["read_at"], err)
	}
	return int(stated["status"].(float64)), stated["crawl_delay_s"].(float64), stated["rule"].(string)
}

// A site that forbids us, or cannot be asked, is left at its robots.txt, and the
// scan says why.
//
// proves S-25, S-28, S-29, S-30, S-31, S-46, S-48, C-02, R-01, R-03
func TestASiteThatForbidsUsIsLeftAlone(t *testing.T) {
	t.Parallel()
	text := func(s string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, s) }
	}
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
	}
	d := deploy(t)
	for _, c := range []struct {
		name, profile, engine string
		answer                http.Handler
		reason, rule          string
		status, reads         int
	}{
		{"one of two names", "sitenorma", "browser", text("User-agent: SiteNormaBot\nDisallow: /\n"), "robots_disallowed", "Disallow: /", 200, 1},
		{"the other name, in other letters", "sitenorma", "http", text("User-agent: *\nAllow: /\n\nUser-agent: sitenorma/1.0\nDisallow: /*\n"), "robots_disallowed", "Disallow: /*", 200, 1},
		{"another profile's name", "conregio", "http", text("User-agent: SiteNorma\nAllow: /\n\nUser-agent: CONREGIO-CHECK\nDisallow: /\n"), "robots_disallowed", "Disallow: /", 200, 1},
		{"everybody", "conregio", "browser", text("User-agent: *\nDisallow: /\n"), "robots_disallowed", "Disallow: /", 200, 1},
		{"server error", "sitenorma", "http", status(500), "robots_unreachable", "", 500, 1},
		{"server error with a body that allows", "sitenorma", "browser", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(502)
			fmt.Fprint(w, "User-agent: *\nAllow: /\n")
		}), "robots_unreachable", "", 502, 1},
		{"a loop", "sitenorma", "http", fixturesite.RedirectTo(302, "/robots.txt"), "robots_unreachable", "", 302, 1},
		{"hung up", "sitenorma", "http", fixturesite.Drop(), "robots_unreachable", "", 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := d.in(t)
			site := fixturesite.New(page("/", `<a href="/b">b</a>`), page("/b", ""))
			site.Handle("/robots.txt", c.answer)
			site.Start(t)
			s := d.scan(order{"url": site.URL("/"), "engine": c.engine, "profile": c.profile})
			if s = d.finish(s.ID, time.Minute); s.State != "refused" || s.StateReason != c.reason {
				t.Errorf("ended %s (%s), want refused (%s)", s.State, s.StateReason, c.reason)
			}
			for _, a := range site.Arrivals() {
				if a.Request() != "GET /robots.txt" {
					t.Errorf("asked for %s", a.Request())
				}
			}
			if got, _, rule := robotsOf(t, d.report(s.ID)); got != c.status || rule != c.rule {
				t.Errorf("report states status %d and rule %q, want %d and %q", got, rule, c.status, c.rule)
			}
		})
	}
}

// The groups of all a profile's names hold together, and the star's only where
// none of them is named.
//
// proves S-27, S-29, S-30, S-31, S-47, C-02, C-63, R-01
func TestGroupsThatNameAProfileAreMerged(t *testing.T) {
	t.Parallel()
	const merged = "User-agent: *\nDisallow: /everyone/\n\nUser-agent: SiteNormaBot\nDisallow: /mi-cuenta/\n\nUser-agent: SiteNorma\nDisallow: /carrito/\nAllow: /mi-cuenta/ayuda\n\nUser-agent: conregio-check\nDisallow: /intern\n"
	all := []string{"/carrito/1", "/everyone/1", "/intern", "/intern/1", "/mi-cuenta/1", "/mi-cuenta/ayuda"}
	d := deploy(t)
	for _, c := range []struct {
		name, profile, robots string
		closed                []string
	}{
		{"two names", "sitenorma", merged, []string{"/carrito/1", "/mi-cuenta/1"}},
		{"one name", "conregio", merged, []string{"/intern", "/intern/1"}},
		{"no name", "visite", merged, []string{"/everyone/1"}},
		{"no file", "visite", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := d.in(t)
			site := fixturesite.New()
			var links strings.Builder
			for _, path := range all {
				fmt.Fprintf(&links, `<a href="%s">x</a> `, path)
				site.Set(page(path, "<p>Something.</p>"))
			}
			site.Set(page("/", links.String()))
			if c.robots != "" {
				site.SetText("/robots.txt", c.robots)
			}
			site.Start(t)
			s := d.scan(order{"url": site.URL("/"), "engine": "http", "profile": c.profile})
			if s = d.finish(s.ID, time.Minute); s.State != "finished" {
				t.Fatalf("scan %+v", s)
			}
			for _, path := range all {
				want := 1
				if slices.Contains(c.closed, path) {
					want = 0
				}
				if got := site.Arrivals().Count(path); got != want {
					t.Errorf("%s was loaded %d times, want %d", path, got, want)
				}
			}
		})
	}
}

// currentDetails is what an operator reads about a workflow in the Web UI.
func currentDetails(t *testing.T, d *deployment, s scanStatus) string {
	t.Helper()
	value, err := d.temporalClient().QueryWorkflow(t.Context(), workflowID(s), "", "__temporal_workflow_metadata")
	if err != nil {
		return ""
	}
	var metadata sdk.WorkflowMetadata
	if err := value.Get(&metadata); err != nil {
		t.Fatal(err)
	}
	return metadata.GetCurrentDetails()
}

// A Crawl-delay holds between all visits, whatever the profile's own pace, and
// is stated.
//
// proves C-52, C-55, R-07
func TestCrawlDelayIsKeptAndStated(t *testing.T) {
	t.Parallel()
	d := deploy(t)
	for _, c := range []struct {
		name, value, engine string
		seconds             float64
	}{
		{"whole", "Crawl-delay: 2", "browser", 2},
		{"decimal", "Crawl-delay: 1.3", "http", 1.3},
		{"none", "Allow: /", "http", 0},
		{"no number", "Crawl-delay: soon", "http", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := d.in(t)
			t.Parallel()
			site := fixturesite.New(page("/", `<a href="/b">b</a><a href="/c">c</a>`), page("/b", ""), page("/c", ""))
			site.SetText("/robots.txt", "User-agent: *\n"+c.value+"\nDisallow: /x\n")
			site.Start(t)
			s := d.scan(order{"url": site.URL("/"), "engine": c.engine})
			if s = d.finish(s.ID, 2*time.Minute); s.State != "finished" || s.Progress.Analysed != 3 {
				t.Fatalf("scan %+v", s)
			}
			gap := time.Duration(c.seconds * float64(time.Second))
			site.Arrivals().MinGap(t, gap)
			if gaps := site.Arrivals().Gaps(); len(gaps) < 4 {
				t.Errorf("%d gaps between robots.txt, sitemap and three pages", len(gaps))
			}
			if _, delay, _ := robotsOf(t, d.report(s.ID)); delay != c.seconds {
				t.Errorf("the report states a Crawl-delay of %v s, want %v", delay, c.seconds)
			}
		})
	}
	t.Run("absurd", func(t *testing.T) {
		d := d.in(t)
		t.Parallel()
		site := fixturesite.New(page("/", `<a href="/b">b</a>`), page("/b", ""))
		site.SetText("/robots.txt", "User-agent: *\nCrawl-delay: 99999\n")
		site.Start(t)
		s := d.scan(order{"url": site.URL("/"), "engine": "http"})
		d.eventually(time.Minute, "the scan to say what it waits for", func() bool {
			return strings.Contains(currentDetails(t, d, s), "**Waiting:**")
		})
		if said := currentDetails(t, d, s); !strings.Contains(said, "**Crawl-delay:** at least 27h46m39s") {
			t.Errorf("the details say: %s", said)
		}
		time.Sleep(3 * time.Second)
		if got := strings.Join(site.Arrivals().Requests(), ", "); got != "GET /robots.txt" {
			t.Errorf("asked for %s", got)
		}
		if _, delay, _ := robotsOf(t, d.report(s.ID)); delay != 99999 {
			t.Errorf("the report states a Crawl-delay of %v s", delay)
		}
		if err := d.temporalClient().CancelWorkflow(t.Context(), workflowID(s), ""); err != nil {
			t.Fatal(err)
		}
		if s = d.finish(s.ID, 30*time.Second); s.State != "cancelled" {
			t.Errorf("ended %s", s.State)
		}
	})
}

// workHere ends the deployment's worker and works in this process instead, for
// the http engine, with rules that age as fast as a test wants.
func workHere(t *testing.T, d *deployment, robotsAge time.Duration) {
	t.Helper()
	d.worker.kill()
	pool, err := postgres.Connect(t.Context(), d.database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	ledger := postgres.NewCourtesyStore(pool)
	door, err := courtesy.New(courtesy.Options{Store: ledger, AllowLoopback: true, RobotsAge: robotsAge})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = door.Close() })
	steps := local.VisitingSteps(postgres.New(pool), door, nil)
	steps.House = &activities.Housekeeping{Ledger: ledger, LedgerDays: 90}
	group := worker.New(d.temporalClient(), steps, worker.DefaultSlots())
	if err := group.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(group.Stop)
}

// Rules that appear while a scan runs hold from the next reading on: no page is
// asked for after it.
//
// proves C-62, R-05
func TestRulesThatAppearInMidScanStopIt(t *testing.T) {
	t.Parallel()
	const pages, age = 60, time.Second
	site := fixturesite.Plan{Pages: pages, Links: 5}.Site()
	site.SetText("/robots.txt", "User-agent: *\nCrawl-delay: 0.2\n")
	site.Start(t)
	d := deploy(t)
	workHere(t, d, age)
	s := d.scan(order{"url": site.URL("/"), "engine": "http"})
	d.eventually(time.Minute, "some pages", func() bool { return len(site.Arrivals().Kinds(fixturesite.KindDocument)) >= 6 })
	reads := site.Arrivals().Count("/robots.txt")
	site.SetText("/robots.txt", "User-agent: visite\nDisallow: /\n")
	changed := time.Now()
	d.eventually(10*time.Second, "robots.txt to be read again", func() bool { return site.Arrivals().Count("/robots.txt") > reads })
	s = d.finish(s.ID, time.Minute)

	arrivals := site.Arrivals()
	reading := arrivals.Path("/robots.txt").After(changed)[0]
	if after := arrivals.After(reading.In); len(after) > 0 {
		t.Errorf("asked for %q after the rules had been read", after.Requests())
	}
	r := d.report(s.ID)
	loaded, closed := 0, 0
	for _, p := range r.Pages {
		switch p.Outcome {
		case "analysed":
			loaded++
		case "robots_disallowed":
			closed++
		default:
			t.Errorf("%s: outcome %s (%s)", p.URL, p.Outcome, p.Reason)
		}
	}
	if loaded < 4 || closed == 0 || s.State != "finished" {
		t.Errorf("%d pages loaded, %d closed, the scan ended %s (%s)", loaded, closed, s.State, s.StateReason)
	}
}
