package postgres

import (
	"context"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5"

	"visite/schema"
)

const (
	linkCandidates = `SELECT a.id, a.url FROM addresses a LEFT JOIN frontier f ON f.address_id = a.id
WHERE a.scan = $1 AND NOT a.in_scope AND f.address_id IS NULL`

	linkServersAdd = `INSERT INTO link_servers (server) SELECT DISTINCT s FROM unnest($1::text[]) s ORDER BY s ON CONFLICT DO NOTHING`

	// linkServersShare keeps the servers' workflows from ending while orders come in:
	// either they see the order, or the order sees that none runs.
	linkServersShare = `SELECT server FROM link_servers WHERE server = ANY ($1) ORDER BY server FOR SHARE`

	linkTargetsAdd = `INSERT INTO link_targets (key_hash, server, url)
SELECT k.hash, k.server, k.url FROM unnest($1::bytea[], $2::text[], $3::text[]) AS k (hash, server, url) ORDER BY k.hash ON CONFLICT (key_hash) DO NOTHING`

	// linkOrdersAdd: who has a verdict that still holds asks for nothing (C-12).
	linkOrdersAdd = `INSERT INTO link_orders (target_id, server, site_id, scan_id, pages, hops, ordered_at)
SELECT t.id, t.server, s.site_id, s.id, k.pages, 0, $4 FROM unnest($1::bytea[], $2::integer[]) AS k (hash, pages)
JOIN link_targets t ON t.key_hash = k.hash JOIN scans s ON s.id = $3
WHERE t.verdict = '' OR t.due_at <= $4 ORDER BY t.id
ON CONFLICT (target_id, site_id) DO UPDATE SET scan_id = excluded.scan_id, pages = excluded.pages, hops = 0`

	linkServersAsleep = `SELECT DISTINCT s.server FROM link_orders o JOIN link_servers s ON s.server = o.server
WHERE o.scan_id = $1 AND (s.looks_at IS NULL OR s.looks_at < $2) ORDER BY s.server`

	linkOrdersPending = `SELECT count(*) FROM link_waits o JOIN link_servers s ON s.server = o.server
WHERE o.scan_id = $1 AND (s.began_at IS NOT NULL OR s.rest_until IS NULL OR s.rest_until <= $2)`

	linkOrdersDrop = `DELETE FROM link_orders WHERE scan_id = $1`
)

// OrderLinks asks for the links to other servers that a scan's pages hold, as far
// as no verdict on them holds still. It gives the servers whose workflow has to
// be woken. Repeating it changes nothing.
func (s *Store) OrderLinks(ctx context.Context, scanID string, at time.Time) (asleep []string, err error) {
	err = s.inTx(ctx, "order link checks", func(ctx context.Context, tx pgx.Tx) error {
		found, err := foreignLinks(ctx, tx, scanID)
		if err != nil || len(found.hashes) == 0 {
			return err
		}
		b := &pgx.Batch{}
		b.Queue(linkServersAdd, found.servers)
		b.Queue(linkServersShare, found.servers)
		b.Queue(linkTargetsAdd, found.hashes, found.servers, found.urls)
		b.Queue(linkOrdersAdd, found.hashes, found.pages, scanID, at)
		if err := tx.SendBatch(ctx, b).Close(); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, linkServersAsleep, scanID, at)
		if err != nil {
			return err
		}
		asleep, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	return asleep, err
}

// PendingLinks counts the addresses a scan waits for whose server is not resting.
func (s *Store) PendingLinks(ctx context.Context, scanID string, at time.Time) (int, error) {
	var n int
	err := s.pool.QueryRow(ctx, linkOrdersPending, scanID, at).Scan(&n)
	return n, told("count pending link checks", err)
}

// WithdrawLinks takes back what a scan asked for and has not been answered (S-44).
func (s *Store) WithdrawLinks(ctx context.Context, scanID string) error {
	return s.exec(ctx, "withdraw link checks", linkOrdersDrop, scanID)
}

// foreignSet is a scan's links to other servers, for one statement.
type foreignSet struct {
	hashes  [][]byte
	servers []string
	urls    []string
	pages   []int32
}

func foreignLinks(ctx context.Context, tx pgx.Tx, scanID string) (foreignSet, error) {
	var set foreignSet
	var seq int32
	if err := tx.QueryRow(ctx, scanSeq, scanID).Scan(&seq); err != nil {
		return set, notFound("scan", err)
	}
	seen, err := sightings(ctx, tx, seq)
	if err != nil {
		return set, err
	}
	rows, err := tx.Query(ctx, linkCandidates, seq)
	if err != nil {
		return set, err
	}
	var id int64
	var address string
	known := map[[16]byte]bool{}
	_, err = pgx.ForEachRow(rows, []any{&id, &address}, func() error {
		at := seen[id]
		if at == nil || !at.navigable || !schema.IsLinkCheckable(address) {
			return nil
		}
		if h := addressHash(address); !known[h] {
			known[h] = true
			set.hashes, set.urls = append(set.hashes, h[:]), append(set.urls, address)
			set.servers, set.pages = append(set.servers, schema.LinkServer(hostOf(address))), append(set.pages, int32Of(at.pages))
		}
		return nil
	})
	return set, err
}

// hostOf is the HostKey of an address.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return schema.HostKey(u)
}
