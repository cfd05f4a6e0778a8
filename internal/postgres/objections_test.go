package postgres_test

import (
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"visite/internal/pgtest"
	"visite/internal/postgres"
	"visite/schema"
)

func objections(t *testing.T) (*postgres.CourtesyStore, *pgxpool.Pool) {
	t.Helper()
	pool := pgtest.DB(t)
	return postgres.NewCourtesyStore(pool), pool
}

// at sets the clock of all pacing of a database.
func at(t *testing.T, pool *pgxpool.Pool, moment string) {
	t.Helper()
	// A function body takes no parameters; the moment is a literal of the test.
	_, err := pool.Exec(t.Context(), `CREATE OR REPLACE FUNCTION courtesy_now() RETURNS timestamptz LANGUAGE sql VOLATILE AS $f$ SELECT timestamptz '`+moment+`' $f$`)
	must(t, err)
}

func askAt(host string) schema.PaceAsk {
	return schema.PaceAsk{ScanID: "s", Host: host, Holder: "h", Slots: 1, IPSlots: 4, TTL: time.Minute, PauseMin: 250 * time.Millisecond, PauseFactor: 4}
}

// proves C-43, S-49
func TestObjectionsHoldForNamesPortsAndHostsBelow(t *testing.T) {
	for _, c := range []struct {
		host       string
		subdomains bool
		asked      string
		holds      bool
	}{
		{"example.com", false, "example.com", true},
		{"example.com", false, "example.com:8443", true},
		{"example.com:8443", false, "example.com:8443", true},
		{"example.com:8443", false, "example.com", false},
		{"example.com", false, "www.example.com", false},
		{"example.com", true, "www.example.com", true},
		{"example.com", true, "a.b.example.com:8080", true},
		{"example.com", true, "badexample.com", false},
		{"example.com", true, "example.com.evil.org", false},
		{"a_b.example.com", true, "axb.example.com", false},
		{"[2001:db8::1]", false, "[2001:db8::1]:8080", true},
		{"127.0.0.1", false, "127.0.0.1:4000", true},
	} {
		t.Run(c.host+" "+c.asked, func(t *testing.T) {
			store, _ := objections(t)
			added, err := store.AddObjection(t.Context(), schema.Objection{Host: c.host, Subdomains: c.subdomains, Kind: schema.ObjectionStop})
			must(t, err)
			list, err := store.Objections(t.Context(), c.asked)
			must(t, err)
			equal(t, "listed", len(list) == 1, c.holds)
			grant, err := store.Reserve(t.Context(), askAt(c.asked))
			must(t, err)
			equal(t, "turn granted", grant.Granted, !c.holds)
			equal(t, "said to be an objection", grant.Objection == schema.ObjectionStop && grant.Reason == schema.ReasonObjection, c.holds)
			if c.holds {
				equal(t, "objection", list[0], added)
			}
		})
	}
}

// proves C-43, S-49
func TestAStoppedHostGetsNoLedgerLine(t *testing.T) {
	store, pool := objections(t)
	stop, err := store.AddObjection(t.Context(), schema.Objection{Host: "example.com", Kind: schema.ObjectionStop, Contact: "a@example.com", Message: "Please stop.", ProvenBy: schema.ProvenByDNS})
	must(t, err)
	begin := func() []int64 {
		ids, _, err := store.BeginLines(t.Context(), []schema.LedgerLine{requestTo("example.com"), requestTo("other.example"), requestTo("example.com:8080")})
		must(t, err)
		return ids
	}
	ids := begin()
	if ids[0] != schema.LineObjected || ids[1] <= 0 || ids[2] != schema.LineObjected {
		t.Fatalf("ids %v", ids)
	}
	var lines int
	must(t, pool.QueryRow(t.Context(), `SELECT count(*) FROM ledger WHERE host LIKE 'example.com%'`).Scan(&lines))
	equal(t, "lines of the stopped host", lines, 0)

	read, err := store.Objection(t.Context(), stop.ID)
	must(t, err)
	equal(t, "objection as read", read, stop)
	must(t, store.WithdrawObjection(t.Context(), stop.ID))
	wantRefusal(t, store.WithdrawObjection(t.Context(), stop.ID), schema.RefusalNotFound, "objection-not-found")
	_, err = store.Objection(t.Context(), stop.ID)
	wantRefusal(t, err, schema.RefusalNotFound, "objection-not-found")
	if ids := begin(); ids[0] <= 0 || ids[2] <= 0 {
		t.Errorf("ids %v after the withdrawal", ids)
	}
	var kept int
	must(t, pool.QueryRow(t.Context(), `SELECT count(*) FROM objections WHERE withdrawn_at IS NOT NULL`).Scan(&kept))
	equal(t, "rows kept after the withdrawal", kept, 1)
}

// proves S-49
func TestAnObjectionEndsByItself(t *testing.T) {
	store, pool := objections(t)
	_, err := store.AddObjection(t.Context(), schema.Objection{Host: "example.com", Kind: schema.ObjectionStop, Until: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)})
	must(t, err)
	for moment, granted := range map[string]bool{"2029-12-31 23:59:59+00": false, "2030-01-01 00:00:00+00": true} {
		at(t, pool, moment)
		grant, err := store.Reserve(t.Context(), askAt("example.com"))
		must(t, err)
		equal(t, "granted at "+moment, grant.Granted, granted)
	}
}

// proves S-49
func TestQuietHours(t *testing.T) {
	for _, c := range []struct {
		from, to, zone, now string
		wait                time.Duration // 0: no quiet hours
	}{
		{"08:00", "18:00", "UTC", "2030-03-04 07:59:59+00", 0},
		{"08:00", "18:00", "UTC", "2030-03-04 08:00:00+00", 10 * time.Hour},
		{"08:00", "18:00", "UTC", "2030-03-04 17:59:30+00", 30 * time.Second},
		{"08:00", "18:00", "UTC", "2030-03-04 18:00:00+00", 0},
		{"08:00", "18:00", "Europe/Berlin", "2030-03-04 07:00:00+00", 10 * time.Hour},
		{"08:00", "18:00", "Europe/Berlin", "2030-07-04 06:00:00+00", 10 * time.Hour},
		{"22:00", "06:00", "UTC", "2030-03-04 21:59:59+00", 0},
		{"22:00", "06:00", "UTC", "2030-03-04 23:00:00+00", 7 * time.Hour},
		{"22:00", "06:00", "UTC", "2030-03-05 05:00:00+00", time.Hour},
		{"22:00", "06:00", "UTC", "2030-03-05 06:00:00+00", 0},
		{"22:00", "06:00", "Europe/Berlin", "2030-03-30 22:00:00+00", 6 * time.Hour}, // the night that loses an hour
		{"22:00", "06:00", "Europe/Berlin", "2030-10-26 21:00:00+00", 8 * time.Hour}, // the night that gains one
	} {
		t.Run(c.from+"-"+c.to+" "+c.zone+" at "+c.now, func(t *testing.T) {
			store, pool := objections(t)
			added, err := store.AddObjection(t.Context(), schema.Objection{Host: "example.com", Kind: schema.ObjectionQuietHours, From: c.from, To: c.to, Zone: c.zone})
			must(t, err)
			if added.From != c.from || added.To != c.to || added.Zone != c.zone {
				t.Errorf("kept as %+v", added)
			}
			at(t, pool, c.now)
			grant, err := store.Reserve(t.Context(), askAt("example.com"))
			must(t, err)
			equal(t, "granted", grant.Granted, c.wait == 0)
			equal(t, "wait", grant.In, c.wait)
			if c.wait > 0 {
				equal(t, "reason", grant.Reason, schema.ReasonQuietHours)
				ids, until, err := store.BeginLines(t.Context(), []schema.LedgerLine{requestTo("example.com")})
				must(t, err)
				equal(t, "id of a line", ids[0], schema.LineQuiet)
				now, err := time.Parse("2006-01-02 15:04:05-07", c.now)
				must(t, err)
				equal(t, "quiet until", until[0].UTC(), now.UTC().Add(c.wait))
			}
		})
	}
}

// proves S-49
func TestASlowerPaceMultipliesEveryPause(t *testing.T) {
	store, pool := objections(t)
	_, err := store.AddObjection(t.Context(), schema.Objection{Host: "example.com", Kind: schema.ObjectionSlower, Factor: 10})
	must(t, err)
	at(t, pool, "2030-01-01 00:00:00+00")
	ask := askAt("example.com")
	grant, err := store.Reserve(t.Context(), ask)
	must(t, err)
	if !grant.Granted || grant.Slower != 10 || grant.SlowFactor != 10 {
		t.Fatalf("grant %+v", grant)
	}
	ask.Holder = "other"
	grant, err = store.Reserve(t.Context(), ask)
	must(t, err)
	equal(t, "pause", grant.In, 2500*time.Millisecond)
	ask.CrawlDelay = 3 * time.Second
	grant, err = store.Reserve(t.Context(), ask)
	must(t, err)
	equal(t, "pause with a Crawl-delay", grant.In, 30*time.Second)
	ask.CrawlDelay = 1 << 62
	grant, err = store.Reserve(t.Context(), ask)
	must(t, err)
	equal(t, "an absurd Crawl-delay", grant.In > 9*365*24*time.Hour, true)
}

// proves S-49
func TestImpossibleObjectionsAreDeclined(t *testing.T) {
	store, _ := objections(t)
	quiet := schema.Objection{Host: "example.com", Kind: schema.ObjectionQuietHours, From: "08:00", To: "18:00", Zone: "Europe/Berlin"}
	with := func(change func(*schema.Objection)) schema.Objection { o := quiet; change(&o); return o }
	for code, o := range map[string]schema.Objection{
		"host-invalid":        with(func(o *schema.Objection) { o.Host = "Example.com/x" }),
		"subdomains-of-port":  with(func(o *schema.Objection) { o.Host, o.Subdomains = "example.com:81", true }),
		"kind-unknown":        with(func(o *schema.Objection) { o.Kind = "louder" }),
		"time-invalid":        with(func(o *schema.Objection) { o.From = "24:00" }),
		"quiet-hours-empty":   with(func(o *schema.Objection) { o.To = o.From }),
		"zone-unknown":        with(func(o *schema.Objection) { o.Zone = "Europe/Nowhere" }),
		"factor-out-of-range": {Host: "example.com", Kind: schema.ObjectionSlower, Factor: 1},
		"contact-too-long":    with(func(o *schema.Objection) { o.Contact = strings.Repeat("x", 201) }),
		"message-too-long":    with(func(o *schema.Objection) { o.Message = strings.Repeat("x", 2001) }),
		"proof-unknown":       with(func(o *schema.Objection) { o.ProvenBy = "oath" }),
	} {
		_, err := store.AddObjection(t.Context(), o)
		wantRefusal(t, err, schema.RefusalInvalid, code)
	}
	list, err := store.Objections(t.Context(), "example.com")
	must(t, err)
	equal(t, "kept", len(list), 0)
}

func requestTo(host string) schema.LedgerLine {
	return schema.LedgerLine{
		At: time.Now().UTC().Truncate(time.Microsecond), ScanID: "s", WorkspaceID: "w", Host: host, Method: "GET", URL: "http://" + host + "/",
		Purpose: schema.PurposePage, Cause: schema.CauseScan, Profile: "visite",
	}
}
