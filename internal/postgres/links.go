package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"visite/schema"
)

const (
	linksDrop = `DELETE FROM links WHERE scan = $1`
	linksList = `SELECT l.address_id, a.url, l.verdict, l.status, l.pages, l.reason, l.target, l.checked_at, l.next_at,
    ARRAY(SELECT o.url FROM unnest(l.found_on) WITH ORDINALITY AS k (id, n) JOIN addresses o ON o.id = k.id ORDER BY k.n)
FROM links l JOIN addresses a ON a.id = l.address_id
WHERE l.scan = (SELECT seq FROM scans WHERE id = $1) AND l.address_id > $2 AND ($3 = '' OR l.verdict = $3) ORDER BY l.address_id LIMIT $4`
)

// linkColumns are what WriteVerdicts copies into links.
var linkColumns = []string{"address_id", "scan", "pages", "status", "verdict", "found_on", "reason", "target", "checked_at", "next_at"}

// WriteVerdicts replaces a scan's link verdicts and site-wide findings. Idempotent.
func (s *Store) WriteVerdicts(ctx context.Context, scanID string, v schema.SiteVerdicts) error {
	found := newFindingRows(len(v.Findings))
	for _, f := range v.Findings {
		if err := found.add(ctx, s, f.PageID, f.Finding); err != nil {
			return told("write verdicts", err)
		}
	}
	return s.inTx(ctx, "write verdicts", func(ctx context.Context, tx pgx.Tx) error {
		var seq int32
		if err := tx.QueryRow(ctx, talliesLock, scanID).Scan(&seq); err != nil { // one writer at a time
			return notFound("scan", err)
		}
		if err := replaceLinks(ctx, tx, seq, v.Links); err != nil {
			return err
		}
		b := &pgx.Batch{}
		b.Queue(findingsDropSite, seq)
		b.Queue(securityVerdictSet, seq, v.Security)
		b.Queue(findingsInsert, append([]any{seq, nil}, found.args(true)...)...)
		b.Queue(talliesSite, seq, found.counts.failed, found.counts.needsReview)
		return tx.SendBatch(ctx, b).Close()
	})
}

func replaceLinks(ctx context.Context, tx pgx.Tx, seq int32, verdicts []schema.LinkVerdictOf) error {
	if _, err := tx.Exec(ctx, linksDrop, seq); err != nil {
		return err
	}
	seen, err := sightings(ctx, tx, seq)
	if err != nil {
		return err
	}
	_, err = tx.CopyFrom(ctx, pgx.Identifier{"links"}, linkColumns, pgx.CopyFromSlice(len(verdicts), func(i int) ([]any, error) {
		l := verdicts[i]
		at := seen[l.ID]
		if at == nil {
			at = &sighting{foundOn: []int64{}}
		}
		return []any{l.ID, seq, int32Of(at.pages), int16Of(l.Status), string(l.Verdict), at.foundOn, string(l.Reason), text(l.Target), nullTime(l.CheckedAt), nullTime(l.NextAt)}, nil
	}))
	return err
}

// Links lists a scan's links once it has its verdicts, each with the first pages
// it was found on (schema.MaxFoundOn at most).
func (s *Store) Links(ctx context.Context, scanID string, f schema.LinkFilter, r schema.Range) ([]schema.ListedLink, error) {
	after, err := rowAfter(r)
	if err != nil {
		return nil, err
	}
	rows, err := s.pool.Query(ctx, linksList, scanID, after, string(f.Verdict), r.Limit)
	if err != nil {
		return nil, told("list links", err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (schema.ListedLink, error) {
		var v schema.ListedLink
		var checked, next *time.Time
		err := row.Scan(&v.ID, &v.Link.URL, &v.Link.Verdict, &v.Link.Status, &v.Link.Pages, &v.Link.Reason, &v.Link.Target, &checked, &next, &v.Link.FoundOn)
		v.Link.CheckedAt, v.Link.NextAt = timeOf(checked), timeOf(next)
		return v, err
	})
	return list, told("list links", err)
}
