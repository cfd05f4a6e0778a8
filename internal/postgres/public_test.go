package postgres

import (
	"crypto/sha256"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"visite/internal/pgtest"
	"visite/schema"
)

// allowedBy lists the quoted values of a column's constraint, on each table that
// has it: the ledger and all its partitions.
func allowedBy(t *testing.T, pool *pgxpool.Pool, constraint string) map[string][]string {
	t.Helper()
	rows, err := pool.Query(t.Context(), `SELECT conrelid::regclass::text, pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = $1`, constraint)
	check(t, err)
	lists := map[string][]string{}
	var table, text string
	_, err = pgx.ForEachRow(rows, []any{&table, &text}, func() error {
		for _, m := range regexp.MustCompile(`'([^']*)'`).FindAllStringSubmatch(text, -1) {
			lists[table] = append(lists[table], m[1])
		}
		slices.Sort(lists[table])
		return nil
	})
	check(t, err)
	return lists
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// proves S-11: the ledger takes exactly the causes and purposes of the closed
// lists, in every partition.
func TestTheLedgersListsAreTheVocabularys(t *testing.T) {
	pool := pgtest.DB(t)
	check(t, NewCourtesyStore(pool).EnsureLedger(t.Context()))
	for constraint, want := range map[string][]string{
		"ledger_purpose_check": plain(schema.Purposes), "ledger_cause_check": plain(schema.Causes), "ledger_method_check": slices.Clone(schema.LedgerMethods),
		"host_proofs_method_check": {"dns", "file"},
	} {
		slices.Sort(want)
		lists := allowedBy(t, pool, constraint)
		if len(lists) == 0 {
			t.Errorf("there is no constraint %s", constraint)
		}
		for table, got := range lists {
			if !slices.Equal(got, want) {
				t.Errorf("%s of %s allows %v, the vocabulary has %v", constraint, table, got, want)
			}
		}
	}
}

func plain[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = string(v)
	}
	return out
}

func lineAt(at time.Time, host, url string) schema.LedgerLine {
	return schema.LedgerLine{At: at, ScanID: "scan-of-somebody", WorkspaceID: "workspace-of-somebody", Host: host, Method: "GET", URL: url,
		Purpose: schema.PurposePage, Cause: schema.CauseScan, Profile: "visite"}
}

// proves S-09
func TestRequestsAreFoundByHostTimeAndPath(t *testing.T) {
	s := NewCourtesyStore(pgtest.DB(t))
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	_, _, err := s.BeginLines(t.Context(), []schema.LedgerLine{
		lineAt(at, "example.com", "https://example.com/a?q=*"), lineAt(at, "other.example", "https://other.example/b"), lineAt(at, "example.com", "https://example.com/"),
	})
	check(t, err)
	for _, c := range []struct {
		name, host, target string
		from, to           time.Duration
		found, any         bool
	}{
		{"as it was", "example.com", "/a?q=*", -time.Minute, time.Minute, true, true},
		{"the home page", "example.com", "/", 0, 0, true, true},
		{"another path", "example.com", "/b", -time.Minute, time.Minute, false, true},
		{"a path below", "example.com", "/a", -time.Minute, time.Minute, false, true},
		{"another host", "other.example", "/a?q=*", -time.Minute, time.Minute, false, true},
		{"a host never visited", "third.example", "/", -time.Minute, time.Minute, false, false},
		{"a moment before", "example.com", "/", -time.Minute, -time.Microsecond, false, false},
		{"a moment after", "example.com", "/", time.Microsecond, time.Minute, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			found, any, err := s.RequestsAt(t.Context(), c.host, at.Add(c.from), at.Add(c.to), []string{c.target})
			check(t, err)
			if (len(found) == 1) != c.found || any != c.any {
				t.Fatalf("found %+v, any %v", found, any)
			}
			if want := (schema.SeenRequest{At: found0(found).At, Method: "GET", Target: c.target, Purpose: schema.PurposePage, Cause: schema.CauseScan, Profile: "visite"}); c.found && (found[0] != want || !found[0].At.Equal(at)) {
				t.Errorf("found %+v, want %+v", found[0], want)
			}
		})
	}
}

func found0(found []schema.SeenRequest) schema.SeenRequest {
	if len(found) == 0 {
		return schema.SeenRequest{}
	}
	return found[0]
}

func TestHostLinesNameNoCustomer(t *testing.T) {
	s := NewCourtesyStore(pgtest.DB(t))
	at := time.Now().UTC().Truncate(time.Millisecond)
	var lines []schema.LedgerLine
	for i := range 5 {
		lines = append(lines, lineAt(at.Add(time.Duration(i)*time.Second), "example.com", "https://example.com/"))
	}
	_, _, err := s.BeginLines(t.Context(), append(lines, lineAt(at, "other.example", "https://other.example/")))
	check(t, err)
	var times []time.Time
	for r := (schema.Range{Limit: 2}); ; {
		page, err := s.HostLines(t.Context(), "example.com", r)
		check(t, err)
		for _, l := range page {
			if l.ScanID != "" || l.WorkspaceID != "" || l.Host != "example.com" {
				t.Errorf("line %+v tells too much", l)
			}
			times, r.After = append(times, l.At), LineKey(l)
		}
		if len(page) < 2 {
			break
		}
	}
	if len(times) != 5 || !slices.IsSortedFunc(times, func(a, b time.Time) int { return b.Compare(a) }) {
		t.Errorf("times %v, want five, newest first", times)
	}
}

func TestHostProofsLapse(t *testing.T) {
	pool := pgtest.DB(t)
	s := NewCourtesyStore(pool)
	hash := func(token string) []byte { sum := sha256.Sum256([]byte(token)); return sum[:] }
	until, err := s.SaveHostProof(t.Context(), hash("a"), "example.com", schema.ProvenByDNS, time.Hour)
	check(t, err)
	if left := time.Until(until); left < 59*time.Minute || left > time.Hour {
		t.Errorf("lasts %v, want an hour", left)
	}
	_, err = s.SaveHostProof(t.Context(), hash("b"), "gone.example", schema.ProvenByFile, -time.Second)
	check(t, err)
	for token, want := range map[string]string{"a": "example.com", "b": "", "c": ""} {
		host, _, err := s.ProofOf(t.Context(), hash(token))
		check(t, err)
		if host != want {
			t.Errorf("token %s is for %q, want %q", token, host, want)
		}
	}
	_, err = s.SaveHostProof(t.Context(), hash("d"), "example.com", schema.ProvenByFile, time.Hour)
	check(t, err)
	var left int
	check(t, pool.QueryRow(t.Context(), `SELECT count(*) FROM host_proofs`).Scan(&left))
	if left != 2 {
		t.Errorf("%d proofs are kept, want 2", left)
	}
}
