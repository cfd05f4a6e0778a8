package postgres

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/oklog/ulid/v2"

	"visite/schema"
)

const (
	// freeLoaded: the page was asked for.
	freeLoaded = `EXISTS (SELECT FROM frontier f WHERE f.scan = s.seq AND f.ticket IS NOT NULL AND (f.loads > 0 OR f.refused > 0))`
	freeToday  = `a.created_at >= date_trunc('day', now(), 'UTC')`

	freeColumns = `SELECT a.id, a.scan_id, a.expires_at, ` + freeLoaded + ` FROM free_analyses a JOIN scans s ON s.id = a.scan_id`
	freeByID    = freeColumns + ` WHERE a.id = $1 AND a.expires_at > now()`
	// What loaded nothing, as the site forbade it or rested, answers for a short while only.
	freeByAddress = freeColumns + ` WHERE a.address_hash = $1 AND a.expires_at > now()
   AND (s.state IN ('queued', 'running') OR ` + freeLoaded + ` OR s.state NOT IN ('failed', 'cancelled') AND a.created_at > now() - $2 * interval '1 microsecond')
 ORDER BY a.created_at DESC LIMIT 1`

	// All that is counted is counted under this lock, over all processes.
	freeLock   = `SELECT pg_advisory_xact_lock(hashtext('free analyses'))`
	freeSalt   = `INSERT INTO free_salts (day, salt) VALUES ((now() AT TIME ZONE 'UTC')::date, sha256((gen_random_uuid()::text || gen_random_uuid()::text)::bytea)) ON CONFLICT DO NOTHING`
	freeCaller = `SELECT sha256(salt || convert_to($1, 'UTF8')) FROM free_salts WHERE day = (now() AT TIME ZONE 'UTC')::date`
	// Of a host those count that loaded something or still may; of a caller all.
	freeUsed = `SELECT count(*) FILTER (WHERE a.caller = $1 AND ` + freeToday + `),
       count(*) FILTER (WHERE (a.host = $2 OR s.scope_host = $2) AND ` + freeToday + ` AND (s.state IN ('queued', 'running') OR ` + freeLoaded + `)),
       count(*) FILTER (WHERE s.state IN ('queued', 'running'))
  FROM free_analyses a JOIN scans s ON s.id = a.scan_id
 WHERE a.created_at >= date_trunc('day', now(), 'UTC') OR s.state IN ('queued', 'running')`
	freeInsert = `INSERT INTO free_analyses (id, scan_id, address_hash, host, caller, expires_at) VALUES ($1, $2, $3, $4, $5, now() + $6 * interval '1 microsecond')`
)

// FreeAnalysis reads one that has not expired, else a schema.Refusal of kind not
// found.
func (s *Store) FreeAnalysis(ctx context.Context, id string) (schema.FreeAnalysis, error) {
	f, err := readFree(ctx, s.pool, freeByID, text(id))
	return f, told("read free analysis", notFound("free-analysis", err))
}

// FreeByAddress finds the analysis that answers for an address (as visited); found
// is false where it has to be visited.
func (s *Store) FreeByAddress(ctx context.Context, address string) (f schema.FreeAnalysis, found bool, err error) {
	f, err = freeOf(ctx, s.pool, address)
	if errors.Is(err, pgx.ErrNoRows) {
		return f, false, nil
	}
	return f, err == nil, told("find free analysis", err)
}

func freeOf(ctx context.Context, q querier, address string) (schema.FreeAnalysis, error) {
	return readFree(ctx, q, freeByAddress, freeHash(address), schema.FreeRefusalLasts.Microseconds())
}

func freeHash(address string) []byte {
	sum := sha256.Sum256([]byte(address))
	return sum[:]
}

func readFree(ctx context.Context, q querier, sql string, args ...any) (schema.FreeAnalysis, error) {
	var f schema.FreeAnalysis
	var scanID string
	if err := q.QueryRow(ctx, sql, args...).Scan(&f.ID, &scanID, &f.ExpiresAt, &f.Loaded); err != nil {
		return f, err
	}
	var err error
	f.ExpiresAt = f.ExpiresAt.UTC()
	f.Scan, err = readScan(ctx, q, scanSelect, scanID)
	return f, err
}

// CreateFree records a free analysis as queued, in one transaction: created is
// false where one answers for the address already, which comes back then. The
// day's budgets hold over all processes; a Refusal of kind busy says which is used
// up (Code "free-caller-used-up", "free-host-used-up", "free-too-many",
// "few-pages-used-up").
func (s *Store) CreateFree(ctx context.Context, o schema.FreeOrder) (f schema.FreeAnalysis, created bool, err error) {
	scan := o.Scan
	scan.ID, scan.WorkspaceID, scan.Cause, scan.Basis, scan.MaxPages = ulid.Make().String(), schema.FreeWorkspace, schema.CauseFree, schema.Basis{Kind: schema.BasisNone}, 1
	err = s.inTx(ctx, "create free analysis", func(ctx context.Context, tx pgx.Tx) error {
		created = false
		if _, err := tx.Exec(ctx, freeLock); err != nil {
			return err
		}
		if f, err = freeOf(ctx, tx, scan.URL); err == nil || !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		caller, err := freeMay(ctx, tx, o)
		if err != nil {
			return err
		}
		// A site for each address: two pages of a host may be analysed at once.
		if err := tx.QueryRow(ctx, siteUpsert, ulid.Make().String(), scan.WorkspaceID, text(scan.URL), text(scan.ScopeHost), o.Loopback).Scan(&scan.SiteID, nil, nil, nil, nil, nil, nil); err != nil {
			return err
		}
		unverified := o.Unverified
		if o.Loopback {
			unverified = 0
		}
		if err := insertScan(ctx, tx, scan, unverified); err != nil {
			return err
		}
		policy := scan.Profile.Free
		if _, err := tx.Exec(ctx, freeInsert, o.ID, scan.ID, freeHash(scan.URL), text(scan.ScopeHost), caller, policy.CachedFor.Microseconds()); err != nil {
			return err
		}
		created = true
		f, err = readFree(ctx, tx, freeByID, o.ID)
		return err
	})
	return f, created && err == nil, err
}

// freeMay judges the budgets and gives the caller as it is kept.
func freeMay(ctx context.Context, tx pgx.Tx, o schema.FreeOrder) (caller []byte, err error) {
	if _, err := tx.Exec(ctx, freeSalt); err != nil {
		return nil, err
	}
	if err := tx.QueryRow(ctx, freeCaller, text(o.Caller)).Scan(&caller); err != nil {
		return nil, err
	}
	var ofCaller, ofHost, open int
	if err := tx.QueryRow(ctx, freeUsed, caller, text(o.Scan.ScopeHost)).Scan(&ofCaller, &ofHost, &open); err != nil {
		return nil, err
	}
	policy := o.Scan.Profile.Free
	refusal := &schema.Refusal{Kind: schema.RefusalBusy, Field: "/url", Remedy: "Come back after midnight UTC."}
	switch {
	case ofCaller >= policy.CallerADay:
		refusal.Field, refusal.Code = "", "free-caller-used-up"
		refusal.Detail = fmt.Sprintf("From your address %d free analyses were begun today, which is all there are.", ofCaller)
	case ofHost >= policy.HostADay:
		refusal.Code = "free-host-used-up"
		refusal.Detail = fmt.Sprintf("%s was analysed %d times today for people without an account, which is all it is asked for.", o.Scan.ScopeHost, ofHost)
	case open >= policy.AtOnce:
		refusal.Field, refusal.Code, refusal.Detail, refusal.Remedy = "", "free-too-many", "As many free analyses are under way as are done at once.", "Try again in a minute."
	default:
		return caller, nil
	}
	return nil, refusal
}

// recordGrace is how long after a scan's end a visit that was under way may still record.
const recordGrace = 10 * time.Minute

// freeGrace is how long a closed analysis is kept after its end at least.
const freeGrace = recordGrace
