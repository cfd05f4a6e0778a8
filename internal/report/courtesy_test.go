package report

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"visite/schema"
)

// What the visit cost and what it kept to stands in the page and, in figures, in
// the JSON report: requests, bytes, share of a connection, waits, how robots.txt
// was kept, what was blocked, what could not be loaded, and a brisk gait.
//
// proves S-23, S-40, C-45, C-47, C-52
func TestTheCourtesyOfAVisitIsTold(t *testing.T) {
	src := sample()
	src.add(schema.Page{URL: sampleSite + "/members/list", Outcome: schema.OutcomeDisallowed, Reason: schema.ReasonRobots})
	src.add(schema.Page{URL: sampleSite + "/guarded", Outcome: schema.OutcomeBlocked, Reason: schema.ReasonChallenge, BlockedBy: "Cloudflare", Status: 403})
	page := htmlOf(t, src, sampleScan(), English)
	for id, wants := range map[string][]string{
		"footprint": {"rowing.example 61 1.4 MB 7 30 % 19.5 s", "fonts.example.org 4 88.2 kB 2 – –", "pauses of at least 250 ms",
			"robots.txt was obeyed throughout, without any exemption. It kept us from 2 pages.", "Ada", "The club asked for it before its regatta."},
		"apart":   {"Closed by robots.txt 2", "Blocked by a security check: Cloudflare 1", "Not analysed: the answer does not end 1"},
		"summary": {"Closed by robots.txt 2", "Blocked by a security check 1", "Not analysed 1"},
		"visit":   {"Allow: /", "1.5 s"},
	} {
		for _, want := range wants {
			if got := section(t, page, id); !strings.Contains(got, want) {
				t.Errorf("%s does not tell %q: %s", id, want, got)
			}
		}
	}
	raw, _ := jsonOf(t, src, sampleScan())
	if err := validate(t, raw); err != nil {
		t.Error(err)
	}
	var doc struct {
		Courtesy Courtesy
		Requests map[string]Requests
		Scan     Scan
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	if c := doc.Courtesy; c.RobotsKeptOut != 2 || c.Blocked != 1 || c.NotAnalysed != 1 || c.RobotsExemptions == nil || len(c.RobotsExemptions) != 0 {
		t.Errorf("%+v", c)
	}
	if r := doc.Requests["rowing.example"]; r.Count != 61 || r.Bytes != 1_432_910 || r.WaitedMS != 19_500 || r.BusyShare == nil || *r.BusyShare < 0.29 || *r.BusyShare > 0.3 {
		t.Errorf("%+v", r)
	}
	if b := doc.Scan.BriskGait; len(b) != 1 || b[0].By != "Ada" || b[0].Outcome != schema.BriskGranted {
		t.Errorf("%+v", b)
	}
}

// How robots.txt was kept is only told once it was read, and never by a wrong number.
func TestHowRobotsWereKept(t *testing.T) {
	open := &recorded{}
	open.add(schema.Page{URL: sampleSite + "/", Outcome: schema.OutcomeAnalysed})
	for name, c := range map[string]struct {
		change func(*schema.Scan)
		want   string
	}{
		"nothing closed": {func(*schema.Scan) {}, "without any exemption. It kept us from no page."},
		"not read":       {func(s *schema.Scan) { s.Robots.ReadAt = time.Time{} }, ""},
		"all closed":     {func(s *schema.Scan) { s.State, s.StateReason = schema.ScanRefused, string(schema.ReasonRobots) }, "robots.txt was obeyed, without any exemption."},
	} {
		scan := sampleScan()
		c.change(&scan)
		got := section(t, htmlOf(t, open, scan, English), "footprint")
		if !strings.Contains(got, c.want) || c.want == "" && strings.Contains(got, "robots.txt") {
			t.Errorf("%s: %s", name, got)
		}
	}
}
