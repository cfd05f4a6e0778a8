package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"visite/schema"
)

// Bounds on addresses that differ by their query alone: where links lead to more
// of one path, or more of one form of path and query names, the rest is only
// noted as link targets (spider traps). Sitemaps are not bound: the site names
// its pages there.
const (
	maxQueriesOfPath = 200
	maxQueriesOfForm = 1_000
)

// The statements below count what happened to a scan's addresses in the tallies'
// row $3: $4 claims recorded, $5 addresses dealt with, $6 analysed, $7 not
// analysed, $8 failed findings, $9 for review; and queue the candidates in $10 to
// $15. These tell how many were new, and the id of each that is in the frontier now.
const (
	tallyOnly = `WITH me AS (` + scanOrClaim + `)
UPDATE tallies SET ` + tallySums + ` WHERE scan = (SELECT seq FROM me) AND shard = $3`

	tallySums = `recorded = recorded + $4, done = done + $5, analysed = analysed + $6, not_analysed = not_analysed + $7,
    failed = failed + $8, needs_review = needs_review + $9`

	// candidatesNew gives the addresses that are not in the frontier. Those of a
	// page ($2) whose content was analysed before under another address are left
	// out: its links are not followed.
	candidatesNew = `WITH me AS (` + scanOrClaim + `), named AS (
    SELECT k.*, (SELECT a.id FROM addresses a WHERE a.scan = (SELECT seq FROM me) AND a.key_hash = k.hash) AS id
    FROM unnest($10::bytea[], $11::smallint[], $12::text[], $13::bigint[], $14::bigint[], $15::bigint[])
        WITH ORDINALITY AS k (hash, depth, via, path_hash, shape_hash, template_hash, n)
), asked AS (
    SELECT k.*, (SELECT f.address_id FROM frontier f WHERE f.address_id = k.id) AS queued FROM named k
), candidates AS (
    SELECT k.* FROM asked k
    WHERE k.queued IS NULL
    AND NOT EXISTS (SELECT FROM pages p JOIN pages twin ON twin.scan = p.scan AND twin.content_hash = p.content_hash
        WHERE p.id = $2 AND p.content_hash <> 0 AND twin.id <> p.id AND twin.outcome = 'analysed' AND twin.content_hash <> 0)
), templates AS (
    SELECT c.template_hash, (SELECT max(f.turn) FROM frontier f WHERE f.scan = (SELECT seq FROM me) AND f.template_hash = c.template_hash) AS used
    FROM candidates c GROUP BY c.template_hash
), turns AS (
    SELECT c.*, coalesce(t.used, 0) + row_number() OVER (PARTITION BY c.template_hash ORDER BY c.n) AS turn
    FROM candidates c JOIN templates t USING (template_hash)
)`

	// priority of an address among those queued: its depth, one more from the 4th
	// of its template on, two more from the 16th, and so on. So a limited scan
	// looks at pages of all templates it meets, near the seed first, and neither a
	// large archive nor an endless depth keeps the others out.
	priority = `depth + width_bucket(turn, ARRAY[4, 16, 64, 256, 1024, 4096, 16384])`

	candidatesCounted = `
    ORDER BY n ON CONFLICT (address_id) DO NOTHING RETURNING address_id
)
UPDATE tallies SET found = found + (SELECT count(*) FROM added), ` + tallySums + ` WHERE scan = (SELECT seq FROM me) AND shard = $3
RETURNING (SELECT count(*) FROM added),
    ARRAY(SELECT coalesce(a.queued, d.address_id) FROM asked a LEFT JOIN added d ON d.address_id = a.id ORDER BY a.n)`

	// candidatesAdd queues all new addresses: most pages' case, no bounds to look at.
	candidatesAdd = candidatesNew + `, added AS (
    INSERT INTO frontier (address_id, scan, depth, via, template_hash, turn, priority)
    SELECT id, (SELECT seq FROM me), depth, via, template_hash, turn, ` + priority + ` FROM turns` + candidatesCounted

	// candidatesAddBounded queues new addresses as far as the bounds on queries
	// allow: $16 of one path, $17 of one form.
	candidatesAddBounded = candidatesNew + `, paths AS (
    SELECT path_hash, (SELECT count(*) FROM (SELECT FROM frontier f
        WHERE f.scan = (SELECT seq FROM me) AND f.path_hash = c.path_hash LIMIT $16) x) AS used
    FROM candidates c WHERE path_hash IS NOT NULL GROUP BY path_hash
), shapes AS (
    SELECT shape_hash, (SELECT count(*) FROM (SELECT FROM frontier f
        WHERE f.scan = (SELECT seq FROM me) AND f.shape_hash = c.shape_hash LIMIT $17) x) AS used
    FROM candidates c WHERE shape_hash IS NOT NULL GROUP BY shape_hash
), ranked AS (
    SELECT c.*, coalesce(p.used, 0) + row_number() OVER (PARTITION BY c.path_hash ORDER BY c.n) AS of_path,
        coalesce(s.used, 0) + row_number() OVER (PARTITION BY c.shape_hash ORDER BY c.n) AS of_shape
    FROM turns c LEFT JOIN paths p USING (path_hash) LEFT JOIN shapes s USING (shape_hash)
), added AS (
    INSERT INTO frontier (address_id, scan, depth, via, path_hash, shape_hash, template_hash, turn, priority)
    SELECT id, (SELECT seq FROM me), depth, via, path_hash, shape_hash, template_hash, turn, ` + priority + ` FROM ranked
    WHERE path_hash IS NULL OR (of_path <= $16 AND of_shape <= $17)` + candidatesCounted
)

// candidateList is candidates as columns.
type candidateList struct {
	keys      []addressKey
	hashes    [][]byte
	depths    []int16
	vias      []string
	paths     []*int64
	forms     []*int64
	templates []int64
	bounded   bool // one of them at least has a shape
}

// candidatesOf is the candidates that are not known to be in the frontier;
// known belongs to the addresses, which hold all of theirs.
func candidatesOf(c []schema.Candidate, addresses *addressSet, known []knownAddress) candidateList {
	var l candidateList
	for _, one := range c {
		key := addresses.add(one.URL, true)
		if known[addresses.places[key]].queued {
			continue
		}
		l.keys = append(l.keys, key)
		l.hashes = append(l.hashes, key[:])
		l.depths = append(l.depths, int16Of(one.Depth))
		l.vias = append(l.vias, string(one.Via))
		l.templates = append(l.templates, templateOf(one.URL))
		var is shape
		if one.Via == schema.ViaLink {
			is = shapeOf(one.URL)
		}
		l.paths = append(l.paths, is.path)
		l.forms = append(l.forms, is.form)
		l.bounded = l.bounded || is.path != nil
	}
	return l
}

// met is what the statement told of the candidates' addresses.
func (l candidateList) met(ids []*int64) []metAddress {
	var met []metAddress
	for i, id := range ids {
		if id != nil && i < len(l.keys) {
			met = append(met, metAddress{l.keys[i], knownAddress{id: *id, queued: true}})
		}
	}
	return met
}

// tally is what is added to a row of tallies.
type tally struct {
	shard                                 int64
	recorded, done, analysed, notAnalysed int
	findingsFailed, findingsToSee         int
}

// tallyShards is the number of rows that pages are counted in; row 0 is the scan's own.
const tallyShards = 8

// shardOf spreads pages over the rows.
func shardOf(id int64) int64 { return 1 + id%tallyShards }

// statement is the fitting one with its arguments; the scan comes as its number
// or as an address of its frontier.
func (l candidateList) statement(seq, claim any, t tally) (string, []any) {
	args := []any{seq, claim, t.shard, t.recorded, t.done, t.analysed, t.notAnalysed, t.findingsFailed, t.findingsToSee}
	if len(l.hashes) == 0 {
		return tallyOnly, args
	}
	args = append(args, l.hashes, l.depths, l.vias, l.paths, l.forms, l.templates)
	if l.bounded {
		return candidatesAddBounded, append(args, maxQueriesOfPath, maxQueriesOfForm)
	}
	return candidatesAdd, args
}

// addChunk bounds the addresses of one statement.
const addChunk = 2_000

// AddCandidates queues addresses the scan has not met as pages; tells how many were new.
func (s *Store) AddCandidates(ctx context.Context, scanID string, c []schema.Candidate) (int, error) {
	added := 0
	for start := 0; start < len(c); start += addChunk {
		chunk := c[start:min(start+addChunk, len(c))]
		n := 0
		var met []metAddress
		err := s.inTx(ctx, "add candidates", func(ctx context.Context, tx pgx.Tx) (err error) {
			n, met, err = addCandidates(ctx, tx, scanID, chunk)
			return err
		})
		if err != nil {
			return added, err
		}
		s.known.learn(scanID, met)
		added += n
	}
	return added, nil
}

func addCandidates(ctx context.Context, tx pgx.Tx, scanID string, c []schema.Candidate) (int, []metAddress, error) {
	var seq int32
	if err := tx.QueryRow(ctx, scanSeq, scanID).Scan(&seq); err != nil {
		return 0, nil, notFound("scan", err)
	}
	addresses := newAddressSet(len(c))
	for _, one := range c {
		addresses.add(one.URL, true)
	}
	nothing := make([]knownAddress, len(addresses.keys))
	list := candidatesOf(c, addresses, nothing)
	hashes, urls, inScope := addresses.unknown(nothing)
	if _, err := tx.Exec(ctx, addressesInsert, seq, nil, hashes, urls, inScope); err != nil {
		return 0, nil, err
	}
	var n int
	var ids []*int64
	sql, args := list.statement(seq, nil, tally{})
	err := tx.QueryRow(ctx, sql, args...).Scan(&n, &ids)
	return n, list.met(ids), err
}
