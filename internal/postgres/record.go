package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"visite/schema"
)

const (
	// commitLater does not wait for the disk at this transaction's commit.
	commitLater = `SELECT set_config('synchronous_commit', 'off', true)`
	// flush waits for the disk, for all that was committed before.
	flush = `SELECT pg_logical_emit_message(true, 'visite', '')`

	// finalTake makes an address reached by redirect a page of its own, unless it
	// is claimed or dealt with already. $1 the claim that led there, $2 the final
	// address's hash.
	finalTake = `INSERT INTO frontier (address_id, scan, depth, via, state)
SELECT a.id, f.scan, f.depth, 'redirect', 1 FROM frontier f JOIN addresses a ON a.scan = f.scan AND a.key_hash = $2 WHERE f.address_id = $1
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
	err = again(ctx, "record page", func(ctx context.Context) error {
		b := &pgx.Batch{}
		b.Queue(commitLater)
		r.queue(b, claim.ID, 1)
		return s.pool.SendBatch(ctx, b).Close()
	})
	return ignoreRecorded(err)
}

// Flush returns when what was recorded before is safe from a crash of PostgreSQL
// too: a step calls it before it tells the workflow what it did.
func (s *Store) Flush(ctx context.Context) error { return s.exec(ctx, "flush records", flush) }

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
	hash := first.known.add(to.URL, true)
	err = s.inTx(ctx, "record redirect", func(ctx context.Context, tx pgx.Tx) error {
		b := &pgx.Batch{}
		first.queue(b, claim.ID, 1)
		if err := tx.SendBatch(ctx, b).Close(); err != nil {
			return err
		}
		var id int64
		var added bool
		err := tx.QueryRow(ctx, finalTake, claim.ID, hash).Scan(&id, &added)
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
	return ignoreRecorded(err)
}

// record is a page ready to be written under an address id.
type record struct {
	page     schema.Page
	known    *addressSet
	links    [][]byte // address hashes, in the page's order
	kinds    []byte
	list     candidateList
	rules    *findingRows
	analysed int
	failed   int
}

func (s *Store) newRecord(ctx context.Context, page schema.Page, c []schema.Candidate) (*record, error) {
	r := &record{page: page.WithoutSecrets(), known: newAddressSet(len(page.Links) + len(c)), rules: newFindingRows(len(page.Findings))}
	for _, link := range page.Links {
		r.links = append(r.links, r.known.add(link.URL, link.InScope))
		r.kinds = append(r.kinds, kindByte(link))
	}
	r.list = candidatesOf(c, r.known)
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

// queue adds the statements that write the record, which ends so many claims.
func (r *record) queue(b *pgx.Batch, id int64, claims int) {
	if len(r.known.hashes) > 0 {
		b.Queue(addressesInsert, nil, id, r.known.hashes, r.known.urls, r.known.inScope)
	}
	b.Queue(pageInsert, pageArgs(id, r.page, r.links, r.kinds)...).Exec(func(tag pgconn.CommandTag) error {
		if tag.RowsAffected() == 0 {
			return ErrNotClaimed
		}
		return nil
	})
	if len(r.rules.rules) > 0 {
		for i := range r.rules.pages {
			r.rules.pages[i] = id
		}
		b.Queue(findingsInsert, append([]any{nil, id}, r.rules.args(false)...)...)
	}
	t := tally{shard: shardOf(id), recorded: claims, done: 1, analysed: r.analysed, notAnalysed: r.failed,
		findingsFailed: r.rules.counts.failed, findingsToSee: r.rules.counts.needsReview}
	sql, args := r.list.statement(nil, id, t)
	b.Queue(sql, args...)
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
