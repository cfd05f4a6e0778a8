package endtoend_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// What a whole folder of cases must come to at least, and at most, in percent.
const (
	leastCaught = 78
	mostWrong   = 1
)

// TestACT is `make act`: one ordinary scan over all cases, and a table of what it
// found. It takes minutes, so it is asked for by ACT=all; RULES=id,id narrows it
// to the cases of these ACT rules, ACT_FINDINGS=file keeps what was found there.
func TestACT(t *testing.T) {
	if os.Getenv("ACT") == "" {
		t.Skip("asked for by `make act`")
	}
	rules := os.Getenv("RULES")
	cases := ofRules(actCases(t), rules)
	if len(cases) == 0 {
		t.Fatalf("no case of the rules %q", rules)
	}
	table := actScan(t, cases, 40*time.Minute)
	fmt.Print(table, "\n", strings.Join(table.odd, "\n"), "\n")
	if rules == "" && (table.sum.caught*100 < table.sum.must*leastCaught || table.sum.wrong*100 > table.sum.mayNot*mostWrong) {
		t.Errorf("want at least %d %% caught and at most %d %% wrong", leastCaught, mostWrong)
	}
}

// Each twentieth case, as a sample of what `make act` measures.
func TestASampleOfTheACTCases(t *testing.T) {
	t.Parallel()
	var sample []actCase
	for i, c := range actCases(t) {
		if i%20 == 4 && strings.HasSuffix(c.Path, ".html") {
			sample = append(sample, c)
		}
	}
	table := actScan(t, sample, 10*time.Minute)
	t.Logf("\n%s\n%s", table, strings.Join(table.odd, "\n"))
	if table.sum.wrong > 1 || table.sum.caught*3 < table.sum.must {
		t.Errorf("caught %d of %d, wrong %d", table.sum.caught, table.sum.must, table.sum.wrong)
	}
}

// actScan scans the cases' pages, and fails where one was not loaded: a page that
// nobody looked at is no page without faults.
func actScan(t *testing.T, cases []actCase, within time.Duration) actTable {
	t.Helper()
	site := actSite(t, cases)
	profiles := t.TempDir()
	profile := benchProfile(t, profiles, 2)
	d := deploy(t, "VISITE_PROFILES_DIR="+profiles, "VISITE_BROWSER_SLOTS=2")
	began := time.Now()
	s := d.finish(d.scan(order{"url": site.URL("/"), "profile": profile, "max_pages": len(cases) + 200}).ID, within)
	t.Logf("%d cases: %d pages analysed in %s, scan %s", len(cases), s.Progress.Analysed, time.Since(began).Round(time.Second), s.State)
	var r struct {
		Pages    []reportPage `json:"pages"`
		Findings []actFinding `json:"findings"`
	}
	_, raw := d.request(http.MethodGet, "/v1/scans/"+s.ID+"/report", d.token, nil, "Accept", "application/json")
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatalf("report: %v: %.300s", err, raw)
	}
	if file := os.Getenv("ACT_FINDINGS"); file != "" {
		if err := os.WriteFile(file, raw, 0o600); err != nil {
			t.Error(err)
		}
	}
	outcomes := map[string]string{}
	for _, p := range r.Pages {
		outcomes[p.URL] = p.Outcome
	}
	for _, c := range cases {
		if got := outcomes[site.URL(c.Path)]; !slices.Contains([]string{"analysed", "not_a_page", "redirected_in_scope"}, got) {
			t.Errorf("%s was not looked at: %q", c.Path, got)
		}
	}
	return count(cases, site.URL, r.Findings)
}
