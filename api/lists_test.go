package api_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"visite/api"
	"visite/schema"
)

var nextLink = regexp.MustCompile(`^<([^>]+)>; rel="next"$`)

// walk follows Link to the end of a list and returns its items.
func walk[T any](e *edge, token, path string) []T {
	e.t.Helper()
	var all []T
	for range 100 {
		var stretch api.List[T]
		a := e.call("GET", path, token, nil).want(200, &stretch)
		all = append(all, stretch.Items...)
		link := a.header.Get("Link")
		if (link == "") != (stretch.Next == "") {
			e.t.Fatalf("Link %q but next %q", link, stretch.Next)
		}
		if link == "" {
			return all
		}
		m := nextLink.FindStringSubmatch(link)
		if m == nil || !strings.Contains(m[1], stretch.Next) {
			e.t.Fatalf("Link %q", link)
		}
		path = m[1]
	}
	e.t.Fatal("the list has no end")
	return nil
}

func TestListsGoOnToTheEnd(t *testing.T) {
	e := newEdge(t)
	token := e.workspace("w")
	var scans, sites []string
	for i := range 7 {
		s := e.scan(token, fmt.Sprintf("http://localhost:%d/", 4000+i))
		scans, sites = append(scans, s.ID), append(sites, s.SiteID)
	}
	slices.Reverse(scans)
	slices.Reverse(sites)
	for _, limit := range []int{1, 3, 7, 200} {
		var gotScans, gotSites []string
		for _, s := range walk[api.Scan](e, token, fmt.Sprintf("/v1/scans?limit=%d", limit)) {
			gotScans = append(gotScans, s.ID)
		}
		for _, s := range walk[api.Site](e, token, fmt.Sprintf("/v1/sites?limit=%d", limit)) {
			gotSites = append(gotSites, s.ID)
		}
		if !sameStrings(gotScans, scans) || !sameStrings(gotSites, sites) {
			t.Errorf("limit %d: scans %v want %v, sites %v want %v", limit, gotScans, scans, gotSites, sites)
		}
	}
	check(t, e.store.Finish(t.Context(), scans[2], schema.ScanFinished, ""))
	check(t, e.store.Finish(t.Context(), scans[5], schema.ScanFinished, ""))
	var finished []string
	for _, s := range walk[api.Scan](e, token, "/v1/scans?limit=1&state=finished") {
		finished = append(finished, s.ID)
	}
	if !sameStrings(finished, []string{scans[2], scans[5]}) {
		t.Errorf("finished scans %v: the filter must hold on every stretch", finished)
	}
	if got := walk[api.Scan](e, token, "/v1/scans?site="+sites[4]); len(got) != 1 || got[0].ID != scans[4] {
		t.Errorf("scans of one site: %+v", got)
	}
}

func TestResultsOfAScan(t *testing.T) {
	e := newEdge(t)
	token := e.workspace("w")
	scan := e.scan(token, "http://localhost:4000/")
	e.record(scan.ID, 12)
	base := "/v1/scans/" + scan.ID

	pages := walk[api.Page](e, token, base+"/pages?limit=5")
	if len(pages) != 12 || pages[0].URL != "http://localhost:4000/" || pages[0].Title != "Page 0" || pages[0].Words != 10 || pages[0].Outcome != "analysed" {
		t.Errorf("%d pages: %+v", len(pages), pages)
	}
	if got := walk[api.Page](e, token, base+"/pages?outcome=blocked"); len(got) != 0 {
		t.Errorf("%d blocked pages", len(got))
	}

	count := func(query string) int { return len(walk[api.Finding](e, token, base+"/findings?limit=4"+query)) }
	for query, want := range map[string]int{
		"": 24, "&rule=title-short": 12, "&category=accessibility": 12, "&min_severity=critical": 6, "&min_severity=serious": 18, "&outcome=needs_review": 12,
		"&outcome=failed&min_severity=critical": 6, fmt.Sprintf("&page=%d", pages[4].ID): 2, "&rule=nothing": 0,
	} {
		if got := count(query); got != want {
			t.Errorf("findings%s: %d, want %d", query, got, want)
		}
	}
	first := walk[api.Finding](e, token, base+"/findings?rule=contrast")[0]
	if first.PageURL != "http://localhost:4000/" || first.PageID != pages[0].ID || !sameStrings(first.WCAG, []string{"1.4.3"}) || first.Selector != "p" || first.Help != "Look." || first.Severity != "serious" {
		t.Errorf("%+v", first)
	}

	if links := walk[api.Link](e, token, base+"/links"); len(links) != 0 {
		t.Errorf("%d links before they were judged", len(links))
	}
	e.judge(scan.ID)
	links := walk[api.Link](e, token, base+"/links?limit=5")
	if len(links) != 12 {
		t.Errorf("%d links: %+v", len(links), links)
	}
	for _, l := range links {
		if !strings.HasPrefix(l.URL, "https://other.example/") || l.Pages != 1 || len(l.FoundOn) != 1 || (l.Verdict != "ok" && l.Verdict != "broken") {
			t.Errorf("%+v", l)
		}
	}
	broken := walk[api.Link](e, token, base+"/links?limit=1&verdict=broken")
	if len(broken) != 6 || broken[0].Status != 404 {
		t.Errorf("broken: %+v", broken)
	}

	var shown api.Scan
	e.call("GET", base, token, nil).want(200, &shown)
	if p := shown.Progress; p == nil || p.Found != 12 || p.Done != 12 || p.Analysed != 12 || p.Findings != 12 || p.NeedsReview != 12 {
		t.Errorf("progress %+v", shown.Progress)
	}
}

func TestWaitingIsShown(t *testing.T) {
	e := newEdge(t)
	token := e.workspace("w")
	scan := e.scan(token, "http://localhost:4000/")
	_, err := e.store.StartScan(t.Context(), scan.ID)
	check(t, err)
	until := scan.CreatedAt.Add(90e9)
	check(t, e.store.SetPhase(t.Context(), scan.ID, schema.PhasePages, "localhost:4000 asked for 90 s of rest", until))
	var shown api.Scan
	e.call("GET", "/v1/scans/"+scan.ID, token, nil).want(200, &shown)
	if shown.Phase != "pages" || shown.WaitingFor != "localhost:4000 asked for 90 s of rest" || shown.WaitingUntil == nil || !shown.WaitingUntil.Equal(until) || shown.State != "running" || shown.StartedAt == nil {
		t.Errorf("%+v", shown)
	}
}

func TestListParametersAreChecked(t *testing.T) {
	e := newEdge(t)
	token := e.workspace("w")
	scan := e.scan(token, "http://localhost:4000/")
	for path, parameter := range map[string]string{
		"/v1/scans?limit=0": "limit", "/v1/scans?limit=201": "limit", "/v1/scans?limit=many": "limit", "/v1/scans?state=odd": "state", "/v1/scans?order=asc": "order",
		"/v1/sites?limit=-1": "limit", "/v1/scans/" + scan.ID + "/findings?min_severity=huge": "min_severity", "/v1/scans/" + scan.ID + "/findings?rule=a%00b": "rule",
		"/v1/scans/" + scan.ID + "/pages?outcome=odd": "outcome", "/v1/scans/" + scan.ID + "/links?verdict=odd": "verdict",
	} {
		p := e.call("GET", path, token, nil).problem(422, "invalid-request")
		if f := fieldOf(t, p); f.Parameter != parameter || f.Remedy == "" {
			t.Errorf("%s: %+v", path, f)
		}
	}
	for _, path := range []string{
		"/v1/scans?cursor=odd", "/v1/sites?cursor=MTo", "/v1/scans/" + scan.ID + "/pages?cursor=" + cursorOf("1:x"), "/v1/scans/" + scan.ID + "/links?cursor=" + cursorOf("2:7"),
		"/v1/scans/" + scan.ID + "/findings?cursor=" + cursorOf("1:99999999999999999999"), "/v1/scans?cursor=" + cursorOf("1:a\x00b"),
	} {
		p := e.call("GET", path, token, nil).problem(422, "cursor-invalid")
		if f := fieldOf(t, p); f.Parameter != "cursor" {
			t.Errorf("%s: %+v", path, f)
		}
	}
}

func TestEmptyListsAreLists(t *testing.T) {
	e := newEdge(t)
	token := e.workspace("w")
	for _, path := range []string{"/v1/scans", "/v1/sites"} {
		var raw map[string]json.RawMessage
		e.call("GET", path, token, nil).want(200, &raw)
		if string(raw["items"]) != "[]" || len(raw) != 1 {
			t.Errorf("%s: %v", path, raw)
		}
	}
}
