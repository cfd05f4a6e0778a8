package endtoend_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"visite/activities"
	"visite/internal/pgtest"
	"visite/internal/postgres"
	"visite/schema"
	"visite/workflows"
)

// countingDoor lets everything out and answers 200, at the test's own time.
type countingDoor struct {
	activities.Door
	now func() time.Time
	mu  sync.Mutex
	at  []time.Time
}

func (d *countingDoor) Enter(context.Context, schema.Visit) (activities.Pass, schema.Admission, error) {
	return &countingPass{door: d}, schema.Admission{Kind: schema.AdmissionGranted}, nil
}

func (d *countingDoor) sent() []time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]time.Time(nil), d.at...)
}

type countingPass struct {
	activities.Pass
	door *countingDoor
	sent int
}

func (p *countingPass) RoundTrip(*http.Request) (*http.Response, error) {
	p.door.mu.Lock()
	defer p.door.mu.Unlock()
	p.door.at = append(p.door.at, p.door.now())
	p.sent++
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
}
func (p *countingPass) Document() schema.DocumentFacts { return schema.DocumentFacts{Status: 200} }
func (p *countingPass) Totals() schema.VisitTotals     { return schema.VisitTotals{Requests: p.sent} }
func (p *countingPass) Leave(context.Context) error    { return nil }

type noServers struct{}

func (noServers) Wake(context.Context, []string) error { return nil }

// orderedLinks is a finished scan of a workspace's site with one page that links to
// addresses, ordered at a moment.
func orderedLinks(t *testing.T, store *postgres.Store, name string, at time.Time, addresses ...string) {
	t.Helper()
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ws, err := store.CreateWorkspace(ctx, name, []byte("hash of "+name))
	must(err)
	base := "http://" + name + ".test/"
	site, err := store.UpsertSite(ctx, ws.ID, base, name+".test", false)
	must(err)
	scan, _, err := store.CreateScan(ctx, schema.Scan{WorkspaceID: ws.ID, SiteID: site.ID, URL: base, ScopeHost: site.Host, Engine: schema.EngineHTTP,
		Device: schema.DeviceDesktop, MaxPages: 1, Basis: schema.Basis{Kind: schema.BasisOwn}, Profile: schema.Profile{Name: "visite", Limits: schema.ContractLimits()}}, schema.IdempotencyKey{}, 0)
	must(err)
	_, err = store.StartScan(ctx, scan.ID)
	must(err)
	claim, err := store.Claim(ctx, scan.ID, "0")
	must(err)
	_, err = store.BeginLoad(ctx, claim)
	must(err)
	page := schema.Page{URL: base, Outcome: schema.OutcomeAnalysed, Status: 200}
	for _, a := range addresses {
		page.Links = append(page.Links, schema.PageLink{URL: a, Kind: schema.LinkAnchor})
	}
	must(store.RecordPage(ctx, claim, page, nil))
	_, err = store.OrderLinks(ctx, scan.ID, at)
	must(err)
}

// Seven links: five at once, nothing for 30 days, whoever asks in between, then the
// two that are left. Time is skipped; the records are PostgreSQL's, so the rest
// holds for a workflow that starts anew, too.
//
// proves C-10, C-11, C-12, R-16
func TestAServerRestsThirtyDays(t *testing.T) {
	store := postgres.New(pgtest.DB(t))
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	env.RegisterWorkflowWithOptions(workflows.LinkServer, workflow.RegisterOptions{Name: workflows.LinkServerName})
	door := &countingDoor{now: env.Now}
	env.RegisterActivity(&activities.LinkChecks{Store: store, Door: door, Servers: noServers{}, Now: env.Now})
	env.SetTestTimeout(4 * time.Minute)
	env.SetWorkerOptions(worker.Options{DeadlockDetectionTimeout: time.Minute}) // of a workflow that waits for a processor

	begin := env.Now().Truncate(time.Second)
	var addresses []string
	for i := range 7 {
		addresses = append(addresses, fmt.Sprintf("https://www.other.test/%d", i))
	}
	orderedLinks(t, store, "first", begin, addresses...)
	const day = 24 * time.Hour
	var duringRest int
	env.RegisterDelayedCallback(func() { // whose links are known already asks for nothing, and nobody sends anything
		orderedLinks(t, store, "second", env.Now(), addresses[0])
		env.SignalWorkflow(workflows.LinkServerSignal, nil)
	}, 3*day)
	env.RegisterDelayedCallback(func() { duringRest = len(door.sent()) }, 30*day-time.Hour)
	env.ExecuteWorkflow(workflows.LinkServerName, workflows.LinkServerInput{Server: "other.test", Policy: workflows.DefaultLinkPolicy()})
	if err := env.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	if duringRest != 5 {
		t.Errorf("%d requests by +29 d 23 h, want 5", duringRest)
	}
	sent := door.sent()
	if len(sent) != 7 {
		t.Fatalf("%d requests in all, want 7", len(sent))
	}
	if gap := sent[5].Sub(sent[4]); gap < schema.LinkRest || gap > schema.LinkRest+time.Hour {
		t.Errorf("the server rested %s", gap)
	}
}

// A workflow that is lost takes no rest with it: the next one asks PostgreSQL first.
//
// proves C-11, R-31
func TestARestOutlivesItsWorkflow(t *testing.T) {
	store := postgres.New(pgtest.DB(t))
	begin := time.Now().UTC().Truncate(time.Second)
	orderedLinks(t, store, "first", begin, "https://other.test/1")
	visit := func(at time.Time) schema.LinkPlan {
		plan, err := store.PlanLinkVisit(t.Context(), "other.test", at)
		if err != nil {
			t.Fatal(err)
		}
		return plan
	}
	if plan := visit(begin); plan.Visit != 1 || plan.Over {
		t.Fatalf("plan %+v", plan)
	}
	claim, err := store.ClaimLink(t.Context(), "other.test")
	if err != nil || !claim.Found {
		t.Fatalf("claim %+v, %v", claim, err)
	}
	if ok, err := store.BeginLinkRequest(t.Context(), claim.ID, true, begin); err != nil || !ok {
		t.Fatalf("intent: %v, %v", ok, err)
	}
	if ok, err := store.BeginLinkRequest(t.Context(), claim.ID, true, begin); err != nil || ok {
		t.Errorf("the same intent twice: %v, %v", ok, err)
	}
	if _, err := store.SettleLink(t.Context(), claim.ID, schema.LinkCheck{Verdict: schema.LinkOK, Status: 200, CheckedAt: begin}); err != nil {
		t.Fatal(err)
	}
	if plan := visit(begin.Add(time.Second)); !plan.Over {
		t.Errorf("nobody waits, and the plan is %+v", plan)
	}
	orderedLinks(t, store, "second", begin.Add(time.Minute), "https://other.test/2")
	if plan := visit(begin.Add(schema.LinkRest - time.Hour)); !plan.RestUntil.Equal(begin.Add(schema.LinkRest)) {
		t.Errorf("plan before the rest's end: %+v", plan)
	}
	if plan := visit(begin.Add(schema.LinkRest)); plan.Visit != 2 || !plan.RestUntil.IsZero() {
		t.Errorf("plan at the rest's end: %+v", plan)
	}
}
