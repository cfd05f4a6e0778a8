package postgres_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"visite/internal/postgres"
	"visite/schema"
)

var briskOrder = schema.BriskOrder{Reason: "The site's operators asked for it.", Minutes: 30, By: "Ada"}

// proves C-46: there are two exceptions from pacing, and the database knows no third.
func TestExactlyTwoExceptionsFromPacing(t *testing.T) {
	w := newWorld(t)
	rows, err := w.pool.Query(w.ctx, `SELECT unnest(enum_range(NULL::pacing_exception))::text`)
	must(t, err)
	known, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(t, err)
	var listed []string
	for _, e := range schema.PacingExceptions {
		listed = append(listed, string(e))
	}
	if want := []string{"uptime", "brisk_gait"}; !slices.Equal(known, want) || !slices.Equal(listed, want) {
		t.Errorf("the database knows %v, the code %v, the contract %v", known, listed, want)
	}
	// No function of the database changes what a visit asked for but courtesy_turn,
	// for the exception alone.
	rows, err = w.pool.Query(w.ctx, `SELECT proname || ': ' || m[1] FROM pg_proc, regexp_matches(prosrc, '(p_(?:slots|ip_slots|factor|pause_min|delay)\s*:=[^;]*)', 'g') m
WHERE proname LIKE 'courtesy%' ORDER BY 1`)
	must(t, err)
	changed, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(t, err)
	if want := []string{"courtesy_turn: p_factor := 0", "courtesy_turn: p_slots := greatest(p_slots, 2)"}; !slices.Equal(changed, want) {
		t.Errorf("changed: %q", changed)
	}
}

// gaitWorld is a running scan of a host with a pace at a fixed moment.
func gaitWorld(t *testing.T) (world, *postgres.CourtesyStore, schema.Scan) {
	w := newWorld(t)
	at(t, w.pool, "2030-01-01 00:00:00+00")
	return w, postgres.NewCourtesyStore(w.pool), w.running(10)
}

// proves C-46, C-47, C-48, R-08: a brisk gait is two at once with the least
// pause, for its scan alone, until its end by the clock.
func TestABriskGaitIsForItsScanUntilItsEnd(t *testing.T) {
	w, door, scan := gaitWorld(t)
	until, err := w.GrantBrisk(w.ctx, "order", scan.ID, briskOrder)
	must(t, err)
	equal(t, "end", until, time.Date(2030, 1, 1, 0, 30, 0, 0, time.UTC))
	at(t, w.pool, "2030-01-01 00:10:00+00")
	again, err := w.GrantBrisk(w.ctx, "order", scan.ID, briskOrder)
	must(t, err)
	equal(t, "end when repeated", again, until)

	ask := func(scanID, holder, host string) schema.PaceGrant {
		t.Helper()
		a := askAt(host)
		a.ScanID, a.Holder = scanID, holder
		grant, err := door.Reserve(w.ctx, a)
		must(t, err)
		return grant
	}
	exec := func(sql string) {
		t.Helper()
		_, err := w.pool.Exec(w.ctx, sql)
		must(t, err)
	}
	exec(`INSERT INTO courtesy_hosts (host, response_us) VALUES ('127.0.0.1:8080', 1000000)`)
	first := ask(scan.ID, "one", scan.ScopeHost)
	equal(t, "exception", first.Exception, schema.ExceptionBrisk)
	equal(t, "granted", first.Granted, true)
	second := ask(scan.ID, "two", scan.ScopeHost)
	equal(t, "pause at a response time of 1 s", second.In, 250*time.Millisecond)
	equal(t, "pause of another scan", ask("another", "three", scan.ScopeHost).In, 4*time.Second)

	at(t, w.pool, "2030-01-01 00:10:01+00")
	equal(t, "second at once", ask(scan.ID, "two", scan.ScopeHost).Granted, true)
	at(t, w.pool, "2030-01-01 00:10:02+00")
	third := ask(scan.ID, "three", scan.ScopeHost)
	equal(t, "third at once", third.Granted, false)
	equal(t, "for want of a turn", third.Busy, true)

	exec(`UPDATE courtesy_turns SET expires_at = 'epoch'`)
	equal(t, "on another host", ask(scan.ID, "four", "other.example").Exception, schema.PacingException(""))
	at(t, w.pool, "2030-01-01 00:29:59+00")
	equal(t, "just before its end", ask(scan.ID, "five", scan.ScopeHost).Exception, schema.ExceptionBrisk)
	at(t, w.pool, "2030-01-01 00:30:00+00")
	late := ask(scan.ID, "six", scan.ScopeHost)
	equal(t, "after its end", late.Exception, schema.PacingException(""))
	equal(t, "pause after its end", late.In, 3*time.Second) // 4 s, one of them gone
}

// proves C-49, C-50, S-36: what is stronger than a brisk gait, and that it is noted.
func TestWhatABriskGaitDoesNotOverride(t *testing.T) {
	for name, c := range map[string]struct {
		prepare   func(t *testing.T, door *postgres.CourtesyStore, host string)
		delay     time.Duration
		exception schema.PacingException
		held      schema.BriskHold
		least     time.Duration // of the pause after a first visit
	}{
		"nothing":       {exception: schema.ExceptionBrisk, least: 250 * time.Millisecond},
		"a Crawl-delay": {delay: 7 * time.Second, held: schema.BriskHeldByCrawlDelay, least: 7 * time.Second},
		"a slower pace": {prepare: func(t *testing.T, door *postgres.CourtesyStore, host string) {
			_, err := door.AddObjection(t.Context(), schema.Objection{Host: host, Kind: schema.ObjectionSlower, Factor: 8})
			must(t, err)
		}, held: schema.BriskHeldByObjection, least: 2 * time.Second},
		"a slow-down": {prepare: func(t *testing.T, door *postgres.CourtesyStore, host string) {
			_, err := door.Park(t.Context(), host, 0)
			must(t, err)
		}, exception: schema.ExceptionBrisk, least: 500 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			w, door, scan := gaitWorld(t)
			_, err := w.GrantBrisk(w.ctx, "order", scan.ID, briskOrder)
			must(t, err)
			if c.prepare != nil {
				c.prepare(t, door, scan.ScopeHost)
			}
			ask := askAt(scan.ScopeHost)
			ask.ScanID, ask.CrawlDelay = scan.ID, c.delay
			grant, err := door.Reserve(w.ctx, ask)
			must(t, err)
			equal(t, "granted", grant.Granted, true)
			equal(t, "exception", grant.Exception, c.exception)
			ask.Holder = "next"
			grant, err = door.Reserve(w.ctx, ask)
			must(t, err)
			equal(t, "pause", grant.In, c.least)
			gaits, err := w.BriskGaits(w.ctx, scan.ID)
			must(t, err)
			equal(t, "held", gaits[0].Held, c.held)
		})
	}
	t.Run("a parked host", func(t *testing.T) {
		w, door, scan := gaitWorld(t)
		_, err := w.GrantBrisk(w.ctx, "order", scan.ID, briskOrder)
		must(t, err)
		_, err = door.Park(w.ctx, scan.ScopeHost, 2*time.Minute)
		must(t, err)
		ask := askAt(scan.ScopeHost)
		ask.ScanID = scan.ID
		grant, err := door.Reserve(w.ctx, ask)
		must(t, err)
		equal(t, "wait", grant.In, 2*time.Minute)
	})
}

// proves C-47: every order is on record, whatever came of it.
func TestOrdersOfABriskGaitAreRecorded(t *testing.T) {
	w, _, scan := gaitWorld(t)
	must(t, w.AskBrisk(w.ctx, "a", scan.ID, schema.BriskOrder{Reason: strings.Repeat("x", 3000), Minutes: 1 << 40, By: strings.Repeat("y", 300)}))
	must(t, w.RefuseBrisk(w.ctx, "a", "reason-length"))
	must(t, w.AskBrisk(w.ctx, "b", scan.ID, briskOrder))
	_, err := w.GrantBrisk(w.ctx, "b", scan.ID, briskOrder)
	must(t, err)
	must(t, w.RefuseBrisk(w.ctx, "b", "late")) // what is in force stays
	_, err = w.GrantBrisk(w.ctx, "c", scan.ID, schema.BriskOrder{Reason: "short", Minutes: 30, By: "Ada"})
	wantRefusal(t, err, schema.RefusalInvalid, "reason-length")
	_, err = w.GrantBrisk(w.ctx, "a", scan.ID, briskOrder)
	wantRefusal(t, err, schema.RefusalNotFound, "brisk-gait-not-found")
	gaits, err := w.BriskGaits(w.ctx, scan.ID)
	must(t, err)
	if len(gaits) != 2 {
		t.Fatalf("recorded: %+v", gaits)
	}
	equal(t, "refused", gaits[0].Outcome, schema.BriskRefused)
	equal(t, "why", gaits[0].Refusal, "reason-length")
	equal(t, "length of the reason", len(gaits[0].Order.Reason), schema.BriskReasonMax)
	at0 := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	equal(t, "granted", gaits[1], schema.BriskGait{ID: "b", ScanID: scan.ID, Order: briskOrder, AskedAt: at0, Until: at0.Add(30 * time.Minute), Outcome: schema.BriskGranted})
}
