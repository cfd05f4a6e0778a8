package api_test

import (
	"net/http"
	"net/url"
	"testing"

	"visite/api"
)

// What another website's page sends is declined at every form and operation that
// is open to everybody, before it has any effect; our own pages' forms and
// clients without a browser are let in.
func TestOtherWebsitesCannotSendForTheirVisitors(t *testing.T) {
	v := newVisitedEdge(t)
	objection := url.Values{"host": {"shop.example"}, "kind": {"stop"}, "confirm": {"yes"}}
	form := []string{"Content-Type", "application/x-www-form-urlencoded"}
	for name, headers := range map[string][]string{
		"another site":           {"Sec-Fetch-Site", "cross-site"},
		"a sister of ours":       {"Sec-Fetch-Site", "same-site"},
		"an old browser":         {"Origin", "https://evil.example"},
		"a sandboxed frame":      {"Origin", "null"},
		"our name, another port": {"Origin", "http://127.0.0.1:1"},
	} {
		t.Run(name, func(t *testing.T) {
			for path, body := range map[string]any{
				"/bot/object":                     objection.Encode(),
				"/bot/sitenorma/object":           objection.Encode(),
				"/bot/identify":                   url.Values{"log_line": {"GET /"}}.Encode(),
				"/free-analysis":                  url.Values{"url": {"https://shop.example/"}}.Encode(),
				"/v1/objections":                  map[string]any{"host": "shop.example", "kind": "stop"},
				"/v1/requests:identify":           map[string]any{"log_line": "GET /"},
				"/v1/hosts/shop.example:prove":    map[string]any{},
				"/v1/free-analyses":               map[string]any{"url": "https://shop.example/"},
				"/v1/objections/obj_1:withdraw":   map[string]any{},
				"/v1/scans":                       map[string]any{"url": "https://shop.example/"},
				"/v1/workspaces/no-such-resource": map[string]any{},
			} {
				all := headers
				if _, isForm := body.(string); isForm {
					all = append(append([]string(nil), headers...), form...)
				}
				a := v.call(http.MethodPost, path, "", body, all...)
				a.t = t
				a.problem(http.StatusForbidden, "cross-origin")
			}
		})
	}
	var host api.HostState
	v.call(http.MethodGet, "/v1/hosts/shop.example", "", nil).want(http.StatusOK, &host)
	if len(host.Objections) != 0 || len(v.scans.starts()) != 0 {
		t.Errorf("it had an effect: %+v, started %v", host.Objections, v.scans.starts())
	}
	for name, headers := range map[string][]string{
		"our own page":                  {"Sec-Fetch-Site", "same-origin", "Origin", v.server.URL},
		"our own page, old browser":     {"Origin", v.server.URL},
		"our own page, behind a proxy":  {"Origin", "http://127.0.0.1:8480", "Sec-Fetch-Site", ""},
		"typed into the browser itself": {"Sec-Fetch-Site", "none"},
		"no browser":                    nil,
	} {
		t.Run(name, func(t *testing.T) {
			a := v.form("/bot/identify", url.Values{"log_line": {`GET /a HTTP/1.1 [01/Dec/2026:10:00:00 +0000]`}, "host": {"shop.example"}}, headers...)
			if a.status == http.StatusForbidden {
				t.Errorf("declined: %s", a.body)
			}
		})
	}
	page := v.call(http.MethodGet, "/bot", "", nil)
	if policy := page.header.Get("Referrer-Policy"); policy != "same-origin" { // with no-referrer, browsers send forms with Origin: null
		t.Errorf("Referrer-Policy %q", policy)
	}
}
