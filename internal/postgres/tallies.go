package postgres

import (
	"context"

	"visite/schema"
)

const (
	talliesInsert = `INSERT INTO tallies (scan, shard) SELECT s.seq, g FROM scans s, generate_series(0, 8) g WHERE s.id = $1`
	talliesSum    = `SELECT coalesce(sum(t.found), 0), coalesce(sum(t.done), 0), coalesce(sum(t.analysed), 0), coalesce(sum(t.not_analysed), 0),
    coalesce(sum(t.failed), 0), coalesce(sum(t.needs_review), 0)
FROM scans s LEFT JOIN tallies t ON t.scan = s.seq WHERE s.id = $1 GROUP BY s.id`
	// talliesSite sets what the whole-site verdicts found; row 0 holds nothing else of it.
	talliesSite = `UPDATE tallies SET failed = $2, needs_review = $3 WHERE scan = $1 AND shard = 0`
	talliesLock = `SELECT t.scan FROM tallies t JOIN scans s ON s.seq = t.scan WHERE s.id = $1 AND t.shard = 0 FOR UPDATE OF t`
)

// Progress counts a scan's addresses and findings, at the same cost however many there are.
func (s *Store) Progress(ctx context.Context, scanID string) (schema.Progress, error) {
	var p schema.Progress
	err := s.pool.QueryRow(ctx, talliesSum, scanID).Scan(&p.Found, &p.Done, &p.Analysed, &p.NotAnalysed, &p.Findings, &p.NeedsReview)
	return p, told("count progress", notFound("scan", err))
}

// counts of findings by outcome.
type counts struct{ failed, needsReview int }

func (c *counts) add(f schema.Finding) {
	if f.Outcome == schema.FindingNeedsReview {
		c.needsReview++
	} else {
		c.failed++
	}
}
