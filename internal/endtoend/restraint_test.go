package endtoend_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"visite/internal/fixturesite"
)

// deployWith deploys with profiles of the test's own for this machine.
func deployWith(t *testing.T, profiles map[string]string, settings ...string) *deployment {
	t.Helper()
	dir := t.TempDir()
	for name, text := range profiles {
		if err := os.WriteFile(filepath.Join(dir, name+".yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return deploy(t, append(settings, "VISITE_PROFILES_DIR="+dir)...)
}

// as is the same deployment for another customer, in a workspace of their own.
func (d *deployment) as(name string) *deployment {
	d.t.Helper()
	var made struct {
		Token string `json:"token"`
	}
	d.call(http.MethodPost, "/v1/workspaces", bootstrapToken, map[string]string{"name": name}, &made)
	other := *d
	other.token = made.Token
	return &other
}

// linkedPages is a site whose home page links to pages, each answered by the
// handler that of gives.
func linkedPages(n int, of func(i int) http.Handler) *fixturesite.Site {
	site := fixturesite.New()
	site.SetText("/robots.txt", "User-agent: *\nAllow: /\n")
	links := ""
	for i := 1; i <= n; i++ {
		path := fmt.Sprintf("/page-%02d", i)
		links += `<p><a href="` + path + `">Page</a></p>`
		site.Handle(path, of(i))
	}
	site.Handle("/", fixturesite.HTML(`<!doctype html><html lang="en"><title>Home</title><h1>Home</h1>`+links))
	return site
}

func soundPage() http.Handler {
	return fixturesite.HTML(`<!doctype html><html lang="en"><title>Page</title><h1>Page</h1>`)
}

// Timeouts in a row, and timeouts among pages that load, abort the check; the
// last timeout is the last request.
// proves C-51, S-44, R-09, R-18, R-28
func TestHeapedTimeoutsAbortTheCheck(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, engine, deadline string
		every                  int // each so many-th page is silent
		timeouts               int
	}{
		{"in a row", "http", "10s", 1, 3},
		{"in a row", "browser", "30s", 1, 3},
		{"among others", "http", "10s", 2, 5},
	} {
		t.Run(c.name+", "+c.engine, func(t *testing.T) {
			t.Parallel()
			site := linkedPages(30, func(i int) http.Handler {
				if i%c.every == 0 {
					return fixturesite.Silent()
				}
				return soundPage()
			})
			site.Start(t)
			d := deployWith(t, map[string]string{"patient": patient}, "VISITE_PAGE_DEADLINE="+c.deadline)
			s := d.scan(order{"url": site.URL("/"), "engine": c.engine, "profile": "patient"})
			if s = d.finish(s.ID, 3*time.Minute); s.State != "stopped" || s.StateReason != "timeouts_heaped" {
				t.Fatalf("ended %s (%s), want stopped (timeouts_heaped)", s.State, s.StateReason)
			}
			time.Sleep(2 * time.Second) // whatever came after the stop would come now
			var last fixturesite.Arrival
			silent := 0
			for _, a := range site.Arrivals() {
				if a.Status == 0 {
					silent++
				}
				last = a
			}
			if silent != c.timeouts || last.Status != 0 {
				t.Errorf("%d requests were not answered, and the last one was %s with status %d; want %d, the last among them", silent, last.Request(), last.Status, c.timeouts)
			}
			if n := site.InFlight(); n != 0 {
				t.Errorf("%d requests are still under way", n)
			}
			r := d.report(s.ID)
			timedOut, left := 0, 0
			for _, p := range r.Pages {
				switch {
				case p.Outcome == "not_analysed" && p.Reason == "timeout":
					timedOut++
				case p.Outcome == "not_analysed" && p.Reason == "scan_stopped":
					left++
				case p.Outcome != "analysed":
					t.Errorf("%s: %s (%s)", p.URL, p.Outcome, p.Reason)
				}
				if p.Outcome != "analysed" && len(p.Findings) > 0 {
					t.Errorf("%s was not analysed and has findings", p.URL)
				}
			}
			if timedOut != c.timeouts || left == 0 {
				t.Errorf("%d pages timed out and %d were left over, want %d and some", timedOut, left, c.timeouts)
			}
		})
	}
}

// A server that asks for 29 s has them from everybody: from the run it told so,
// from another customer's, and after every process of ours and Temporal were
// killed at once. Then the refused page is loaded once more.
// proves S-34, S-36, S-37, C-50, R-04
func TestAParkedServerRestsForAllThroughACrash(t *testing.T) {
	t.Parallel()
	const rest = 29 * time.Second
	site := linkedPages(8, func(i int) http.Handler {
		if i == 3 {
			return fixturesite.Refusing(1, http.StatusServiceUnavailable, fmt.Sprint(rest.Seconds()), soundPage())
		}
		return soundPage()
	})
	site.Start(t)
	d := deploy(t)
	first := d.scan(order{"url": site.URL("/"), "engine": "http"})
	var refused time.Time
	d.eventually(time.Minute, "the refusal", func() bool {
		for _, a := range site.Arrivals() {
			if a.Status == http.StatusServiceUnavailable {
				refused = a.Out
				return true
			}
		}
		return false
	})
	time.Sleep(500 * time.Millisecond)
	d.worker.kill()
	d.api.kill()
	d.temporal.Restart(t, time.Second)
	d.api = d.start("api")
	d.worker = d.start("worker")
	d.waitReady()
	other := d.as("another customer")
	second := other.scan(order{"url": site.URL("/"), "engine": "http"})
	if left := rest - time.Since(refused); left < 3*time.Second {
		t.Logf("a slow machine: %v of the rest were left after the restart, so only its keeping shows", left)
	}
	if s := d.finish(first.ID, 2*time.Minute); s.State != "finished" || s.Progress.Analysed != 9 {
		t.Errorf("the scan that was told to wait: %+v", s)
	}
	if s := other.finish(second.ID, 2*time.Minute); s.State != "finished" || s.Progress.Analysed != 9 {
		t.Errorf("the other customer's scan: %+v", s)
	}
	later := site.Arrivals().After(refused)
	if len(later) == 0 {
		t.Fatal("nothing came after the rest")
	}
	if early := later[0].In.Sub(refused); early < rest {
		t.Errorf("%s came %v after the refusal, want none for %v", later[0].Request(), early, rest)
	}
	if n := site.Arrivals().Count("/page-03"); n != 3 { // refused, once more, and by the other scan
		t.Errorf("the refused page was loaded %d times, want 3", n)
	}
	before := site.Arrivals().Filter(func(a fixturesite.Arrival) bool { return !a.In.After(refused) })
	if was, is := shortest(before), shortest(later); is <= was {
		t.Errorf("the shortest gap was %v before the refusal and is %v after it, want it longer", was, is)
	}
	later.MinStartGap(t, 500*time.Millisecond) // twice the least pause
}

func shortest(as fixturesite.Arrivals) time.Duration {
	least := time.Hour
	for _, g := range as.Gaps() {
		least = min(least, g.Start)
	}
	return least
}

// A site that refuses a page's files in Chromium's load: the page is analysed
// with what came, says so, and its files are left alone after the lengthened
// waits; the page after it is loaded at a slower pace.
// proves S-36, S-38, R-08, R-09
func TestRefusedFilesInChromium(t *testing.T) {
	t.Parallel()
	site := linkedPages(1, func(int) http.Handler { return soundPage() })
	var images strings.Builder
	for i := range 12 {
		fmt.Fprintf(&images, `<img src="/file/%d.png" alt="">`, i)
	}
	site.Handle("/", fixturesite.HTML(`<!doctype html><html lang="en"><title>Home</title><h1>Home</h1><a href="/page-01">Page</a>`+images.String()))
	site.Handle("/file/*", fixturesite.Refusing(-1, http.StatusTooManyRequests, "", nil))
	site.Start(t)
	const wait = 2 * time.Second
	d := deployWith(t, map[string]string{"patient": strings.NewReplacer("retry_after_min: 1s", "retry_after_min: 2s", "retry_after_default: 1s", "retry_after_default: 2s").Replace(patient)})
	s := d.scan(order{"url": site.URL("/"), "engine": "browser", "profile": "patient"})
	if s = d.finish(s.ID, 2*time.Minute); s.State != "finished" || s.Progress.Analysed != 2 {
		t.Fatalf("ended %+v", s)
	}
	files := site.Arrivals().Filter(func(a fixturesite.Arrival) bool { return strings.HasPrefix(a.Path, "/file/") })
	var starts []time.Time
	var sizes []int
	for i, a := range files {
		if i == 0 || a.In.Sub(files[i-1].In) > wait*9/10 {
			starts, sizes = append(starts, a.In), append(sizes, 0)
		}
		sizes[len(sizes)-1]++
	}
	if len(starts) != 4 {
		t.Fatalf("files came in bursts of %v, want 4", sizes)
	}
	for i, least := range []time.Duration{wait, 2 * wait, 4 * wait} { // the profile's least wait, and twice doubled
		if gap := starts[i+1].Sub(starts[i]); gap < least || sizes[i+1] > 2 {
			t.Errorf("burst %d of %d files came %v after the one before, want at most 2 after at least %v", i+2, sizes[i+1], gap, least)
		}
	}
	_, raw := d.request(http.MethodGet, "/v1/scans/"+s.ID+"/report", d.token, nil, "Accept", "application/json")
	if !strings.Contains(string(raw), "content_may_be_incomplete") {
		t.Error("the report does not say that the page may be incomplete")
	}
}
