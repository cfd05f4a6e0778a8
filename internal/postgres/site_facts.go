package postgres

import (
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"visite/schema"
)

const (
	factPages = `SELECT p.id, a.url, p.final_url, p.status, p.outcome, p.reason, p.title, p.description, p.canonical, p.content_hash, p.robots_tags,
    coalesce(jsonb_array_length(p.redirects), 0), coalesce((p.redirects->0->>'status')::int, 0), f.via, p.languages->'hreflang'
FROM pages p JOIN addresses a ON a.id = p.id JOIN frontier f ON f.address_id = p.id WHERE p.scan = $1 AND f.state = 1 ORDER BY p.id`
	factLinkIDs   = `SELECT id, link_ids, coalesce(link_kinds, '') FROM pages WHERE scan = $1 AND link_ids IS NOT NULL ORDER BY id`
	factSameNames = `SELECT f.page_id, r.rule, f.selector, f.detail FROM findings f JOIN rules r ON r.id = f.rule_id
WHERE f.scan = $1 AND NOT f.site_wide AND r.rule IN ($2, $3) ORDER BY f.page_id, f.id LIMIT 50000`
)

// SiteFacts reads what the verdicts over the whole site need, as of one moment:
// the pages that were asked for, and every address that pages point to.
func (s *Store) SiteFacts(ctx context.Context, scanID string) (schema.SiteFacts, error) {
	var facts schema.SiteFacts
	err := pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		var seq int32
		if err := tx.QueryRow(ctx, scanSeq, scanID).Scan(&seq); err != nil {
			return notFound("scan", err)
		}
		rows, err := tx.Query(ctx, factPages, seq)
		if err != nil {
			return err
		}
		if facts.Pages, err = pgx.CollectRows(rows, scanPageFacts); err != nil {
			return err
		}
		seen, err := sightings(ctx, tx, seq)
		if err != nil {
			return err
		}
		if facts.Links, err = linkFacts(ctx, tx, seq, seen); err != nil {
			return err
		}
		if facts.SameNames, err = sameNames(ctx, tx, seq); err != nil {
			return err
		}
		if facts.Security, err = readSecurity(tx.QueryRow(ctx, factSecurity, seq)); err != nil {
			return err
		}
		facts.Reading, err = readReading(tx.QueryRow(ctx, factReading, seq))
		return err
	})
	return facts, told("read site facts", err)
}

func scanPageFacts(row pgx.CollectableRow) (schema.PageFacts, error) {
	var v schema.PageFacts
	var hash int64
	err := row.Scan(&v.ID, &v.URL, &v.FinalURL, &v.Status, &v.Outcome, &v.Reason, &v.Title, &v.Description, &v.Canonical, &hash, &v.RobotsTags,
		&v.Redirects, &v.FirstHop, &v.Via, &v.Hreflang)
	v.ContentHash = uint64(hash)
	if v.FinalURL == "" {
		v.FinalURL = v.URL
	}
	return v, err
}

// sighting is where an address stands as a link.
type sighting struct {
	pages     int
	foundOn   []int64 // the first schema.MaxFoundOn page ids
	navigable bool    // people can follow one of the links to it
	last      int64
}

// sightings gathers for each address the pages that point to it. Done here and
// not in SQL, where millions of pairs would have to be sorted.
func sightings(ctx context.Context, tx pgx.Tx, seq int32) (map[int64]*sighting, error) {
	rows, err := tx.Query(ctx, factLinkIDs, seq)
	if err != nil {
		return nil, err
	}
	seen := map[int64]*sighting{}
	var page int64
	var ids []int64
	var kinds []byte
	_, err = pgx.ForEachRow(rows, []any{&page, &ids, &kinds}, func() error {
		for i, id := range ids {
			at := seen[id]
			if at == nil {
				at = &sighting{}
				seen[id] = at
			}
			at.navigable = at.navigable || i < len(kinds) && kindOf(kinds[i]).Navigable()
			if at.last == page {
				continue
			}
			at.last = page
			at.pages++
			if len(at.foundOn) < schema.MaxFoundOn {
				at.foundOn = append(at.foundOn, page)
			}
		}
		return nil
	})
	return seen, err
}

func linkFacts(ctx context.Context, tx pgx.Tx, seq int32, seen map[int64]*sighting) ([]schema.LinkFacts, error) {
	rows, err := tx.Query(ctx, factAddresses, seq)
	if err != nil {
		return nil, err
	}
	links := make([]schema.LinkFacts, 0, len(seen))
	var row linkRow
	_, err = pgx.ForEachRow(rows, row.into(), func() error {
		if at := seen[row.facts.ID]; at != nil {
			links = append(links, row.seen(at))
		}
		return nil
	})
	return slices.Clip(links), err
}

// sameNames reads the links of one name with different addresses out of what was
// found on the pages.
func sameNames(ctx context.Context, tx pgx.Tx, seq int32) ([]schema.SameName, error) {
	rows, err := tx.Query(ctx, factSameNames, seq, schema.RuleLinkSameName, schema.RuleLinkSameNameAlone)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (schema.SameName, error) {
		var v schema.SameName
		var detail string
		err := row.Scan(&v.PageID, &v.Rule, &v.Selector, &detail)
		v.First, v.Second, _ = strings.Cut(detail, schema.BetweenAddresses)
		return v, err
	})
}
