package api_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"visite/api"
	"visite/internal/report"
	"visite/schema"
)

func TestProblemsOfHTTP(t *testing.T) {
	e := newEdge(t)
	token := e.workspace("w")
	large := `{"url":"https://example.com/` + strings.Repeat("a", 64<<10) + `"}`
	for _, c := range []struct {
		name, method, path string
		body               any
		headers            []string
		status             int
		code               string
	}{
		{"unknown path", "GET", "/v1/nothing", nil, nil, 404, "no-such-resource"},
		{"unknown path, no version", "GET", "/admin", nil, nil, 404, "no-such-resource"},
		{"wrong method", "DELETE", "/v1/scans", nil, nil, 405, "method-not-allowed"},
		{"wrong method of a child", "PUT", "/v1/scans/x/cancel", nil, nil, 405, "method-not-allowed"},
		{"too large a body", "POST", "/v1/scans", large, nil, 413, "body-too-large"},
		{"not JSON by type", "POST", "/v1/scans", "url=x", []string{"Content-Type", "application/x-www-form-urlencoded"}, 415, "media-type"},
		{"text by type", "POST", "/v1/scans", `{"url":"https://example.com/"}`, []string{"Content-Type", "text/plain"}, 415, "media-type"},
		{"no body", "POST", "/v1/scans", "", nil, 400, "malformed-body"},
		{"broken JSON", "POST", "/v1/scans", `{"url":"https://canary.example/"`, nil, 400, "malformed-body"},
		{"a list", "POST", "/v1/scans", `[]`, nil, 422, "invalid-request"},
		{"null", "POST", "/v1/scans", `null`, nil, 422, "invalid-request"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := e.call(c.method, c.path, token, c.body, c.headers...)
			a.t = t
			a.problem(c.status, c.code)
			if c.status == 405 && a.header.Get("Allow") != map[string]string{"/v1/scans": "GET, HEAD, POST", "/v1/scans/x/cancel": "POST"}[c.path] {
				t.Errorf("Allow %q", a.header.Get("Allow"))
			}
			if strings.Contains(string(a.body), "canary") {
				t.Errorf("the answer repeats the body: %s", a.body)
			}
		})
	}
}

// A body that hides its length is cut at the limit too.
func TestChunkedBodyIsBounded(t *testing.T) {
	e := newEdge(t)
	token := e.workspace("w")
	reader, writer := io.Pipe()
	go func() {
		_, err := writer.Write([]byte(`{"url":"`))
		for i := 0; err == nil && i < 100; i++ {
			_, err = writer.Write([]byte(strings.Repeat("a", 4096)))
		}
		writer.CloseWithError(io.EOF)
	}()
	req, err := http.NewRequestWithContext(t.Context(), "POST", e.server.URL+"/v1/scans", reader)
	check(t, err)
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	check(t, err)
	defer resp.Body.Close()
	if resp.StatusCode != 413 {
		t.Errorf("status %d", resp.StatusCode)
	}
}

func TestBrokenOffBodyIsTheClientsFault(t *testing.T) {
	e := newEdge(t)
	token := e.workspace("w")
	conn, err := net.Dial("tcp", e.server.Listener.Addr().String())
	check(t, err)
	defer conn.Close()
	_, err = io.WriteString(conn, "POST /v1/scans HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+token+"\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{\"url\":")
	check(t, err)
	check(t, conn.(*net.TCPConn).CloseWrite())
	text, err := io.ReadAll(conn)
	check(t, err)
	if !strings.HasPrefix(string(text), "HTTP/1.1 400 ") || !strings.Contains(string(text), "malformed-body") {
		t.Errorf("%s", text)
	}
}

func TestOurOwnFaultsShowNoInternals(t *testing.T) {
	e := newEdge(t, func(o *api.Options) { o.Scans = &brokenScans{} })
	token := e.workspace("w")
	e.order(token, map[string]any{"url": "http://localhost/"}).want(202, nil)
	var scans api.List[api.Scan]
	e.call("GET", "/v1/scans", token, nil).want(200, &scans)
	a := e.call("POST", "/v1/scans/"+scans.Items[0].ID+"/cancel", token, nil)
	p := a.problem(500, "internal")
	if strings.Contains(string(a.body), "db.internal") || strings.Contains(string(a.body), "refused") {
		t.Errorf("the answer shows internals: %s", a.body)
	}
	if !strings.Contains(e.logged(), "db.internal") || !strings.Contains(e.logged(), p.RequestID) {
		t.Error("the log does not say what failed in which request")
	}
}

// brokenScans fails in ways of our own.
type brokenScans struct{ fakeScans }

func (*brokenScans) Cancel(context.Context, schema.Scan) (bool, error) { return false, errBroken }

func TestPanicIsAnswered(t *testing.T) {
	e := newEdge(t, func(o *api.Options) { o.Resolver = nil })
	token := e.workspace("w")
	e.order(token, map[string]any{"url": "http://localhost/"}).problem(500, "internal")
	if !strings.Contains(e.logged(), `"msg":"panic"`) {
		t.Error("the panic is not in the log")
	}
}

func TestLogHoldsNoQueryAndNoToken(t *testing.T) {
	e := newEdge(t)
	token := e.workspace("w")
	e.call("GET", "/v1/scans?state=running&canary-name=canary-value", token, nil)
	e.order(token, map[string]any{"url": "http://localhost/?secret=canary"}).want(202, nil)
	e.call("GET", "/v1/scans", "vst_canary", nil)
	log := e.logged()
	for _, secret := range []string{"canary", token, bootstrap} {
		if strings.Contains(log, secret) {
			t.Errorf("the log holds %q", secret)
		}
	}
	if !strings.Contains(log, `"path":"/v1/scans"`) || !strings.Contains(log, `"status":202`) || !strings.Contains(log, `"workspace":"01`) {
		t.Errorf("the access log is %s", log)
	}
}

func TestHeadersOfEveryAnswer(t *testing.T) {
	e := newEdge(t)
	token := e.workspace("w")
	for _, path := range []string{"/v1/scans", "/v1/nothing", "/healthz", "/docs"} {
		h := e.call("GET", path, token, nil).header
		if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" || !strings.HasPrefix(h.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%s: %v", path, h)
		}
		if strings.HasPrefix(path, "/v1/") && h.Get("Cache-Control") != "no-store" {
			t.Errorf("%s may be cached", path)
		}
	}
	if got := e.call("GET", "/healthz", "", nil, "X-Request-Id", "from-the-client_1").header.Get("X-Request-Id"); got != "from-the-client_1" {
		t.Errorf("request id %q", got)
	}
	if got := e.call("GET", "/healthz", "", nil, "X-Request-Id", "forged id").header.Get("X-Request-Id"); len(got) != 26 {
		t.Errorf("request id %q", got)
	}
	if a := e.call("HEAD", "/v1/scans", token, nil).want(200, nil); len(a.body) != 0 {
		t.Errorf("HEAD has a body: %s", a.body)
	}
}

func TestHealth(t *testing.T) {
	e := newEdge(t)
	var h api.Health
	e.call("GET", "/healthz", "", nil).want(200, &h)
	if h.Status != "ok" {
		t.Errorf("%+v", h)
	}
	ready := func(status int) string {
		var h api.Health
		e.call("GET", "/readyz", "", nil).want(status, &h)
		var said []string
		for _, part := range h.Parts {
			said = append(said, part.Name+" "+part.Status)
		}
		return h.Status + ": " + strings.Join(said, ", ")
	}
	if got := ready(200); got != "ok: database ok, temporal ok" {
		t.Error(got)
	}
	e.scans.pingErr = errBroken
	if got := ready(503); got != "unavailable: database ok, temporal unavailable" {
		t.Error(got)
	}
}

func TestReadinessNamesTheDatabase(t *testing.T) {
	e := newEdge(t, func(o *api.Options) { o.Store = awayStore{Store: o.Store} })
	a := e.call("GET", "/readyz", "", nil)
	var h api.Health
	a.want(503, &h)
	if h.Parts[0] != (api.HealthOfOne{Name: "database", Status: "unavailable"}) || h.Parts[1].Status != "ok" || strings.Contains(string(a.body), "db.internal") {
		t.Errorf("%s", a.body)
	}
}

type awayStore struct{ api.Store }

func (awayStore) Ping(context.Context) error { return errBroken }

func TestReport(t *testing.T) {
	e := newEdge(t)
	token := e.workspace("w")
	scan := e.scan(token, "http://localhost:4000/")
	path := "/v1/scans/" + scan.ID + "/report"
	for _, c := range []struct{ accept, query, mediaType, begins string }{
		{"", "", "application/json; charset=utf-8", `{"scan"`}, {"application/json", "", "application/json; charset=utf-8", `{"scan"`}, {"*/*", "", "application/json; charset=utf-8", `{"scan"`},
		{"text/html", "", "text/html; charset=utf-8", "<!doctype"}, {"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "", "text/html; charset=utf-8", "<!doctype"},
		{"text/*", "", "text/html; charset=utf-8", "<!doctype"}, {"application/*;q=0.1, text/html;q=0", "", "application/json; charset=utf-8", `{"scan"`},
		{"text/html;q=0.5, application/json", "", "application/json; charset=utf-8", `{"scan"`}, {"application/json", "?format=html", "text/html; charset=utf-8", "<!doctype"},
		{"text/html", "?format=json", "application/json; charset=utf-8", `{"scan"`},
		{"application/pdf", "", "application/pdf", "pdf of "}, {"text/csv", "", "text/csv; charset=utf-8", "csv of "}, {"", "?format=csv", "text/csv; charset=utf-8", "csv of "},
		{"application/sarif+json", "", "application/sarif+json", "sarif of "}, {"application/ld+json", "", "application/ld+json", "earl of "}, {"application/xml", "", "application/xml", "junit of "},
		{"", "?format=junit", "application/xml", "junit of "},
	} {
		a := e.call("GET", path+c.query, token, nil, "Accept", c.accept).want(200, nil)
		if a.header.Get("Content-Type") != c.mediaType || !strings.HasPrefix(string(a.body), c.begins) || !strings.Contains(string(a.body), scan.ID) || a.header.Get("Vary") != "Accept, Accept-Language" {
			t.Errorf("Accept %q %s: %q %s", c.accept, c.query, a.header.Get("Content-Type"), a.body)
		}
		if csp := a.header.Get("Content-Security-Policy"); strings.Contains(csp, "script") || !strings.HasPrefix(csp, "default-src 'none'") {
			t.Errorf("policy %q", csp)
		}
	}
	if name := e.call("GET", path+"?format=csv", token, nil).want(200, nil).header.Get("Content-Disposition"); !strings.HasPrefix(name, `attachment; filename="visite-localhost-4000-20`) || !strings.HasSuffix(name, `.csv"`) {
		t.Errorf("file name %q", name)
	}
	for _, c := range []struct{ accepts, query, lang string }{{"", "", "en"}, {"de-AT, en;q=0.5", "", "de"}, {"fr", "", "en"}, {"de", "?lang=es", "es"}, {"es;q=0.2, de;q=0.9", "?format=html", "de"}} {
		a := e.call("GET", path+c.query, token, nil, "Accept-Language", c.accepts).want(200, nil)
		if got := string(e.reports.wanted.Lang); got != c.lang || a.header.Get("Content-Language") != c.lang {
			t.Errorf("Accept-Language %q %s: %q", c.accepts, c.query, got)
		}
	}
	e.call("GET", path+"?lang=fr", token, nil).want(422, nil)
	e.reports.before = report.ErrNoPDF
	e.call("GET", path, token, nil, "Accept", "application/pdf").problem(501, "pdf-unavailable")
	e.reports.before = nil
	for _, accept := range []string{"application/msword", "text/html;q=0", "application/json;q=2"} {
		p := e.call("GET", path, token, nil, "Accept", accept).problem(406, "not-acceptable")
		if words := p.Detail + p.Remedy; !strings.Contains(words, "application/json") || !strings.Contains(words, "text/html") {
			t.Errorf("what there is is not named: %s", words)
		}
	}
	e.reports.before = errBroken
	e.call("GET", path, token, nil, "Accept", "text/html").problem(500, "internal")
}

// A report that breaks off must not look whole.
func TestReportThatFailsHalfwayIsCut(t *testing.T) {
	e := newEdge(t)
	token := e.workspace("w")
	scan := e.scan(token, "http://localhost:4000/")
	e.reports.after = errBroken
	req := httptest.NewRequestWithContext(t.Context(), "GET", e.server.URL+"/v1/scans/"+scan.ID+"/report", nil)
	req.RequestURI = ""
	req.Header.Set("Authorization", "Bearer "+token)
	client := &http.Client{Timeout: 10 * time.Second}
	resp, err := client.Do(req)
	if err != nil {
		return // cut before the headers
	}
	defer resp.Body.Close()
	if text, err := io.ReadAll(resp.Body); err == nil {
		t.Errorf("the cut report looks whole: %s", text)
	}
}

// slowResolver takes its time, or waits for the request's end.
type slowResolver struct{ takes time.Duration }

func (r slowResolver) Check(ctx context.Context, _ *url.URL) (bool, *schema.Refusal) {
	select {
	case <-time.After(r.takes):
		return true, nil
	case <-ctx.Done():
		return false, &schema.Refusal{Kind: schema.RefusalInvalid, Field: "/url", Code: "cut-off", Detail: "x", Remedy: "x"}
	}
}

// Passing the body's deadline while the order is judged does not cut it off.
func TestSlowAnswerOutlivesTheBodysDeadline(t *testing.T) {
	e := newEdge(t, func(o *api.Options) {
		o.BodyTime, o.Resolver = 100*time.Millisecond, slowResolver{400 * time.Millisecond}
	})
	e.order(e.workspace("w"), map[string]any{"url": "http://localhost/"}).want(202, nil)
}

func TestStreamOutlivesTheBodysDeadline(t *testing.T) {
	e := newEdge(t, func(o *api.Options) { o.BodyTime, o.EventPoll = 100*time.Millisecond, 10*time.Millisecond })
	token := e.workspace("w")
	scan := e.scan(token, "http://localhost:4000/")
	s := e.follow(token, scan.ID)
	s.next()
	time.Sleep(400 * time.Millisecond)
	check(t, e.store.Finish(t.Context(), scan.ID, schema.ScanFinished, ""))
	if _, _, event, ok := s.next(); !ok || !event.Final {
		t.Errorf("the stream was cut: %v %+v", ok, event)
	}
}

func TestBodyThatDripsIsRefused(t *testing.T) {
	e := newEdge(t, func(o *api.Options) { o.BodyTime = time.Second })
	token := e.workspace("w")
	for _, path := range []string{"/v1/scans", "/v1/scans/absent/cancel"} {
		conn, err := net.Dial("tcp", e.server.Listener.Addr().String())
		check(t, err)
		defer conn.Close()
		_, err = io.WriteString(conn, "POST "+path+" HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+token+"\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{")
		check(t, err)
		check(t, conn.SetReadDeadline(time.Now().Add(10*time.Second)))
		text, err := io.ReadAll(conn)
		if err != nil {
			t.Fatalf("%s: the server still waits for the body: %v", path, err)
		}
		if want := map[string]string{"/v1/scans": "HTTP/1.1 408 ", "/v1/scans/absent/cancel": "HTTP/1.1 404 "}[path]; !strings.HasPrefix(string(text), want) {
			t.Errorf("%s: %s", path, text)
		}
	}
}

type stuckStore struct{ api.Store }

func (stuckStore) Sites(ctx context.Context, _ string, _ schema.Range) ([]schema.Site, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestAnswerThatTakesTooLong(t *testing.T) {
	e := newEdge(t, func(o *api.Options) { o.Store, o.Within = stuckStore{o.Store}, 3*time.Second })
	a := e.call("GET", "/v1/sites", e.workspace("w"), nil)
	a.problem(503, "timeout")
	if a.header.Get("Retry-After") != "5" {
		t.Errorf("Retry-After %q", a.header.Get("Retry-After"))
	}
}
