package postgres

import (
	"regexp"
	"slices"
	"testing"
	"time"

	"visite/internal/pgtest"
	"visite/schema"
)

func line(scan, host string, at time.Time) schema.LedgerLine {
	return schema.LedgerLine{
		At: at, ScanID: scan, WorkspaceID: "w", Host: host, Method: "GET", URL: "https://" + host + "/?q=*",
		Purpose: schema.PurposePage, Cause: schema.CauseScan, Profile: "test", Rule: "Allow: /", WaitedMS: 250,
	}
}

func begin(t *testing.T, s *CourtesyStore, lines ...schema.LedgerLine) []schema.LedgerLine {
	t.Helper()
	ids, _, err := s.BeginLines(t.Context(), lines)
	if err != nil {
		t.Fatal(err)
	}
	for i := range lines {
		lines[i].ID = ids[i]
	}
	return lines
}

func TestLedgerLinesBeginAndComplete(t *testing.T) {
	s := NewCourtesyStore(pgtest.DB(t))
	now := time.Now().UTC().Truncate(time.Microsecond)
	lines := begin(t, s, line("s1", "b.example", now), line("s1", "a.example", now), line("s2", "a.example", now))
	read, err := s.Lines(t.Context(), "s1")
	if err != nil || len(read) != 2 || read[0].Status != 0 || read[0].Rule != "Allow: /" || read[0].WaitedMS != 250 || !read[0].At.Equal(now) {
		t.Fatalf("begun lines: %+v %v", read, err)
	}
	lines[0].IP, lines[0].Status, lines[0].Bytes, lines[0].TookMS = "192.0.2.1", 999, 1234, 56
	lines[1].Failure = schema.ReasonTimeout
	if err := s.Release(t.Context(), nil, lines[:2]); err != nil {
		t.Fatal(err)
	}
	read, err = s.Lines(t.Context(), "s1", "b.example")
	if err != nil || len(read) != 1 {
		t.Fatalf("%+v %v", read, err)
	}
	if got := read[0]; got.IP != "192.0.2.1" || got.Status != 999 || got.Bytes != 1234 || got.TookMS != 56 {
		t.Errorf("completed line: %+v", got)
	}
	read, err = s.Lines(t.Context(), "s1", "a.example")
	if err != nil || len(read) != 1 || read[0].Failure != schema.ReasonTimeout {
		t.Errorf("failed line: %+v %v", read, err)
	}
}

func TestHostTotals(t *testing.T) {
	s := NewCourtesyStore(pgtest.DB(t))
	t0 := time.Now().UTC().Truncate(time.Microsecond)
	at := func(ms int) time.Time { return t0.Add(time.Duration(ms) * time.Millisecond) }
	lines := begin(t, s,
		line("s", "a.example", at(0)), line("s", "a.example", at(10)), line("s", "a.example", at(15)), line("s", "a.example", at(20)),
		line("s", "b.example", at(0)), line("s", "b.example", at(10)), line("s", "b.example", at(20)),
		line("other", "b.example", at(0)))
	for i, took := range []int64{12, 10, 10, 1, 10, 10, 0} { // a.example: 0-12, 10-20, 15-25, 20-21
		lines[i].TookMS, lines[i].Bytes, lines[i].Status = took, 100, 200
	}
	if err := s.Release(t.Context(), nil, lines[:7]); err != nil {
		t.Fatal(err)
	}
	got, err := s.HostTotals(t.Context(), "s")
	want := []schema.HostTotals{{Host: "a.example", Count: 4, Bytes: 400, MaxInFlight: 2, BusyMS: 25, WaitedMS: 1000}, {Host: "b.example", Count: 3, Bytes: 300, MaxInFlight: 1, BusyMS: 20, WaitedMS: 750}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v (%v)", got, want, err)
	}
}

// proves C-50, R-04
func TestNoLineForAParkedHost(t *testing.T) {
	s := NewCourtesyStore(pgtest.DB(t))
	until, err := s.Park(t.Context(), "a.example", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	ids, parked, err := s.BeginLines(t.Context(), []schema.LedgerLine{line("s", "a.example", now), line("s", "b.example", now)})
	if err != nil || ids[0] != 0 || !parked[0].Equal(until) || ids[1] == 0 {
		t.Fatalf("ids %v parked %v (%v), want none for the parked host until %v", ids, parked, err, until)
	}
	if read, err := s.Lines(t.Context(), "s"); err != nil || len(read) != 1 || read[0].Host != "b.example" {
		t.Errorf("lines: %+v %v", read, err)
	}
}

// A request without a purpose or cause cannot be written, so it cannot leave.
// proves S-11
func TestLedgerListsAreClosed(t *testing.T) {
	pool := pgtest.DB(t)
	s := NewCourtesyStore(pool)
	for name, spoil := range map[string]func(*schema.LedgerLine){
		"no purpose":      func(l *schema.LedgerLine) { l.Purpose = "" },
		"unknown purpose": func(l *schema.LedgerLine) { l.Purpose = "curiosity" },
		"no cause":        func(l *schema.LedgerLine) { l.Cause = "" },
		"unknown cause":   func(l *schema.LedgerLine) { l.Cause = "boredom" },
		"no profile":      func(l *schema.LedgerLine) { l.Profile = "" },
		"method POST":     func(l *schema.LedgerLine) { l.Method = "POST" },
	} {
		l := line("s", "a.example", time.Now())
		spoil(&l)
		if _, _, err := s.BeginLines(t.Context(), []schema.LedgerLine{l}); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	var constraint string
	err := pool.QueryRow(t.Context(), `SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'ledger'::regclass AND conname = 'ledger_purpose_check'`).Scan(&constraint)
	if err != nil {
		t.Fatal(err)
	}
	var listed []schema.Purpose
	for _, m := range regexp.MustCompile(`'([a-z_]+)'::text`).FindAllStringSubmatch(constraint, -1) {
		listed = append(listed, schema.Purpose(m[1]))
	}
	if !slices.Equal(listed, schema.Purposes) {
		t.Errorf("the table's purposes %v are not the code's %v", listed, schema.Purposes)
	}
}

func TestLedgerPartitions(t *testing.T) {
	pool := pgtest.DB(t)
	s := NewCourtesyStore(pool)
	count := func(table string) (n int) {
		t.Helper()
		if err := pool.QueryRow(t.Context(), `SELECT count(*) FROM ledger WHERE tableoid = to_regclass($1)`, table).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	now := time.Now().UTC()
	later := now.AddDate(0, 0, 10)
	l := begin(t, s, line("s", "a.example", now), line("s", "a.example", later))
	if n := count("ledger_" + now.Format("20060102")); n != 1 {
		t.Errorf("%d lines in today's partition, want 1", n)
	}
	if n := count("ledger_default"); n != 1 {
		t.Errorf("%d lines in the default partition, want 1", n)
	}
	for range 2 { // a second time changes nothing
		if _, err := pool.Exec(t.Context(), sqlEnsureLedger, later.Format(time.DateOnly), 1); err != nil {
			t.Fatal(err)
		}
	}
	if n, m := count("ledger_"+later.Format("20060102")), count("ledger_default"); n != 1 || m != 0 {
		t.Errorf("%d lines moved, %d left, want 1 and 0", n, m)
	}
	l[1].Status = 200
	if err := s.Release(t.Context(), nil, l); err != nil {
		t.Fatal(err)
	}
	if read, err := s.Lines(t.Context(), "s"); err != nil || len(read) != 2 || read[1].Status != 200 {
		t.Errorf("after the move: %+v %v", read, err)
	}
}

func TestRobotsCopies(t *testing.T) {
	s := NewCourtesyStore(pgtest.DB(t))
	now := time.Now().UTC().Truncate(time.Microsecond)
	c := schema.RobotsCopy{Origin: "https://a.example", ReadAt: now, Outcome: schema.RobotsParse, Status: 200, Body: []byte("User-agent: *\nDisallow: /\xff\x00"), ETag: `"1"`, LastModified: "x"}
	if _, found, err := s.RobotsCopy(t.Context(), c.Origin); found || err != nil {
		t.Fatalf("found %v, %v before anything was kept", found, err)
	}
	older := c
	older.ReadAt, older.Outcome, older.Body = now.Add(-time.Second), schema.RobotsDenyAll, nil
	for _, v := range []schema.RobotsCopy{c, older} {
		if err := s.SaveRobotsCopy(t.Context(), v); err != nil {
			t.Fatal(err)
		}
	}
	got, found, err := s.RobotsCopy(t.Context(), c.Origin)
	if err != nil || !found || !got.ReadAt.Equal(now) || got.Outcome != c.Outcome || string(got.Body) != string(c.Body) || got.ETag != c.ETag || got.LastModified != "x" {
		t.Errorf("got %+v %v %v, want the later copy %+v", got, found, err, c)
	}
	a := ask("a.example", "h")
	a.Origin = c.Origin
	if g := reserve(t, s, a); !g.RobotsReadAt.Equal(now) {
		t.Errorf("the grant names %v, want %v", g.RobotsReadAt, now)
	}
}
