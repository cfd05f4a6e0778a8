package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"visite/schema"
)

const (
	freeOverdue = `SELECT ` + scanColumns + ` FROM scans WHERE state IN ('queued', 'running')
   AND id IN (SELECT scan_id FROM free_analyses WHERE expires_at <= now()) ORDER BY id LIMIT $1`
	freeExpired = `SELECT s.id, s.seq, s.site_id FROM free_analyses a JOIN scans s ON s.id = a.scan_id
 WHERE a.expires_at <= now() AND s.finished_at <= now() - $2 * interval '1 microsecond' ORDER BY a.expires_at LIMIT $1
   FOR UPDATE OF s` // nobody keeps items of one that is being deleted
	freeSaltsDrop = `DELETE FROM free_salts WHERE day < (now() AT TIME ZONE 'UTC')::date`

	scanForgetFrontier  = `DELETE FROM frontier f USING addresses a WHERE a.scan = ANY ($1) AND f.address_id = a.id`
	scanForgetPages     = `DELETE FROM pages WHERE scan = ANY ($1)`
	scanForgetFindings  = `DELETE FROM findings WHERE scan = ANY ($1)`
	scanForgetLinks     = `DELETE FROM links WHERE scan = ANY ($1)`
	scanForgetTallies   = `DELETE FROM tallies WHERE scan = ANY ($1)`
	scanForgetPreviews  = `DELETE FROM previews WHERE scan = ANY ($1)`
	scanForgetAddresses = `DELETE FROM addresses WHERE scan = ANY ($1)`
	scanForgetSecurity  = `DELETE FROM site_security WHERE scan = ANY ($1)`
	scanForgetReading   = `DELETE FROM site_reading WHERE scan = ANY ($1)`
	scanForgetItems     = `DELETE FROM items WHERE scan = ANY ($1)`
	scanForgetFolds     = `DELETE FROM item_folds WHERE scan = ANY ($1)`
	scanForgetBrisk     = `DELETE FROM brisk_gaits WHERE scan_id = ANY ($1)`
	scanForget          = `DELETE FROM scans WHERE id = ANY ($1)` // free_analyses with it
	siteForget          = `DELETE FROM sites t WHERE t.id = ANY ($1) AND NOT EXISTS (SELECT FROM scans s WHERE s.site_id = t.id)`
)

// FreeOverdue lists the scans of free analyses that have expired and are still
// queued or running: there is nobody to read their result.
func (s *Store) FreeOverdue(ctx context.Context, limit int) ([]schema.Scan, error) {
	rows, err := s.pool.Query(ctx, freeOverdue, limit)
	if err != nil {
		return nil, told("list overdue free analyses", err)
	}
	scans, err := pgx.CollectRows(rows, scanScan)
	return scans, told("list overdue free analyses", err)
}

// ForgetFree deletes all that is recorded of at most limit free analyses that have
// expired and ended, and the salts of days gone by. The ledger keeps its lines as
// long as any. Returns how many were deleted; repeating is harmless.
func (s *Store) ForgetFree(ctx context.Context, limit int) (int, error) {
	forgotten := 0
	err := s.inTx(ctx, "forget free analyses", func(ctx context.Context, tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, freeLock); err != nil { // none is made for a site that is being deleted
			return err
		}
		if _, err := tx.Exec(ctx, freeSaltsDrop); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, freeExpired, limit, freeGrace.Microseconds())
		if err != nil {
			return err
		}
		var ids, sites []string
		var seqs []int32
		var id, site string
		var seq int32
		if _, err := pgx.ForEachRow(rows, []any{&id, &seq, &site}, func() error {
			ids, seqs, sites = append(ids, id), append(seqs, seq), append(sites, site)
			return nil
		}); err != nil || len(ids) == 0 {
			return err
		}
		b := &pgx.Batch{}
		for _, sql := range []string{scanForgetFrontier, scanForgetPages, scanForgetFindings, scanForgetLinks, scanForgetTallies, scanForgetSecurity, scanForgetReading, scanForgetPreviews, scanForgetItems, scanForgetFolds, scanForgetAddresses} {
			b.Queue(sql, seqs)
		}
		b.Queue(scanForgetBrisk, ids)
		b.Queue(scanForget, ids)
		b.Queue(siteForget, sites)
		forgotten = len(ids)
		return tx.SendBatch(ctx, b).Close()
	})
	return forgotten, err
}
