package endtoend_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.temporal.io/sdk/client"

	"visite/internal/courtesy"
	"visite/internal/fixturesite"
	"visite/internal/local"
	"visite/internal/pgtest"
	"visite/internal/postgres"
	"visite/internal/temporaltest"
	"visite/schema"
	"visite/worker"
	"visite/workflows"
)

// ownNames is a name server of the test's own; it counts what it is asked.
type ownNames struct {
	mu    sync.Mutex
	known map[string]string
	asked map[string]int
}

func (n *ownNames) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.asked[host]++
	if ip, ok := n.known[host]; ok {
		return []netip.Addr{netip.MustParseAddr(ip)}, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

// linkRig is a worker in the test's process, with real parts and names of its own.
type linkRig struct {
	t     *testing.T
	store *postgres.Store
	book  *postgres.CourtesyStore
	names *ownNames
	c     client.Client
	wait  time.Duration // a scan's for verdicts
}

func newLinkRig(t *testing.T, names map[string]string) *linkRig {
	t.Helper()
	pool := pgtest.DB(t)
	r := &linkRig{t: t, store: postgres.New(pool), book: postgres.NewCourtesyStore(pool), names: &ownNames{known: names, asked: map[string]int{}}, wait: 90 * time.Second}
	door, err := courtesy.New(courtesy.Options{Store: r.book, AllowLoopback: true, Resolver: r.names})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = door.Close() })
	r.c = temporaltest.Client(t)
	steps := local.VisitingSteps(r.store, door, nil)
	steps.LinkPolicy = workflows.DefaultLinkPolicy()
	steps.LinkPolicy.Deadline = 2 * time.Second
	group := worker.New(r.c, steps, worker.DefaultSlots())
	if err := group.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(group.Stop)
	return r
}

// customer makes a workspace.
func (r *linkRig) customer(name string) schema.Workspace {
	r.t.Helper()
	ws, err := r.store.CreateWorkspace(r.t.Context(), name, []byte("hash of "+name))
	if err != nil {
		r.t.Fatal(err)
	}
	return ws
}

// linking serves a site of one page that links to addresses.
func linking(t *testing.T, addresses ...string) *fixturesite.Site {
	t.Helper()
	var body strings.Builder
	for _, a := range addresses {
		fmt.Fprintf(&body, `<p><a href="%s">there</a></p>`, a)
	}
	return fixturesite.New(plain("/", body.String())).Start(t)
}

// start orders a scan of a site's one page.
func (r *linkRig) start(ws schema.Workspace, site *fixturesite.Site) (schema.Scan, client.WorkflowRun) {
	r.t.Helper()
	return r.startAt(ws, site.URL("/"), 20)
}

// startAt orders a scan that begins at an address.
func (r *linkRig) startAt(ws schema.Workspace, address string, pages int) (schema.Scan, client.WorkflowRun) {
	r.t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		r.t.Fatal(err)
	}
	ctx := r.t.Context()
	recorded, err := r.store.UpsertSite(ctx, ws.ID, u.String(), u.Host, true)
	if err != nil {
		r.t.Fatal(err)
	}
	profile := schema.Profile{
		Name: "sitenorma", Product: "SiteNorma", Version: "1.0", Info: "https://sitenorma.com/rastreador/", Limits: schema.ContractLimits(), Tokens: []string{"SiteNormaBot", "SiteNorma"},
		UserAgents: schema.UserAgents{Browser: "{chrome} SiteNorma/1.0 (+{info})", Client: "Mozilla/5.0 (compatible; SiteNorma/1.0; +{info})"},
	}
	scan, _, err := r.store.CreateScan(ctx, schema.Scan{
		WorkspaceID: ws.ID, SiteID: recorded.ID, URL: u.String(), ScopeHost: u.Host, Engine: schema.EngineHTTP, Device: schema.DeviceDesktop,
		MaxPages: pages, Basis: schema.Basis{Kind: schema.BasisOwn}, Profile: profile,
	}, schema.IdempotencyKey{}, 0)
	if err != nil {
		r.t.Fatal(err)
	}
	policy := workflows.DefaultScanPolicy()
	policy.LinkWait = r.wait
	run, err := r.c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: workflows.ScanWorkflowID(u.Host, scan.ID), TaskQueue: workflows.QueueScan}, workflows.ScanSiteName, workflows.ScanInput{
		ScanID: scan.ID, WorkspaceID: ws.ID, SiteID: recorded.ID, URL: scan.URL, Host: u.Host, Engine: scan.Engine, Device: scan.Device, MaxPages: pages, Profile: profile, Policy: policy,
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return scan, run
}

// scan runs one to its end and gives its links by address.
func (r *linkRig) scan(ws schema.Workspace, site *fixturesite.Site) map[string]schema.Link {
	r.t.Helper()
	scan, run := r.start(ws, site)
	return r.links(scan, run)
}

func (r *linkRig) links(scan schema.Scan, run client.WorkflowRun) map[string]schema.Link {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), 3*time.Minute)
	defer cancel()
	var result workflows.ScanResult
	if err := run.Get(ctx, &result); err != nil {
		r.t.Fatal(err)
	}
	list, err := r.store.Links(ctx, scan.ID, schema.LinkFilter{}, schema.Range{Limit: 1000})
	if err != nil {
		r.t.Fatal(err)
	}
	out := map[string]schema.Link{}
	for _, l := range list {
		out[l.Link.URL] = l.Link
	}
	return out
}

func wantLink(t *testing.T, links map[string]schema.Link, address string, verdict schema.LinkVerdict, status int, reason schema.Reason) {
	t.Helper()
	l, ok := links[address]
	if !ok || l.Verdict != verdict || l.Status != status || l.Reason != reason {
		t.Errorf("%s: %s %d %q (there: %v), want %s %d %q", address, l.Verdict, l.Status, l.Reason, ok, verdict, status, reason)
	}
}

// byMethod answers HEAD and GET differently.
func byMethod(head, get http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			head(w, r)
			return
		}
		get(w, r)
	}
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// requests lists what arrived but robots.txt.
func requests(site *fixturesite.Site) []string {
	return site.Arrivals().Filter(func(a fixturesite.Arrival) bool { return a.Kind != fixturesite.KindRobots }).Requests()
}

// on serves a site at a loopback address of its own: a server of its own.
func on(t *testing.T, ip string, site *fixturesite.Site) *fixturesite.Site {
	t.Helper()
	return site.StartOn(t, ip+":0")
}

func wantRequests(t *testing.T, site *fixturesite.Site, want ...string) {
	t.Helper()
	got := requests(site)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("arrived %q, want %q", got, want)
	}
}
