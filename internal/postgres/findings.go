package postgres

import (
	"context"
	"strconv"

	"github.com/jackc/pgx/v5"

	"visite/schema"
)

const (
	findingsInsert = `WITH me AS (` + scanOrClaim + `)
INSERT INTO findings (scan, page_id, rule_id, selector, detail, site_wide)
SELECT (SELECT seq FROM me), k.page_id, k.rule_id, k.selector, k.detail, $7
FROM unnest($3::bigint[], $4::integer[], $5::text[], $6::text[]) WITH ORDINALITY AS k (page_id, rule_id, selector, detail, n) ORDER BY k.n`
	findingsDropSite = `DELETE FROM findings WHERE scan = $1 AND site_wide`

	// findingColumns are read by scanFinding.
	findingColumns = `f.id, f.page_id, f.selector, f.detail, r.id, r.rule, r.engine, r.category, r.severity, r.outcome, r.wcag, r.act_rules, r.title, r.help`
	findingsOf     = `SELECT ` + findingColumns + ` FROM findings f JOIN rules r ON r.id = f.rule_id WHERE f.page_id = ANY($1) ORDER BY f.page_id, f.id`
	findingsList   = `SELECT ` + findingColumns + `, a.url
FROM findings f JOIN rules r ON r.id = f.rule_id JOIN addresses a ON a.id = f.page_id
WHERE f.scan = (SELECT seq FROM scans WHERE id = $1) AND f.id > $2
AND ($3 = '' OR r.rule = $3) AND ($4 = '' OR r.category = $4) AND r.severity >= $5 AND ($6 = '' OR r.outcome = $6) AND ($7 = 0 OR f.page_id = $7)
ORDER BY f.id LIMIT $8`
)

// findingRows is findings as columns for findingsInsert.
type findingRows struct {
	pages     []int64
	rules     []int32
	selectors []string
	details   []string
	counts    counts
}

func newFindingRows(size int) *findingRows {
	return &findingRows{pages: make([]int64, 0, size), rules: make([]int32, 0, size), selectors: make([]string, 0, size), details: make([]string, 0, size)}
}

// add resolves a finding's rule and appends it.
func (r *findingRows) add(ctx context.Context, s *Store, page int64, f schema.Finding) error {
	id, err := s.ruleID(ctx, f)
	if err != nil {
		return err
	}
	r.pages = append(r.pages, page)
	r.rules = append(r.rules, id)
	r.selectors = append(r.selectors, text(f.Selector))
	r.details = append(r.details, text(f.Detail))
	r.counts.add(f)
	return nil
}

// args are findingsInsert's from $3 on.
func (r *findingRows) args(siteWide bool) []any {
	return []any{r.pages, r.rules, r.selectors, r.details, siteWide}
}

// Findings lists a scan's findings with the address of their page.
func (s *Store) Findings(ctx context.Context, scanID string, f schema.FindingFilter, r schema.Range) ([]schema.ListedFinding, error) {
	after, err := rowAfter(r)
	if err != nil {
		return nil, err
	}
	rows, err := s.pool.Query(ctx, findingsList, scanID, after, text(f.Rule), string(f.Category), max(0, f.MinSeverity.Rank()), string(f.Outcome), f.PageID, r.Limit)
	if err != nil {
		return nil, told("list findings", err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (schema.ListedFinding, error) {
		var v schema.ListedFinding
		err := s.scanFinding(row, &v, &v.PageURL)
		return v, err
	})
	return list, told("list findings", err)
}

// findingsOfPages reads the findings of pages by page id.
func (s *Store) findingsOfPages(ctx context.Context, ids []int64) (map[int64][]schema.Finding, error) {
	found := map[int64][]schema.Finding{}
	err := s.eachFindingOf(ctx, ids, func(page int64, f schema.Finding) { found[page] = append(found[page], f) })
	return found, err
}

// eachFindingOf reads the findings of pages row by row, page after page.
func (s *Store) eachFindingOf(ctx context.Context, pages []int64, do func(page int64, f schema.Finding)) error {
	rows, err := s.pool.Query(ctx, findingsOf, pages)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var v schema.ListedFinding
		if err := s.scanFinding(rows, &v); err != nil {
			return err
		}
		do(v.PageID, v.Finding)
	}
	return rows.Err()
}

// scanFinding reads findingColumns and what follows them. What a rule says is
// decoded once: reports read hundreds of thousands of findings of a few rules.
func (s *Store) scanFinding(row pgx.CollectableRow, v *schema.ListedFinding, more ...any) error {
	var selector, detail string
	var rule int32
	place := append([]any{&v.ID, &v.PageID, &selector, &detail, &rule, nil, nil, nil, nil, nil, nil, nil, nil, nil}, more...)
	if err := row.Scan(place...); err != nil {
		return err
	}
	s.mu.RLock()
	f, known := s.ruleTexts[rule]
	s.mu.RUnlock()
	if !known {
		var err error
		if f, err = scanRule(row, len(more)); err != nil {
			return err
		}
		s.mu.Lock()
		s.ruleTexts[rule] = f
		s.mu.Unlock()
	}
	f.Selector, f.Detail = selector, detail
	v.Finding = f
	return nil
}

// scanRule reads the rule of findingColumns, of which so many more columns follow.
func scanRule(row pgx.CollectableRow, more int) (schema.Finding, error) {
	var f schema.Finding
	var severity int
	into := []any{nil, nil, nil, nil, nil, &f.Rule, &f.Engine, &f.Category, &severity, &f.Outcome, &f.WCAG, &f.ACTRules, &f.Title, &f.Help}
	if err := row.Scan(append(into, make([]any, more)...)...); err != nil {
		return f, err
	}
	f.Severity = schema.Severities[severity]
	return f, nil
}

// rowAfter reads the numeric id a stretch begins after.
func rowAfter(r schema.Range) (int64, error) {
	if r.After == "" {
		return 0, nil
	}
	id, err := strconv.ParseInt(r.After, 10, 64)
	if err != nil {
		return 0, &schema.Refusal{Kind: schema.RefusalInvalid, Code: "bad-cursor",
			Detail: "The cursor does not name an item of this list.", Remedy: "Follow the links the list itself gives."}
	}
	return id, nil
}
