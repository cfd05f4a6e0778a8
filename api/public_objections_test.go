package api_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"visite/api"
	"visite/schema"
)

func (v *visitedEdge) object(body map[string]any, headers ...string) api.ObjectionTicket {
	v.t.Helper()
	var ticket api.ObjectionTicket
	v.call("POST", "/v1/objections", "", body, headers...).want(201, &ticket)
	return ticket
}

// inForce lists the kinds that hold for a host.
func (v *visitedEdge) inForce(host string) string {
	v.t.Helper()
	list, err := v.ledger.Objections(v.t.Context(), host)
	check(v.t, err)
	var kinds []string
	for _, o := range list {
		kinds = append(kinds, string(o.Kind))
	}
	return strings.Join(kinds, " ")
}

// proves S-49, C-43, C-64: a complaint is acknowledged with a ticket and holds at
// once; without proof for a day, once in thirty days, so that nobody silences a
// host for good that is not theirs.
func TestObjectionWithoutProof(t *testing.T) {
	v := newVisitedEdge(t)
	first := v.object(map[string]any{"host": "https://Example.com/some/page", "kind": "stop", "contact": "me@example.com", "message": "Too many\r\nrequests\x07"})
	if first.Ticket == "" || first.Key == "" || first.Host != "example.com" || !first.InForce || first.ProvenBy != schema.ProvenByNone || first.Until == nil {
		t.Fatalf("%+v", first)
	}
	if left := time.Until(*first.Until); left > 24*time.Hour || left < 24*time.Hour-time.Minute {
		t.Errorf("holds for %v, want a day", left)
	}
	if got := v.inForce("example.com"); got != "stop" {
		t.Errorf("in force: %q", got)
	}
	var state api.HostState
	v.call("GET", "/v1/hosts/example.com", "", nil).want(200, &state)
	if len(state.Objections) != 1 || state.Objections[0].Kind != schema.ObjectionStop {
		t.Errorf("the host's state shows %+v", state.Objections)
	}
	second := v.object(map[string]any{"host": "example.com", "kind": "slower"})
	if second.InForce || second.Until != nil || second.Ticket == "" || !strings.Contains(second.Words, "passed on to the operator") {
		t.Errorf("a second one within thirty days: %+v", second)
	}
	if got := v.inForce("example.com"); got != "stop" {
		t.Errorf("in force after the second: %q", got)
	}
	log := v.logged()
	if strings.Count(log, `"msg":"objection of a visited site"`) != 2 || !strings.Contains(log, first.Ticket) {
		t.Error("the operator is not told")
	}
	for _, secret := range []string{first.Key, "me@example.com", "Too many"} {
		if strings.Contains(log, secret) {
			t.Errorf("the log has %q", secret)
		}
	}
}

// proves C-43: with proof it holds until it is withdrawn, by whoever has the key.
func TestObjectionWithProof(t *testing.T) {
	v := newVisitedEdge(t)
	token := v.proven("example.com")
	bearer := []string{"Authorization", "Bearer " + token}
	ticket := v.object(map[string]any{"host": "example.com", "kind": "quiet_hours", "from": "08:00", "to": "18:00", "zone": "Europe/Berlin", "subdomains": true}, bearer...)
	if !ticket.InForce || ticket.ProvenBy != schema.ProvenByDNS || ticket.Until != nil {
		t.Fatalf("%+v", ticket)
	}
	if v.inForce("shop.example.com") != "quiet_hours" {
		t.Error("it does not hold for the hosts below")
	}
	again := v.object(map[string]any{"host": "example.com", "kind": "stop"}, bearer...)
	if !again.InForce {
		t.Errorf("a second one with proof: %+v", again)
	}
	v.call("POST", "/v1/objections", "", map[string]any{"host": "other.example", "kind": "stop"}, bearer...).problem(403, "other-host")
	path := "/v1/objections/" + ticket.Ticket + ":withdraw"
	v.rest()
	v.call("POST", path, "", map[string]any{"key": again.Key}).problem(404, "not-found")
	v.call("POST", "/v1/objections/01JZZZZZZZZZZZZZZZZZZZZZZZ:withdraw", "", map[string]any{"key": ticket.Key}).problem(404, "not-found")
	v.call("POST", path, "", map[string]any{"key": ticket.Key}).want(204, nil)
	v.call("POST", path, "", map[string]any{"key": ticket.Key}).problem(404, "not-found")
	if got := v.inForce("example.com"); got != "stop" {
		t.Errorf("in force after the withdrawal: %q", got)
	}
}

// The operator reads who objected and why, and nobody else does.
func TestTheOperatorReadsObjections(t *testing.T) {
	v := newVisitedEdge(t)
	first := v.object(map[string]any{"host": "a.example", "kind": "slower", "factor": 3, "contact": "me@a.example", "message": "Please."})
	second := v.object(map[string]any{"host": "b.example", "kind": "stop"})
	v.call("GET", "/v1/objections", "", nil).problem(401, "token-missing")
	v.call("GET", "/v1/objections", v.workspace("w"), nil).problem(403, "operator-only")
	v.call("DELETE", "/v1/objections/"+first.Ticket, "", nil).problem(401, "token-missing")
	var list api.List[api.RecordedObjection]
	v.call("GET", "/v1/objections?limit=1", bootstrap, nil).want(200, &list)
	if len(list.Items) != 1 || list.Items[0].Ticket != second.Ticket || list.Next == "" {
		t.Fatalf("%+v", list)
	}
	path := "/v1/objections?limit=1&cursor=" + list.Next
	list = api.List[api.RecordedObjection]{}
	v.call("GET", path, bootstrap, nil).want(200, &list)
	if o := list.Items[0]; o.Ticket != first.Ticket || o.Contact != "me@a.example" || o.Message != "Please." || o.Factor != 3 || !o.InForce || o.Until == nil || list.Next != "" {
		t.Errorf("%+v", list)
	}
	v.call("DELETE", "/v1/objections/"+first.Ticket, bootstrap, nil).want(204, nil)
	v.call("DELETE", "/v1/objections/"+first.Ticket, bootstrap, nil).problem(404, "not-found")
	if got := v.inForce("a.example"); got != "" {
		t.Errorf("in force: %q", got)
	}
}

// One address can keep only so many hosts to itself in a day.
func TestADaysObjectionsAreFew(t *testing.T) {
	v := newVisitedEdge(t)
	for i := range 20 {
		v.rest()
		v.object(map[string]any{"host": fmt.Sprintf("site%d.example", i), "kind": "stop"})
	}
	v.rest()
	v.call("POST", "/v1/objections", "", map[string]any{"host": "more.example", "kind": "stop"}).problem(429, "too-often")
	v.later += 24 * time.Hour
	v.object(map[string]any{"host": "more.example", "kind": "stop"})
}

func TestObjectionsThatAreDeclined(t *testing.T) {
	v := newVisitedEdge(t)
	for _, c := range []struct {
		body        map[string]any
		status      int
		code, field string
	}{
		{map[string]any{"host": "exa mple", "kind": "stop"}, 422, "url-space", "/host"},
		{map[string]any{"host": "example.com", "kind": "stop", "contact": "nobody"}, 422, "contact-invalid", "/contact"},
		{map[string]any{"host": "example.com", "kind": "slower", "factor": 1000}, 422, "factor-out-of-range", "/factor"},
		{map[string]any{"host": "example.com", "kind": "quiet_hours", "from": "8", "to": "18:00"}, 422, "time-invalid", "/from"},
		{map[string]any{"host": "example.com", "kind": "quiet_hours", "from": "08:00", "to": "18:00", "zone": "Mars/Base"}, 422, "zone-unknown", "/zone"},
		{map[string]any{"host": "example.com", "kind": "go away"}, 422, "invalid-field", "/kind"},
		{map[string]any{"host": "example.com", "kind": "stop", "subdomains": true}, 403, "host-proof-needed", "/subdomains"},
	} {
		v.rest()
		if f := fieldOf(t, v.call("POST", "/v1/objections", "", c.body).want(c.status, nil).asProblem()); f.Code != c.code || f.Pointer != c.field {
			t.Errorf("%v: %+v, want %s at %s", c.body, f, c.code, c.field)
		}
	}
	v.rest()
	for header, code := range map[string]string{"Bearer vht_unknown": "token-unknown", "Basic abc": "token-missing"} {
		v.call("POST", "/v1/objections", "", map[string]any{"host": "example.com", "kind": "stop"}, "Authorization", header).problem(401, code)
	}
	if got := v.inForce("example.com"); got != "" {
		t.Errorf("in force: %q", got)
	}
}

// proves S-49: the form works without scripts, in three languages, and only once
// it is confirmed.
func TestObjectionByForm(t *testing.T) {
	v := newVisitedEdge(t)
	fill := url.Values{"host": {"example.com"}, "kind": {"slower"}, "factor": {"3"}, "contact": {""}, "message": {"<b>hello</b>"}}
	for lang, want := range map[string]string{"en": "Please tick the box", "de": "Bitte setzen Sie den Haken", "es": "Marque la casilla"} {
		a := v.form("/bot/object?lang="+lang, fill).want(422, nil)
		if text := plainText(t, a.body); !strings.Contains(text, want) || strings.Contains(string(a.body), "<b>") {
			t.Errorf("%s: %s", lang, text)
		}
	}
	if v.inForce("example.com") != "" {
		t.Error("it holds though it was not confirmed")
	}
	fill.Set("confirm", "yes")
	a := v.form("/bot/object?lang=de", fill).want(201, nil)
	if text := plainText(t, a.body); !strings.Contains(text, "Angekommen.") || !strings.Contains(text, "vok_") || !strings.Contains(text, "Es gilt bis ") {
		t.Errorf("acknowledgement: %s", text)
	}
	if got := v.inForce("example.com"); got != "slower" {
		t.Errorf("in force: %q", got)
	}
	fill.Set("kind", "quiet_hours")
	v.form("/bot/object?lang=es", fill).want(422, nil)
	v.form("/bot/object", fill).want(429, nil)
}
