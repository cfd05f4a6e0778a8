package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"visite/schema"
)

const (
	// previewOn holds where the owner of scan s's site has previews switched on.
	previewOn = `EXISTS (SELECT FROM sites t WHERE t.id = s.site_id AND t.previews_until > now())`

	// previewInsert holds the site's row until the page is recorded, so that a switch
	// comes wholly before it or wholly after.
	previewInsert = `INSERT INTO previews (page_id, scan, template_hash, drawing)
SELECT f.address_id, f.scan, f.template_hash, $2::json FROM frontier f JOIN scans s ON s.seq = f.scan JOIN sites t ON t.id = s.site_id
WHERE f.address_id = $1 AND t.previews_until > now() FOR SHARE OF t`
	previewWanted = `SELECT count(p.page_id) < $2 AND count(p.page_id) FILTER (WHERE p.template_hash IS NOT DISTINCT FROM f.template_hash) < $3
FROM frontier f JOIN scans s ON s.seq = f.scan LEFT JOIN previews p ON p.scan = f.scan WHERE f.address_id = $1 AND ` + previewOn + ` GROUP BY f.address_id`
	previewsOf = `SELECT p.page_id, t.previews_until, p.drawing FROM previews p JOIN scans s ON s.seq = p.scan JOIN sites t ON t.id = s.site_id
WHERE s.id = $1 AND t.previews_until > now() AND ($2 = 0 OR p.page_id = $2) ORDER BY p.page_id LIMIT $3`

	// previewsDrop deletes those nobody wants kept any more; $1: of one site.
	previewsDrop = `DELETE FROM previews p USING scans s, sites t WHERE s.seq = p.scan AND t.id = s.site_id
AND coalesce(t.previews_until <= now(), true) AND ($1 = '' OR t.id = $1)`
	previewsHold   = `SELECT FROM sites WHERE id = $1 FOR UPDATE` // what is being recorded meanwhile is there to be deleted
	previewsSwitch = `UPDATE sites SET previews_until = $2 WHERE id = $1`
)

// SwitchPreviews records until when previews of a site are made and kept; the zero
// time ends them. Those of a time that is over are deleted at once.
func (s *Store) SwitchPreviews(ctx context.Context, siteID string, to schema.PreviewSwitch) error {
	return s.inTx(ctx, "switch previews", func(ctx context.Context, tx pgx.Tx) error {
		b := &pgx.Batch{}
		b.Queue(previewsHold, siteID)
		b.Queue(previewsDrop, siteID) // what has expired does not come back
		b.Queue(previewsSwitch, siteID, nullTime(to.Until))
		b.Queue(previewsDrop, siteID)
		return tx.SendBatch(ctx, b).Close()
	})
}

// ForgetPreviews deletes all whose time is over; returns how many they were.
func (s *Store) ForgetPreviews(ctx context.Context) (int, error) {
	tag, err := s.pool.Exec(ctx, previewsDrop, "")
	return int(tag.RowsAffected()), told("forget previews", err)
}

// PreviewWanted tells whether a claimed address is to have one: they are switched
// on, and there are not enough of the scan and of the address's template yet.
func (s *Store) PreviewWanted(ctx context.Context, claim schema.Claim) (bool, error) {
	rows, err := s.pool.Query(ctx, previewWanted, claim.ID, schema.PreviewsAScan, schema.PreviewsATemplate)
	if err != nil {
		return false, told("ask for a preview", err)
	}
	wanted, err := pgx.CollectRows(rows, pgx.RowTo[bool])
	return len(wanted) == 1 && wanted[0], told("ask for a preview", err)
}

// Previews reads those of a scan, by their pages; none once their time is over.
func (s *Store) Previews(ctx context.Context, scanID string) ([]schema.ListedPreview, error) {
	return s.previews(ctx, scanID, 0)
}

// Preview reads that of one page of a scan; a schema.Refusal of kind not found
// where there is none.
func (s *Store) Preview(ctx context.Context, scanID string, pageID int64) (schema.ListedPreview, error) {
	list, err := s.previews(ctx, scanID, pageID)
	if err == nil && len(list) == 0 {
		err = notFound("preview", pgx.ErrNoRows)
	}
	if err != nil {
		return schema.ListedPreview{}, err
	}
	return list[0], nil
}

func (s *Store) previews(ctx context.Context, scanID string, pageID int64) ([]schema.ListedPreview, error) {
	rows, err := s.pool.Query(ctx, previewsOf, scanID, pageID, 2*schema.PreviewsAScan)
	if err != nil {
		return nil, told("read previews", err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (schema.ListedPreview, error) {
		var v schema.ListedPreview
		err := row.Scan(&v.PageID, &v.Until, &v.Preview)
		return v, err
	})
	return list, told("read previews", err)
}
