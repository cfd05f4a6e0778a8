package postgres

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"visite/schema"
)

const (
	scanSeq = `SELECT seq FROM scans WHERE id = $1`

	// frontierClaim takes for each ticket ($2) the address of least priority, found
	// first. The count of claims is raised under its row's lock, so the page limit
	// holds whoever claims at once; the last column tells where it stood in the way
	// of several claims at once. Not flushed to disk: a claim lost is made again.
	frontierClaim = `WITH s AS (
    SELECT s.seq, s.max_pages + s.scope_moves AS max_pages, s.state, t.claimed FROM scans s JOIN tallies t ON t.scan = s.seq AND t.shard = 0
    WHERE s.id = $1 AND set_config('synchronous_commit', 'off', true) = 'off'
), mine AS (
    SELECT f.* FROM frontier f WHERE f.scan = (SELECT seq FROM s) AND f.ticket = ANY ($2::text[])
), open AS (
    SELECT q.ticket, row_number() OVER (ORDER BY q.n) AS place FROM unnest($2::text[]) WITH ORDINALITY AS q (ticket, n)
    WHERE NOT EXISTS (SELECT FROM mine m WHERE m.ticket = q.ticket)
), next AS (
    SELECT f.address_id, f.priority, f.n FROM frontier f
    WHERE f.scan = (SELECT seq FROM s WHERE state = 'running' AND claimed < max_pages) AND f.state = 0
    ORDER BY f.priority, f.n LIMIT (SELECT greatest(0, least((SELECT count(*) FROM open), s.max_pages - s.claimed)) FROM s) FOR UPDATE SKIP LOCKED
), ranked AS (
    SELECT address_id, row_number() OVER (ORDER BY priority, n) AS place FROM next
), counted AS (
    UPDATE tallies t SET claimed = t.claimed + c.n FROM s, (SELECT count(*) AS n FROM ranked) c
    WHERE t.scan = s.seq AND t.shard = 0 AND c.n > 0 AND t.claimed + c.n <= s.max_pages RETURNING 1
), taken AS (
    UPDATE frontier f SET state = 1, ticket = o.ticket, claimed_at = now() FROM ranked r JOIN open o USING (place), counted
    WHERE f.address_id = r.address_id RETURNING f.*
), c AS (
    SELECT * FROM mine UNION ALL SELECT * FROM taken
)
SELECT c.address_id, a.url, c.depth, c.via, c.loads, c.refused, c.not_until, p.id IS NOT NULL, coalesce(p.outcome, ''), coalesce(p.reason, ''),
    CASE WHEN c.address_id IS NULL THEN s.state = 'running' AND s.claimed < s.max_pages AND (
        s.claimed > (SELECT sum(recorded) FROM tallies t WHERE t.scan = (SELECT seq FROM s)) OR
        EXISTS (SELECT FROM frontier f WHERE f.scan = (SELECT seq FROM s) AND f.state = 0)) ELSE false END,
    c.address_id IS NULL AND EXISTS (SELECT FROM ranked) AND NOT EXISTS (SELECT FROM counted)
FROM s CROSS JOIN unnest($2::text[]) WITH ORDINALITY AS q (ticket, n)
LEFT JOIN c ON c.ticket = q.ticket LEFT JOIN addresses a ON a.id = c.address_id LEFT JOIN pages p ON p.id = c.address_id ORDER BY q.n`

	// frontierBegin is for beginMost addresses, 0 for none. As one array they would
	// have the statement planned anew each time.
	frontierBegin = `UPDATE frontier f SET loads = loads + 1
WHERE address_id IN ($1, $2, $3, $4, $5, $6, $7, $8) AND state = 1 AND NOT EXISTS (SELECT FROM pages p WHERE p.id = f.address_id)
  AND set_config('synchronous_commit', 'off', true) = 'off' RETURNING address_id, loads`
	frontierUndo   = `UPDATE frontier SET loads = greatest(loads - 1, 0) WHERE address_id = $1 AND state = 1`
	frontierPutOff = `UPDATE frontier SET refused = $2, not_until = $3, loads = greatest(loads - 1, 0)
WHERE address_id = $1 AND state = 1 AND refused = $2 - 1`

	// frontierSkip records all queued addresses as not analysed.
	frontierSkip = `WITH skipped AS (
    UPDATE frontier f SET state = 2 FROM scans s WHERE s.id = $1 AND f.scan = s.seq AND f.state = 0 RETURNING f.address_id, f.scan
), recorded AS (
    INSERT INTO pages (id, scan, outcome, reason, inspected_at) SELECT address_id, scan, 'not_analysed', $2, now() FROM skipped
    ON CONFLICT (id) DO NOTHING RETURNING scan
)` + notAnalysedCounted

	// frontierLeft records all claimed addresses that never got their page as not analysed.
	frontierLeft = `WITH recorded AS (
    INSERT INTO pages (id, scan, outcome, reason, inspected_at)
    SELECT f.address_id, f.scan, 'not_analysed', $2, now() FROM frontier f JOIN scans s ON s.seq = f.scan
    WHERE s.id = $1 AND f.state = 1 AND NOT EXISTS (SELECT FROM pages p WHERE p.id = f.address_id)
    ON CONFLICT (id) DO NOTHING RETURNING scan
)` + notAnalysedCounted

	notAnalysedCounted = `, counted AS (
    SELECT scan, count(*) AS n FROM recorded GROUP BY scan
)
UPDATE tallies t SET done = done + n, not_analysed = not_analysed + n FROM counted c WHERE t.scan = c.scan AND t.shard = 0`
)

// Claim takes the next queued address for a ticket: near the seed first, and of
// a template with many addresses only some before those of others (priority in
// candidates.go). The same ticket gets the same address again. Never more addresses than the scan's page limit
// are claimed, and none of a scan that is not running.
func (s *Store) Claim(ctx context.Context, scanID, ticket string) (schema.Claim, error) {
	return s.claims.ask(ctx, scanID, ticket)
}

// claimAll gives each ticket its claim; one asked for twice gets the same.
func (s *Store) claimAll(ctx context.Context, scanID string, tickets []string) ([]schema.Claim, error) {
	distinct := slices.Compact(slices.Sorted(slices.Values(tickets)))
	found, err := s.claim(ctx, scanID, distinct)
	if err != nil {
		return nil, err
	}
	claims := make([]schema.Claim, len(tickets))
	for i, ticket := range tickets {
		place, _ := slices.BinarySearch(distinct, ticket)
		claims[i] = found[place]
	}
	return claims, nil
}

func (s *Store) claim(ctx context.Context, scanID string, tickets []string) (claims []schema.Claim, err error) {
	var lost []bool
	err = again(ctx, "claim address", func(ctx context.Context) error {
		claims, lost = claims[:0], lost[:0]
		rows, err := s.pool.Query(ctx, frontierClaim, scanID, tickets)
		if err != nil {
			return err
		}
		for rows.Next() {
			c, l, err := scanClaim(rows, scanID)
			if err != nil {
				rows.Close()
				return err
			}
			claims, lost = append(claims, c), append(lost, l)
		}
		if err := rows.Err(); err != nil {
			return err
		}
		if len(claims) == 0 {
			return notFound("scan", pgx.ErrNoRows)
		}
		return nil
	})
	for i := 0; err == nil && len(tickets) > 1 && i < len(tickets); i++ {
		if lost[i] { // the page limit had room for fewer: one after the other finds out
			var one []schema.Claim
			if one, err = s.claim(ctx, scanID, tickets[i:i+1]); err == nil {
				claims[i] = one[0]
			}
		}
	}
	return claims, err
}

func scanClaim(row pgx.Rows, scanID string) (c schema.Claim, lost bool, err error) {
	var id *int64
	var url, via *string
	var depth, loads, refused *int16
	var notUntil *time.Time
	err = row.Scan(&id, &url, &depth, &via, &loads, &refused, &notUntil, &c.Recorded, &c.Outcome, &c.Reason, &c.Pending, &lost)
	if err == nil && id != nil {
		c.Found, c.ScanID, c.ID, c.URL, c.Depth, c.Via = true, scanID, *id, *url, int(*depth), schema.Via(*via)
		c.Loads, c.Refused, c.NotUntil = int(*loads), int(*refused), timeOf(notUntil)
	}
	return c, lost, err
}

// ErrNotClaimed is returned for a load of an address that is not claimed, or
// has its result already.
var ErrNotClaimed = errors.New("the address is not claimed any more")

// BeginLoad notes that a load of the claimed address is about to start. It
// returns the loads begun and not put off, this one included: above 1, an
// earlier one was cut off by our own crash.
func (s *Store) BeginLoad(ctx context.Context, claim schema.Claim) (int, error) {
	loads, err := s.begins.ask(ctx, struct{}{}, claim.ID)
	if err == nil && loads == 0 {
		err = told("begin load", ErrNotClaimed)
	}
	return loads, err
}

// beginLoads gives the loads of each address, 0 for one that is not claimed. An
// address asked for twice is counted twice.
func (s *Store) beginLoads(ctx context.Context, _ struct{}, ids []int64) ([]int, error) {
	loads := make([]int, len(ids))
	left := make([]int, len(ids)) // places in ids
	for i := range left {
		left[i] = i
	}
	for len(left) > 0 {
		var now [beginMost]int64
		var asked, later []int
		for _, i := range left {
			if len(asked) == beginMost || slices.Contains(now[:], ids[i]) {
				later = append(later, i)
				continue
			}
			now[len(asked)] = ids[i]
			asked = append(asked, i)
		}
		counted, err := s.beginSome(ctx, now)
		if err != nil {
			return nil, err
		}
		for _, i := range asked {
			loads[i] = counted[ids[i]]
		}
		left = later
	}
	return loads, nil
}

// beginMost is how many loads are begun in one statement.
const beginMost = 8

func (s *Store) beginSome(ctx context.Context, ids [beginMost]int64) (loads map[int64]int, err error) {
	args := make([]any, beginMost)
	for i := range args {
		args[i] = ids[i]
	}
	err = again(ctx, "begin load", func(ctx context.Context) error {
		rows, err := s.pool.Query(ctx, frontierBegin, args...)
		if err != nil {
			return err
		}
		loads = map[int64]int{}
		var id int64
		var n int
		_, err = pgx.ForEachRow(rows, []any{&id, &n}, func() error {
			loads[id] = n
			return nil
		})
		return err
	})
	return loads, err
}

// UndoLoad takes a load back from BeginLoad's count: nothing was sent for it.
func (s *Store) UndoLoad(ctx context.Context, claim schema.Claim) error {
	return s.exec(ctx, "undo load", frontierUndo, claim.ID)
}

// PutOff notes that the server refused the page for now and takes the load back
// from BeginLoad's count. Repeating it with the same claim changes nothing.
func (s *Store) PutOff(ctx context.Context, claim schema.Claim, until time.Time) error {
	return s.exec(ctx, "put page off", frontierPutOff, claim.ID, claim.Refused+1, until)
}

// SkipQueued records all addresses still queued as not analysed.
func (s *Store) SkipQueued(ctx context.Context, scanID string, reason schema.Reason) error {
	return s.exec(ctx, "skip queued pages", frontierSkip, scanID, string(reason))
}
