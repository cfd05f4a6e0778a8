package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"visite/schema"
)

const (
	// Counts of analysed pages by template, and of addresses nobody asked for: those
	// queued, and those left when the scan ended early.
	scoreTemplates = `SELECT f.template_hash, count(*) FILTER (WHERE f.state = 1), count(*) FILTER (WHERE f.state <> 1)
FROM frontier f WHERE f.scan = $1 AND (f.state <> 1 OR EXISTS (SELECT FROM pages p WHERE p.id = f.address_id AND p.outcome = 'analysed'))
GROUP BY f.template_hash`
	scoreFaulty = `SELECT f.template_hash, x.category, count(*)
FROM (SELECT DISTINCT f.page_id, r.category FROM findings f JOIN rules r ON r.id = f.rule_id WHERE f.scan = $1 AND r.outcome = 'failed') x
JOIN pages p ON p.id = x.page_id JOIN frontier f ON f.address_id = x.page_id WHERE p.outcome = 'analysed'
GROUP BY f.template_hash, x.category`
	scoreReaches = `SELECT x.rule, x.category, x.severity, count(*)
FROM (SELECT f.page_id, r.rule, r.category, max(r.severity) AS severity FROM findings f JOIN rules r ON r.id = f.rule_id
    WHERE f.scan = $1 AND r.outcome = 'failed' GROUP BY f.page_id, r.rule, r.category) x
JOIN pages p ON p.id = x.page_id WHERE p.outcome = 'analysed'
GROUP BY x.rule, x.category, x.severity ORDER BY x.rule, x.category`

	scoresSet    = `UPDATE scans SET scores = $2 WHERE id = $1`
	scoresSelect = `SELECT scores FROM scans WHERE id = $1`
	// scoresBefore goes by the same engine and device: others see other faults.
	scoresBefore = `SELECT o.id, o.finished_at, o.scores FROM scans o JOIN scans s ON s.site_id = o.site_id AND s.engine = o.engine AND s.device = o.device
WHERE s.id = $1 AND o.id < s.id AND o.state = 'finished' AND o.scores IS NOT NULL AND o.finished_at IS NOT NULL
ORDER BY o.id DESC LIMIT $2`
)

// ScoreFacts counts what a scan's scores are made from, as of one moment.
func (s *Store) ScoreFacts(ctx context.Context, scanID string) (schema.ScoreFacts, error) {
	var facts schema.ScoreFacts
	err := pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		var seq int32
		if err := tx.QueryRow(ctx, scanSeq, scanID).Scan(&seq); err != nil {
			return notFound("scan", err)
		}
		var err error
		if facts.Templates, err = templateCounts(ctx, tx, seq); err != nil {
			return err
		}
		facts.Reaches, err = ruleReaches(ctx, tx, seq)
		return err
	})
	return facts, told("count for scores", err)
}

// templateCounts joins all to one template where some address was queued before
// templates were recorded.
func templateCounts(ctx context.Context, tx pgx.Tx, seq int32) ([]schema.TemplateCount, error) {
	rows, err := tx.Query(ctx, scoreTemplates, seq)
	if err != nil {
		return nil, err
	}
	at := map[int64]int{}
	var out []schema.TemplateCount
	var hash *int64
	var analysed, waiting int
	mixed := false
	place := func(h *int64) *schema.TemplateCount {
		var key int64
		if h == nil {
			mixed = true
		} else {
			key = *h
		}
		i, known := at[key]
		if !known {
			i = len(out)
			at[key] = i
			out = append(out, schema.TemplateCount{Faulty: map[schema.Category]int{}})
		}
		return &out[i]
	}
	if _, err := pgx.ForEachRow(rows, []any{&hash, &analysed, &waiting}, func() error {
		t := place(hash)
		t.Analysed, t.Waiting = t.Analysed+analysed, t.Waiting+waiting
		return nil
	}); err != nil {
		return nil, err
	}
	if rows, err = tx.Query(ctx, scoreFaulty, seq); err != nil {
		return nil, err
	}
	var category schema.Category
	var pages int
	_, err = pgx.ForEachRow(rows, []any{&hash, &category, &pages}, func() error {
		place(hash).Faulty[category] += pages
		return nil
	})
	if mixed {
		out = joined(out)
	}
	return out, err
}

func joined(templates []schema.TemplateCount) []schema.TemplateCount {
	all := schema.TemplateCount{Faulty: map[schema.Category]int{}}
	for _, t := range templates {
		all.Analysed, all.Waiting = all.Analysed+t.Analysed, all.Waiting+t.Waiting
		for c, n := range t.Faulty {
			all.Faulty[c] += n
		}
	}
	return []schema.TemplateCount{all}
}

func ruleReaches(ctx context.Context, tx pgx.Tx, seq int32) ([]schema.RuleReach, error) {
	rows, err := tx.Query(ctx, scoreReaches, seq)
	if err != nil {
		return nil, err
	}
	var out []schema.RuleReach
	var r schema.RuleReach
	var rank, pages int
	_, err = pgx.ForEachRow(rows, []any{&r.Rule, &r.Category, &rank, &pages}, func() error {
		if n := len(out); n == 0 || out[n-1].Rule != r.Rule || out[n-1].Category != r.Category {
			out = append(out, r)
		}
		out[len(out)-1].Pages[rank] += pages
		return nil
	})
	return out, err
}

// SetScores records a scan's scores.
func (s *Store) SetScores(ctx context.Context, scanID string, scores schema.Scores) error {
	return s.exec(ctx, "record scores", scoresSet, scanID, scores)
}

// Scores reads a scan's scores; nil before its end and where no page was analysed.
func (s *Store) Scores(ctx context.Context, scanID string) (*schema.Scores, error) {
	var v *schema.Scores
	err := s.pool.QueryRow(ctx, scoresSelect, scanID).Scan(&v)
	return v, told("read scores", notFound("scan", err))
}

// ScoresBefore lists the last finished scans of the scan's site before it, with
// the same engine and device, newest first.
func (s *Store) ScoresBefore(ctx context.Context, scanID string, most int) ([]schema.ScoredScan, error) {
	rows, err := s.pool.Query(ctx, scoresBefore, scanID, most)
	if err != nil {
		return nil, told("list former scores", err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (schema.ScoredScan, error) {
		var v schema.ScoredScan
		err := row.Scan(&v.ScanID, &v.FinishedAt, &v.Scores)
		v.FinishedAt = v.FinishedAt.UTC()
		return v, err
	})
	return list, told("list former scores", err)
}
