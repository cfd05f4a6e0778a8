package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"visite/api"
	"visite/internal/config"
	"visite/internal/pgtest"
	"visite/internal/postgres"
	"visite/internal/report"
	"visite/schema"
	"visite/workflows"
)

var _ api.Store = (*postgres.Store)(nil)

const bootstrap = "bootstrap-secret-of-the-test"

// fakeScans stands in for Temporal.
type fakeScans struct {
	mu        sync.Mutex
	started   []workflows.ScanInput
	cancelled []string
	startErr  error
	pingErr   error
	notOpen   bool // no workflow is open

	brisk    []schema.BriskOrder // orders handed on
	briskErr error
}

func (f *fakeScans) Brisk(_ context.Context, _ schema.Scan, _ string, o schema.BriskOrder) (workflows.BriskGrant, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.briskErr != nil {
		return workflows.BriskGrant{}, f.briskErr
	}
	f.brisk = append(f.brisk, o)
	return workflows.BriskGrant{Until: time.Date(2030, 1, 1, 0, o.Minutes, 0, 0, time.UTC), CrawlDelay: true}, nil
}

func (f *fakeScans) Start(_ context.Context, in workflows.ScanInput, _ schema.Scan) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.startErr != nil {
		return f.startErr
	}
	f.started = append(f.started, in)
	return nil
}

func (f *fakeScans) Cancel(_ context.Context, scan schema.Scan) (bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cancelled = append(f.cancelled, scan.ID)
	return !f.notOpen, nil
}

func (f *fakeScans) Open(context.Context, schema.Scan) (bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return !f.notOpen, nil
}

func (f *fakeScans) Ping(context.Context) error { return f.pingErr }

func (f *fakeScans) starts() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var ids []string
	for _, in := range f.started {
		ids = append(ids, in.ScanID)
	}
	return ids
}

// fakeResolver knows localhost as this machine and refuses the names given.
type fakeResolver struct {
	mu      sync.Mutex
	refused map[string]string // host name -> code
	asked   []string
}

func (f *fakeResolver) Check(_ context.Context, u *url.URL) (bool, *schema.Refusal) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, u.Hostname())
	if code, ok := f.refused[u.Hostname()]; ok {
		return false, &schema.Refusal{Kind: schema.RefusalInvalid, Field: "/url", Code: code, Detail: "The name leads nowhere we may go.", Remedy: "Check the name."}
	}
	return u.Hostname() == "localhost" || u.Hostname() == "127.0.0.1", nil
}

// fakeReports renders the scan's id, or fails before or after its first byte.
type fakeReports struct {
	before, after error
	wanted        report.Request // what was asked for last
	items         []report.ComparedItem
	asked         string // scan, scan before and language of the items asked for last
}

func (f *fakeReports) Items(_ context.Context, scan schema.Scan, before *schema.Scan, lang report.Lang) ([]report.ComparedItem, error) {
	f.asked = scan.ID + " "
	if before != nil {
		f.asked += before.ID
	}
	f.asked += " " + string(lang)
	return slices.Clone(f.items), nil
}

func (f *fakeReports) Render(_ context.Context, w io.Writer, s schema.Scan, want report.Request) error {
	f.wanted = want
	switch want.Format {
	case report.FormatHTML:
		return f.render(w, "<!doctype html><title>"+s.ID+"</title>")
	case report.FormatJSON:
		return f.render(w, `{"scan":{"id":"`+s.ID+`"}}`)
	}
	return f.render(w, string(want.Format)+" of "+s.ID)
}

func (f *fakeReports) render(w io.Writer, text string) error {
	if f.before != nil {
		return f.before
	}
	if _, err := io.WriteString(w, text); err != nil {
		return err
	}
	return f.after
}

// edge is an API over a real database, with what stands around it faked.
type edge struct {
	t        *testing.T
	api      *api.API
	server   *httptest.Server
	store    *postgres.Store
	scans    *fakeScans
	resolver *fakeResolver
	reports  *fakeReports
	log      *bytes.Buffer
	logLock  sync.Mutex
}

func (e *edge) Write(b []byte) (int, error) {
	e.logLock.Lock()
	defer e.logLock.Unlock()
	return e.log.Write(b)
}

func (e *edge) logged() string {
	e.logLock.Lock()
	defer e.logLock.Unlock()
	return e.log.String()
}

func newEdge(t *testing.T, change ...func(*api.Options)) *edge {
	t.Helper()
	profiles, err := config.LoadProfiles("")
	if err != nil {
		t.Fatal(err)
	}
	e := &edge{
		t: t, store: postgres.New(pgtest.DB(t)), scans: &fakeScans{}, reports: &fakeReports{}, log: &bytes.Buffer{},
		resolver: &fakeResolver{refused: map[string]string{"nowhere.example": "name-not-found", "10.0.0.1": "guarded-address", "inside.example": "guarded-address"}},
	}
	o := api.Options{
		Store: e.store, Scans: e.scans, Resolver: e.resolver, Reports: e.reports, Profiles: profiles,
		Log: slog.New(slog.NewJSONHandler(e, &slog.HandlerOptions{Level: slog.LevelDebug})), BootstrapToken: bootstrap, AllowLoopback: true,
		PublicURL: "http://127.0.0.1:8480",
	}
	for _, c := range change {
		c(&o)
	}
	e.api = api.New(o)
	e.server = httptest.NewUnstartedServer(nil)
	e.server.Config = e.api.Server()
	e.server.Start()
	t.Cleanup(e.server.Close)
	return e
}

// answer is what came back, its body read.
type answer struct {
	t      *testing.T
	status int
	header http.Header
	body   []byte
}

// call sends one request; headers are given as name, value pairs.
func (e *edge) call(method, path, token string, body any, headers ...string) answer {
	e.t.Helper()
	var reader io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		reader = strings.NewReader(b)
	default:
		text, err := json.Marshal(b)
		if err != nil {
			e.t.Fatal(err)
		}
		reader = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(e.t.Context(), method, e.server.URL+path, reader)
	if err != nil {
		e.t.Fatal(err)
	}
	if reader != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		e.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		e.t.Fatal(err)
	}
	return answer{t: e.t, status: resp.StatusCode, header: resp.Header, body: text}
}

// want fails the test where the status is another, and decodes the body into v.
func (a answer) want(status int, v any) answer {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("status %d, want %d: %s", a.status, status, a.body)
	}
	if v != nil {
		if err := json.Unmarshal(a.body, v); err != nil {
			a.t.Fatalf("%v in %s", err, a.body)
		}
	}
	return a
}

// problem checks that the answer is a well-formed problem of a code.
func (a answer) problem(status int, code string) api.Problem {
	a.t.Helper()
	var p api.Problem
	a.want(status, &p)
	if got := a.header.Get("Content-Type"); got != "application/problem+json" {
		a.t.Errorf("content type %q", got)
	}
	if p.Type != "/problems/"+code || p.Status != status || p.Title == "" || p.Detail == "" || p.Remedy == "" {
		a.t.Errorf("problem %+v, want code %q", p, code)
	}
	if p.RequestID == "" || p.RequestID != a.header.Get("X-Request-Id") {
		a.t.Errorf("request id %q in the body, %q in the header", p.RequestID, a.header.Get("X-Request-Id"))
	}
	return p
}

// workspace makes a workspace and returns its token.
func (e *edge) workspace(name string) string {
	e.t.Helper()
	var w api.NewWorkspace
	e.call("POST", "/v1/workspaces", bootstrap, map[string]string{"name": name}).want(201, &w)
	return w.Token
}

func (e *edge) order(token string, body map[string]any, headers ...string) answer {
	e.t.Helper()
	return e.call("POST", "/v1/scans", token, body, headers...)
}

func (e *edge) scan(token, address string) api.Scan {
	e.t.Helper()
	var s api.Scan
	e.order(token, map[string]any{"url": address, "contact": "webmaster@example.org"}).want(202, &s)
	return s
}

// record plays the worker: it starts the scan, records pages with findings and
// links, and leaves the scan running.
func (e *edge) record(scanID string, pages int) {
	e.t.Helper()
	ctx := e.t.Context()
	scan, err := e.store.StartScan(ctx, scanID)
	check(e.t, err)
	var candidates []schema.Candidate
	for i := 1; i < pages; i++ {
		candidates = append(candidates, schema.Candidate{URL: fmt.Sprintf("%spage-%02d", scan.URL, i), Depth: 1, Via: schema.ViaLink})
	}
	_, err = e.store.AddCandidates(ctx, scanID, candidates)
	check(e.t, err)
	for i := range pages {
		claim, err := e.store.Claim(ctx, scanID, fmt.Sprintf("ticket-%d", i))
		check(e.t, err)
		if !claim.Found {
			e.t.Fatalf("no address for page %d", i)
		}
		_, err = e.store.BeginLoad(ctx, claim)
		check(e.t, err)
		severity := schema.SeverityMinor
		if i%2 == 1 {
			severity = schema.SeverityCritical
		}
		page := schema.Page{
			ScanID: scanID, URL: claim.URL, FinalURL: claim.URL, Outcome: schema.OutcomeAnalysed, Status: 200, Title: fmt.Sprintf("Page %d", i), Words: 10 + i,
			InspectedAt: claim.NotUntil.AddDate(2026, 0, 0),
			Findings: []schema.Finding{{Rule: "title-short", Engine: "visite", Category: schema.CategorySEO, Severity: severity, Outcome: schema.FindingFailed, Help: "Write more."},
				{Rule: "contrast", Engine: "axe-core", Category: schema.CategoryAccessibility, Severity: schema.SeveritySerious, Outcome: schema.FindingNeedsReview, WCAG: []string{"1.4.3"}, Selector: "p", Help: "Look."}},
			Links: []schema.PageLink{{URL: fmt.Sprintf("https://other.example/%02d", i), Kind: schema.LinkAnchor}},
		}
		check(e.t, e.store.RecordPage(ctx, claim, page, nil))
	}
}

// judge plays the end of a scan: every second link is broken.
func (e *edge) judge(scanID string) {
	e.t.Helper()
	facts, err := e.store.SiteFacts(e.t.Context(), scanID)
	check(e.t, err)
	var v schema.SiteVerdicts
	for i, l := range facts.Links {
		of := schema.LinkVerdictOf{ID: l.ID, Verdict: schema.LinkOK, Status: 200}
		if i%2 == 1 {
			of.Verdict, of.Status = schema.LinkBroken, 404
		}
		v.Links = append(v.Links, of)
	}
	check(e.t, e.store.WriteVerdicts(e.t.Context(), scanID, v))
	check(e.t, e.store.Finish(e.t.Context(), scanID, schema.ScanFinished, ""))
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func fieldOf(t *testing.T, p api.Problem) api.ProblemField {
	t.Helper()
	if len(p.Errors) != 1 {
		t.Fatalf("%d fields at fault, want 1: %+v", len(p.Errors), p)
	}
	return p.Errors[0]
}

var errBroken = errors.New("connection to db.internal:5432 refused")

func sameStrings(a, b []string) bool { return slices.Equal(a, b) }
