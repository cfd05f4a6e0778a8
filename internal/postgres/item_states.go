package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"visite/schema"
)

const (
	itemStateSet = `INSERT INTO item_states (site_id, fingerprint, state, reason, until)
SELECT $1, $2, $3, $4, $5 WHERE (SELECT count(*) FROM item_states WHERE site_id = $1 AND fingerprint <> $2) < $6
ON CONFLICT (site_id, fingerprint) DO UPDATE SET state = EXCLUDED.state, reason = EXCLUDED.reason, until = EXCLUDED.until, decided_at = now()
RETURNING decided_at`
	itemStateDrop = `DELETE FROM item_states WHERE site_id = $1 AND fingerprint = $2`
	itemStateList = `SELECT fingerprint, state, reason, until, decided_at, coalesce(until <= now(), false)
FROM item_states WHERE site_id = $1 AND fingerprint > $2 COLLATE "C" ORDER BY fingerprint LIMIT $3`
)

// DecideItem records what was decided about an item of a site; an open item has
// no record. A Refusal of kind conflict (Code "too-many-items-decided") beyond
// schema.ItemsDecidedMost.
func (s *Store) DecideItem(ctx context.Context, siteID string, d schema.ItemDecision) (schema.ItemDecision, error) {
	if d.State == schema.ItemOpen {
		return schema.ItemDecision{Item: d.Item, State: schema.ItemOpen}, s.exec(ctx, "open item", itemStateDrop, siteID, d.Item)
	}
	rows, err := s.pool.Query(ctx, itemStateSet, siteID, d.Item, string(d.State), text(d.Reason), nullTime(d.Until), schema.ItemsDecidedMost)
	if err != nil {
		return d, told("decide item", err)
	}
	at, err := pgx.CollectRows(rows, pgx.RowTo[time.Time])
	if err == nil && len(at) == 0 {
		err = &schema.Refusal{Kind: schema.RefusalConflict, Code: "too-many-items-decided",
			Detail: "As much is decided about items of this site as is kept.", Remedy: "Open items again that are mended."}
	}
	if err != nil {
		return d, told("decide item", err)
	}
	d.DecidedAt = at[0].UTC()
	return d, nil
}

// ItemDecisions lists what was decided about a site's items, by fingerprint, ended
// acknowledgements too.
func (s *Store) ItemDecisions(ctx context.Context, siteID string, r schema.Range) ([]schema.ItemDecision, error) {
	rows, err := s.pool.Query(ctx, itemStateList, siteID, text(r.After), r.Limit)
	if err != nil {
		return nil, told("list item decisions", err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (schema.ItemDecision, error) {
		var v schema.ItemDecision
		var until *time.Time
		err := row.Scan(&v.Item, &v.State, &v.Reason, &until, &v.DecidedAt, &v.Ended)
		v.Until, v.DecidedAt = timeOf(until), v.DecidedAt.UTC()
		return v, err
	})
	return list, told("list item decisions", err)
}

// ItemStates reads all of them at once.
func (s *Store) ItemStates(ctx context.Context, siteID string) (schema.ItemStates, error) {
	list, err := s.ItemDecisions(ctx, siteID, schema.Range{Limit: schema.ItemsDecidedMost + 1})
	if err != nil {
		return nil, err
	}
	states := make(schema.ItemStates, len(list))
	for _, d := range list {
		states[d.Item] = d
	}
	return states, nil
}
