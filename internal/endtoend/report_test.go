package endtoend_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"visite/internal/fixturesite"
)

// The HTML report, of a second scan of a faulty site with an acknowledged item,
// has no accessibility failure of its own by our own scan, in no language.
func TestTheReportPassesItsOwnScan(t *testing.T) {
	t.Parallel()
	d := deployWith(t, map[string]string{"patient": patient})
	site := fixturesite.New(plain("/", `<a href="/one">one</a> <a href="/two">two</a> <a href="/gone">gone</a> <img src="/a.png" width="9" height="9">`),
		faulty("/one"), faulty("/two")).Start(t)
	scan := func(url string, more order) scanStatus {
		o := order{"url": url, "profile": "patient"}
		for k, v := range more {
			o[k] = v
		}
		s := d.finish(d.scan(o).ID, 3*time.Minute)
		if s.State != "finished" {
			t.Fatalf("%s ended %s (%s)", url, s.State, s.StateReason)
		}
		return s
	}
	first := scan(site.URL("/"), order{"engine": "http"})
	var items struct {
		Items []struct{ ID, Rule, State string }
	}
	d.call(http.MethodGet, "/v1/scans/"+first.ID+"/items", d.token, nil, &items)
	var of struct {
		Site string `json:"site_id"`
	}
	d.call(http.MethodGet, "/v1/scans/"+first.ID, d.token, nil, &of)
	d.call(http.MethodPut, "/v1/sites/"+of.Site+"/items/"+items.Items[0].ID, d.token,
		order{"state": "acknowledged", "reason": "in the next release", "until": time.Now().Add(time.Hour).UTC().Format(time.RFC3339)}, nil)
	second := scan(site.URL("/"), order{"engine": "http"})
	d.call(http.MethodGet, "/v1/scans/"+second.ID+"/items", d.token, nil, &items)
	if items.Items[0].State != "acknowledged" {
		t.Errorf("the second scan's first item %+v", items.Items[0])
	}

	shown := fixturesite.New(plain("/", `<a href="/en">one</a> <a href="/de">two</a> <a href="/es">three</a>`))
	for _, lang := range []string{"en", "de", "es"} {
		_, page := d.request(http.MethodGet, "/v1/scans/"+second.ID+"/report?lang="+lang, d.token, nil, "Accept", "text/html")
		shown.Set(fixturesite.File{Path: "/" + lang, Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}, Body: page})
		for _, part := range []string{`id="decided"`, `id="trend-t"`, `id="templates"`} {
			if !bytes.Contains(page, []byte(part)) {
				t.Errorf("%s: the report has no part %s", lang, part)
			}
		}
	}
	shown.Start(t)
	own := scan(shown.URL("/"), order{"engine": "browser"})
	_, raw := d.request(http.MethodGet, "/v1/scans/"+own.ID+"/report", d.token, nil, "Accept", "application/json")
	var doc struct {
		Findings []struct{ URL, Rule, Engine, Category, Outcome, Selector, Detail string }
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	if own.Progress.Analysed != 4 {
		t.Errorf("%d pages analysed, want 4", own.Progress.Analysed)
	}
	for _, f := range doc.Findings {
		if f.Category == "accessibility" && f.Outcome == "failed" && f.Rule != "color-contrast-enhanced" { // level AAA
			t.Errorf("%+v", f)
		}
	}
}
