package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"visite/schema"
)

const (
	// flush waits for the disk, for all that was committed before.
	flush = `SELECT pg_logical_emit_message(true, 'visite', '')`

	// finalTake makes an address reached by redirect a page of its own, unless it
	// is claimed or dealt with already. $1 the claim that led there, $2 the final
	// address's hash, $3 its template's.
	finalTake = `INSERT INTO frontier (address_id, scan, depth, via, state, template_hash)
SELECT a.id, f.scan, f.depth, 'redirect', 1, $3 FROM frontier f JOIN addresses a ON a.scan = f.scan AND a.key_hash = $2 WHERE f.address_id = $1
ON CONFLICT (address_id) DO UPDATE SET state = 1 WHERE frontier.state = 0
RETURNING address_id, (xmax = 0)`
	finalFound = `UPDATE tallies SET found = found + 1 WHERE scan = (SELECT f.scan FROM frontier f WHERE f.address_id = $1) AND shard = $2`
)

// RecordPage stores a claimed address's page, its findings and links, and queues
// the new candidates, in one transaction and one round trip. A page already
// recorded for the claim stays as it is. It is there for everybody at once, and
// after a crash of PostgreSQL itself from the next Flush on.
func (s *Store) RecordPage(ctx context.Context, claim schema.Claim, page schema.Page, c []schema.Candidate) error {
	r, err := s.newRecord(ctx, page, c)
	if err != nil {
		return told("record page", err)
	}
	r.resolve(s.known, claim.ScanID)
	err = again(ctx, "record page", func(ctx context.Context) error {
		b := &pgx.Batch{}
		r.queue(b, claim.ID, 1)
		return s.pool.SendBatch(ctx, b).Close()
	})
	return s.recorded(ctx, claim, err, r)
}

// recorded ends a recording: what was met is remembered, and a repeat of it is none.
func (s *Store) recorded(ctx context.Context, claim schema.Claim, err error, records ...*record) error {
	if err != nil {
		return ignoreRecorded(err)
	}
	for _, r := range records {
		s.known.learn(claim.ScanID, r.met())
	}
	if s.known.due() {
		_ = s.Flush(ctx) // where that fails, the same addresses are looked up again
	}
	return nil
}

// Flush returns when what was recorded before is safe from a crash of PostgreSQL
// too: a step calls it before it tells the workflow what it did.
func (s *Store) Flush(ctx context.Context) error {
	return s.known.settle(func() error { return s.exec(ctx, "flush records", flush) })
}

// RecordRedirect stores a claimed address that only redirected and, from the
// same load, the page it led to, unless that address is claimed or dealt with
// already. to.URL is the final address. Idempotent like RecordPage.
func (s *Store) RecordRedirect(ctx context.Context, claim schema.Claim, from, to schema.Page, c []schema.Candidate) error {
	first, err := s.newRecord(ctx, from, nil)
	if err != nil {
		return told("record redirect", err)
	}
	target, err := s.newRecord(ctx, to, c)
	if err != nil {
		return told("record redirect", err)
	}
	hash := first.addresses.add(to.URL, true)
	first.resolve(s.known, claim.ScanID)
	target.resolve(s.known, claim.ScanID)
	err = s.inTx(ctx, "record redirect", func(ctx context.Context, tx pgx.Tx) error {
		target.linkIDs, target.candidateIDs = nil, nil // of a try that was broken off
		b := &pgx.Batch{}
		first.queue(b, claim.ID, 1)
		if err := tx.SendBatch(ctx, b).Close(); err != nil {
			return err
		}
		var id int64
		var added bool
		err := tx.QueryRow(ctx, finalTake, claim.ID, hash[:], templateOf(to.URL)).Scan(&id, &added)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		b = &pgx.Batch{}
		if added {
			b.Queue(finalFound, id, shardOf(id))
		}
		target.queue(b, id, 0)
		return tx.SendBatch(ctx, b).Close()
	})
	return s.recorded(ctx, claim, err, first, target)
}

// record is a page ready to be written under an address id.
type record struct {
	page       schema.Page
	candidates []schema.Candidate
	addresses  *addressSet // all of its links and candidates
	linkKeys   []addressKey
	rules      *findingRows
	analysed   int
	failed     int

	known []knownAddress // of the addresses, see resolve
	links linkList
	list  candidateList

	linkIDs      []int64  // told by PostgreSQL where some were not known
	candidateIDs []*int64 // in the list's order
}

func (s *Store) newRecord(ctx context.Context, page schema.Page, c []schema.Candidate) (*record, error) {
	r := &record{page: page.WithoutSecrets(), candidates: c, addresses: newAddressSet(len(page.Links) + len(c)), rules: newFindingRows(len(page.Findings))}
	for _, link := range page.Links {
		r.linkKeys = append(r.linkKeys, r.addresses.add(link.URL, link.InScope))
		r.links.kinds = append(r.links.kinds, kindByte(link))
	}
	for _, one := range c {
		r.addresses.add(one.URL, true)
	}
	for _, f := range page.Findings {
		if err := r.rules.add(ctx, s, 0, f); err != nil {
			return nil, err
		}
	}
	switch page.Outcome {
	case schema.OutcomeAnalysed:
		r.analysed = 1
	case schema.OutcomeNotAnalysed:
		r.failed = 1
	}
	return r, nil
}

// resolve leaves out what is known already. Call it once, when all addresses are in.
func (r *record) resolve(known *knownAddresses, scan string) {
	r.known = known.find(scan, r.addresses.keys)
	r.links.ids = make([]*int64, len(r.linkKeys))
	hashes := make([][]byte, len(r.linkKeys))
	for i, key := range r.linkKeys {
		if k := r.known[r.addresses.places[key]]; k.id != 0 {
			r.links.ids[i] = &k.id
			continue
		}
		hashes[i] = key[:]
		r.links.hashes = hashes
	}
	r.list = candidatesOf(r.candidates, r.addresses, r.known)
}

// queue adds the statements that write the record, which ends so many claims.
func (r *record) queue(b *pgx.Batch, id int64, claims int) {
	r.linkIDs, r.candidateIDs = nil, nil
	if hashes, urls, inScope := r.addresses.unknown(r.known); len(hashes) > 0 {
		b.Queue(addressesInsert, nil, id, hashes, urls, inScope)
	}
	sql, args, told := pageStatement(id, r.page, r.links)
	if q := b.Queue(sql, args...); told {
		q.QueryRow(func(row pgx.Row) error {
			err := row.Scan(&r.linkIDs)
			if errors.Is(err, pgx.ErrNoRows) {
				return ErrNotClaimed
			}
			return err
		})
	} else {
		q.Exec(func(tag pgconn.CommandTag) error {
			if tag.RowsAffected() == 0 {
				return ErrNotClaimed
			}
			return nil
		})
	}
	if len(r.rules.rules) > 0 {
		for i := range r.rules.pages {
			r.rules.pages[i] = id
		}
		b.Queue(findingsInsert, append([]any{nil, id}, r.rules.args(false)...)...)
	}
	if r.page.Preview != nil {
		b.Queue(previewInsert, id, r.page.Preview)
	}
	t := tally{shard: shardOf(id), recorded: claims, done: 1, analysed: r.analysed, notAnalysed: r.failed,
		findingsFailed: r.rules.counts.failed, findingsToSee: r.rules.counts.needsReview}
	sql, args = r.list.statement(nil, id, t)
	q := b.Queue(sql, args...)
	if len(r.list.keys) > 0 {
		q.QueryRow(func(row pgx.Row) error { return row.Scan(nil, &r.candidateIDs) })
	}
}

// met is what PostgreSQL told of addresses that were not known.
func (r *record) met() []metAddress {
	met := r.list.met(r.candidateIDs)
	for i, id := range r.linkIDs {
		if r.links.ids[i] == nil {
			met = append(met, metAddress{r.linkKeys[i], knownAddress{id: id}})
		}
	}
	return met
}

// ignoreRecorded: the page's row is there, so this is a repeat, and all of it
// was rolled back.
func ignoreRecorded(err error) error {
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == codeUnique && pg.ConstraintName == "pages_pkey" {
		return nil
	}
	return err
}
