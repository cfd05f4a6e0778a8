package postgres

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/oklog/ulid/v2"

	"visite/schema"
)

const (
	scanInsert = `INSERT INTO scans (id, workspace_id, site_id, url, scope_host, engine, device, profile, max_pages, basis_kind, basis_party, contact, cause)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
ON CONFLICT (site_id) WHERE state IN ('queued', 'running') DO NOTHING`
	scanOpenOfSite = `SELECT id FROM scans WHERE site_id = $1 AND state IN ('queued', 'running')`

	// Keys are kept two days, twice what is promised.
	keyPurge  = `DELETE FROM idempotency_keys WHERE workspace_id = $1 AND created_at < now() - interval '48 hours'`
	keyInsert = `INSERT INTO idempotency_keys (workspace_id, key_hash, order_hash, scan_id) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`
	keySelect = `SELECT scan_id, order_hash FROM idempotency_keys WHERE workspace_id = $1 AND key_hash = $2`

	hostLock = `SELECT pg_advisory_xact_lock(hashtext('unverified pages'), hashtext($1))`
	// An open scan counts with all it may still load, a closed one with what it
	// really asked for today.
	hostPagesToday = `SELECT coalesce(sum(CASE WHEN s.state IN ('queued', 'running') THEN s.max_pages + s.scope_moves ELSE
    (SELECT count(*) FROM frontier f WHERE f.scan = s.seq AND f.ticket IS NOT NULL AND (f.loads > 0 OR f.refused > 0)
     AND f.claimed_at >= date_trunc('day', now(), 'UTC')) END), 0)
FROM scans s JOIN sites t ON t.id = s.site_id
WHERE (s.scope_host = $1 OR t.host = $1) AND NOT t.loopback
AND coalesce(s.finished_at, 'infinity') >= date_trunc('day', now(), 'UTC')`
)

// CreateScan records an ordered scan as queued, in one transaction. Under a key
// used before it returns the scan recorded then, created false; a Refusal of
// kind conflict (Code "idempotency-key-reused") where the key stood for another
// order. A Refusal of kind conflict (Code "scan-running") where a scan of the
// site is queued or running. With unverifiedLimit > 0 the host's pages of today,
// over all workspaces, stay within it: MaxPages is lowered to what is left, and
// nothing left is a Refusal of kind busy (Code "few-pages-used-up").
func (s *Store) CreateScan(ctx context.Context, scan schema.Scan, key schema.IdempotencyKey, unverifiedLimit int) (recorded schema.Scan, created bool, err error) {
	if scan.ID == "" {
		scan.ID = ulid.Make().String()
	}
	err = s.inTx(ctx, "create scan", func(ctx context.Context, tx pgx.Tx) error {
		first, err := orderedBefore(ctx, tx, scan, key)
		if err != nil {
			return err
		}
		created = first == scan.ID
		if created {
			if err := insertScan(ctx, tx, scan, unverifiedLimit); err != nil {
				return err
			}
		}
		recorded, err = readScan(ctx, tx, scanSelect, first)
		return err
	})
	return recorded, created && err == nil, err
}

// orderedBefore notes the key and gives the id of the scan it stands for: the
// new one where the key is new.
func orderedBefore(ctx context.Context, tx pgx.Tx, scan schema.Scan, key schema.IdempotencyKey) (string, error) {
	if key.Key == "" {
		return scan.ID, nil
	}
	if _, err := tx.Exec(ctx, keyPurge, scan.WorkspaceID); err != nil {
		return "", err
	}
	// A second order under the key waits here for the first one's end.
	tag, err := tx.Exec(ctx, keyInsert, scan.WorkspaceID, keyHash(key.Key), key.Hash, scan.ID)
	if err != nil || tag.RowsAffected() == 1 {
		return scan.ID, err
	}
	var first string
	var order []byte
	if err := tx.QueryRow(ctx, keySelect, scan.WorkspaceID, keyHash(key.Key)).Scan(&first, &order); err != nil {
		return "", err
	}
	if !bytes.Equal(order, key.Hash) {
		return "", &schema.Refusal{Kind: schema.RefusalConflict, Code: "idempotency-key-reused",
			Detail: "This Idempotency-Key was used for a different order.", Remedy: "Use a new key for a new order."}
	}
	return first, nil
}

func insertScan(ctx context.Context, tx pgx.Tx, scan schema.Scan, unverifiedLimit int) error {
	if unverifiedLimit > 0 {
		left, err := pagesLeft(ctx, tx, scan.ScopeHost, unverifiedLimit)
		if err != nil {
			return err
		}
		scan.MaxPages = min(scan.MaxPages, left)
	}
	tag, err := tx.Exec(ctx, scanInsert, scan.ID, scan.WorkspaceID, scan.SiteID, text(scan.URL), text(scan.ScopeHost), string(scan.Engine),
		string(scan.Device), scan.Profile, scan.MaxPages, string(scan.Basis.Kind), text(scan.Basis.Party), text(scan.Contact), string(cmp.Or(scan.Cause, schema.CauseScan)))
	if err != nil {
		return err
	}
	if tag.RowsAffected() == 0 {
		var open string
		if err := tx.QueryRow(ctx, scanOpenOfSite, scan.SiteID).Scan(&open); err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		return &schema.Refusal{Kind: schema.RefusalConflict, Code: "scan-running",
			Detail: "Scan " + open + " of this site is still queued or running.", Remedy: "Wait for its end or cancel it."}
	}
	_, err = tx.Exec(ctx, talliesInsert, scan.ID)
	return err
}

func pagesLeft(ctx context.Context, tx pgx.Tx, host string, limit int) (int, error) {
	if _, err := tx.Exec(ctx, hostLock, host); err != nil {
		return 0, err
	}
	var used int
	if err := tx.QueryRow(ctx, hostPagesToday, host).Scan(&used); err != nil {
		return 0, err
	}
	if used >= limit {
		return 0, &schema.Refusal{Kind: schema.RefusalBusy, Code: "few-pages-used-up",
			Detail: "The few pages that may be scanned today without proof of ownership are used up for " + host + ".",
			Remedy: "Order again tomorrow (UTC)."}
	}
	return limit - used, nil
}

// ScanByKey finds the scan ordered under a key and the hash of that order; an
// empty scan id where the key is new.
func (s *Store) ScanByKey(ctx context.Context, workspaceID, key string) (schema.Scan, []byte, error) {
	var id string
	var order []byte
	err := s.pool.QueryRow(ctx, keySelect, workspaceID, keyHash(key)).Scan(&id, &order)
	if errors.Is(err, pgx.ErrNoRows) {
		return schema.Scan{}, nil, nil
	}
	if err != nil {
		return schema.Scan{}, nil, told("find order", err)
	}
	scan, err := s.ScanOf(ctx, workspaceID, id)
	return scan, order, err
}

// UnverifiedPagesToday counts pages of scans without proof since midnight UTC
// for a host, over all workspaces: asked for, or still allowed to an open scan.
func (s *Store) UnverifiedPagesToday(ctx context.Context, host string) (int, error) {
	var n int
	err := s.pool.QueryRow(ctx, hostPagesToday, host).Scan(&n)
	return n, told("count unverified pages", err)
}

func keyHash(key string) []byte {
	sum := sha256.Sum256([]byte(key))
	return sum[:]
}
