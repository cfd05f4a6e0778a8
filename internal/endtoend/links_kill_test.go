package endtoend_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"visite/internal/fixturesite"
)

// A worker that dies in the middle of link checks may lose a request, but none is
// sent twice; the others follow, and the scan ends.
//
// proves R-31, S-33, C-10
func TestLinkChecksSurviveKillOfTheWorker(t *testing.T) {
	t.Parallel()
	other := fixturesite.New()
	other.HandleFunc("/*", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/robots.txt" {
			time.Sleep(600 * time.Millisecond)
		}
		w.WriteHeader(http.StatusNotFound)
	})
	other.StartOn(t, "127.0.6.1:0")
	var addresses []string
	for i := range 7 {
		addresses = append(addresses, other.URL(fmt.Sprintf("/%d", i)))
	}
	site := linking(t, addresses...)
	d := deploy(t)
	s := d.scan(order{"url": site.URL("/"), "engine": "http"})
	d.eventually(time.Minute, "the third request about links", func() bool { return len(requests(other)) >= 3 })
	d.worker.kill()
	time.Sleep(300 * time.Millisecond)
	d.worker = d.start("worker")
	if s = d.finish(s.ID, 3*time.Minute); s.State != "finished" {
		t.Fatalf("ended %s (%s)", s.State, s.StateReason)
	}
	d.eventually(2*time.Minute, "five addresses", func() bool { return distinctPaths(other) == 5 })
	time.Sleep(3 * time.Second)
	count := map[string]int{}
	for _, r := range requests(other) {
		if count[r]++; count[r] > 1 {
			t.Errorf("%s arrived %d times", r, count[r])
		}
	}
	if n := distinctPaths(other); n != 5 {
		t.Errorf("%d addresses were asked for, want 5", n)
	}
	if _, all := other.Arrivals().MaxInFlight(); all != 1 {
		t.Errorf("%d requests at once", all)
	}
	resting := 0
	for _, l := range d.report(s.ID).Links {
		if l.Verdict == "not_checked" {
			resting++
		}
	}
	if resting < 2 {
		t.Errorf("%d links without a verdict, want at least the two that are left", resting)
	}
}

func distinctPaths(site *fixturesite.Site) int {
	seen := map[string]bool{}
	for _, a := range site.Arrivals() {
		if a.Kind != fixturesite.KindRobots {
			seen[a.Path] = true
		}
	}
	return len(seen)
}
