package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"visite/schema"
)

const (
	sqlEnsureLedger = `SELECT ledger_ensure($1::date, $2)`

	// A line for a parked host, or one that objects, is not written and its request
	// must not leave: id is then schema.LineParked, LineObjected or LineQuiet.
	sqlBeginLines = `WITH asked AS MATERIALIZED (
    SELECT * FROM unnest($1::timestamptz[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::bigint[])
           WITH ORDINALITY AS u (at, scan_id, workspace_id, host, ip, method, url, purpose, cause, profile, rule, waited_ms, position)
), state AS MATERIALIZED (
    SELECT a.host, o.quiet_until,
           CASE WHEN o.stop THEN -1 WHEN o.quiet_until IS NOT NULL THEN -2 WHEN h.parked_until > courtesy_now() THEN 0 END AS held,
           CASE WHEN h.parked_until > courtesy_now() THEN h.parked_until END AS parked
      FROM (SELECT DISTINCT host FROM asked) a CROSS JOIN LATERAL courtesy_objection(a.host, courtesy_now()) o
      LEFT JOIN courtesy_hosts h ON h.host = a.host
), line AS MATERIALIZED (
    SELECT a.*, greatest(s.quiet_until, s.parked) AS until, CASE WHEN s.held IS NULL THEN nextval('ledger_id') ELSE s.held END AS id
      FROM asked a JOIN state s ON s.host = a.host
), written AS (
    INSERT INTO ledger (id, at, scan_id, workspace_id, host, ip, method, url, purpose, cause, profile, rule, waited_ms)
    SELECT id, at, scan_id, workspace_id, host, ip, method, url, purpose, cause, profile, rule, waited_ms FROM line WHERE id > 0
)
SELECT id, coalesce(until, 'epoch') FROM line CROSS JOIN (SELECT set_config('synchronous_commit', 'off', true)) s ORDER BY position`

	// The bounds on "at" spare the partitions of other days.
	sqlCompleteLines = `UPDATE ledger l
   SET ip = u.ip, status = u.status, bytes = u.bytes, failure = u.failure, took_ms = u.took_ms,
       ended_at = u.at + greatest(u.took_ms * 1000, 1) * interval '1 microsecond'
  FROM unnest($1::bigint[], $2::timestamptz[], $3::text[], $4::integer[], $5::bigint[], $6::text[], $7::bigint[]) AS u (id, at, ip, status, bytes, failure, took_ms),
       (SELECT set_config('synchronous_commit', 'off', true)) s
 WHERE l.id = u.id AND l.at = u.at AND l.at >= $8 AND l.at <= $9`

	// A scan's lines lie between its days, a day of grace for clocks on each side: the
	// partitions of all other days need not be looked at, nor planned for.
	sqlScanDays = `SELECT created_at - interval '1 day', coalesce(finished_at, now()) + interval '1 day' FROM scans WHERE id = $1`

	sqlHostTotals = `WITH line AS (
    SELECT host, bytes, waited_ms, at, coalesce(ended_at, at + interval '1 microsecond') AS ended FROM ledger WHERE scan_id = $1 AND at >= $2 AND at < $3
), step AS (
    SELECT host, at AS moment, 1 AS change FROM line UNION ALL SELECT host, ended, -1 FROM line
), level AS (
    SELECT host, moment, lead(moment) OVER w AS next, sum(change) OVER w AS under_way FROM step WINDOW w AS (PARTITION BY host ORDER BY moment, change)
)
SELECT l.host, l.requests, l.bytes, p.most, p.busy, l.waited
  FROM (SELECT host, count(*)::integer AS requests, sum(bytes)::bigint AS bytes, sum(waited_ms)::bigint AS waited FROM line GROUP BY host) l
  JOIN (SELECT host, max(under_way)::integer AS most,
        coalesce(round(1000 * extract(epoch FROM sum(next - moment) FILTER (WHERE under_way > 0))), 0)::bigint AS busy FROM level GROUP BY host) p USING (host)
 ORDER BY l.host`

	sqlLines = `SELECT id, at, scan_id, workspace_id, host, ip, method, url, purpose, cause, profile, rule, waited_ms, status, bytes, failure, took_ms
  FROM ledger WHERE scan_id = $1 AND (cardinality($2::text[]) = 0 OR host = ANY ($2)) ORDER BY id`
)

// ensuredDays remembers up to which day partitions are there.
type ensuredDays struct{ until atomic.Int64 }

// EnsureLedger sees to the ledger's partitions of today and tomorrow (UTC).
// Cheap where they are there; BeginLines calls it when a day comes near.
func (s *CourtesyStore) EnsureLedger(ctx context.Context) error {
	now := time.Now().UTC()
	if now.Unix() < s.ensured.until.Load() {
		return nil
	}
	if _, err := s.pool.Exec(ctx, sqlEnsureLedger, now.Format(time.DateOnly), 2); err != nil {
		return fmt.Errorf("make the ledger's partitions: %w", err)
	}
	s.ensured.until.Store(now.Truncate(24 * time.Hour).Add(24 * time.Hour).Unix())
	return nil
}

// BeginLines writes lines before their requests leave. For each line it returns
// its id; where the request must not leave, schema.LineParked or LineQuiet and
// until when, or schema.LineObjected.
func (s *CourtesyStore) BeginLines(ctx context.Context, lines []schema.LedgerLine) (ids []int64, parked []time.Time, err error) {
	if err := s.EnsureLedger(ctx); err != nil {
		return nil, nil, err
	}
	rows, err := s.pool.Query(ctx, sqlBeginLines,
		column(lines, func(l schema.LedgerLine) time.Time { return l.At }),
		column(lines, func(l schema.LedgerLine) string { return l.ScanID }),
		column(lines, func(l schema.LedgerLine) string { return l.WorkspaceID }),
		column(lines, func(l schema.LedgerLine) string { return l.Host }),
		column(lines, func(l schema.LedgerLine) string { return l.IP }),
		column(lines, func(l schema.LedgerLine) string { return l.Method }),
		column(lines, func(l schema.LedgerLine) string { return l.URL }),
		column(lines, func(l schema.LedgerLine) string { return string(l.Purpose) }),
		column(lines, func(l schema.LedgerLine) string { return string(l.Cause) }),
		column(lines, func(l schema.LedgerLine) string { return l.Profile }),
		column(lines, func(l schema.LedgerLine) string { return l.Rule }),
		column(lines, func(l schema.LedgerLine) int64 { return l.WaitedMS }))
	if err != nil {
		return nil, nil, fmt.Errorf("begin ledger lines: %w", err)
	}
	var (
		id    int64
		until time.Time
	)
	_, err = pgx.ForEachRow(rows, []any{&id, &until}, func() error {
		ids, parked = append(ids, id), append(parked, until)
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("begin ledger lines: %w", err)
	}
	return ids, parked, nil
}

func column[T any](lines []schema.LedgerLine, f func(schema.LedgerLine) T) []T {
	out := make([]T, len(lines))
	for i, l := range lines {
		out[i] = f(l)
	}
	return out
}

func completionArgs(lines []schema.LedgerLine) []any {
	first, last := lines[0].At, lines[0].At
	for _, l := range lines[1:] {
		if l.At.Before(first) {
			first = l.At
		}
		if l.At.After(last) {
			last = l.At
		}
	}
	return []any{
		column(lines, func(l schema.LedgerLine) int64 { return l.ID }),
		column(lines, func(l schema.LedgerLine) time.Time { return l.At }),
		column(lines, func(l schema.LedgerLine) string { return l.IP }),
		column(lines, func(l schema.LedgerLine) int32 { return int32(l.Status) }),
		column(lines, func(l schema.LedgerLine) int64 { return l.Bytes }),
		column(lines, func(l schema.LedgerLine) string { return string(l.Failure) }),
		column(lines, func(l schema.LedgerLine) int64 { return l.TookMS }),
		first, last,
	}
}

// HostTotals sums a scan's requests by host, from the ledger. Lines never
// completed (our own crash) count, with no length.
func (s *CourtesyStore) HostTotals(ctx context.Context, scanID string) ([]schema.HostTotals, error) {
	from, to, err := s.scanDays(ctx, scanID)
	if err != nil {
		return nil, fmt.Errorf("sum the ledger of scan %s: %w", scanID, err)
	}
	rows, err := s.pool.Query(ctx, sqlHostTotals, scanID, from, to)
	if err != nil {
		return nil, fmt.Errorf("sum the ledger of scan %s: %w", scanID, err)
	}
	totals, err := pgx.CollectRows(rows, pgx.RowToStructByPos[schema.HostTotals])
	if err != nil {
		return nil, fmt.Errorf("sum the ledger of scan %s: %w", scanID, err)
	}
	return totals, nil
}

// scanDays is between when a scan's lines lie; of what is no scan (robots.txt
// explained, a proof looked for) they may lie anywhere.
func (s *CourtesyStore) scanDays(ctx context.Context, scanID string) (from, to time.Time, err error) {
	err = s.pool.QueryRow(ctx, sqlScanDays, scanID).Scan(&from, &to)
	if errors.Is(err, pgx.ErrNoRows) {
		return time.Unix(0, 0), time.Now().Add(24 * time.Hour), nil
	}
	return from, to, err
}

// Lines reads a scan's ledger lines in order, of the hosts named or of all.
func (s *CourtesyStore) Lines(ctx context.Context, scanID string, hosts ...string) ([]schema.LedgerLine, error) {
	if hosts == nil {
		hosts = []string{}
	}
	rows, err := s.pool.Query(ctx, sqlLines, scanID, hosts)
	if err != nil {
		return nil, fmt.Errorf("read the ledger of scan %s: %w", scanID, err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowToStructByPos[schema.LedgerLine])
	if err != nil {
		return nil, fmt.Errorf("read the ledger of scan %s: %w", scanID, err)
	}
	return lines, nil
}
