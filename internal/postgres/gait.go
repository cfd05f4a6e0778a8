package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"visite/schema"
)

const (
	briskAsk = `INSERT INTO brisk_gaits (id, scan_id, asked_by, reason, minutes, asked_at, outcome)
VALUES ($1, $2, $3, $4, $5, courtesy_now(), 'asked') ON CONFLICT (id) DO NOTHING`
	briskGrant = `INSERT INTO brisk_gaits (id, scan_id, asked_by, reason, minutes, asked_at, until, outcome)
VALUES ($1, $2, $3, $4, $5::integer, courtesy_now(), courtesy_now() + make_interval(mins => $5::integer), 'granted')
ON CONFLICT (id) DO UPDATE SET outcome = 'granted', until = excluded.until WHERE brisk_gaits.outcome = 'asked'`
	briskUntil  = `SELECT until FROM brisk_gaits WHERE id = $1 AND outcome = 'granted'`
	briskRefuse = `UPDATE brisk_gaits SET outcome = 'refused', refusal = $2 WHERE id = $1 AND outcome = 'asked'`
	briskList   = `SELECT id, scan_id, asked_by, reason, minutes, asked_at, until, outcome, refusal, held FROM brisk_gaits WHERE scan_id = $1 ORDER BY asked_at, id`
)

// AskBrisk writes an order of a brisk gait down before it is judged, so that
// refused ones are on record too (C-47).
func (s *Store) AskBrisk(ctx context.Context, id, scanID string, o schema.BriskOrder) error {
	return s.exec(ctx, "ask for a brisk gait", briskAsk, id, text(scanID), text(cut(o.By, schema.BriskByMax)), text(cut(o.Reason, schema.BriskReasonMax)), int32Of(o.Minutes))
}

// GrantBrisk puts an order into force, from now for its minutes by the database's
// clock, and returns its end. Repeating changes nothing.
func (s *Store) GrantBrisk(ctx context.Context, id, scanID string, o schema.BriskOrder) (time.Time, error) {
	if err := o.Validate(); err != nil {
		return time.Time{}, err
	}
	if err := s.exec(ctx, "grant a brisk gait", briskGrant, text(id), text(scanID), text(o.By), text(o.Reason), int32Of(o.Minutes)); err != nil {
		return time.Time{}, err
	}
	var until time.Time
	err := s.pool.QueryRow(ctx, briskUntil, text(id)).Scan(&until)
	return until.UTC(), told("read the end of a brisk gait", notFound("brisk-gait", err))
}

// RefuseBrisk notes why an order was declined.
func (s *Store) RefuseBrisk(ctx context.Context, id, code string) error {
	return s.exec(ctx, "refuse a brisk gait", briskRefuse, id, text(code))
}

// BriskGaits lists a scan's orders of a brisk gait and what became of them,
// oldest first.
func (s *Store) BriskGaits(ctx context.Context, scanID string) ([]schema.BriskGait, error) {
	rows, err := s.pool.Query(ctx, briskList, text(scanID))
	if err != nil {
		return nil, told("list brisk gaits", err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (schema.BriskGait, error) {
		var g schema.BriskGait
		var until *time.Time
		err := row.Scan(&g.ID, &g.ScanID, &g.Order.By, &g.Order.Reason, &g.Order.Minutes, &g.AskedAt, &until, &g.Outcome, &g.Refusal, &g.Held)
		g.AskedAt, g.Until = g.AskedAt.UTC(), timeOf(until)
		return g, err
	})
	return list, told("list brisk gaits", err)
}

// cut shortens to a number of characters.
func cut(s string, limit int) string {
	if r := []rune(s); len(r) > limit {
		return string(r[:limit])
	}
	return s
}
