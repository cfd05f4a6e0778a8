package endtoend_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"visite/internal/fixturesite"
)

// survivors is what must be the same after an interrupted scan: every page with
// outcome and findings, addresses without the host.
func survivors(r report, base string) []string {
	var out []string
	for _, p := range r.Pages {
		line := fmt.Sprintf("%s %d %s %s", strings.TrimPrefix(p.URL, base), p.Status, p.Outcome, p.Title)
		var rules []string
		for _, f := range p.Findings {
			rules = append(rules, f.Rule+"@"+f.Selector+"="+f.Outcome)
		}
		slices.Sort(rules)
		out = append(out, line+" "+strings.Join(rules, ","))
	}
	slices.Sort(out)
	return out
}

const (
	killPages = 30
	pausePage = 250 * time.Millisecond
)

// interrupted scans a 30-page site while disturb does its worst, and compares
// with a scan nobody disturbed.
func interrupted(t *testing.T, engine string, disturb func(d *deployment, done func() int)) {
	calm := fixturesite.Generated(killPages).Start(t)
	rough := fixturesite.Generated(killPages).Start(t)
	d := deployWith(t, map[string]string{"single": quick("single", 1, pausePage)})
	// The http engine goes one page at a time, so that the site's own log tells how
	// long it was left alone between visits; the browser two at once, where visits overlap.
	profile := map[string]string{"http": "single", "browser": "visite"}[engine]

	first := d.scan(order{"url": calm.URL("/"), "engine": engine, "profile": profile})
	if s := d.finish(first.ID, 3*time.Minute); s.State != "finished" || s.Progress.Analysed != killPages {
		t.Fatalf("undisturbed scan: %+v", s)
	}
	second := d.scan(order{"url": rough.URL("/"), "engine": engine, "profile": profile})
	disturb(d, func() int {
		if s, ok := d.status(second.ID); ok {
			return s.Progress.Done
		}
		return -1
	})
	s := d.finish(second.ID, 4*time.Minute)
	if s.State != "finished" {
		t.Fatalf("disturbed scan ended %s (%s)", s.State, s.StateReason)
	}
	want := survivors(d.report(first.ID), strings.TrimSuffix(calm.URL("/"), "/"))
	got := survivors(d.report(second.ID), strings.TrimSuffix(rough.URL("/"), "/"))
	if !slices.Equal(want, got) {
		t.Errorf("disturbed scan differs\nwant %s\ngot  %s", strings.Join(want, "\n     "), strings.Join(got, "\n     "))
	}
	arrivals := rough.Arrivals()
	arrivals.RobotsFirst(t)
	arrivals.NoMethodsBut(t, "GET", "HEAD", "OPTIONS")
	arrivals.MinStartGap(t, pausePage)
	if engine == "http" {
		pauseFollowsResponse(t, arrivals, pausePage) // through the crash, too
	}
	extra := 0
	for _, path := range documentPaths(arrivals) {
		if n := arrivals.Kinds(fixturesite.KindDocument).Count(path); n > 1 {
			extra += n - 1
			if n > 2 {
				t.Errorf("%s was loaded %d times", path, n)
			}
		}
	}
	if extra > 2 { // at most the page in hand of each of the two lanes, once
		t.Errorf("%d pages were loaded again", extra)
	}
}

func documentPaths(as fixturesite.Arrivals) []string {
	seen := map[string]bool{}
	var out []string
	for _, a := range as.Kinds(fixturesite.KindDocument) {
		if !seen[a.Path] {
			seen[a.Path] = true
			out = append(out, a.Path)
		}
	}
	return out
}

// waitFor returns when at least n pages are done.
func waitFor(d *deployment, done func() int, n int) {
	d.t.Helper()
	d.eventually(2*time.Minute, fmt.Sprintf("%d pages", n), func() bool { return done() >= n })
}

// proves, C-44, S-36
func TestScanSurvivesKillOfTheWorker(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"browser", "http"} {
		t.Run(engine, func(t *testing.T) {
			interrupted(t, engine, func(d *deployment, done func() int) {
				waitFor(d, done, 7)
				d.worker.kill()
				time.Sleep(500 * time.Millisecond)
				d.worker = d.start("worker")
			})
		})
	}
}

// proves R-31
func TestScanSurvivesKillOfTheAPI(t *testing.T) {
	t.Parallel()
	interrupted(t, "http", func(d *deployment, done func() int) {
		waitFor(d, done, 5)
		d.api.kill()
		time.Sleep(2 * time.Second)
		d.api = d.start("api")
		d.waitReady()
	})
}

// proves R-31
func TestScanSurvivesKillOfTheTemporalServer(t *testing.T) {
	t.Parallel()
	interrupted(t, "browser", func(d *deployment, done func() int) {
		waitFor(d, done, 5)
		d.temporal.Restart(t, 3*time.Second)
	})
}

// proves R-31
func TestScanSurvivesKillOfEverythingAtOnce(t *testing.T) {
	t.Parallel()
	interrupted(t, "browser", func(d *deployment, done func() int) {
		waitFor(d, done, 10)
		d.worker.kill()
		d.api.kill()
		d.temporal.Restart(t, time.Second)
		d.api = d.start("api")
		d.worker = d.start("worker")
	})
}
