package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/sethvargo/go-retry"

	"visite/internal/postgres/migrate"
	"visite/schema"
)

// Store reads and writes all records. Safe for concurrent use.
type Store struct {
	pool *pgxpool.Pool

	known  *knownAddresses
	claims *together[string, string, schema.Claim] // by scan: tickets
	begins *together[struct{}, int64, int]         // addresses: loads begun

	mu    sync.RWMutex
	rules map[ruleHash]int32 // ids of rules known to be recorded
	// ruleTexts are recorded rules by id, which says the same for ever.
	ruleTexts map[int32]schema.Finding
}

// New makes a store over a pool; closing the pool stays the caller's.
func New(pool *pgxpool.Pool) *Store {
	s := &Store{pool: pool, rules: map[ruleHash]int32{}, ruleTexts: map[int32]schema.Finding{}, known: &knownAddresses{scans: map[string]*knownScan{}}}
	s.claims, s.begins = newTogether(s.claimAll), newTogether(s.beginLoads)
	return s
}

// Connect opens a pool (at least 10 connections unless the URL sets
// pool_max_conns) and waits up to 30 s for the server to answer.
func Connect(ctx context.Context, url string) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("database URL: %w", err)
	}
	if !poolSizeSet(url) {
		config.MaxConns = max(config.MaxConns, 10)
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("database: %w", err)
	}
	wait := retry.WithMaxDuration(30*time.Second, retry.WithCappedDuration(time.Second, retry.NewExponential(20*time.Millisecond)))
	err = retry.Do(ctx, wait, func(ctx context.Context) error {
		err := pool.Ping(ctx)
		if refusedForGood(err) {
			return err
		}
		return retry.RetryableError(err)
	})
	if err != nil {
		pool.Close()
		return nil, fmt.Errorf("database does not answer: %w", err)
	}
	return pool, nil
}

func poolSizeSet(url string) bool {
	config, err := pgx.ParseConfig(url)
	return err == nil && config.RuntimeParams["pool_max_conns"] != ""
}

// refusedForGood tells answers that will not change by asking again: a wrong
// password, a database that is not there.
func refusedForGood(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && (pg.Code[:2] == "28" || pg.Code == "3D000")
}

// Ping reports whether the database answers.
func (s *Store) Ping(ctx context.Context) error { return s.pool.Ping(ctx) }

// Migrate brings the database of a URL to the shape this version needs. Several
// processes may call it at once.
func Migrate(ctx context.Context, url string) (migrate.State, error) { return migrate.Up(ctx, url) }

// MigrationState tells how far the database of a URL is.
func MigrationState(ctx context.Context, url string) (migrate.State, error) {
	return migrate.Read(ctx, url)
}

// PostgreSQL's error codes we act on.
const (
	codeSerialization = "40001"
	codeDeadlock      = "40P01"
	codeUnique        = "23505"
)

// again repeats work that PostgreSQL broke off for the sake of other
// transactions, at most 8 times. The only place that does so.
func again(ctx context.Context, what string, do func(context.Context) error) error {
	backoff := retry.WithMaxRetries(8, retry.WithJitterPercent(50, retry.NewExponential(2*time.Millisecond)))
	err := retry.Do(ctx, backoff, func(ctx context.Context) error {
		err := do(ctx)
		var pg *pgconn.PgError
		if errors.As(err, &pg) && (pg.Code == codeSerialization || pg.Code == codeDeadlock || lostRace(pg)) {
			return retry.RetryableError(err)
		}
		return err
	})
	return told(what, err)
}

// lostRace: two runs of one ticket claimed at once; asking again finds the other's claim.
func lostRace(pg *pgconn.PgError) bool {
	return pg.Code == codeUnique && pg.ConstraintName == "frontier_ticket"
}

// inTx runs work in one transaction, repeated where PostgreSQL broke it off.
func (s *Store) inTx(ctx context.Context, what string, do func(context.Context, pgx.Tx) error) error {
	return again(ctx, what, func(ctx context.Context) error {
		return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error { return do(ctx, tx) })
	})
}

// told says what was being done; a refusal stays as it is.
func told(what string, err error) error {
	var refusal *schema.Refusal
	if err == nil || errors.As(err, &refusal) {
		return err
	}
	return fmt.Errorf("%s: %w", what, err)
}

// notFound turns an absent row into a refusal; an object of another workspace
// is absent too.
func notFound(kind string, err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return &schema.Refusal{Kind: schema.RefusalNotFound, Code: kind + "-not-found",
			Detail: "There is no such " + kind + ".", Remedy: "Check the id."}
	}
	return err
}
