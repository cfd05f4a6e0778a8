package api_test

import (
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"go.temporal.io/api/serviceerror"

	"visite/api"
	"visite/schema"
)

// proves R-29, S-12
func TestOrderIsRecordedAndStarted(t *testing.T) {
	e := newEdge(t)
	token := e.workspace("w")
	order := map[string]any{
		"url": "https://Example.com", "engine": "http", "device": "mobile", "max_pages": 2, "profile": "sitenorma", "contact": "webmaster@example.org",
		"basis": map[string]any{"kind": "permission", "party": "Example Inc."},
	}
	var s api.Scan
	a := e.order(token, order).want(202, &s)
	if got := a.header.Get("Location"); got != "/v1/scans/"+s.ID {
		t.Errorf("Location %q", got)
	}
	if s.URL != "https://example.com/" || s.Host != "example.com" || s.Engine != "http" || s.Device != "mobile" || s.MaxPages != 2 || s.Profile != "sitenorma" ||
		s.Contact != "webmaster@example.org" || s.Basis != (schema.Basis{Kind: "permission", Party: "Example Inc."}) || s.State != "queued" || s.Phase != "queued" {
		t.Errorf("%+v", s)
	}
	if len(e.scans.started) != 1 {
		t.Fatalf("%d workflows", len(e.scans.started))
	}
	in := e.scans.started[0]
	if in.ScanID != s.ID || in.SiteID != s.SiteID || in.WorkspaceID == "" || in.URL != s.URL || in.Host != "example.com" || in.Engine != "http" || in.Device != "mobile" ||
		in.MaxPages != 2 || in.Profile.Name != "sitenorma" || in.Profile.Contact != "webmaster@example.org" || in.Policy.PageDeadline == 0 || in.Carry != nil {
		t.Errorf("%+v", in)
	}
	var shown api.Scan
	e.call("GET", a.header.Get("Location"), token, nil).want(200, &shown)
	if shown.Progress == nil || *shown.Progress != (schema.Progress{}) || shown.Basis != s.Basis {
		t.Errorf("%+v", shown)
	}
}

func TestOneScanOfASiteAtATime(t *testing.T) {
	e := newEdge(t)
	token, other := e.workspace("w"), e.workspace("other")
	first := e.scan(token, "http://localhost:4000/")
	p := e.order(token, map[string]any{"url": "http://localhost:4000/elsewhere"}).problem(409, "scan-running")
	if p.ScanID != first.ID {
		t.Errorf("names scan %q, want %q", p.ScanID, first.ID)
	}
	if e.scan(other, "http://localhost:4000/").ID == first.ID {
		t.Error("another workspace got the scan")
	}
	check(t, e.store.Finish(t.Context(), first.ID, schema.ScanFinished, ""))
	if e.scan(token, "http://localhost:4000/").ID == first.ID {
		t.Error("a finished scan was handed out again")
	}
}

// proves S-15
func TestFewPagesADayWithoutProof(t *testing.T) {
	now := func() time.Time { return time.Now() }
	e := newEdge(t, func(o *api.Options) { o.Now = now })
	one, two := e.workspace("one"), e.workspace("two")
	order := func(pages int) map[string]any {
		o := map[string]any{"url": "https://example.com/", "contact": "webmaster@example.org"}
		if pages > 0 {
			o["max_pages"] = pages
		}
		return o
	}
	var s api.Scan
	e.order(one, order(2)).want(202, &s)
	p := e.order(two, order(2)).problem(403, "needs-proof")
	if f := fieldOf(t, p); f.Pointer != "/max_pages" || f.Remedy != "Ask for at most 1, or leave max_pages out." {
		t.Errorf("%+v", f)
	}
	e.order(two, order(0)).want(202, &s)
	if s.MaxPages != 1 {
		t.Errorf("clamped to %d pages, want the 1 that is left", s.MaxPages)
	}
	third := e.workspace("three")
	a := e.order(third, order(0))
	p = a.problem(429, "few-pages-used-up")
	if fieldOf(t, p).Pointer != "/url" {
		t.Errorf("%+v", p)
	}
	wait, err := strconv.Atoi(a.header.Get("Retry-After"))
	check(t, err)
	midnight := now().UTC().Truncate(24 * time.Hour).Add(24 * time.Hour)
	if until := now().Add(time.Duration(wait) * time.Second); until.Before(midnight.Add(-5*time.Second)) || until.After(midnight.Add(5*time.Second)) {
		t.Errorf("Retry-After leads to %s, want %s", until, midnight)
	}
	e.order(third, map[string]any{"url": "https://other.example/", "contact": "webmaster@example.org"}).want(202, &s)
	if s.MaxPages != 3 {
		t.Errorf("another host gives %d pages, want 3", s.MaxPages)
	}
}

// Many customers at once get no page more than one customer would.
//
// proves S-15
func TestFewPagesHoldUnderARace(t *testing.T) {
	e := newEdge(t)
	const customers = 8
	pages := make([]int, customers)
	var tokens []string
	for i := range customers {
		tokens = append(tokens, e.workspace(fmt.Sprint("w", i)))
	}
	var wg sync.WaitGroup
	for i, token := range tokens {
		wg.Go(func() {
			var s api.Scan
			a := e.order(token, map[string]any{"url": "https://example.com/", "contact": "webmaster@example.org", "max_pages": 1})
			switch a.status {
			case http.StatusAccepted:
				a.want(202, &s)
				pages[i] = s.MaxPages
			case http.StatusTooManyRequests:
			default:
				t.Errorf("status %d: %s", a.status, a.body)
			}
		})
	}
	wg.Wait()
	sum := 0
	for _, n := range pages {
		sum += n
	}
	if sum != 3 {
		t.Errorf("%d pages given, want 3", sum)
	}
}

func TestIdempotencyKey(t *testing.T) {
	e := newEdge(t)
	token, other := e.workspace("w"), e.workspace("other")
	order := map[string]any{"url": "https://example.com/", "contact": "webmaster@example.org", "max_pages": 3}
	var first, again api.Scan
	e.order(token, order, "Idempotency-Key", "k1").want(202, &first)
	// The same order stays the same although another would now be declined.
	a := e.order(token, order, "Idempotency-Key", "k1").want(202, &again)
	if again.ID != first.ID || a.header.Get("Location") != "/v1/scans/"+first.ID {
		t.Errorf("got scan %s, want %s", again.ID, first.ID)
	}
	order["max_pages"] = 2
	p := e.order(token, order, "Idempotency-Key", "k1").problem(422, "idempotency-key-reused")
	if f := fieldOf(t, p); f.Header != "Idempotency-Key" {
		t.Errorf("%+v", f)
	}
	// A key is a workspace's own.
	var others api.Scan
	e.order(other, map[string]any{"url": "http://localhost/"}, "Idempotency-Key", "k1").want(202, &others)
	if others.ID == first.ID {
		t.Error("another workspace's key gave this workspace's scan")
	}
	for _, empty := range []string{"", "  "} {
		p = e.order(token, order, "Idempotency-Key", empty).problem(422, "invalid-request")
		if f := fieldOf(t, p); f.Header != "Idempotency-Key" || f.Detail != "The header is empty." || f.Remedy == "" {
			t.Errorf("an empty key: %+v", f)
		}
	}
	p = e.order(token, order, "Idempotency-Key", "with space").problem(422, "invalid-request")
	if f := fieldOf(t, p); f.Header != "Idempotency-Key" {
		t.Errorf("%+v", f)
	}
}

func TestIdempotencyKeyUnderARace(t *testing.T) {
	e := newEdge(t)
	token := e.workspace("w")
	const tries = 8
	ids := make([]string, tries)
	var wg sync.WaitGroup
	for i := range tries {
		wg.Go(func() {
			var s api.Scan
			e.order(token, map[string]any{"url": "http://localhost/"}, "Idempotency-Key", "same").want(202, &s)
			ids[i] = s.ID
		})
	}
	wg.Wait()
	for _, id := range ids {
		if id != ids[0] {
			t.Errorf("scans %v, want one", ids)
		}
	}
}

func TestCancel(t *testing.T) {
	e := newEdge(t)
	token := e.workspace("w")
	s := e.scan(token, "http://localhost:4000/")
	_, err := e.store.StartScan(t.Context(), s.ID)
	check(t, err)
	var shown api.Scan
	for range 2 {
		a := e.call("POST", "/v1/scans/"+s.ID+"/cancel", token, nil).want(202, &shown)
		if a.header.Get("Location") != "/v1/scans/"+s.ID || shown.State != "running" || !shown.Cancelling {
			t.Errorf("%+v", shown)
		}
	}
	if !sameStrings(e.scans.cancelled, []string{s.ID, s.ID}) {
		t.Errorf("cancelled %v", e.scans.cancelled)
	}
	check(t, e.store.Finish(t.Context(), s.ID, schema.ScanCancelled, "cancelled"))
	shown = api.Scan{}
	e.call("POST", "/v1/scans/"+s.ID+"/cancel", token, nil).want(202, &shown)
	if shown.State != "cancelled" || shown.Cancelling || len(e.scans.cancelled) != 2 {
		t.Errorf("%+v after %v", shown, e.scans.cancelled)
	}

	done := e.scan(token, "http://localhost:4001/")
	check(t, e.store.Finish(t.Context(), done.ID, schema.ScanFinished, ""))
	p := e.call("POST", "/v1/scans/"+done.ID+"/cancel", token, nil).problem(409, "scan-final")
	if p.ScanID != done.ID || p.Detail != "The scan is finished." {
		t.Errorf("%+v", p)
	}
}

func TestCancelWithoutWorkflowClosesTheScan(t *testing.T) {
	e := newEdge(t)
	token := e.workspace("w")
	s := e.scan(token, "http://localhost:4000/")
	e.scans.notOpen = true
	var shown api.Scan
	e.call("POST", "/v1/scans/"+s.ID+"/cancel", token, nil).want(202, &shown)
	if shown.State != "cancelled" || shown.FinishedAt == nil {
		t.Errorf("%+v", shown)
	}
}

func TestScanWaitsForTemporalAndIsRepaired(t *testing.T) {
	e := newEdge(t)
	token := e.workspace("w")
	e.scans.startErr = serviceerror.NewUnavailable("down")
	s := e.scan(token, "http://localhost:4000/")
	if s.State != "queued" {
		t.Errorf("%+v", s)
	}
	if n, err := e.api.RepairQueued(t.Context(), 0); err == nil || n != 0 || len(e.scans.starts()) != 0 {
		t.Errorf("repair while Temporal is away: %d, %v", n, err)
	}
	e.scans.startErr = nil
	if n, err := e.api.RepairQueued(t.Context(), time.Hour); err != nil || n != 0 {
		t.Errorf("a fresh scan was repaired: %d, %v", n, err)
	}
	if n, err := e.api.RepairQueued(t.Context(), 0); err != nil || n != 1 {
		t.Errorf("repair: %d, %v", n, err)
	}
	if !sameStrings(e.scans.starts(), []string{s.ID}) {
		t.Errorf("started %v", e.scans.starts())
	}
	in := e.scans.started[0]
	if in.Profile.Name != "visite" || in.Profile.Limits.PauseMin != 250*time.Millisecond || in.MaxPages != 200 || in.Host != "localhost:4000" {
		t.Errorf("a repaired start differs from the order: %+v", in)
	}
	_, err := e.store.StartScan(t.Context(), s.ID)
	check(t, err)
	if n, err := e.api.RepairQueued(t.Context(), 0); err != nil || n != 0 {
		t.Errorf("a running scan was repaired: %d, %v", n, err)
	}
}

func TestStartDeclinedForGoodClosesTheScan(t *testing.T) {
	e := newEdge(t)
	token := e.workspace("w")
	e.scans.startErr = serviceerror.NewInvalidArgument("search attribute VisiteHost is not defined")
	a := e.order(token, map[string]any{"url": "http://localhost/"})
	a.problem(500, "internal")
	var scans api.List[api.Scan]
	e.call("GET", "/v1/scans", token, nil).want(200, &scans)
	if len(scans.Items) != 1 || scans.Items[0].State != "failed" || scans.Items[0].StateReason != "not_started" {
		t.Errorf("%+v", scans.Items)
	}
	e.scans.startErr = api.ErrScanEnded
	e.order(token, map[string]any{"url": "http://localhost/"}).want(202, nil)
	e.call("GET", "/v1/scans?state=failed", token, nil).want(200, &scans)
	if len(scans.Items) != 2 {
		t.Errorf("%d failed scans, want 2: a queued scan whose workflow has ended must not stay open", len(scans.Items))
	}
}

// A scan whose workflow was terminated is closed by itself; one whose workflow
// runs is left alone, and so is one that has only just begun.
func TestAScanWithoutAWorkflowIsClosed(t *testing.T) {
	e := newEdge(t)
	token := e.workspace("w")
	var s api.Scan
	e.order(token, map[string]any{"url": "http://localhost/"}).want(202, &s)
	_, err := e.store.StartScan(t.Context(), s.ID)
	check(t, err)
	state := func() string {
		e.call("GET", "/v1/scans/"+s.ID, token, nil).want(200, &s)
		return string(s.State) + " " + s.StateReason
	}
	if n, err := e.api.CloseAbandoned(t.Context(), 0); err != nil || n != 0 || state() != "running " {
		t.Errorf("while its workflow runs: %d closed (%v), %s", n, err, state())
	}
	e.scans.notOpen = true
	if n, err := e.api.CloseAbandoned(t.Context(), time.Hour); err != nil || n != 0 || state() != "running " {
		t.Errorf("just begun: %d closed (%v), %s", n, err, state())
	}
	if n, err := e.api.CloseAbandoned(t.Context(), 0); err != nil || n != 1 || state() != "failed workflow_ended" {
		t.Errorf("without a workflow: %d closed (%v), %s", n, err, state())
	}
}
