package postgres_test

import (
	"sync"
	"testing"
	"time"

	"visite/schema"
)

func TestAScanReadsBackAsOrderedAndThroughItsLife(t *testing.T) {
	w := newWorld(t)
	order := orderOf(w.site, 7)
	order.Basis = schema.Basis{Kind: schema.BasisPermission, Party: "The client"}
	order.Contact, order.Device, order.Engine = "ops@example.org", schema.DeviceMobile, schema.EngineBrowser
	scan, created, err := w.CreateScan(w.ctx, order, schema.IdempotencyKey{}, 0)
	must(t, err)
	equal(t, "created", created, true)
	if scan.CreatedAt.IsZero() || len(scan.ID) != 26 {
		t.Errorf("created at %v with id %q", scan.CreatedAt, scan.ID)
	}
	order.ID, order.CreatedAt, order.State, order.Phase = scan.ID, scan.CreatedAt, schema.ScanQueued, schema.PhaseQueued
	equalScan(t, scan, order)

	queued, err := w.QueuedScans(w.ctx, time.Now().Add(time.Minute), 10)
	must(t, err)
	equal(t, "queued scans", len(queued), 1)

	started, err := w.StartScan(w.ctx, scan.ID)
	must(t, err)
	equal(t, "state", started.State, schema.ScanRunning)
	again, err := w.StartScan(w.ctx, scan.ID)
	must(t, err)
	equal(t, "started at, asked twice", again.StartedAt, started.StartedAt)
	equal(t, "found", w.progress(scan).Found, 1)

	must(t, w.SetPhase(w.ctx, scan.ID, schema.PhasePages, "127.0.0.1 asked for a rest", instant))
	must(t, w.SetScope(w.ctx, scan.ID, "www.example.org"))
	must(t, w.SetBrowser(w.ctx, scan.ID, "Chromium 1.2.3.4", "Mozilla/5.0 Chrome/1.0.0.0 Visite/1.0"))
	robots := schema.ScanRobots{Status: 200, CrawlDelay: 2500 * time.Millisecond, Rule: "Disallow: /x", ReadAt: instant}
	must(t, w.SetRobots(w.ctx, scan.ID, robots))
	read, err := w.Scan(w.ctx, scan.ID)
	must(t, err)
	order.Robots = robots
	order.State, order.Phase, order.StartedAt = schema.ScanRunning, schema.PhasePages, started.StartedAt
	order.WaitingFor, order.WaitingUntil = "127.0.0.1 asked for a rest", instant
	order.ScopeHost, order.BrowserVersion, order.UserAgent = "www.example.org", "Chromium 1.2.3.4", "Mozilla/5.0 Chrome/1.0.0.0 Visite/1.0"
	equalScan(t, read, order)

	must(t, w.Finish(w.ctx, scan.ID, schema.ScanStopped, "three in a row"))
	must(t, w.Finish(w.ctx, scan.ID, schema.ScanFinished, ""))
	must(t, w.SetPhase(w.ctx, scan.ID, schema.PhasePages, "late", instant))
	read, err = w.StartScan(w.ctx, scan.ID)
	must(t, err)
	if read.FinishedAt.IsZero() {
		t.Error("no finish time")
	}
	order.State, order.StateReason, order.Phase, order.FinishedAt = schema.ScanStopped, "three in a row", schema.PhaseDone, read.FinishedAt
	order.WaitingFor, order.WaitingUntil = "", time.Time{}
	equalScan(t, read, order)
}

func equalScan(t *testing.T, got, want schema.Scan) {
	t.Helper()
	equal(t, "profile name", got.Profile.Name, want.Profile.Name)
	equal(t, "profile limits", got.Profile.Limits, want.Profile.Limits)
	got.Profile, want.Profile = schema.Profile{}, schema.Profile{}
	if !got.WaitingUntil.Equal(want.WaitingUntil) {
		t.Errorf("waiting until %v, want %v", got.WaitingUntil, want.WaitingUntil)
	}
	got.WaitingUntil, want.WaitingUntil = time.Time{}, time.Time{}
	type flat = struct {
		a, b, c, d, e, f, g, h, i, j, k string
		n                               int
		t, u, v                         time.Time
	}
	of := func(s schema.Scan) flat {
		return flat{s.ID, s.WorkspaceID, s.SiteID, s.URL + " " + s.ScopeHost, string(s.Engine), string(s.Device), string(s.Basis.Kind) + s.Basis.Party,
			s.Contact, string(s.State) + s.StateReason, string(s.Phase) + s.WaitingFor, s.BrowserVersion + s.UserAgent, s.MaxPages, s.CreatedAt, s.StartedAt, s.FinishedAt}
	}
	equal(t, "scan", of(got), of(want))
}

func TestAWorkspaceSeesNothingOfAnother(t *testing.T) {
	w := newWorld(t)
	scan := w.running(5)
	other := w.newWorkspace("two")

	_, err := w.ScanOf(w.ctx, other.ID, scan.ID)
	wantRefusal(t, err, schema.RefusalNotFound, "scan-not-found")
	_, err = w.Site(w.ctx, other.ID, w.site.ID)
	wantRefusal(t, err, schema.RefusalNotFound, "site-not-found")
	scans, err := w.Scans(w.ctx, other.ID, schema.ScanFilter{SiteID: w.site.ID}, schema.Range{Limit: 10})
	must(t, err)
	equal(t, "scans listed", len(scans), 0)
	sites, err := w.Sites(w.ctx, other.ID, schema.Range{Limit: 10})
	must(t, err)
	equal(t, "sites listed", len(sites), 0)

	_, _, err = w.CreateScan(w.ctx, orderOf(w.newSite(w.workspace, "http://127.0.0.1:1/", "127.0.0.1:1", true), 1), schema.IdempotencyKey{Key: "k", Hash: []byte("h")}, 0)
	must(t, err)
	found, hash, err := w.ScanByKey(w.ctx, other.ID, "k")
	must(t, err)
	equal(t, "scan under the other's key", found.ID, "")
	equal(t, "hash under the other's key", len(hash), 0)

	got, err := w.ScanOf(w.ctx, w.workspace.ID, scan.ID)
	must(t, err)
	equal(t, "own scan", got.ID, scan.ID)
}

func TestATokenOpensItsWorkspaceAlone(t *testing.T) {
	w := newWorld(t)
	hash := []byte("12345678901234567890123456789012")
	made, err := w.CreateWorkspace(w.ctx, "three", hash)
	must(t, err)
	got, err := w.WorkspaceByTokenHash(w.ctx, hash)
	must(t, err)
	equal(t, "workspace", got.ID, made.ID)
	equal(t, "name", got.Name, "three")
	_, err = w.WorkspaceByTokenHash(w.ctx, []byte("unknown"))
	wantRefusal(t, err, schema.RefusalNotFound, "workspace-not-found")
	_, err = w.pool.Exec(w.ctx, `UPDATE tokens SET revoked_at = now() WHERE workspace_id = $1`, made.ID)
	must(t, err)
	_, err = w.WorkspaceByTokenHash(w.ctx, hash)
	wantRefusal(t, err, schema.RefusalNotFound, "workspace-not-found")
}

func TestListsGoNewestFirstByKey(t *testing.T) {
	w := newWorld(t)
	var ids []string
	for range 5 {
		scan := w.running(1)
		ids = append(ids, scan.ID)
		must(t, w.Finish(w.ctx, scan.ID, schema.ScanFinished, ""))
	}
	var seen []string
	after := ""
	for {
		scans, err := w.Scans(w.ctx, w.workspace.ID, schema.ScanFilter{State: schema.ScanFinished}, schema.Range{After: after, Limit: 2})
		must(t, err)
		if len(scans) == 0 {
			break
		}
		for _, s := range scans {
			seen = append(seen, s.ID)
		}
		after = seen[len(seen)-1]
	}
	equal(t, "listed", len(seen), 5)
	for i := range seen {
		equal(t, "place", seen[i], ids[len(ids)-1-i])
	}
}

func TestAKeyStandsForOneOrder(t *testing.T) {
	w := newWorld(t)
	key := schema.IdempotencyKey{Key: "order-1", Hash: []byte("hash of the order")}
	var mu sync.Mutex
	ids := map[string]bool{}
	made := 0
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			scan, created, err := w.CreateScan(w.ctx, orderOf(w.site, 3), key, 0)
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			ids[scan.ID] = true
			if created {
				made++
			}
		})
	}
	all.Wait()
	equal(t, "distinct scans", len(ids), 1)
	equal(t, "created", made, 1)

	scan, hash, err := w.ScanByKey(w.ctx, w.workspace.ID, "order-1")
	must(t, err)
	equal(t, "found by key", ids[scan.ID], true)
	equal(t, "its order", string(hash), "hash of the order")

	key.Hash = []byte("another order")
	_, _, err = w.CreateScan(w.ctx, orderOf(w.site, 4), key, 0)
	wantRefusal(t, err, schema.RefusalConflict, "idempotency-key-reused")
}

func TestASiteHasOneOpenScan(t *testing.T) {
	w := newWorld(t)
	first := w.running(3)
	_, _, err := w.CreateScan(w.ctx, orderOf(w.site, 3), schema.IdempotencyKey{Key: "second", Hash: []byte("h")}, 0)
	wantRefusal(t, err, schema.RefusalConflict, "scan-running")
	must(t, w.Finish(w.ctx, first.ID, schema.ScanFinished, ""))
	_, created, err := w.CreateScan(w.ctx, orderOf(w.site, 3), schema.IdempotencyKey{Key: "second", Hash: []byte("h")}, 0)
	must(t, err)
	equal(t, "created once the first is over", created, true)
}

// proves S-15, R-10
func TestAFewPagesADayOverAllWorkspaces(t *testing.T) {
	w := newWorld(t)
	other := w.newWorkspace("two")
	mine := w.newSite(w.workspace, "https://example.org/", "example.org", false)
	theirs := w.newSite(other, "https://example.org/", "example.org", false)
	used := func() int {
		t.Helper()
		n, err := w.UnverifiedPagesToday(w.ctx, "example.org")
		must(t, err)
		return n
	}

	first, _, err := w.CreateScan(w.ctx, orderOf(mine, 2), schema.IdempotencyKey{}, 3)
	must(t, err)
	equal(t, "pages of the first", first.MaxPages, 2)
	equal(t, "used while it may still load", used(), 2)
	second, _, err := w.CreateScan(w.ctx, orderOf(theirs, 3), schema.IdempotencyKey{}, 3)
	must(t, err)
	equal(t, "pages left to the second", second.MaxPages, 1)

	_, err = w.StartScan(w.ctx, first.ID)
	must(t, err)
	c := w.claim(first, "t0")
	_, err = w.BeginLoad(w.ctx, c)
	must(t, err)
	w.record(c, analysed(c.URL), fromLink("https://example.org/a"))
	denied := w.claim(first, "t1") // robots.txt forbids it: claimed, never asked for
	w.record(denied, schema.Page{URL: denied.URL, Outcome: schema.OutcomeDisallowed})
	must(t, w.Finish(w.ctx, first.ID, schema.ScanFinished, ""))
	must(t, w.Finish(w.ctx, second.ID, schema.ScanCancelled, ""))
	equal(t, "used by what was really loaded", used(), 1)

	third, _, err := w.CreateScan(w.ctx, orderOf(mine, 50), schema.IdempotencyKey{}, 3)
	must(t, err)
	equal(t, "pages left to the third", third.MaxPages, 2)
	_, _, err = w.CreateScan(w.ctx, orderOf(theirs, 1), schema.IdempotencyKey{}, 3)
	wantRefusal(t, err, schema.RefusalBusy, "few-pages-used-up")

	n, err := w.UnverifiedPagesToday(w.ctx, "127.0.0.1:8080")
	must(t, err)
	equal(t, "loopback", n, 0)
}

func TestWhatIsNotThereIsNotFound(t *testing.T) {
	w := newWorld(t)
	_, err := w.Scan(w.ctx, "nope")
	wantRefusal(t, err, schema.RefusalNotFound, "scan-not-found")
	_, err = w.StartScan(w.ctx, "nope")
	wantRefusal(t, err, schema.RefusalNotFound, "scan-not-found")
	_, err = w.Claim(w.ctx, "nope", "t")
	wantRefusal(t, err, schema.RefusalNotFound, "scan-not-found")
	_, err = w.Progress(w.ctx, "nope")
	wantRefusal(t, err, schema.RefusalNotFound, "scan-not-found")
	_, err = w.SiteFacts(w.ctx, "nope")
	wantRefusal(t, err, schema.RefusalNotFound, "scan-not-found")
	_, err = w.Pages(w.ctx, "nope", schema.PageFilter{}, schema.Range{After: "x1", Limit: 1})
	wantRefusal(t, err, schema.RefusalInvalid, "bad-cursor")
}
