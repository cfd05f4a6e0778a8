package api_test

import (
	"strings"
	"testing"

	"visite/api"
)

// Every order that is declined names the field and the remedy, starts no
// workflow, records nothing and asks the name server only where it must.
//
// proves S-13, S-15
func TestDeclinedOrders(t *testing.T) {
	e := newEdge(t)
	token := e.workspace("w")
	const contact = "webmaster@example.org"
	cases := []struct {
		name    string
		order   map[string]any
		status  int
		code    string
		pointer string
		asks    bool
	}{
		{"nothing", map[string]any{"url": ""}, 422, "url-missing", "/url", false},
		{"not a URL", map[string]any{"url": "not a url"}, 422, "url-space", "/url", false},
		{"no host", map[string]any{"url": "https://"}, 422, "url-no-host", "/url", false},
		{"another scheme", map[string]any{"url": "ftp://example.com/"}, 422, "scheme-not-web", "/url", false},
		{"a script", map[string]any{"url": "javascript:alert(1)"}, 422, "scheme-not-web", "/url", false},
		{"a file", map[string]any{"url": "file:///etc/passwd"}, 422, "scheme-not-web", "/url", false},
		{"credentials", map[string]any{"url": "https://user:canary-password@example.com/"}, 422, "url-credentials", "/url", false},
		{"user name only", map[string]any{"url": "https://user@example.com/"}, 422, "url-credentials", "/url", false},
		{"a host that does not resolve", map[string]any{"url": "https://nowhere.example/", "contact": contact}, 422, "name-not-found", "/url", true},
		{"a guarded address", map[string]any{"url": "http://10.0.0.1/", "contact": contact}, 422, "guarded-address", "/url", true},
		{"a name of a guarded address", map[string]any{"url": "http://inside.example/", "contact": contact}, 422, "guarded-address", "/url", true},
		{"a decimal address", map[string]any{"url": "http://2130706433/", "contact": contact}, 422, "url-address-spelling", "/url", false},
		{"a port of another service", map[string]any{"url": "http://example.com:22/", "contact": contact}, 422, "port-not-web", "/url", true},
		{"port 0", map[string]any{"url": "http://example.com:0/"}, 422, "url-port", "/url", false},
		{"no pages", map[string]any{"url": "https://example.com/", "max_pages": 0}, 422, "invalid-request", "/max_pages", false},
		{"fewer than no pages", map[string]any{"url": "https://example.com/", "max_pages": -1}, 422, "invalid-request", "/max_pages", false},
		{"a million pages", map[string]any{"url": "https://example.com/", "max_pages": 1_000_000}, 422, "invalid-request", "/max_pages", false},
		{"half a page", map[string]any{"url": "https://example.com/", "max_pages": 1.5}, 422, "invalid-request", "/max_pages", false},
		{"an unknown profile", map[string]any{"url": "https://example.com/", "profile": "nobody"}, 422, "profile-unknown", "/profile", false},
		{"a profile for this machine", map[string]any{"url": "https://example.com/", "profile": "loopback", "contact": contact}, 422, "profile-loopback-only", "/profile", true},
		{"no contact", map[string]any{"url": "https://example.com/"}, 422, "contact-missing", "/contact", true},
		{"no real contact", map[string]any{"url": "https://example.com/", "contact": "me"}, 422, "contact-invalid", "/contact", false},
		{"a contact that breaks a header", map[string]any{"url": "https://example.com/", "contact": "a@example.org\r\nX-Evil: 1"}, 422, "contact-invalid", "/contact", false},
		{"permission of nobody", map[string]any{"url": "https://example.com/", "contact": contact, "basis": map[string]any{"kind": "permission"}}, 422, "basis-party-missing", "/basis/party", false},
		{"an unknown basis", map[string]any{"url": "https://example.com/", "basis": map[string]any{"kind": "curiosity"}}, 422, "invalid-request", "/basis/kind", false},
		{"an unknown engine", map[string]any{"url": "https://example.com/", "engine": "telepathy"}, 422, "invalid-request", "/engine", false},
		{"an unknown device", map[string]any{"url": "https://example.com/", "device": "fridge"}, 422, "invalid-request", "/device", false},
		{"a property nobody knows", map[string]any{"url": "https://example.com/", "depth": 3}, 422, "invalid-request", "/depth", false},
		{"no address", map[string]any{"contact": contact}, 422, "invalid-request", "/url", false},
		{"an address that is a number", map[string]any{"url": 7}, 422, "invalid-request", "/url", false},
		{"more pages than without proof", map[string]any{"url": "https://example.com/", "contact": contact, "max_pages": 4}, 403, "needs-proof", "/max_pages", true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			asked := len(e.resolver.asked)
			a := e.order(token, c.order)
			a.t = t
			p := a.problem(c.status, c.code)
			if explained := e.call("GET", p.Type, "", nil); explained.status != 302 {
				t.Errorf("%s is explained nowhere", p.Type)
			}
			field := fieldOf(t, p)
			if field.Pointer != c.pointer || field.Detail == "" || field.Remedy == "" {
				t.Errorf("field %+v, want %s", field, c.pointer)
			}
			if got := len(e.resolver.asked) > asked; got != c.asks {
				t.Errorf("asked the name server: %v, want %v", got, c.asks)
			}
			if strings.Contains(string(a.body), "canary") {
				t.Error("the answer repeats the password")
			}
		})
	}
	if started := e.scans.starts(); len(started) != 0 {
		t.Errorf("%d workflows were started", len(started))
	}
	var scans api.List[api.Scan]
	e.call("GET", "/v1/scans", token, nil).want(200, &scans)
	var sites api.List[api.Site]
	e.call("GET", "/v1/sites", token, nil).want(200, &sites)
	if len(scans.Items) != 0 || len(sites.Items) != 0 {
		t.Errorf("recorded %d scans and %d sites", len(scans.Items), len(sites.Items))
	}
	if strings.Contains(e.logged(), "canary") {
		t.Error("the log holds the password")
	}
}

func TestThisMachineIsVisitedInTheLocalStackOnly(t *testing.T) {
	e := newEdge(t, func(o *api.Options) { o.AllowLoopback = false })
	token := e.workspace("w")
	for _, address := range []string{"http://localhost/", "http://127.0.0.1/"} {
		p := e.order(token, map[string]any{"url": address}).problem(422, "loopback-not-allowed")
		if f := fieldOf(t, p); f.Pointer != "/url" {
			t.Errorf("field %+v", f)
		}
	}
	// A port is judged before names are asked for where no machine of ours can be meant.
	asked := len(e.resolver.asked)
	e.order(token, map[string]any{"url": "http://localhost:22/"}).problem(422, "port-not-web")
	if len(e.resolver.asked) != asked {
		t.Error("the name server was asked although the port decides")
	}
	e.call("POST", "/v1/sites", token, map[string]string{"url": "http://localhost/"}).problem(422, "loopback-not-allowed")
}

func TestOwnMachineNeedsNoContactAndHasNoPageLimit(t *testing.T) {
	e := newEdge(t)
	token := e.workspace("w")
	var s api.Scan
	e.order(token, map[string]any{"url": "localhost:4000/start", "max_pages": 50000, "profile": "loopback"}).want(202, &s)
	if s.URL != "http://localhost:4000/start" || s.Host != "localhost:4000" || s.MaxPages != 50000 || s.Profile != "loopback" || s.Contact != "" {
		t.Errorf("%+v", s)
	}
	in := e.scans.started[0]
	if want := "Mozilla/5.0 (compatible; Visite/1.0; +http://127.0.0.1:8480/bot/loopback)"; in.Profile.ClientUserAgent() != want {
		t.Errorf("User-Agent %q, want %q", in.Profile.ClientUserAgent(), want)
	}
	var next api.Scan
	e.order(token, map[string]any{"url": "http://127.0.0.1:4001/"}).want(202, &next)
	if next.MaxPages != 200 || next.Engine != "browser" || next.Device != "desktop" || next.Profile != "visite" || next.Basis.Kind != "own" {
		t.Errorf("defaults: %+v", next)
	}
}

func TestDeploymentsPageLimit(t *testing.T) {
	e := newEdge(t, func(o *api.Options) { o.MaxPagesLimit = 100 })
	token := e.workspace("w")
	p := e.order(token, map[string]any{"url": "http://localhost/", "max_pages": 101}).problem(422, "too-many-pages")
	if f := fieldOf(t, p); f.Pointer != "/max_pages" || f.Remedy != "Ask for at most 100." {
		t.Errorf("field %+v", f)
	}
	var s api.Scan
	e.order(token, map[string]any{"url": "http://localhost/"}).want(202, &s)
	if s.MaxPages != 100 {
		t.Errorf("default of %d pages is over the limit", s.MaxPages)
	}
}

// What is wrong with an order is said before, and instead of, what is wrong with
// a name: the customer mends the order first.
func TestTheOrderIsJudgedBeforeTheName(t *testing.T) {
	const contact = "webmaster@example.org"
	cases := map[string]struct {
		order  map[string]any
		status int
		code   string
	}{
		"contact": {map[string]any{}, 422, "contact-missing"},
		"profile": {map[string]any{"contact": contact, "profile": "loopback"}, 422, "profile-loopback-only"},
		"pages":   {map[string]any{"contact": contact, "max_pages": 4}, 403, "needs-proof"},
		"basis":   {map[string]any{"contact": contact, "basis": map[string]any{"kind": "permission"}}, 422, "basis-party-missing"},
		"none":    {map[string]any{"contact": contact}, 422, "name-not-found"},
	}
	for _, local := range []bool{false, true} {
		e := newEdge(t, func(o *api.Options) { o.AllowLoopback = local })
		token := e.workspace("w")
		for name, c := range cases {
			asked := len(e.resolver.asked)
			c.order["url"] = "https://nowhere.example/"
			e.order(token, c.order).problem(c.status, c.code)
			if got := len(e.resolver.asked) > asked; !local && got != (name == "none") {
				t.Errorf("%s: asked the name server: %v", name, got)
			}
		}
		// A number is no name: nothing has to be asked to know that it is elsewhere.
		asked := len(e.resolver.asked)
		e.order(token, map[string]any{"url": "http://192.0.2.1/"}).problem(422, "contact-missing")
		if len(e.resolver.asked) != asked {
			t.Error("the resolver was asked about a number")
		}
	}
}
