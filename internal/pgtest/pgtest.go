// Package pgtest gives each test a migrated PostgreSQL database of its own. All
// test processes of a user share one throw-away server: the first to need it
// starts a keeper process, which ends the server soon after the last user ended,
// however that came about.
package pgtest

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"visite/internal/pgcluster"
)

// DB gives a pool (up to 10 connections) on a new, migrated database, dropped
// when the test ends. Skips the test where PostgreSQL is not installed, or fails
// it where CI=true.
func DB(t testing.TB) *pgxpool.Pool {
	t.Helper()
	config, err := pgxpool.ParseConfig(URL(t))
	if err != nil {
		t.Fatal(err)
	}
	config.MaxConns = 10
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// URL gives the connection string of a new, migrated database, for processes
// under test. Otherwise like DB.
func URL(t testing.TB) string {
	t.Helper()
	s := server(t)
	template, err := templateOnce()
	if err != nil {
		t.Fatal(err)
	}
	return create(t, s, template)
}

// EmptyURL gives the connection string of a new database without any table.
// Otherwise like DB.
func EmptyURL(t testing.TB) string {
	t.Helper()
	return create(t, server(t), "template0")
}

func create(t testing.TB, s shared, template string) string {
	t.Helper()
	name := "test_" + strings.ToLower(rand.Text()[:16])
	err := s.admin(t.Context(), `CREATE DATABASE `+pgx.Identifier{name}.Sanitize()+` TEMPLATE `+pgx.Identifier{template}.Sanitize())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := s.admin(ctx, `DROP DATABASE IF EXISTS `+pgx.Identifier{name}.Sanitize()+` WITH (FORCE)`); err != nil {
			t.Errorf("drop the test's database: %v", err)
		}
	})
	return s.url(name)
}

var (
	joinOnce     = sync.OnceValues(join)
	templateOnce = sync.OnceValues(func() (string, error) {
		s, err := joinOnce()
		if err != nil {
			return "", err
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		return s.template(ctx)
	})
)

func server(t testing.TB) shared {
	t.Helper()
	if _, err := pgcluster.Find(); errors.Is(err, pgcluster.ErrNotFound) {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	s, err := joinOnce()
	if err != nil {
		t.Fatal(err)
	}
	return s
}
