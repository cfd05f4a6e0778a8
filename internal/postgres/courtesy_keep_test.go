package postgres

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"visite/internal/pgtest"
	"visite/schema"
)

// Lines are kept for the days set and dropped after, whole days at a time, those
// without a partition of their own included; no younger line goes.
func TestLedgerForgetsOldDays(t *testing.T) {
	pool := pgtest.DB(t)
	s := NewCourtesyStore(pool)
	now := time.Now().UTC().Truncate(time.Microsecond)
	today := now.Truncate(24 * time.Hour)
	const days = 90
	edge := today.AddDate(0, 0, -days) // lines from here on are at most 90 days and a part of today old
	for _, d := range []int{0, -1, -days, -days - 1, -days - 2} {
		if _, err := pool.Exec(t.Context(), sqlEnsureLedger, today.AddDate(0, 0, d).Format(time.DateOnly), 1); err != nil {
			t.Fatal(err)
		}
	}
	begin(t, s,
		line("kept", "a.example", now), line("kept", "a.example", today.AddDate(0, 0, -1)),
		line("kept", "a.example", edge), line("kept", "a.example", edge.Add(12*time.Hour)),
		line("kept", "a.example", today.AddDate(0, 0, -30)), // without a partition
		line("old", "a.example", edge.Add(-time.Microsecond)), line("old", "a.example", edge.AddDate(0, 0, -2)),
		line("old", "a.example", edge.AddDate(0, 0, -300))) // without a partition
	for round, want := range []int{2, 0} { // a second round finds nothing
		dropped, err := s.DropLedger(t.Context(), now, days)
		if err != nil || dropped != want {
			t.Errorf("round %d dropped %d days (%v), want %d", round+1, dropped, err, want)
		}
	}
	for scan, want := range map[string]int{"kept": 5, "old": 0} {
		if lines, err := s.Lines(t.Context(), scan); err != nil || len(lines) != want {
			t.Errorf("%d %s lines are there (%v), want %d", len(lines), scan, err, want)
		}
	}
	begin(t, s, line("kept", "a.example", now))
	if dropped, err := s.DropLedger(t.Context(), now, 1); err != nil || dropped != 1 {
		t.Errorf("kept for a day: %d days dropped (%v), want 1", dropped, err)
	}
	if lines, err := s.Lines(t.Context(), "kept"); err != nil || len(lines) != 3 { // today's and yesterday's
		t.Errorf("%d lines are there (%v), want 3", len(lines), err)
	}
}

const (
	bigLines = 10_000_000
	bigDays  = 50

	sqlFillLedger = `INSERT INTO ledger (at, scan_id, workspace_id, host, ip, method, url, purpose, cause, profile, rule, waited_ms, ended_at, status, bytes, took_ms)
SELECT at, 'scan-' || i / 1000, 'workspace-' || i % 50, 'host-' || i / 1000 % 2000 || '.example', '192.0.2.1', 'GET', 'https://host-' || i / 1000 % 2000 || '.example/page/' || i,
       'page', 'customer_scan', 'visite', 'Allow: /', 250, at + interval '100 milliseconds', 200, 20000, 100
  FROM (SELECT i, $1::timestamptz + i * (interval '1 day' / ($3::bigint - $2::bigint)) AS at FROM generate_series(0, $3::bigint - $2::bigint - 1) AS o (i)) day (n, at),
       LATERAL (SELECT $2::bigint + n AS i) numbered`

	sqlLinesAt = `SELECT count(*) FROM ledger WHERE host = $1 AND at BETWEEN $2 AND $3`
)

// Ten million lines over fifty days: finding the requests to a host around a
// moment, a scan's totals, a new line and a day's end stay quick. By hand, with
// VISITE_BIG=1: it takes some minutes and 4 GB.
func TestLedgerOfTenMillionLines(t *testing.T) {
	if os.Getenv("VISITE_BIG") == "" {
		t.Skip("takes some minutes; set VISITE_BIG=1")
	}
	pool := pgtest.DB(t)
	s := NewCourtesyStore(pool)
	now := time.Now().UTC().Truncate(time.Microsecond)
	first := now.Truncate(24*time.Hour).AddDate(0, 0, -bigDays)
	if _, err := pool.Exec(t.Context(), sqlEnsureLedger, first.Format(time.DateOnly), bigDays+2); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	const perDay = bigLines / bigDays
	for day := range bigDays {
		if _, err := pool.Exec(t.Context(), sqlFillLedger, first.AddDate(0, 0, day), day*perDay, (day+1)*perDay); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := pool.Exec(t.Context(), `ANALYZE ledger`); err != nil {
		t.Fatal(err)
	}
	var size string
	if err := pool.QueryRow(t.Context(), `SELECT pg_size_pretty(sum(pg_total_relation_size(inhrelid))) FROM pg_inherits WHERE inhparent = 'ledger'::regclass`).Scan(&size); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d lines, %s, filled in %v", bigLines, size, time.Since(began).Round(time.Second))

	within := func(what string, most time.Duration, do func() error) {
		t.Helper()
		longest := time.Duration(0)
		for range 5 {
			at := time.Now()
			if err := do(); err != nil {
				t.Fatal(err)
			}
			longest = max(longest, time.Since(at))
		}
		t.Logf("%s: %v at most", what, longest)
		if longest > most {
			t.Errorf("%s took %v, want at most %v", what, longest, most)
		}
	}
	moment := first.AddDate(0, 0, 20).Add(12 * time.Hour)
	i := int64(20*perDay + perDay/2)
	host := "host-" + strconv.FormatInt(i/1000%2000, 10) + ".example"
	within("requests to a host around a moment", 100*time.Millisecond, func() error {
		var n int
		err := pool.QueryRow(t.Context(), sqlLinesAt, host, moment.Add(-5*time.Minute), moment.Add(5*time.Minute)).Scan(&n)
		if err == nil && n == 0 {
			t.Errorf("no request to %s found", host)
		}
		return err
	})
	ledgerScan(t, pool, "scan-"+strconv.FormatInt(i/1000, 10), moment)
	within("a scan's totals", 250*time.Millisecond, func() error {
		totals, err := s.HostTotals(t.Context(), "scan-"+strconv.FormatInt(i/1000, 10))
		if err == nil && (len(totals) != 1 || totals[0].Count != 1000) {
			t.Errorf("totals %+v, want 1000 requests to one host", totals)
		}
		return err
	})
	within("a line begun and completed", 100*time.Millisecond, func() error {
		l := begin(t, s, line("new", "a.example", time.Now().UTC().Truncate(time.Microsecond)))
		return s.Release(t.Context(), nil, l)
	})
	kept := bigDays
	within("a day dropped", time.Second, func() error {
		kept--
		dropped, err := s.DropLedger(t.Context(), now, kept)
		if err == nil && dropped != 1 {
			t.Errorf("%d days dropped, want 1", dropped)
		}
		return err
	})
}

// ledgerScan makes a scan of an id and a time of a test's choice.
func ledgerScan(t *testing.T, pool *pgxpool.Pool, id string, at time.Time) {
	t.Helper()
	store := New(pool)
	workspace, err := store.CreateWorkspace(t.Context(), "w", make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	site, err := store.UpsertSite(t.Context(), workspace.ID, "https://a.example/", "a.example", false)
	if err != nil {
		t.Fatal(err)
	}
	scan, _, err := store.CreateScan(t.Context(), schema.Scan{
		WorkspaceID: workspace.ID, SiteID: site.ID, URL: site.URL, ScopeHost: "a.example", Engine: schema.EngineHTTP, Device: schema.DeviceDesktop,
		MaxPages: 10, Basis: schema.Basis{Kind: schema.BasisOwn}, Profile: schema.Profile{Name: "p"},
	}, schema.IdempotencyKey{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pool.Exec(t.Context(), `UPDATE scans SET id = $2, created_at = $3, started_at = $3, finished_at = $3::timestamptz + interval '1 hour', state = 'finished' WHERE id = $1`, scan.ID, id, at); err != nil {
		t.Fatal(err)
	}
}

// A scan's totals look at the days of the scan alone, and find all of it.
func TestHostTotalsLookAtTheScansDaysOnly(t *testing.T) {
	const days = 12
	pool := pgtest.DB(t)
	s := NewCourtesyStore(pool)
	now := time.Now().UTC().Truncate(time.Microsecond)
	if _, err := pool.Exec(t.Context(), sqlEnsureLedger, now.AddDate(0, 0, -days).Format(time.DateOnly), days+2); err != nil {
		t.Fatal(err)
	}
	moment := now.Truncate(24*time.Hour).AddDate(0, 0, -6).Add(23*time.Hour + 59*time.Minute) // its lines lie on both sides of midnight
	ledgerScan(t, pool, "early", moment)
	for i := range 4 {
		begin(t, s, line("early", "a.example", moment.Add(time.Duration(i)*30*time.Second)))
	}
	begin(t, s, line("no scan", "a.example", moment))
	for _, c := range []struct {
		id    string
		count int
	}{{"early", 4}, {"no scan", 1}} {
		totals, err := s.HostTotals(t.Context(), c.id)
		if err != nil || len(totals) != 1 || totals[0].Count != c.count {
			t.Errorf("%s: %+v (%v), want %d requests to one host", c.id, totals, err, c.count)
		}
	}
	from, to, err := s.scanDays(t.Context(), "early")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := pool.Query(t.Context(), "EXPLAIN (COSTS OFF) "+sqlHostTotals, "early", from, to)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, name := range regexp.MustCompile(`ledger_(\d{8}|default)\b`).FindAllString(strings.Join(plan, "\n"), -1) {
		seen[name] = true
	}
	if len(seen) == 0 || len(seen) > 4 {
		t.Errorf("looks at %d partitions of %d, want those of the scan's days: %v", len(seen), days+2, seen)
	}
}
