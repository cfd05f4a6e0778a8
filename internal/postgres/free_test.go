package postgres

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"visite/internal/pgtest"
	"visite/schema"
)

func freeOrder(url, host, caller string) schema.FreeOrder {
	return schema.FreeOrder{
		ID: fmt.Sprintf("ID-OF-%s-%s", url, caller), Caller: caller, Unverified: 3,
		Scan: schema.Scan{URL: url, ScopeHost: host, Engine: schema.EngineBrowser, Device: schema.DeviceDesktop, Profile: schema.Profile{
			Name: "open", Limits: schema.ContractLimits(), Free: &schema.FreePolicy{CachedFor: 24 * time.Hour, HostADay: 2, CallerADay: 5, AtOnce: 100},
		}},
	}
}

func wantCode(t *testing.T, err error, code string) {
	t.Helper()
	var r *schema.Refusal
	if !errors.As(err, &r) || r.Code != code {
		t.Errorf("%v, want %s", err, code)
	}
}

// proves: many processes that order at once never begin more than the
// budgets of host and caller, nor more than one analysis of an address.
func TestFreeBudgetsHoldUnderRaces(t *testing.T) {
	pool := pgtest.DB(t)
	var mu sync.Mutex
	var all sync.WaitGroup
	begun, codes := map[string]int{}, map[string]int{}
	order := func(o schema.FreeOrder, counted string) {
		all.Add(1)
		go func() {
			defer all.Done()
			_, created, err := New(pool).CreateFree(t.Context(), o)
			var r *schema.Refusal
			mu.Lock()
			defer mu.Unlock()
			switch {
			case created:
				begun[counted]++
			case errors.As(err, &r):
				codes[counted+" "+r.Code]++
			case err != nil:
				t.Error(err)
			default:
				codes[counted+" cached"]++
			}
		}()
	}
	for i := range 12 {
		order(freeOrder(fmt.Sprintf("https://one.example/%d", i), "one.example", fmt.Sprint("caller ", i)), "host")
		order(freeOrder(fmt.Sprintf("https://host-%d.example/", i), fmt.Sprintf("host-%d.example", i), "one caller"), "caller")
		o := freeOrder("https://same.example/", "same.example", fmt.Sprint("other ", i))
		order(o, "address")
	}
	all.Wait()
	if begun["host"] != 2 || codes["host free-host-used-up"] != 10 {
		t.Errorf("of one host %d begun, %v", begun["host"], codes)
	}
	if begun["caller"] != 5 || codes["caller free-caller-used-up"] != 7 {
		t.Errorf("of one caller %d begun, %v", begun["caller"], codes)
	}
	if begun["address"] != 1 || codes["address cached"] != 11 {
		t.Errorf("of one address %d begun, %v", begun["address"], codes)
	}
}

// proves: free analyses count among the few pages of a site, what was
// not loaded counts for nothing, and a salt keeps callers unreadable.
func TestWhatCountsForFreeBudgets(t *testing.T) {
	pool := pgtest.DB(t)
	s, ctx := New(pool), t.Context()
	first, created, err := s.CreateFree(ctx, freeOrder("https://a.example/1", "a.example", "192.0.2.7"))
	if err != nil || !created || first.Scan.Cause != schema.CauseFree || first.Scan.MaxPages != 1 || first.Scan.Basis.Kind != schema.BasisNone || first.Scan.WorkspaceID != schema.FreeWorkspace {
		t.Fatalf("%+v, %v", first, err)
	}
	if used, err := s.UnverifiedPagesToday(ctx, "a.example"); err != nil || used != 1 {
		t.Errorf("%d of the few pages are used, %v", used, err)
	}
	check(t, s.Finish(ctx, first.Scan.ID, schema.ScanRefused, "robots_disallowed")) // loaded nothing
	for i, want := range []string{"", "", "free-host-used-up"} {
		_, _, err := s.CreateFree(ctx, freeOrder(fmt.Sprintf("https://a.example/more-%d", i), "a.example", fmt.Sprint("c", i)))
		if want == "" {
			check(t, err)
		} else {
			wantCode(t, err, want)
		}
	}
	o := freeOrder("https://b.example/", "b.example", "c")
	o.Unverified = 1
	_, _, err = s.CreateFree(ctx, o)
	check(t, err)
	o = freeOrder("https://b.example/2", "b.example", "c")
	o.Unverified = 1
	_, _, err = s.CreateFree(ctx, o)
	wantCode(t, err, "few-pages-used-up")
	o = freeOrder("https://c.example/", "c.example", "d")
	o.Scan.Profile.Free.AtOnce = 3
	_, _, err = s.CreateFree(ctx, o)
	wantCode(t, err, "free-too-many")
	var readable int
	check(t, pool.QueryRow(ctx, `SELECT count(*) FROM free_analyses WHERE position('192.0.2.7'::bytea IN caller) > 0 OR caller = sha256('192.0.2.7'::bytea)`).Scan(&readable))
	if readable != 0 {
		t.Error("a caller can be read")
	}
}

// proves R-11: an address answers for 24 hours, one that loaded nothing for a
// quarter of an hour, and then nothing of it is left in any table.
func TestFreeResultsAreKeptForADayAndDeleted(t *testing.T) {
	pool := pgtest.DB(t)
	s, ctx := New(pool), t.Context()
	loaded, _, err := s.CreateFree(ctx, freeOrder("https://a.example/", "a.example", "x"))
	check(t, err)
	refused, _, err := s.CreateFree(ctx, freeOrder("https://b.example/", "b.example", "x"))
	check(t, err)
	late, _, err := s.CreateFree(ctx, freeOrder("https://c.example/", "c.example", "x"))
	check(t, err)
	_, err = s.StartScan(ctx, loaded.Scan.ID)
	check(t, err)
	claim, err := s.Claim(ctx, loaded.Scan.ID, "0.0")
	check(t, err)
	_, err = s.BeginLoad(ctx, claim)
	check(t, err)
	check(t, s.RecordPage(ctx, claim, schema.Page{
		ScanID: loaded.Scan.ID, URL: claim.URL, FinalURL: claim.URL, Outcome: schema.OutcomeAnalysed, Status: 200, InspectedAt: time.Now(),
		Findings: []schema.Finding{{Rule: "r", Engine: "visite", Category: schema.CategorySEO, Severity: schema.SeverityMinor, Outcome: schema.FindingFailed, Help: "h"}},
		Links:    []schema.PageLink{{URL: "https://a.example/2", Kind: schema.LinkAnchor, InScope: true}},
	}, []schema.Candidate{{URL: "https://a.example/2", Depth: 1, Via: schema.ViaLink}}))
	if next, err := s.Claim(ctx, loaded.Scan.ID, "1.0"); err != nil || next.Found {
		t.Errorf("a second page was claimed: %+v, %v", next, err)
	}
	facts, err := s.SiteFacts(ctx, loaded.Scan.ID)
	check(t, err)
	v := schema.SiteVerdicts{}
	for _, l := range facts.Links {
		v.Links = append(v.Links, schema.LinkVerdictOf{ID: l.ID, Verdict: schema.LinkUnchecked})
	}
	check(t, s.WriteVerdicts(ctx, loaded.Scan.ID, v))
	check(t, s.Finish(ctx, loaded.Scan.ID, schema.ScanFinished, ""))
	check(t, s.Finish(ctx, refused.Scan.ID, schema.ScanRefused, "robots_disallowed"))

	answers := func(age time.Duration) (found []bool) {
		t.Helper()
		_, err := pool.Exec(ctx, `UPDATE free_analyses SET expires_at = expires_at + (now() - $1 * interval '1 microsecond' - created_at), created_at = now() - $1 * interval '1 microsecond'`, age.Microseconds())
		check(t, err)
		_, err = pool.Exec(ctx, `UPDATE scans SET finished_at = now() - $1 * interval '1 microsecond' WHERE finished_at IS NOT NULL`, age.Microseconds())
		check(t, err)
		for _, f := range []schema.FreeAnalysis{loaded, refused, late} {
			_, there, err := s.FreeByAddress(ctx, f.Scan.URL)
			check(t, err)
			found = append(found, there)
		}
		return found
	}
	for _, c := range []struct {
		age  time.Duration
		want string
	}{{14 * time.Minute, "[true true true]"}, {16 * time.Minute, "[true false true]"}, {24*time.Hour - time.Minute, "[true false true]"}, {24*time.Hour + time.Minute, "[false false false]"}} {
		if got := fmt.Sprint(answers(c.age)); got != c.want {
			t.Errorf("after %v: %s, want %s", c.age, got, c.want)
		}
	}
	if _, err := s.FreeAnalysis(ctx, loaded.ID); err == nil {
		t.Error("an expired result can still be read")
	}
	overdue, err := s.FreeOverdue(ctx, 10)
	if err != nil || len(overdue) != 1 || overdue[0].ID != late.Scan.ID {
		t.Errorf("overdue: %+v, %v", overdue, err)
	}
	if n, err := s.ForgetFree(ctx, 10); err != nil || n != 2 {
		t.Errorf("%d deleted, %v", n, err)
	}
	check(t, s.Finish(ctx, late.Scan.ID, schema.ScanCancelled, "expired"))
	if n, err := s.ForgetFree(ctx, 10); err != nil || n != 0 {
		t.Errorf("%d deleted at once after their end, %v", n, err)
	}
	answers(25 * time.Hour)
	if n, err := s.ForgetFree(ctx, 10); err != nil || n != 1 {
		t.Errorf("%d deleted, %v", n, err)
	}
	nothingLeft(t, s)
}

// nothingLeft looks into every table that tells of scans, those of later versions
// too.
func nothingLeft(t *testing.T, s *Store) {
	t.Helper()
	rows, err := s.pool.Query(t.Context(), `SELECT format('SELECT count(*) FROM %I', table_name), table_name FROM information_schema.tables
WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND (table_name IN ('free_analyses', 'sites', 'scans') OR table_name IN
 (SELECT table_name FROM information_schema.columns WHERE table_schema = 'public' AND column_name IN ('scan', 'scan_id')) AND table_name NOT LIKE 'ledger%')`)
	check(t, err)
	var queries, tables []string
	for rows.Next() {
		var query, table string
		check(t, rows.Scan(&query, &table))
		queries, tables = append(queries, query), append(tables, table)
	}
	check(t, rows.Err())
	if len(tables) < 9 {
		t.Errorf("only %v were looked into", tables)
	}
	for i, query := range queries {
		var n int
		check(t, s.pool.QueryRow(t.Context(), query).Scan(&n))
		if n != 0 {
			t.Errorf("%d rows are left in %s", n, tables[i])
		}
	}
}
