package endtoend_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"visite/internal/fixturesite/faultsite"
	"visite/schema"
)

// clocked are rules that go by how fast the machine is on which the test runs.
var clocked = []string{"slow-answer", "lcp-slow", "fcp-slow", "tbt-high"}

// A hundred planted faults are found, all of them and nothing else, and the same
// on each of three scans.
func TestAHundredPlantedFaults(t *testing.T) {
	t.Parallel()
	planted := faultsite.Planted()
	if len(planted) < 100 {
		t.Errorf("%d faults planted", len(planted))
	}
	site := faultsite.New().Start(t)
	profiles := t.TempDir()
	profile := benchProfile(t, profiles, 2)
	d := deploy(t, "VISITE_PROFILES_DIR="+profiles, "VISITE_BROWSER_SLOTS=2")
	for range 3 {
		s := d.finish(d.scan(order{"url": site.URL("/"), "profile": profile, "max_pages": 500}).ID, 10*time.Minute)
		if s.State != "finished" {
			t.Fatalf("ended %s (%s)", s.State, s.StateReason)
		}
		found, told, unlooked, unread := reported(t, d, s.ID, strings.TrimSuffix(site.URL("/"), "/"))
		if len(unlooked) > 3 || len(unread) > len(faultsite.Paths())/2 { // a slow validator is late with some
			t.Errorf("checks did not run on %d pages, %d were not validated", len(unlooked), len(unread))
		}
		for _, f := range planted {
			if !slices.Contains(found, f) && !unlooked[f.Path] && !(unread[f.Path] && strings.HasPrefix(f.Rule, "html-")) {
				t.Errorf("%s is not reported on %s", f.Rule, f.Path)
			}
		}
		for _, f := range found {
			if !slices.Contains(clocked, f.Rule) && !slices.Contains(planted, f) {
				t.Errorf("%s is reported on %s, where it was not planted: %s", f.Rule, f.Path, told[f])
			}
		}
		if t.Failed() {
			return
		}
	}
}

// reported are the findings of a scan, by rule and page, each pair once, and what
// the first of each pair says; and the pages that say themselves that checks did
// not come to an end there, or that their source was not validated, as happens on a
// slow machine.
func reported(t *testing.T, d *deployment, scan, base string) (found []faultsite.Fault, told map[faultsite.Fault]string, unlooked, unread map[string]bool) {
	t.Helper()
	var r struct {
		Pages []struct {
			URL   string
			Notes []string
		} `json:"pages"`
		Findings []struct {
			Rule                      string `json:"rule"`
			URL                       string `json:"url"`
			Outcome, Selector, Detail string
		} `json:"findings"`
	}
	_, raw := d.request(http.MethodGet, "/v1/scans/"+scan+"/report", d.token, nil, "Accept", "application/json")
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatalf("report: %v: %.300s", err, raw)
	}
	told, unlooked, unread = map[faultsite.Fault]string{}, map[string]bool{}, map[string]bool{}
	for _, p := range r.Pages {
		if slices.Contains(p.Notes, schema.NoteValidityUnchecked) {
			unread[strings.TrimPrefix(p.URL, base)] = true
		}
		if slices.ContainsFunc(p.Notes, func(note string) bool { return strings.HasSuffix(note, "_not_run") }) {
			unlooked[strings.TrimPrefix(p.URL, base)] = true
		}
	}
	for _, f := range r.Findings {
		if one := (faultsite.Fault{Rule: f.Rule, Path: strings.TrimPrefix(f.URL, base)}); !slices.Contains(found, one) {
			found = append(found, one)
			told[one] = strings.Join([]string{f.Outcome, f.Selector, f.Detail}, ", ")
		}
	}
	return found, told, unlooked, unread
}
