package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"visite/schema"
)

// CourtesyStore keeps what the door must remember for all workers together:
// pace, turns, parked hosts, read robots.txt files and the ledger.
type CourtesyStore struct {
	pool    *pgxpool.Pool
	ensured ensuredDays
}

// NewCourtesyStore keeps the door's memory in a migrated database.
func NewCourtesyStore(pool *pgxpool.Pool) *CourtesyStore {
	return &CourtesyStore{pool: pool}
}

const (
	sqlReserve = `SELECT granted, wait_us, parked, busy, slow, robots_read_at, objection, slower, coalesce(exception::text, '')
  FROM courtesy_turn($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`
	sqlStart    = `SELECT courtesy_start($1, $2, $3, $4, $5, $6)`
	sqlRelease  = `SELECT courtesy_release($1, $2, $3, $4, $5, $6)`
	sqlPark     = `SELECT courtesy_park($1, $2)`
	sqlRenew    = `UPDATE courtesy_turns SET expires_at = courtesy_now() + $3 * interval '1 microsecond' WHERE host = $1 AND holder = $2 AND expires_at > courtesy_now()`
	sqlHostPace = `SELECT next_at, parked_until, courtesy_slow(slow_factor, slow_since, courtesy_now()), response_us,
       (SELECT count(*) FROM courtesy_turns t WHERE t.host = h.host AND t.expires_at > courtesy_now())
  FROM courtesy_hosts h WHERE host = $1`
)

// Reserve asks for a turn at a host, in one round trip, after what
// the host's objections say (C-43).
func (s *CourtesyStore) Reserve(ctx context.Context, ask schema.PaceAsk) (schema.PaceGrant, error) {
	var (
		grant  schema.PaceGrant
		waitUS int64
		parked bool
		readAt *time.Time
	)
	err := s.pool.QueryRow(ctx, sqlReserve, ask.ScanID, ask.Host, ask.IP, ask.Holder, ask.Slots, ask.IPSlots, ask.TTL.Microseconds(),
		ask.PauseMin.Microseconds(), ask.PauseFactor, ask.CrawlDelay.Microseconds(), ask.Origin).
		Scan(&grant.Granted, &waitUS, &parked, &grant.Busy, &grant.SlowFactor, &readAt, &grant.Objection, &grant.Slower, &grant.Exception)
	if err != nil {
		return schema.PaceGrant{}, fmt.Errorf("reserve a turn at %s: %w", ask.Host, err)
	}
	if readAt != nil {
		grant.RobotsReadAt = *readAt
	}
	if grant.Granted {
		return grant, nil
	}
	grant.In = span(waitUS)
	grant.NotBefore = time.Now().Add(grant.In)
	switch {
	case grant.Objection == schema.ObjectionStop:
		grant.Reason = schema.ReasonObjection
	case grant.Objection == schema.ObjectionQuietHours:
		grant.Reason = schema.ReasonQuietHours
	case parked:
		grant.Reason = schema.ReasonServerParked
	}
	return grant, nil
}

// span is microseconds as a duration, at most the longest there is.
func span(us int64) time.Duration {
	const most = int64(1<<63-1) / int64(time.Microsecond)
	return time.Duration(min(us, most)) * time.Microsecond
}

// Start asks whether the first request of a visit may leave now; the wait is 0
// where it may. No other may then until it is said, with sent, that this one has
// left, or for a second at most.
func (s *CourtesyStore) Start(ctx context.Context, ask schema.PaceAsk, sent bool) (time.Duration, error) {
	var waitUS int64
	err := s.pool.QueryRow(ctx, sqlStart, ask.Host, ask.Holder, ask.PauseMin.Microseconds(), ask.PauseFactor, ask.CrawlDelay.Microseconds(), sent).Scan(&waitUS)
	if err != nil {
		return 0, fmt.Errorf("start a visit at %s: %w", ask.Host, err)
	}
	return span(waitUS), nil
}

// Renew keeps a turn for another TTL; false where it has lapsed.
func (s *CourtesyStore) Renew(ctx context.Context, host, holder string, ttl time.Duration) (bool, error) {
	tag, err := s.pool.Exec(ctx, sqlRenew, host, holder, ttl.Microseconds())
	if err != nil {
		return false, fmt.Errorf("renew the turn at %s: %w", host, err)
	}
	return tag.RowsAffected() > 0, nil
}

// Release gives turns back and completes ledger lines, in one round trip.
func (s *CourtesyStore) Release(ctx context.Context, done []schema.PaceDone, lines []schema.LedgerLine) error {
	var batch pgx.Batch
	for _, d := range done {
		batch.Queue(sqlRelease, d.Host, d.Holder, d.ResponseTime.Microseconds(), d.PauseMin.Microseconds(), d.PauseFactor, d.CrawlDelay.Microseconds())
	}
	if len(lines) > 0 {
		batch.Queue(sqlCompleteLines, completionArgs(lines)...)
	}
	if batch.Len() == 0 {
		return nil
	}
	if err := s.pool.SendBatch(ctx, &batch).Close(); err != nil {
		return fmt.Errorf("give turns back: %w", err)
	}
	return nil
}

// Park leaves a host alone for a time, for every run of every customer,
// and slows what comes after (S-36). Returns until when it rests.
func (s *CourtesyStore) Park(ctx context.Context, host string, wait time.Duration) (time.Time, error) {
	var until time.Time
	if err := s.pool.QueryRow(ctx, sqlPark, host, wait.Microseconds()).Scan(&until); err != nil {
		return time.Time{}, fmt.Errorf("park %s: %w", host, err)
	}
	return until, nil
}

// HostPace tells a host's pace; a host never visited has factor 1 and no times.
func (s *CourtesyStore) HostPace(ctx context.Context, host string) (schema.HostPace, error) {
	p := schema.HostPace{Host: host, SlowFactor: 1}
	var responseUS int64
	rows, err := s.pool.Query(ctx, sqlHostPace, host)
	if err != nil {
		return p, fmt.Errorf("read the pace of %s: %w", host, err)
	}
	_, err = pgx.ForEachRow(rows, []any{&p.NextAt, &p.ParkedUntil, &p.SlowFactor, &responseUS, &p.InFlight}, func() error { return nil })
	if err != nil {
		return p, fmt.Errorf("read the pace of %s: %w", host, err)
	}
	p.ResponseTime = span(responseUS)
	return p, nil
}
