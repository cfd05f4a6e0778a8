package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"visite/schema"
)

const (
	linkTargetAdd = `INSERT INTO link_targets (key_hash, server, url) VALUES ($1, $2, $3) ON CONFLICT (key_hash) DO UPDATE SET url = link_targets.url RETURNING id`

	// linkSettle: from a request on an address may be asked for again when its
	// server has rested; without one, sooner.
	linkSettle = `UPDATE link_targets SET taken = false, verdict = $2, reason = $3, status = $4, redirect = $5, redirect_id = $6, checked_at = $7,
    due_at = CASE WHEN head_at IS NULL THEN $8::timestamptz ELSE coalesce(get_at, head_at) + $9 * interval '1 microsecond' END
WHERE id = $1 AND taken`

	// linkOrdersOnward makes a redirect's target a candidate of its own server, for
	// those who wait for the address before it. Links to a scanned site itself come
	// from its own crawl.
	linkOrdersOnward = `INSERT INTO link_orders (target_id, server, site_id, scan_id, pages, hops, ordered_at)
SELECT $2, t.server, o.site_id, o.scan_id, o.pages, o.hops + 1, $3 FROM link_orders o JOIN scans s ON s.id = o.scan_id JOIN link_targets t ON t.id = $2
WHERE o.target_id = $1 AND o.hops < $4 AND s.scope_host <> $5 AND t.id <> $1 AND NOT t.taken AND (t.verdict = '' OR t.due_at <= $3)
ON CONFLICT (target_id, site_id) DO NOTHING`
	linkOrdersSettled = `DELETE FROM link_orders WHERE target_id = $1`
	linkServerAsleep  = `SELECT server FROM link_servers WHERE server = $1 AND (looks_at IS NULL OR looks_at < $2)
AND EXISTS (SELECT FROM link_orders o WHERE o.server = $1)`
)

// SettleLink records the verdict on an address taken up, for all who wait for it.
// A redirect's target becomes a candidate of its own server, whose name is given
// where its workflow has to be woken. Repeating it changes nothing.
func (s *Store) SettleLink(ctx context.Context, id int64, check schema.LinkCheck) (asleep []string, err error) {
	err = s.inTx(ctx, "settle a link", func(ctx context.Context, tx pgx.Tx) error {
		asleep = nil
		var onward *int64
		server, host := "", ""
		if check.Target != "" && schema.IsLinkCheckable(check.Target) {
			host = hostOf(check.Target)
			server = schema.LinkServer(host)
			target, err := addTarget(ctx, tx, server, check.Target)
			if err != nil {
				return err
			}
			onward = &target
		}
		at := check.CheckedAt
		tag, err := tx.Exec(ctx, linkSettle, id, string(check.Verdict), string(check.Reason), int16Of(check.Status), text(check.Target), onward, at,
			at.Add(schema.LinkNoRequestAge), schema.LinkRest.Microseconds())
		if err != nil || tag.RowsAffected() == 0 {
			return err
		}
		if onward != nil {
			if _, err := tx.Exec(ctx, linkOrdersOnward, id, *onward, at, schema.LinkHopsMost, host); err != nil {
				return err
			}
		}
		if _, err := tx.Exec(ctx, linkOrdersSettled, id); err != nil || onward == nil {
			return err
		}
		rows, err := tx.Query(ctx, linkServerAsleep, server, at)
		if err != nil {
			return err
		}
		asleep, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	return asleep, err
}

func addTarget(ctx context.Context, tx pgx.Tx, server, address string) (id int64, err error) {
	if _, err := tx.Exec(ctx, linkServersAdd, []string{server}); err != nil {
		return 0, err
	}
	if _, err := tx.Exec(ctx, linkServersShare, []string{server}); err != nil {
		return 0, err
	}
	h := addressHash(address)
	err = tx.QueryRow(ctx, linkTargetAdd, h[:], server, text(address)).Scan(&id)
	return id, err
}

// factAddresses reads a scan's addresses with what is known of those on other
// servers. Where a redirect ends at an error, the link to it leads to that error.
const factAddresses = `SELECT a.id, a.url, a.in_scope OR f.address_id IS NOT NULL, CASE WHEN f.state = 1 THEN coalesce(p.id, 0) ELSE 0 END,
    t.id IS NOT NULL, CASE WHEN e.verdict = 'broken' THEN e.verdict ELSE coalesce(t.verdict, '') END, CASE WHEN e.verdict = 'broken' THEN e.reason ELSE coalesce(t.reason, '') END,
    CASE WHEN e.verdict = 'broken' THEN e.status ELSE coalesce(t.status, 0) END, coalesce(t.redirect, ''), coalesce(e.checked_at, t.checked_at),
    CASE WHEN t.verdict = '' AND v.began_at IS NULL THEN v.rest_until WHEN t.verdict = 'not_checked' THEN greatest(v.rest_until, t.due_at) END
FROM addresses a LEFT JOIN frontier f ON f.address_id = a.id LEFT JOIN pages p ON p.id = a.id
LEFT JOIN link_targets t ON t.key_hash = a.key_hash AND NOT a.in_scope LEFT JOIN link_servers v ON v.server = t.server
LEFT JOIN LATERAL (
    WITH RECURSIVE way AS (
        SELECT t.redirect_id AS id, 1 AS hop WHERE t.verdict = 'redirects'
        UNION ALL SELECT n.redirect_id, way.hop + 1 FROM way JOIN link_targets n ON n.id = way.id WHERE n.verdict = 'redirects' AND way.hop < 5
    )
    SELECT n.verdict, n.reason, n.status, n.checked_at FROM way JOIN link_targets n ON n.id = way.id WHERE n.verdict = 'broken' ORDER BY way.hop DESC LIMIT 1
) e ON t.verdict = 'redirects'
WHERE a.scan = $1 ORDER BY a.id`

// linkRow is one row of factAddresses.
type linkRow struct {
	facts            schema.LinkFacts
	known            bool
	check            schema.LinkCheck
	checkedAt, after *time.Time
}

func (r *linkRow) into() []any {
	return []any{&r.facts.ID, &r.facts.URL, &r.facts.InScope, &r.facts.Page, &r.known, &r.check.Verdict, &r.check.Reason, &r.check.Status, &r.check.Target, &r.checkedAt, &r.after}
}

// seen is the row with where the address stands.
func (r *linkRow) seen(at *sighting) schema.LinkFacts {
	v := r.facts
	v.FoundOn, v.Pages, v.Navigable = at.foundOn, at.pages, at.navigable
	if r.known && !v.InScope {
		check := r.check
		check.CheckedAt, check.NextAt = timeOf(r.checkedAt), timeOf(r.after)
		v.Check = &check
	}
	return v
}
