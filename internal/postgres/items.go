package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"visite/schema"
)

const (
	// foldPages reads in stretches, and so are their findings: no sort of a scan's findings, no
	// long transaction, and each statement goes by an index whatever other scans there are.
	foldPages = `SELECT p.id, a.url, p.outcome, p.notes, coalesce(p.measured->>'trackers_by', '') FROM pages p JOIN addresses a ON a.id = p.id AND a.id > $2
WHERE p.scan = $1 AND p.id > $2 ORDER BY p.id LIMIT $3`

	// itemFoldSet keeps nothing of a scan that is gone, and holds one that is there.
	itemFoldSet = `INSERT INTO item_folds (scan, left_out, templates, looks) SELECT s.seq, $2, $3, $4 FROM scans s WHERE s.seq = $1 FOR KEY SHARE
ON CONFLICT (scan) DO UPDATE SET left_out = EXCLUDED.left_out, templates = EXCLUDED.templates, looks = EXCLUDED.looks`
	itemsDrop = `DELETE FROM items WHERE scan = $1`
	// itemFoldRead finds none of a scan under way: its findings are still growing.
	itemFoldRead = `SELECT s.seq, coalesce(s.finished_at <= now() - $2 * interval '1 microsecond', false), i.left_out, i.templates, i.looks
FROM scans s LEFT JOIN item_folds i ON i.scan = s.seq AND s.finished_at IS NOT NULL AND cardinality(i.looks) = cardinality(i.templates) WHERE s.id = $1`
	itemsRead = `SELECT i.fingerprint, i.severity, i.places, i.pages, i.selector, i.template, i.subject, i.examples,
    ARRAY(SELECT a.url FROM unnest(i.examples) WITH ORDINALITY AS k (id, n) JOIN addresses a ON a.id = k.id ORDER BY k.n),
    r.rule, r.engine, r.category, r.severity, r.outcome, r.wcag, r.act_rules, r.title, r.help
FROM items i JOIN rules r ON r.id = i.rule_id WHERE i.scan = $1`
)

var itemColumns = []string{"scan", "fingerprint", "rule_id", "severity", "places", "pages", "examples", "selector", "template", "subject"}

// foldStretch is how many pages' findings one statement reads; they are folded
// row by row, so that a page of thousands takes no more memory.
const foldStretch = 500

// FoldItems folds a scan's findings and keeps what they come to. Idempotent.
func (s *Store) FoldItems(ctx context.Context, scanID string) error {
	var seq int32
	if err := s.pool.QueryRow(ctx, scanSeq, scanID).Scan(&seq); err != nil {
		return told("fold items", notFound("scan", err))
	}
	fold, err := s.fold(ctx, seq)
	if err != nil {
		return told("fold items", err)
	}
	return s.keepItems(ctx, seq, fold)
}

func (s *Store) keepItems(ctx context.Context, seq int32, fold schema.ItemFold) error {
	rows, err := s.itemRows(ctx, seq, fold)
	if err != nil {
		return told("keep items", err)
	}
	templates, looks := make([]string, 0, len(fold.Templates)), make([]int16, 0, len(fold.Templates))
	for t, l := range fold.Templates {
		templates, looks = append(templates, text(t)), append(looks, int16(l))
	}
	return s.inTx(ctx, "keep items", func(ctx context.Context, tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, itemFoldSet, seq, int32Of(fold.Left), templates, looks) // one writer at a time
		if err != nil || tag.RowsAffected() == 0 {
			return err
		}
		if _, err := tx.Exec(ctx, itemsDrop, seq); err != nil {
			return err
		}
		_, err = tx.CopyFrom(ctx, pgx.Identifier{"items"}, itemColumns, pgx.CopyFromRows(rows))
		return err
	})
}

func (s *Store) itemRows(ctx context.Context, seq int32, fold schema.ItemFold) ([][]any, error) {
	rows := make([][]any, 0, len(fold.Items))
	for _, i := range fold.Items {
		rule, err := s.ruleID(ctx, i.Finding)
		if err != nil {
			return nil, err
		}
		examples := make([]int64, len(i.Examples))
		for n, p := range i.Examples {
			examples[n] = p.ID
		}
		rows = append(rows, []any{seq, i.ID, rule, int16Of(i.Severity.Rank()), int32Of(i.Places), int32Of(i.Pages), examples, text(i.Selector), text(i.Template), text(i.Subject)})
	}
	return rows, nil
}

// Items reads what a scan's findings fold to: what was kept, or folded now where
// nothing was. Of a scan that has ended, that is kept for the next time.
func (s *Store) Items(ctx context.Context, scanID string) (schema.ItemFold, error) {
	var seq int32
	var atRest bool // no visit that was under way at its end records any more
	var left *int
	var templates []string
	var looks []int16
	err := s.pool.QueryRow(ctx, itemFoldRead, scanID, recordGrace.Microseconds()).Scan(&seq, &atRest, &left, &templates, &looks)
	if err != nil {
		return schema.ItemFold{}, told("read items", notFound("scan", err))
	}
	if left == nil {
		fold, err := s.fold(ctx, seq)
		if err == nil && atRest {
			_ = s.keepItems(ctx, seq, fold) // whoever reads has them all the same
		}
		return fold, told("fold items", err)
	}
	fold := schema.ItemFold{Left: *left, Templates: make(map[string]schema.Looks, len(templates))}
	for i, t := range templates {
		fold.Templates[t] = schema.Looks(looks[i])
	}
	fold.Items, err = s.keptItems(ctx, seq)
	return fold, told("read items", err)
}

func (s *Store) keptItems(ctx context.Context, seq int32) (map[string]*schema.FoldedItem, error) {
	rows, err := s.pool.Query(ctx, itemsRead, seq)
	if err != nil {
		return nil, err
	}
	items := map[string]*schema.FoldedItem{}
	var gravest, severity int
	var ids []int64
	var urls []string
	for rows.Next() {
		i := &schema.FoldedItem{}
		f := &i.Finding
		if err := rows.Scan(&i.ID, &gravest, &i.Places, &i.Pages, &i.Selector, &i.Template, &i.Subject, &ids, &urls,
			&f.Rule, &f.Engine, &f.Category, &severity, &f.Outcome, &f.WCAG, &f.ACTRules, &f.Title, &f.Help); err != nil {
			rows.Close()
			return nil, err
		}
		i.Severity, f.Severity = schema.Severities[gravest], schema.Severities[severity]
		for n := range min(len(ids), len(urls)) {
			i.Examples = append(i.Examples, schema.PageRef{ID: ids[n], URL: urls[n]})
		}
		items[i.ID] = i
	}
	return items, rows.Err()
}

// fold reads and folds a scan's findings, page after page.
func (s *Store) fold(ctx context.Context, seq int32) (schema.ItemFold, error) {
	var fold schema.ItemFold
	after := int64(0)
	for {
		pages, templates, err := s.foldedPages(ctx, seq, after, &fold)
		if err != nil || len(pages) == 0 {
			return fold, err
		}
		after = pages[len(pages)-1].ID
		if err := s.foldFindings(ctx, pages, templates, &fold); err != nil || len(pages) < foldStretch {
			return fold, err
		}
	}
}

func (s *Store) foldedPages(ctx context.Context, seq int32, after int64, fold *schema.ItemFold) (pages []schema.PageRef, templates []string, err error) {
	rows, err := s.pool.Query(ctx, foldPages, seq, after, foldStretch)
	if err != nil {
		return nil, nil, err
	}
	var p schema.PageRef
	var outcome schema.Outcome
	var notes []string
	var by schema.TrackersBy
	_, err = pgx.ForEachRow(rows, []any{&p.ID, &p.URL, &outcome, &notes, &by}, func() error {
		pages, templates = append(pages, p), append(templates, fold.Look(p.URL, outcome, schema.LooksOf(notes, by)))
		return nil
	})
	return pages, templates, err
}

func (s *Store) foldFindings(ctx context.Context, pages []schema.PageRef, templates []string, fold *schema.ItemFold) error {
	ids := make([]int64, len(pages))
	for i, p := range pages {
		ids[i] = p.ID
	}
	at := 0
	return s.eachFindingOf(ctx, ids, func(page int64, f schema.Finding) {
		for pages[at].ID != page {
			at++
		}
		fold.Add(pages[at], templates[at], f)
	})
}
