package courtesy_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"visite/internal/courtesy"
	"visite/internal/fixturesite"
	"visite/schema"
)

// rulesOf answers /robots.txt with a text and its tag.
func rulesOf(text, tag string) fixturesite.File {
	return fixturesite.File{Path: "/robots.txt", Status: http.StatusOK, Text: true, Body: []byte(text), Header: http.Header{"Content-Type": {"text/plain"}, "Etag": {tag}}}
}

// Within a run the file is read again when it has grown old, by a conditional
// request, and what it says then holds for the very next page.
//
// proves R-05, C-62
func TestOldRulesAreReadAgain(t *testing.T) {
	const age = 2 * time.Second
	site := fixturesite.Serve(t, small)
	site.Set(rulesOf("User-agent: *\nAllow: /\n", `"1"`))
	h := newHarness(t, courtesy.Options{RobotsAge: age})
	began := time.Now()
	load := func() schema.DocumentFacts {
		v := visit(site.URL("/a"), free())
		v.RobotsSince = began
		facts, _ := h.load(v)
		return facts
	}
	reads := func() fixturesite.Arrivals { return site.Arrivals().Path("/robots.txt") }

	load()
	if load(); len(reads()) != 1 {
		t.Fatalf("robots.txt was read %d times for two visits, want once", len(reads()))
	}
	time.Sleep(age)
	if facts := load(); facts.Outcome != schema.OutcomeAnalysed {
		t.Errorf("under unchanged rules: %+v", facts)
	}
	if all := reads(); len(all) != 2 || all[1].Header.Get("If-None-Match") != `"1"` || all[1].Status != http.StatusNotModified {
		t.Errorf("second read: %+v", all)
	}
	if load(); len(reads()) != 2 { // a 304 makes the copy young again
		t.Errorf("robots.txt was read %d times, want twice", len(reads()))
	}

	site.Set(rulesOf("User-agent: visite\nDisallow: /\n", `"2"`))
	time.Sleep(age)
	site.Forget()
	v := visit(site.URL("/a"), free())
	if a := h.refused(v); a.Reason != schema.ReasonRobots || a.Rule != "Disallow: /" {
		t.Errorf("under the new rules: %+v", a)
	}
	if got := strings.Join(site.Arrivals().Requests(), ", "); got != "GET /robots.txt" {
		t.Errorf("requests under the new rules: %s", got)
	}
}

// A server that fails when its file is read again is left alone, whatever the
// copy of a moment ago allowed.
//
// proves S-28, R-03
func TestAFileGoneUnreachableStopsTheRun(t *testing.T) {
	const age = 300 * time.Millisecond
	site := fixturesite.Serve(t, small)
	h := newHarness(t, courtesy.Options{RobotsAge: age})
	h.load(visit(site.URL("/a"), free()))
	site.HandleFunc("/robots.txt", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	time.Sleep(age)
	site.Forget()
	if a := h.refused(visit(site.URL("/a"), free())); a.Reason != schema.ReasonRobotsUnreached {
		t.Errorf("%+v", a)
	}
	if got := strings.Join(site.Arrivals().Requests(), ", "); got != "GET /robots.txt" {
		t.Errorf("requests: %s", got)
	}
}
