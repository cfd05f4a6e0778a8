package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"visite/api"
	"visite/schema"
)

// proves R-23: previews are off unless somebody of the workspace switches them on
// until a day; switched off, they are gone at once.
func TestPreviewsAreSwitchedOnUntilADay(t *testing.T) {
	e := newEdge(t)
	token := e.workspace("w")
	scan := e.scan(token, "http://localhost:4000/")
	site := "/v1/sites/" + scan.SiteID
	var shown api.Site
	e.call("GET", site, token, nil).want(200, &shown)
	if shown.Previews.Enabled || shown.Previews.ExpiresAt != nil {
		t.Errorf("of a new site %+v", shown.Previews)
	}
	now := time.Now()
	for _, c := range []struct {
		body map[string]any
		code string
	}{
		{map[string]any{"enabled": true}, "previews-end-invalid"},
		{map[string]any{"enabled": true, "expires_at": now.Add(-time.Minute)}, "previews-end-invalid"},
		{map[string]any{"enabled": true, "expires_at": now.Add(schema.PreviewsLast + time.Hour)}, "previews-end-invalid"},
		{map[string]any{"enabled": false, "expires_at": now.Add(time.Hour)}, "previews-end-unwanted"},
	} {
		p := e.call("PUT", site+"/previews", token, c.body).problem(422, c.code)
		if f := fieldOf(t, p); f.Pointer != "/expires_at" || f.Remedy == "" {
			t.Errorf("%v: %+v", c.body, f)
		}
	}

	until := now.Add(30 * 24 * time.Hour).Truncate(time.Second).UTC()
	var set api.Previews
	e.call("PUT", site+"/previews", token, map[string]any{"enabled": true, "expires_at": until}).want(200, &set)
	e.call("GET", site, token, nil).want(200, &shown)
	if !set.Enabled || !shown.Previews.Enabled || !shown.Previews.ExpiresAt.Equal(until) {
		t.Errorf("switched on %+v, shown %+v", set, shown.Previews)
	}

	ctx := t.Context()
	_, err := e.store.StartScan(ctx, scan.ID)
	check(t, err)
	claim, err := e.store.Claim(ctx, scan.ID, "t")
	check(t, err)
	drawing := schema.Preview{Width: 1366, Height: 900, Ground: 0xffff, Boxes: []schema.PreviewBox{{Kind: schema.PreviewText, PreviewPlace: schema.PreviewPlace{X: 7, Y: 8, Width: 99, Height: 18}, Colour: 0x000f}}}
	check(t, e.store.RecordPage(ctx, claim, schema.Page{URL: claim.URL, FinalURL: claim.URL, Outcome: schema.OutcomeAnalysed, Status: 200, Preview: &drawing}, nil))
	path := fmt.Sprintf("/v1/scans/%s/pages/%d/preview", scan.ID, claim.ID)
	a := e.call("GET", path, token, nil, "Accept-Language", "de").want(200, nil)
	if a.header.Get("Content-Type") != "image/svg+xml" || !strings.Contains(a.header.Get("Content-Security-Policy"), "default-src 'none'") || a.header.Get("X-Content-Type-Options") != "nosniff" ||
		!strings.Contains(string(a.body), "M7 8h99v18h-99z") || !strings.Contains(string(a.body), "Balken") {
		t.Errorf("%v %s", a.header, a.body)
	}
	e.call("GET", path, e.workspace("stranger"), nil).problem(404, "not-found")
	e.call("GET", fmt.Sprintf("/v1/scans/%s/pages/%d/preview", scan.ID, claim.ID+1), token, nil).problem(404, "not-found")
	e.call("GET", "/v1/scans/"+scan.ID+"/pages/x/preview", token, nil).want(422, nil)
	if _, err := e.api.Forget(ctx); err != nil {
		t.Error(err)
	}
	e.call("GET", path, token, nil).want(200, nil) // not yet
	e.call("PUT", site+"/previews", token, map[string]any{"enabled": false}).want(200, nil)
	e.call("GET", path, token, nil).problem(404, "not-found")
}
