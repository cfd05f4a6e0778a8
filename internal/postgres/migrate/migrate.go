// Package migrate brings a database to the shape this version of Visite needs.
package migrate

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"visite/schema"
)

// State is how far a database is.
type State struct {
	Current int64 // number of the last step applied, 0 for an empty database
	Latest  int64 // number of the last step this version knows
}

// UpToDate reports whether nothing is left to apply.
func (s State) UpToDate() bool { return s.Current >= s.Latest }

// Up applies all steps not applied yet. Several processes may call it at once:
// an advisory lock lets one work and the others wait (up to 5 minutes).
func Up(ctx context.Context, url string) (State, error) {
	var s State
	err := with(url, func(p *goose.Provider) error {
		if _, err := p.Up(ctx); err != nil {
			return err
		}
		var err error
		s.Current, s.Latest, err = p.GetVersions(ctx)
		return err
	})
	return s, err
}

// Read tells how far a database is without changing it beyond goose's own table.
func Read(ctx context.Context, url string) (State, error) {
	var s State
	err := with(url, func(p *goose.Provider) error {
		var err error
		s.Current, s.Latest, err = p.GetVersions(ctx)
		return err
	})
	return s, err
}

// DownTo undoes the steps above a number; for tests of the steps themselves.
func DownTo(ctx context.Context, url string, version int64) error {
	return with(url, func(p *goose.Provider) error {
		_, err := p.DownTo(ctx, version)
		return err
	})
}

func with(url string, use func(*goose.Provider) error) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("migrations: %w", err)
		}
	}()
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return err
	}
	db := stdlib.OpenDB(*config)
	defer db.Close()
	p, err := provider(db)
	if err != nil {
		return err
	}
	return use(p)
}

func provider(db *sql.DB) (*goose.Provider, error) {
	steps, err := fs.Sub(schema.Migrations, "migrations")
	if err != nil {
		return nil, err
	}
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 300))
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectPostgres, db, steps, goose.WithSessionLocker(locker), goose.WithDisableGlobalRegistry(true))
}
