package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"visite/schema"
)

const (
	scanSeq = `SELECT seq FROM scans WHERE id = $1`

	// frontierClaim takes the address nearest the seed, found first. The count of claims is
	// raised under its row's lock, so the page limit holds whoever claims at once.
	// Not flushed to disk by itself, or all would wait for each other's flush
	// there: BeginLoad does so before anything is loaded.
	frontierClaim = `WITH s AS (
    SELECT s.seq, s.max_pages, s.state, t.claimed FROM scans s JOIN tallies t ON t.scan = s.seq AND t.shard = 0
    WHERE s.id = $1 AND set_config('synchronous_commit', 'off', true) = 'off'
), mine AS (
    SELECT f.* FROM frontier f WHERE f.scan = (SELECT seq FROM s) AND f.ticket = $2
), next AS (
    SELECT f.address_id FROM frontier f
    WHERE f.scan = (SELECT seq FROM s WHERE state = 'running' AND claimed < max_pages) AND f.state = 0 AND NOT EXISTS (SELECT FROM mine)
    ORDER BY f.depth, f.n LIMIT 1 FOR UPDATE SKIP LOCKED
), place AS (
    UPDATE tallies t SET claimed = t.claimed + 1 FROM s, next
    WHERE t.scan = s.seq AND t.shard = 0 AND t.claimed < s.max_pages RETURNING 1
), taken AS (
    UPDATE frontier f SET state = 1, ticket = $2, claimed_at = now() FROM next, place WHERE f.address_id = next.address_id RETURNING f.*
), c AS (
    SELECT * FROM mine UNION ALL SELECT * FROM taken
)
SELECT c.address_id, a.url, c.depth, c.via, c.loads, c.refused, c.not_until, p.id IS NOT NULL, coalesce(p.outcome, ''), coalesce(p.reason, ''),
    CASE WHEN c.address_id IS NULL THEN s.state = 'running' AND s.claimed < s.max_pages AND (
        s.claimed > (SELECT sum(recorded) FROM tallies t WHERE t.scan = (SELECT seq FROM s)) OR
        EXISTS (SELECT FROM frontier f WHERE f.scan = (SELECT seq FROM s) AND f.state = 0)) ELSE false END
FROM s LEFT JOIN c ON true LEFT JOIN addresses a ON a.id = c.address_id LEFT JOIN pages p ON p.id = c.address_id`

	frontierBegin = `UPDATE frontier SET loads = loads + 1
WHERE address_id = $1 AND state = 1 AND NOT EXISTS (SELECT FROM pages p WHERE p.id = $1)
  AND set_config('synchronous_commit', 'off', true) = 'off' RETURNING loads`
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

// Claim takes the queued address nearest the seed for a ticket; the same ticket
// gets the same address again. Never more addresses than the scan's page limit
// are claimed, and none of a scan that is not running.
func (s *Store) Claim(ctx context.Context, scanID, ticket string) (schema.Claim, error) {
	var claim schema.Claim
	err := again(ctx, "claim address", func(ctx context.Context) error {
		var id *int64
		var url, via *string
		var depth, loads, refused *int16
		var notUntil *time.Time
		var c schema.Claim
		err := s.pool.QueryRow(ctx, frontierClaim, scanID, ticket).
			Scan(&id, &url, &depth, &via, &loads, &refused, &notUntil, &c.Recorded, &c.Outcome, &c.Reason, &c.Pending)
		if err != nil {
			return notFound("scan", err)
		}
		if id != nil {
			c.Found, c.ID, c.URL, c.Depth, c.Via = true, *id, *url, int(*depth), schema.Via(*via)
			c.Loads, c.Refused, c.NotUntil = int(*loads), int(*refused), timeOf(notUntil)
		}
		claim = c
		return nil
	})
	return claim, err
}

// ErrNotClaimed is returned for a load of an address that is not claimed, or
// has its result already.
var ErrNotClaimed = errors.New("the address is not claimed any more")

// BeginLoad notes that a load of the claimed address is about to start. It
// returns the loads begun and not put off, this one included: above 1, an
// earlier one was cut off by our own crash.
func (s *Store) BeginLoad(ctx context.Context, claim schema.Claim) (int, error) {
	var loads int
	err := s.pool.QueryRow(ctx, frontierBegin, claim.ID).Scan(&loads)
	if errors.Is(err, pgx.ErrNoRows) {
		err = ErrNotClaimed
	}
	return loads, told("begin load", err)
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
