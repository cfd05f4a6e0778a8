package postgres_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"visite/internal/pgtest"
	"visite/internal/postgres"
	"visite/schema"
)

// world is a store with one workspace and one site on loopback.
type world struct {
	*postgres.Store
	pool      *pgxpool.Pool
	t         testing.TB
	ctx       context.Context
	workspace schema.Workspace
	site      schema.Site
}

func newWorld(t testing.TB) world {
	t.Helper()
	pool := pgtest.DB(t)
	w := world{Store: postgres.New(pool), pool: pool, t: t, ctx: t.Context()}
	w.workspace = w.newWorkspace("one")
	w.site = w.newSite(w.workspace, "http://127.0.0.1:8080/", "127.0.0.1:8080", true)
	return w
}

func (w world) newWorkspace(name string) schema.Workspace {
	w.t.Helper()
	hash := sha256.Sum256([]byte("token of " + name))
	ws, err := w.CreateWorkspace(w.ctx, name, hash[:])
	must(w.t, err)
	return ws
}

func (w world) newSite(ws schema.Workspace, url, host string, loopback bool) schema.Site {
	w.t.Helper()
	site, err := w.UpsertSite(w.ctx, ws.ID, url, host, loopback)
	must(w.t, err)
	return site
}

func orderOf(site schema.Site, maxPages int) schema.Scan {
	return schema.Scan{
		WorkspaceID: site.WorkspaceID, SiteID: site.ID, URL: site.URL, ScopeHost: site.Host, Engine: schema.EngineHTTP, Device: schema.DeviceDesktop,
		MaxPages: maxPages, Basis: schema.Basis{Kind: schema.BasisOwn}, Profile: schema.Profile{Name: "local", Limits: schema.ContractLimits()},
	}
}

// running is a scan of the world's site that has begun.
func (w world) running(maxPages int) schema.Scan {
	w.t.Helper()
	scan, created, err := w.CreateScan(w.ctx, orderOf(w.site, maxPages), schema.IdempotencyKey{}, 0)
	must(w.t, err)
	if !created {
		w.t.Fatal("the scan was not created")
	}
	scan, err = w.StartScan(w.ctx, scan.ID)
	must(w.t, err)
	return scan
}

func (w world) claim(scan schema.Scan, ticket string) schema.Claim {
	w.t.Helper()
	c, err := w.Claim(w.ctx, scan.ID, ticket)
	must(w.t, err)
	return c
}

func (w world) record(c schema.Claim, page schema.Page, next ...schema.Candidate) {
	w.t.Helper()
	must(w.t, w.RecordPage(w.ctx, c, page, next))
}

func (w world) progress(scan schema.Scan) schema.Progress {
	w.t.Helper()
	p, err := w.Progress(w.ctx, scan.ID)
	must(w.t, err)
	return p
}

func (w world) pages(scan schema.Scan) []schema.Page {
	w.t.Helper()
	pages, err := w.Pages(w.ctx, scan.ID, schema.PageFilter{}, schema.Range{Limit: 1000})
	must(w.t, err)
	return pages
}

func analysed(url string) schema.Page {
	return schema.Page{URL: url, FinalURL: url, Outcome: schema.OutcomeAnalysed, Status: 200}
}

func fromLink(format string, args ...any) schema.Candidate {
	return schema.Candidate{URL: fmt.Sprintf(format, args...), Depth: 1, Via: schema.ViaLink}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantRefusal(t testing.TB, err error, kind schema.RefusalKind, code string) {
	t.Helper()
	var refusal *schema.Refusal
	if !errors.As(err, &refusal) {
		t.Fatalf("got %v, want a refusal", err)
	}
	if refusal.Kind != kind || refusal.Code != code {
		t.Errorf("refused as %s %q, want %s %q", refusal.Kind, refusal.Code, kind, code)
	}
}

func equal[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

var instant = time.Date(2030, 5, 6, 7, 8, 9, 123_000, time.UTC)
