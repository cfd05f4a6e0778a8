package api_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"visite/api"
)

func cursorOf(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }

func TestSites(t *testing.T) {
	e := newEdge(t)
	token := e.workspace("w")
	var site, again, shown api.Site
	a := e.call("POST", "/v1/sites", token, map[string]string{"url": "HTTPS://Example.com:443/deep/page?q=1#x"}).want(201, &site)
	if site.URL != "https://example.com/" || site.Host != "example.com" || site.Loopback || site.ID == "" {
		t.Errorf("%+v", site)
	}
	e.call("POST", "/v1/sites", token, map[string]string{"url": "https://example.com/other"}).want(201, &again)
	if again.ID != site.ID {
		t.Error("the same origin made two sites")
	}
	e.call("GET", a.header.Get("Location"), token, nil).want(200, &shown)
	if shown != site {
		t.Errorf("%+v, want %+v", shown, site)
	}
	e.call("POST", "/v1/sites", token, map[string]string{"url": "http://localhost:4000/"}).want(201, &site)
	if !site.Loopback || site.URL != "http://localhost:4000/" {
		t.Errorf("%+v", site)
	}
	p := e.call("POST", "/v1/sites", token, map[string]string{"url": "https://nowhere.example/"}).problem(422, "name-not-found")
	if fieldOf(t, p).Pointer != "/url" {
		t.Errorf("%+v", p)
	}
}

func TestProfiles(t *testing.T) {
	e := newEdge(t)
	token := e.workspace("w")
	var list api.List[api.Profile]
	e.call("GET", "/v1/profiles", token, nil).want(200, &list)
	var names []string
	for _, p := range list.Items {
		names = append(names, p.Name)
	}
	if !sameStrings(names, []string{"conregio", "loopback", "sitenorma", "visite"}) {
		t.Fatalf("profiles %v", names)
	}
	norma := list.Items[2]
	if norma.ClientAgent != "Mozilla/5.0 (compatible; SiteNorma/1.0; +{info})" || !strings.HasPrefix(norma.BrowserAgent, "{chrome} ") || norma.Info != "https://sitenorma.com/rastreador/" ||
		norma.Limits.PagesAtOnce != 2 || norma.Limits.PauseMin != 0.25 || norma.Limits.PauseFactor != 4 || norma.Limits.RetryAfterMax != 30 || norma.Limits.UnverifiedPages != 3 {
		t.Errorf("%+v", norma)
	}
	if !list.Items[1].LoopbackOnly || list.Items[1].Limits.PauseMin != 0 {
		t.Errorf("%+v", list.Items[1])
	}
}
