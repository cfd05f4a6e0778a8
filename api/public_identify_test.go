package api_test

import (
	"encoding/json"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"visite/api"
	"visite/schema"
)

func (v *visitedEdge) identify(body map[string]any) api.Identified {
	v.t.Helper()
	var found api.Identified
	v.call("POST", "/v1/requests:identify", "", body).want(200, &found)
	return found
}

// proves S-09: requests in the ledger are ours, forged ones are not, and the
// answer says why.
func TestWasThisYou(t *testing.T) {
	v := newVisitedEdge(t, func(o *api.Options) { o.Egress = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/28")} })
	at := time.Date(2026, 11, 30, 13, 55, 36, 0, time.UTC)
	v.sent(at, "example.com", "https://example.com/", "https://example.com/shop?page=2&q=secret", "https://example.com/caf%C3%A9")
	const agent = "Mozilla/5.0 (compatible; Visite/1.0; +https://visite.example/bot)"
	for _, c := range []struct {
		name   string
		body   map[string]any
		reason string
	}{
		{"home page", map[string]any{"host": "example.com", "at": at, "path": "/"}, "found"},
		{"clock off by five minutes", map[string]any{"host": "example.com", "at": at.Add(5 * time.Minute), "path": "/"}, "found"},
		{"clock off by more", map[string]any{"host": "example.com", "at": at.Add(5*time.Minute + time.Second), "path": "/"}, "no_request_then"},
		{"more tolerance", map[string]any{"host": "example.com", "at": at.Add(time.Hour), "path": "/", "tolerance_seconds": 3600}, "found"},
		{"less tolerance", map[string]any{"host": "example.com", "at": at.Add(time.Minute), "path": "/", "tolerance_seconds": 30}, "no_request_then"},
		{"query with other values", map[string]any{"host": "example.com", "at": at, "path": "/shop?page=9&q=x"}, "found"},
		{"query with another name", map[string]any{"host": "example.com", "at": at, "path": "/shop?page=2&r=x"}, "no_request_to_path"},
		{"another path", map[string]any{"host": "example.com", "at": at, "path": "/wp-login.php"}, "no_request_to_path"},
		{"another host", map[string]any{"host": "other.example", "at": at, "path": "/"}, "no_request_then"},
		{"whole address", map[string]any{"at": at, "path": "https://example.com/shop?page=2&q=1"}, "found"},
		{"unescaped path", map[string]any{"host": "https://EXAMPLE.com", "at": at, "path": "/café"}, "found"},
		{"method", map[string]any{"host": "example.com", "at": at, "path": "/", "method": "get"}, "found"},
		{"another method", map[string]any{"host": "example.com", "at": at, "path": "/", "method": "POST"}, "other_method"},
		{"our address", map[string]any{"host": "example.com", "at": at, "path": "/", "ip": "192.0.2.7"}, "found"},
		{"another address", map[string]any{"host": "example.com", "at": at, "path": "/", "ip": "203.0.113.9"}, "address_not_ours"},
		{"our User-Agent", map[string]any{"host": "example.com", "at": at, "path": "/", "user_agent": agent}, "found"},
		{"another User-Agent", map[string]any{"host": "example.com", "at": at, "path": "/", "user_agent": "curl/8.0"}, "user_agent_not_ours"},
		{"longer ago than the ledger", map[string]any{"host": "example.com", "at": at.AddDate(-1, 0, 0), "path": "/"}, "not_kept"},
		{"a line", map[string]any{"host": "example.com", "log_line": `192.0.2.7 - - [30/Nov/2026:14:55:36 +0100] "GET /shop?page=2&q=secret HTTP/1.1" 200 5120 "-" "` + agent + `"`}, "found"},
		{"a forged line", map[string]any{"host": "example.com", "log_line": `203.0.113.9 - - [30/Nov/2026:14:55:36 +0100] "GET /shop?page=2&q=secret HTTP/1.1" 200 5120 "-" "` + agent + `"`}, "address_not_ours"},
		{"a line, a field corrected", map[string]any{"host": "example.com", "path": "/", "log_line": `- - [30/Nov/2026:14:55:36 +0100] "GET /nowhere HTTP/1.1" 200 1`}, "found"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v.t = t
			found := v.identify(c.body)
			if found.Reason != c.reason || found.Ours != (c.reason == "found") || found.Words == "" || (len(found.Requests) == 1) != found.Ours {
				t.Fatalf("%+v, want %s", found, c.reason)
			}
			if found.Ours && (!found.Requests[0].At.Equal(at) || found.Requests[0].Purpose != schema.PurposePage || found.Requests[0].Cause != schema.CauseScan || found.Requests[0].Profile != "visite") {
				t.Errorf("%+v", found.Requests[0])
			}
			text, err := json.Marshal(found)
			check(t, err)
			if strings.Contains(string(text), "secret") || strings.Contains(string(text), customerWord) {
				t.Errorf("the answer tells too much: %s", text)
			}
		})
		v.t = t
	}
}

func TestQuestionsThatCannotBeUnderstood(t *testing.T) {
	v := newVisitedEdge(t)
	at := time.Now()
	for _, c := range []struct {
		body        map[string]any
		code, field string
	}{
		{map[string]any{}, "time-missing", "/at"},
		{map[string]any{"log_line": "no line at all"}, "time-missing", "/at"},
		{map[string]any{"at": at}, "path-missing", "/path"},
		{map[string]any{"at": at, "path": "/"}, "host-missing", "/host"},
		{map[string]any{"at": at, "path": "/", "host": "exa mple"}, "url-space", "/host"},
		{map[string]any{"at": at, "path": "/", "host": "https://user:pass@example.com"}, "url-credentials", "/host"},
	} {
		f := fieldOf(t, v.call("POST", "/v1/requests:identify", "", c.body).want(422, nil).asProblem())
		if f.Code != c.code || f.Pointer != c.field {
			t.Errorf("%v: %+v, want %s at %s", c.body, f, c.code, c.field)
		}
	}
	v.call("POST", "/v1/requests:identify", "", map[string]any{"log_line": strings.Repeat("x", 4001)}).want(422, nil)
	v.call("POST", "/v1/requests:identify", "", strings.Repeat(" ", 70_000)+"{}").problem(413, "body-too-large")
}

// Whatever a log may hold is a question like any other, and no fault of ours.
func TestHostileQuestions(t *testing.T) {
	v := newVisitedEdge(t)
	at := time.Now()
	for _, path := range []string{"/\x00", "/a\x00b?c=\x00", "/\u202e", "/'; DROP TABLE ledger; --", "/%00", "/" + strings.Repeat("%2e%2e/", 200)} {
		v.call("POST", "/v1/requests:identify", "", map[string]any{"at": at, "path": path, "host": "shop.example"}).want(200, nil)
		line := `192.0.2.1 - - [` + at.Format("02/Jan/2006:15:04:05 -0700") + `] "GET ` + path + ` HTTP/1.1" 200 1 "-" "x"`
		v.form("/bot/identify", url.Values{"log_line": {line}, "host": {"shop.example"}}).want(200, nil)
	}
	v.call("POST", "/bot/identify", "", "log_line=%zz", "Content-Type", "application/x-www-form-urlencoded").problem(400, "malformed-form")
	v.call("GET", "/bot?x=%zz", "", nil).want(200, nil)
	v.call("POST", "/bot/identify", "", "log_line="+strings.Repeat("a", 70_000), "Content-Type", "application/x-www-form-urlencoded").problem(413, "body-too-large")
}

func (a answer) asProblem() api.Problem {
	a.t.Helper()
	var p api.Problem
	a.want(a.status, &p)
	return p
}

// proves S-09: the form does without scripts what the API does, in the reader's
// language, and shows back what was typed without letting it act.
func TestWasThisYouByForm(t *testing.T) {
	v := newVisitedEdge(t)
	at := time.Now().UTC().Truncate(time.Second)
	v.sent(at, "example.com", "https://example.com/a")
	line := `1.2.3.4 - - [` + at.Format("02/Jan/2006:15:04:05 -0700") + `] "GET /a HTTP/1.1" 200 1 "-" "Mozilla/5.0 (compatible; Visite/1.0; +https://visite.example/bot)"`
	for lang, want := range map[string][2]string{"en": {"Yes, this was us.", "No, this was not us."}, "de": {"Ja, das waren wir.", "Nein, das waren wir nicht."}, "es": {"Sí, fuimos nosotros.", "No, no fuimos nosotros."}} {
		a := v.form("/bot/identify?lang="+lang, url.Values{"log_line": {line}, "host": {"example.com"}}).want(200, nil)
		if text := plainText(t, a.body); !strings.Contains(text, want[0]) || !strings.Contains(text, "GET /a") || !strings.Contains(text, at.Format(time.DateTime)+" UTC") {
			t.Errorf("%s: %s", lang, text)
		}
		if a.header.Get("Cache-Control") != "no-store" || a.header.Get("Content-Language") != lang {
			t.Errorf("%s: headers %v", lang, a.header)
		}
		a = v.form("/bot/conregio/identify?lang="+lang, url.Values{"log_line": {strings.Replace(line, "/a", "/b", 1)}, "host": {"example.com"}}).want(200, nil)
		if text := plainText(t, a.body); !strings.Contains(text, want[1]) {
			t.Errorf("%s: %s", lang, text)
		}
	}
	a := v.form("/bot/identify?lang=de", url.Values{"log_line": {`</textarea><script>alert(1)</script>`}, "host": {`"><b>`}}).want(422, nil)
	if page := string(a.body); strings.Contains(page, "<script>") || strings.Contains(page, "<b>") || !strings.Contains(page, "Die Zeit fehlt") {
		t.Errorf("what was typed acts: %s", page)
	}
	v.form("/bot/nobody/identify", url.Values{}).want(404, nil)
	v.form("/bot/identify", url.Values{"log_line": {strings.Repeat("x", 70_000)}}).want(413, nil)
}

func TestPublicQuestionsAreLimited(t *testing.T) {
	now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	v := newVisitedEdge(t, func(o *api.Options) { o.Now = func() time.Time { return now } })
	ask := func() answer {
		return v.call("POST", "/v1/requests:identify", "", map[string]any{"host": "example.com", "path": "/", "at": now})
	}
	for i := range 30 {
		if a := ask(); a.status != 200 {
			t.Fatalf("question %d: %d", i+1, a.status)
		}
	}
	if got := ask(); got.problem(429, "too-often").Detail == "" || got.header.Get("Retry-After") != "60" {
		t.Errorf("Retry-After %q, want 60", got.header.Get("Retry-After"))
	}
	v.form("/bot/identify", url.Values{}).want(429, nil) // one count for form and API
	v.call("GET", "/v1/hosts/example.com", "", nil).want(200, nil)
	now = now.Add(time.Minute)
	ask().want(200, nil)
	for i := range 60 {
		if a := v.call("GET", "/v1/hosts/example.com", "", nil); a.status != 200 {
			t.Fatalf("question %d: %d", i+1, a.status)
		}
	}
	v.call("GET", "/v1/hosts/example.com", "", nil).problem(429, "too-often")
	v.call("GET", "/v1/hosts/other.example", "", nil).problem(429, "too-often")
}
