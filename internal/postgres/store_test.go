package postgres

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"visite/internal/pgtest"
	"visite/schema"
)

func TestConnectSaysWhatIsWrongAtOnceWhereWaitingIsNoUse(t *testing.T) {
	url := pgtest.URL(t)
	pool, err := Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	if n := pool.Config().MaxConns; n < 10 {
		t.Errorf("%d connections at most, want 10 or more", n)
	}
	pool.Close()

	began := time.Now()
	config, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Connect(t.Context(), strings.Replace(url, config.Password, "guess", 1))
	if err == nil || strings.Contains(err.Error(), "guess") {
		t.Errorf("a wrong password: %v", err)
	}
	_, err = Connect(t.Context(), strings.Replace(url, "/"+config.Database, "/nope", 1))
	if err == nil {
		t.Error("a database that is not there: no error")
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("took %s", took)
	}

	pool, err = Connect(t.Context(), url+"&pool_max_conns=3")
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	if n := pool.Config().MaxConns; n != 3 {
		t.Errorf("%d connections at most, want the 3 asked for", n)
	}
}

func TestConnectWaitsForAServerNotYetThere(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err := Connect(ctx, "postgres://nobody@127.0.0.1:1/none")
	if err == nil {
		t.Fatal("connected to nothing")
	}
	if took := time.Since(began); took < 250*time.Millisecond {
		t.Errorf("gave up after %s", took)
	}
}

func TestWorkBrokenOffByPostgreSQLIsRepeated(t *testing.T) {
	tries := 0
	err := again(t.Context(), "work", func(context.Context) error {
		tries++
		switch tries {
		case 1:
			return &pgconn.PgError{Code: codeSerialization}
		case 2:
			return &pgconn.PgError{Code: codeDeadlock}
		}
		return nil
	})
	if err != nil || tries != 3 {
		t.Errorf("%d tries, error %v", tries, err)
	}

	tries = 0
	broken := &pgconn.PgError{Code: codeUnique}
	err = again(t.Context(), "work", func(context.Context) error { tries++; return broken })
	if tries != 1 || !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "work: ") {
		t.Errorf("%d tries, error %v", tries, err)
	}

	tries = 0
	err = again(t.Context(), "work", func(context.Context) error { tries++; return &pgconn.PgError{Code: codeDeadlock} })
	if tries != 9 || err == nil {
		t.Errorf("%d tries, error %v", tries, err)
	}
}

// Two transactions that lock the same rows in opposite order both succeed.
func TestADeadlockIsOvercome(t *testing.T) {
	s := New(pgtest.DB(t))
	for _, id := range []string{"a", "b"} {
		if _, err := s.pool.Exec(t.Context(), `INSERT INTO workspaces (id, name) VALUES ($1, '')`, id); err != nil {
			t.Fatal(err)
		}
	}
	both := make(chan error)
	met := make(chan struct{}, 2)
	for _, order := range [][]string{{"a", "b"}, {"b", "a"}} {
		go func() {
			both <- s.inTx(t.Context(), "cross", func(ctx context.Context, tx pgx.Tx) error {
				for i, id := range order {
					if _, err := tx.Exec(ctx, `UPDATE workspaces SET name = name || $2 WHERE id = $1`, id, order[0]); err != nil {
						return err
					}
					if i == 0 {
						select {
						case met <- struct{}{}: // room for the first round of both
							time.Sleep(100 * time.Millisecond)
						default:
						}
					}
				}
				return nil
			})
		}()
	}
	for range 2 {
		if err := <-both; err != nil {
			t.Error(err)
		}
	}
	var names int
	err := s.pool.QueryRow(t.Context(), `SELECT count(*) FROM workspaces WHERE length(name) = 2`).Scan(&names)
	if err != nil || names != 2 {
		t.Errorf("%d rows have both marks (error %v), want 2", names, err)
	}
}

func TestShapes(t *testing.T) {
	same := func(a, b string) (path, form bool) {
		x, y := shapeOf(a), shapeOf(b)
		return *x.path == *y.path, *x.form == *y.form
	}
	for _, c := range []struct {
		a, b       string
		path, form bool
	}{
		{"https://a.example/x?p=1", "https://a.example/x?p=2", true, true},
		{"https://a.example/x?p=1", "https://a.example/x?q=1", true, false},
		{"https://a.example/x?p=1&q=2", "https://a.example/x?q=3&p=4", true, true},
		{"https://a.example/x/12?p=1", "https://a.example/x/3456?p=1", false, true},
		{"https://a.example/x/12?p=1", "https://a.example/y/12?p=1", false, false},
	} {
		path, form := same(c.a, c.b)
		if path != c.path || form != c.form {
			t.Errorf("%s and %s: path %v, form %v, want %v, %v", c.a, c.b, path, form, c.path, c.form)
		}
	}
	for _, plain := range []string{"https://a.example/x/12", "https://a.example/x?"} {
		if s := shapeOf(plain); s.path != nil || s.form != nil {
			t.Errorf("%s has a shape", plain)
		}
	}
}

func TestTextForPostgreSQL(t *testing.T) {
	for in, want := range map[string]string{"plain ü": "plain ü", "a\x00b": "ab", "a\xffb": "a\uFFFDb", "": ""} {
		if got := text(in); got != want {
			t.Errorf("text(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestLinkKindsAllHaveANumber(t *testing.T) {
	seen := map[byte]schema.LinkKind{}
	for _, k := range linkKinds {
		b := kindByte(schema.PageLink{Kind: k, NoFollow: true})
		if other, taken := seen[b]; taken || b&noFollowBit == 0 {
			t.Errorf("%s has number %d as %s has", k, b, other)
		}
		seen[b] = k
	}
	if len(seen) != 9 {
		t.Errorf("%d kinds, want 9", len(seen))
	}
}
