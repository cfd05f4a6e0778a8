package api_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"

	"visite/api"
	"visite/schema"
)

func (v *visitedEdge) prove(host string, body map[string]any) api.ProofStep {
	v.t.Helper()
	var step api.ProofStep
	v.call("POST", "/v1/hosts/"+url.PathEscape(host)+":prove", "", body).want(200, &step)
	return step
}

// proven proves a host by DNS and gives the token.
func (v *visitedEdge) proven(host string) string {
	v.t.Helper()
	step := v.prove(host, map[string]any{})
	v.names[step.DNSName] = []string{"v=spf1 -all", step.Word}
	done := v.prove(host, map[string]any{"secret": step.Secret, "method": "dns"})
	if !done.Proved || done.Token == "" {
		v.t.Fatalf("not proved: %+v", done)
	}
	return done.Token
}

func TestHostStateIsForEverybody(t *testing.T) {
	v := newVisitedEdge(t)
	ctx := t.Context()
	var s api.HostState
	v.call("GET", "/v1/hosts/never.example", "", nil).want(200, &s)
	if s.Host != "never.example" || s.Pace != (api.HostPace{SlowDown: 1}) || s.ParkedUntil != nil || len(s.Robots) != 0 || len(s.Objections) != 0 || s.ExplanationPath != "/bot" {
		t.Errorf("%+v", s)
	}
	until, err := v.ledger.Park(ctx, "example.com", 2*time.Minute)
	check(t, err)
	read := time.Now().Add(-10 * time.Minute)
	check(t, v.ledger.SaveRobotsCopy(ctx, schema.RobotsCopy{Origin: "https://example.com", ReadAt: read, Outcome: schema.RobotsParse, Status: 200, Body: []byte("User-agent: *")}))
	_, err = v.ledger.AddObjection(ctx, schema.Objection{Host: "example.com", Kind: schema.ObjectionSlower, Factor: 3, Contact: customerWord + "@example.org", Message: customerWord})
	check(t, err)
	a := v.call("GET", "/v1/hosts/EXAMPLE.com:443", "", nil).want(200, &s)
	if s.Host != "example.com" || s.ParkedUntil == nil || !s.ParkedUntil.Equal(until) || s.Pace.SlowDown != 2 {
		t.Errorf("%+v", s)
	}
	if len(s.Robots) != 1 || s.Robots[0].Origin != "https://example.com" || s.Robots[0].Age < 590 || s.Robots[0].Age > 660 || s.Robots[0].Outcome != schema.RobotsParse || s.Robots[0].Status != 200 {
		t.Errorf("robots %+v", s.Robots)
	}
	if len(s.Objections) != 1 || s.Objections[0] != (api.HostObjection{Kind: schema.ObjectionSlower, ProvenBy: schema.ProvenByNone}) {
		t.Errorf("objections %+v", s.Objections)
	}
	if strings.Contains(string(a.body), customerWord) {
		t.Errorf("the objector's words are shown: %s", a.body)
	}
	v.call("GET", "/v1/hosts/exa%20mple", "", nil).want(422, nil)
	v.call("GET", "/v1/hosts/127.0.0.1%3A8080", "", nil).want(200, &s)
	if s.Host != "127.0.0.1:8080" {
		t.Errorf("host %q", s.Host)
	}
}

// Whoever proves a host sees our requests to it, to it alone, and nothing of
// whose scans they were.
func TestRequestsAreForWhoeverProvesTheHost(t *testing.T) {
	v := newVisitedEdge(t)
	at := time.Now().Add(-time.Hour).UTC().Truncate(time.Microsecond)
	for i := range 3 {
		v.sent(at.Add(time.Duration(i)*time.Second), "example.com", "https://example.com/?token="+customerWord)
	}
	v.sent(at, "other.example", "https://other.example/")
	v.call("GET", "/v1/hosts/example.com/requests", "", nil).problem(401, "token-missing")
	v.call("GET", "/v1/hosts/example.com/requests", "vht_wrong", nil).problem(401, "token-unknown")
	v.call("GET", "/v1/hosts/example.com/requests", v.workspace("w"), nil).problem(401, "token-unknown")
	token := v.proven("example.com")
	v.call("GET", "/v1/hosts/other.example/requests", token, nil).problem(403, "other-host")
	v.call("GET", "/v1/scans", token, nil).problem(401, "token-unknown")
	path, seen := "/v1/hosts/example.com/requests?limit=2", []time.Time{}
	for path != "" {
		var list api.List[api.HostRequest]
		a := v.call("GET", path, token, nil).want(200, &list)
		if strings.Contains(string(a.body), customerWord) {
			t.Errorf("%s tells too much: %s", path, a.body)
		}
		for _, r := range list.Items {
			seen = append(seen, r.At)
			if r.URL != "https://example.com/?token=*" || r.Purpose != schema.PurposePage || r.Cause != schema.CauseScan || r.Profile != "visite" {
				t.Errorf("%+v", r)
			}
		}
		path = ""
		if link := a.header.Get("Link"); link != "" {
			path, _, _ = strings.Cut(strings.TrimPrefix(link, "<"), ">")
		}
	}
	if len(seen) != 3 || !seen[0].Equal(at.Add(2*time.Second)) || !seen[2].Equal(at) {
		t.Errorf("requests of %v, want three, newest first", seen)
	}
}

func TestProofNeedsTheWord(t *testing.T) {
	v := newVisitedEdge(t)
	const host = "example.com"
	first := v.prove(host, map[string]any{})
	if first.Proved || first.Token != "" || first.DNSName != "_visite-visited.example.com" || first.FilePath != "/.well-known/visite-visited.txt" || strings.Contains(first.Word, strings.TrimPrefix(first.Secret, "vsh_")) {
		t.Fatalf("%+v", first)
	}
	ask := func(secret, method string) api.ProofStep {
		t.Helper()
		return v.prove(host, map[string]any{"secret": secret, "method": method})
	}
	fails := func(step api.ProofStep, why string) {
		t.Helper()
		if step.Proved || step.Token != "" || !strings.Contains(step.Next, why) {
			t.Errorf("%+v, want no proof because %q", step, why)
		}
	}
	fails(ask(first.Secret, "dns"), "There is no TXT record")
	fails(ask(first.Secret, "file"), "answers with status 404")
	v.names[first.DNSName] = []string{first.Word + "x", "before " + first.Word}
	v.files["https://example.com/.well-known/visite-visited.txt"] = "# " + first.Word + "\n"
	fails(ask(first.Secret, "dns"), "do not hold the word")
	fails(ask(first.Secret, "file"), "does not hold the word")

	// Who only reads what another published cannot make a proof of it.
	v.names[first.DNSName] = []string{first.Word}
	v.files["https://example.com/.well-known/visite-visited.txt"] = "hello\r\n " + first.Word + "\r\n"
	other := v.prove(host, map[string]any{})
	fails(ask(other.Secret, "dns"), "do not hold the word")
	if step := v.prove("sub.example.com", map[string]any{"secret": first.Secret, "method": "dns"}); step.Proved {
		t.Error("the word of one host proves another")
	}
	if step := ask(first.Secret, "file"); !step.Proved || step.Token == "" || step.ExpiresAt == nil || time.Until(*step.ExpiresAt) > time.Hour {
		t.Errorf("%+v", step)
	}
	visit := v.visits[len(v.visits)-1]
	if visit.Purpose != schema.PurposeProof || visit.Cause != schema.CauseHostProof || visit.Run != (schema.RunRef{}) || visit.URL != "https://example.com/.well-known/visite-visited.txt" {
		t.Errorf("visit %+v", visit)
	}
}

func TestProofsThatAreDeclined(t *testing.T) {
	v := newVisitedEdge(t)
	secret := v.prove("example.com", map[string]any{}).Secret
	for _, c := range []struct {
		host        string
		body        map[string]any
		code, field string
	}{
		{"example.com", map[string]any{"secret": "short", "method": "dns"}, "secret-invalid", "/secret"},
		{"example.com", map[string]any{"secret": secret}, "method-missing", "/method"},
		{"127.0.0.1:8080", map[string]any{"secret": secret, "method": "dns"}, "no-dns-name", "/method"},
		{"inside.example", map[string]any{"secret": secret, "method": "file"}, "guarded-address", "host"},
	} {
		f := fieldOf(t, v.call("POST", "/v1/hosts/"+strings.ReplaceAll(c.host, ":", "%3A")+":prove", "", c.body).want(422, nil).asProblem())
		if f.Code != c.code || f.Pointer+f.Parameter != c.field {
			t.Errorf("%s %v: %+v, want %s at %s", c.host, c.body, f, c.code, c.field)
		}
	}
	if len(v.visits) != 0 {
		t.Errorf("%d visits, want none", len(v.visits))
	}
}

// Two customers' names, ids and tokens are in no answer that the visited get.
func TestNoCustomerIsNamedToTheVisited(t *testing.T) {
	now := time.Now()
	v := newVisitedEdge(t, func(o *api.Options) { o.Now = func() time.Time { return now } })
	words := []string{"Customer Aladdin", "Customer Bagheera"}
	for i, name := range words[:2] {
		token := v.workspace(name)
		var s api.Scan
		v.order(token, map[string]any{"url": "https://example.com/" + []string{"first", "second"}[i], "contact": "webmaster@example.org", "max_pages": 1}).want(202, &s)
		v.record(s.ID, 1)
		stored, err := v.store.Scan(t.Context(), s.ID)
		check(t, err)
		words = append(words, token, s.ID, s.SiteID, stored.WorkspaceID)
		_, _, err = v.ledger.BeginLines(t.Context(), []schema.LedgerLine{{At: now, ScanID: s.ID, WorkspaceID: stored.WorkspaceID, Host: "example.com", Method: "GET",
			URL: "https://example.com/first", Purpose: schema.PurposePage, Cause: schema.CauseScan, Profile: "visite"}})
		check(t, err)
	}
	proof := v.proven("example.com")
	question := map[string]any{"host": "example.com", "path": "/first", "at": now}
	objection := map[string]any{"host": "example.com", "kind": "stop"}
	answers := map[string]answer{
		"page":             v.call("GET", "/bot", "", nil),
		"conformance":      v.call("GET", "/bot/conformance", "", nil),
		"host":             v.call("GET", "/v1/hosts/example.com", "", nil),
		"identify":         v.call("POST", "/v1/requests:identify", "", question),
		"identify, forged": v.call("POST", "/v1/requests:identify", "", map[string]any{"host": "example.com", "path": "/third", "at": now}),
		"identify form":    v.form("/bot/identify", url.Values{"host": {"example.com"}, "log_line": {now.UTC().Format(time.RFC3339) + " GET /first"}}),
		"requests":         v.call("GET", "/v1/hosts/example.com/requests", proof, nil),
		"objection":        v.call("POST", "/v1/objections", "", objection),
		"objection form":   v.form("/bot/object", url.Values{"host": {"example.com"}, "kind": {"stop"}, "confirm": {"yes"}}),
		"proof":            v.call("POST", "/v1/hosts/example.com:prove", "", map[string]any{}),
		"bad body":         v.call("POST", "/v1/requests:identify", "", "{"),
	}
	for name, a := range answers {
		if a.status >= 500 || (a.status >= 400 && name != "bad body") {
			t.Errorf("%s: status %d %s", name, a.status, a.body)
		}
		headers, err := json.Marshal(a.header)
		check(t, err)
		for _, word := range words {
			if strings.Contains(string(a.body)+string(headers), word) {
				t.Errorf("%s names %q", name, word)
			}
		}
	}
	if !strings.Contains(string(answers["identify"].body), `"ours":true`) || !strings.Contains(string(answers["requests"].body), "/first") {
		t.Error("the requests were not found, so that nothing is shown here")
	}
}
