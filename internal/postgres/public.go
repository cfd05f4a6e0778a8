package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"visite/schema"
)

const (
	// targetOf is what stands in the visited site's own log: the address from its
	// path on.
	targetOf = `substring(url FROM '^[a-z]+://[^/?#]*(.*)$')`

	sqlRequestsAt = `SELECT at, method, ` + targetOf + `, purpose, cause, profile, status
  FROM ledger WHERE host = $1 AND at >= $2 AND at <= $3 AND ` + targetOf + ` = ANY ($4::text[]) ORDER BY at LIMIT 20`
	sqlAnyRequestAt = `SELECT EXISTS (SELECT FROM ledger WHERE host = $1 AND at >= $2 AND at <= $3)`

	sqlHostLines = `SELECT id, at, '', '', host, ip, method, url, purpose, cause, profile, rule, waited_ms, status, bytes, failure, took_ms
  FROM ledger WHERE host = $1 AND (at, id) < ($2, $3) ORDER BY at DESC, id DESC LIMIT $4`

	sqlSaveHostProof = `INSERT INTO host_proofs (token_hash, host, method, expires_at) VALUES ($1, $2, $3, now() + $4 * interval '1 microsecond') RETURNING expires_at`
	sqlForgetProofs  = `DELETE FROM host_proofs WHERE expires_at <= now()`
	sqlProofOf       = `SELECT host, method FROM host_proofs WHERE token_hash = $1 AND expires_at > now()`

	sqlSaveObjectionKey = `INSERT INTO objection_keys (objection_id, key_hash) VALUES ($1, $2)`
	sqlObjectionOfKey   = `SELECT objection_id FROM objection_keys WHERE objection_id = $1 AND key_hash = $2`
	sqlUnprovenSince    = `SELECT EXISTS (SELECT FROM objections WHERE host = $1 AND proven_by = 'none' AND created_at > $2 AND ends_at > created_at)`

	sqlListObjections = `SELECT ` + objectionColumns + ` FROM objections WHERE withdrawn_at IS NULL AND ($1 = '' OR id < $1) ORDER BY id DESC LIMIT $2`

	publicAnswerWithin = 5 * time.Second
)

// RequestsAt finds our requests to a host between two moments whose address, from
// its path on and with query values redacted, is one of targets; at most 20,
// oldest first. any reports whether there were requests to the host at all. It
// gives nothing away of the customer behind them (contract S-09).
func (s *CourtesyStore) RequestsAt(ctx context.Context, host string, from, to time.Time, targets []string) (found []schema.SeenRequest, any bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, publicAnswerWithin)
	defer cancel()
	rows, err := s.pool.Query(ctx, sqlRequestsAt, host, from, to, texts(targets))
	if err != nil {
		return nil, false, fmt.Errorf("look for requests to %s: %w", host, err)
	}
	found, err = pgx.CollectRows(rows, pgx.RowToStructByPos[schema.SeenRequest])
	if err != nil {
		return nil, false, fmt.Errorf("look for requests to %s: %w", host, err)
	}
	if len(found) > 0 {
		return found, true, nil
	}
	if err := s.pool.QueryRow(ctx, sqlAnyRequestAt, host, from, to).Scan(&any); err != nil {
		return nil, false, fmt.Errorf("look for requests to %s: %w", host, err)
	}
	return nil, any, nil
}

// LineKey is where a list of a host's lines goes on after a line: microseconds
// since 1970 and the line's id.
func LineKey(l schema.LedgerLine) string {
	return fmt.Sprintf("%d-%d", l.At.UnixMicro(), l.ID)
}

func keyOfLine(key string) (at time.Time, id int64, err error) {
	if key == "" {
		return time.UnixMicro(lastMicro), 0, nil
	}
	micros, number, _ := strings.Cut(key, "-")
	us, err := strconv.ParseInt(micros, 10, 64)
	if err != nil || us < 0 || us > lastMicro {
		return at, 0, fmt.Errorf("key %q is none of a line", key)
	}
	id, err = strconv.ParseInt(number, 10, 64)
	return time.UnixMicro(us), id, err
}

// lastMicro is the end of the year 9999.
const lastMicro = 253402300799999999

// HostLines lists the ledger's lines of a host, newest first, without naming
// scan or workspace.
func (s *CourtesyStore) HostLines(ctx context.Context, host string, r schema.Range) ([]schema.LedgerLine, error) {
	ctx, cancel := context.WithTimeout(ctx, publicAnswerWithin)
	defer cancel()
	before, id, err := keyOfLine(r.After)
	if err != nil {
		return nil, fmt.Errorf("list the requests to %s: %w", host, err)
	}
	rows, err := s.pool.Query(ctx, sqlHostLines, host, before, id, r.Limit)
	if err != nil {
		return nil, fmt.Errorf("list the requests to %s: %w", host, err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowToStructByPos[schema.LedgerLine])
	if err != nil {
		return nil, fmt.Errorf("list the requests to %s: %w", host, err)
	}
	return lines, nil
}

// SaveHostProof notes that the holder of a token has shown to run a host, for a
// time, and forgets proofs that have lapsed.
func (s *CourtesyStore) SaveHostProof(ctx context.Context, tokenHash []byte, host string, method schema.ObjectionProof, lasts time.Duration) (until time.Time, err error) {
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, sqlForgetProofs); err != nil {
			return err
		}
		return tx.QueryRow(ctx, sqlSaveHostProof, tokenHash, host, method, lasts.Microseconds()).Scan(&until)
	})
	if err != nil {
		return time.Time{}, fmt.Errorf("keep the proof of %s: %w", host, err)
	}
	return until, nil
}

// ProofOf is the host that a token's holder has shown to run, and how; empty
// where the token is unknown or has lapsed.
func (s *CourtesyStore) ProofOf(ctx context.Context, tokenHash []byte) (host string, method schema.ObjectionProof, err error) {
	err = s.pool.QueryRow(ctx, sqlProofOf, tokenHash).Scan(&host, &method)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", "", nil
	}
	if err != nil {
		return "", "", fmt.Errorf("look up a proof: %w", err)
	}
	return host, method, nil
}

// SaveObjectionKey keeps the hash of the secret with which whoever objected may
// withdraw.
func (s *CourtesyStore) SaveObjectionKey(ctx context.Context, objectionID string, keyHash []byte) error {
	if _, err := s.pool.Exec(ctx, sqlSaveObjectionKey, objectionID, keyHash); err != nil {
		return fmt.Errorf("keep the key of objection %s: %w", objectionID, err)
	}
	return nil
}

// ObjectionKeyFits reports whether a secret's hash is that of an objection.
func (s *CourtesyStore) ObjectionKeyFits(ctx context.Context, objectionID string, keyHash []byte) (bool, error) {
	var id string
	err := s.pool.QueryRow(ctx, sqlObjectionOfKey, text(objectionID), keyHash).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look up the key of an objection: %w", err)
	}
	return true, nil
}

// UnprovenSince reports whether somebody without proof objected for a host since
// a moment, with effect.
func (s *CourtesyStore) UnprovenSince(ctx context.Context, host string, since time.Time) (bool, error) {
	var there bool
	if err := s.pool.QueryRow(ctx, sqlUnprovenSince, host, since).Scan(&there); err != nil {
		return false, fmt.Errorf("look for objections of %s: %w", host, err)
	}
	return there, nil
}

// ListObjections lists what visited sites asked and did not withdraw, newest
// first, whether it holds still or not.
func (s *CourtesyStore) ListObjections(ctx context.Context, r schema.Range) ([]schema.Objection, error) {
	rows, err := s.pool.Query(ctx, sqlListObjections, text(r.After), r.Limit)
	if err != nil {
		return nil, fmt.Errorf("list objections: %w", err)
	}
	list, err := pgx.CollectRows(rows, scanObjection)
	if err != nil {
		return nil, fmt.Errorf("list objections: %w", err)
	}
	return list, nil
}
