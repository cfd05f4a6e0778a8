package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"visite/schema"
)

// scanColumns are read by scanScan, in its order.
const scanColumns = `id, workspace_id, site_id, url, scope_host, engine, device, profile, max_pages, basis_kind, basis_party, contact,
state, state_reason, phase, waiting_for, waiting_until, created_at, started_at, finished_at, browser_version, user_agent,
robots_status, crawl_delay_ms, robots_rule, robots_read_at, cause,
EXISTS (SELECT FROM sites t WHERE t.id = site_id AND t.previews_until > now())`

const (
	scanSelect = `SELECT ` + scanColumns + ` FROM scans WHERE id = $1`
	scanOf     = `SELECT ` + scanColumns + ` FROM scans WHERE id = $1 AND workspace_id = $2`
	scanList   = `SELECT ` + scanColumns + ` FROM scans
WHERE workspace_id = $1 AND ($2 = '' OR site_id = $2) AND ($3 = '' OR state = $3) AND ($4 = '' OR id < $4 COLLATE "C")
ORDER BY id DESC LIMIT $5`
	scansQueued  = `SELECT ` + scanColumns + ` FROM scans WHERE state = 'queued' AND created_at < $1 ORDER BY id LIMIT $2`
	scansRunning = `SELECT ` + scanColumns + ` FROM scans WHERE state = 'running' AND started_at < $1 AND id > $2 COLLATE "C" ORDER BY id LIMIT $3`
	scanStart    = `UPDATE scans SET state = 'running', started_at = coalesce(started_at, now())
WHERE id = $1 AND state IN ('queued', 'running')`
	scanPhase = `UPDATE scans SET phase = $2, waiting_for = $3, waiting_until = $4
WHERE id = $1 AND state IN ('queued', 'running') AND (phase, waiting_for, waiting_until) IS DISTINCT FROM ($2, $3, $4)`
	// The address a scan began at was none of the pages it may load: it led to a sister
	// host. That of a free analysis may do so once, any other a few times.
	scanScope = `UPDATE scans SET scope_host = $2,
    scope_moves = CASE WHEN scope_host = $2 THEN scope_moves WHEN cause = 'free_analysis' THEN 1 ELSE least(scope_moves + 1, 3) END WHERE id = $1`
	scanBrowser = `UPDATE scans SET browser_version = $2, user_agent = $3 WHERE id = $1`
	scanRobots  = `UPDATE scans SET robots_status = $2, crawl_delay_ms = $3, robots_rule = $4, robots_read_at = $5 WHERE id = $1`
	scanFinish  = `UPDATE scans SET state = $2, state_reason = $3, phase = 'done', waiting_for = '', waiting_until = NULL, finished_at = now()
WHERE id = $1 AND state IN ('queued', 'running')`
)

// StartScan marks a scan as running, once, and queues its seed. A scan closed
// already stays closed.
func (s *Store) StartScan(ctx context.Context, scanID string) (schema.Scan, error) {
	var scan schema.Scan
	err := s.inTx(ctx, "start scan", func(ctx context.Context, tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, scanStart, scanID)
		if err != nil {
			return err
		}
		if scan, err = readScan(ctx, tx, scanSelect, scanID); err != nil || tag.RowsAffected() == 0 {
			return err
		}
		seed := schema.Candidate{URL: scan.URL, Via: schema.ViaSeed}
		_, _, err = addCandidates(ctx, tx, scanID, []schema.Candidate{seed})
		return err
	})
	return scan, err
}

// Scan reads a scan, whose ever it is.
func (s *Store) Scan(ctx context.Context, scanID string) (schema.Scan, error) {
	scan, err := readScan(ctx, s.pool, scanSelect, scanID)
	return scan, told("read scan", err)
}

// ScanOf reads one of the workspace's scans.
func (s *Store) ScanOf(ctx context.Context, workspaceID, scanID string) (schema.Scan, error) {
	scan, err := readScan(ctx, s.pool, scanOf, scanID, workspaceID)
	return scan, told("read scan", err)
}

// Scans lists the workspace's scans, newest first.
func (s *Store) Scans(ctx context.Context, workspaceID string, f schema.ScanFilter, r schema.Range) ([]schema.Scan, error) {
	rows, err := s.pool.Query(ctx, scanList, workspaceID, text(f.SiteID), string(f.State), text(r.After), r.Limit)
	if err != nil {
		return nil, told("list scans", err)
	}
	scans, err := pgx.CollectRows(rows, scanScan)
	return scans, told("list scans", err)
}

// QueuedScans lists scans of all workspaces ordered before a time and not
// started yet, oldest first.
func (s *Store) QueuedScans(ctx context.Context, before time.Time, limit int) ([]schema.Scan, error) {
	rows, err := s.pool.Query(ctx, scansQueued, before, limit)
	if err != nil {
		return nil, told("list queued scans", err)
	}
	scans, err := pgx.CollectRows(rows, scanScan)
	return scans, told("list queued scans", err)
}

// RunningScans lists scans of all workspaces that began before a time and have
// not ended, oldest first, those after an id.
func (s *Store) RunningScans(ctx context.Context, before time.Time, after string, limit int) ([]schema.Scan, error) {
	rows, err := s.pool.Query(ctx, scansRunning, before, text(after), limit)
	if err != nil {
		return nil, told("list running scans", err)
	}
	scans, err := pgx.CollectRows(rows, scanScan)
	return scans, told("list running scans", err)
}

// SetPhase says what an open scan is busy with and, where it waits, for what
// and until when.
func (s *Store) SetPhase(ctx context.Context, scanID string, phase schema.Phase, waitingFor string, until time.Time) error {
	return s.exec(ctx, "set phase", scanPhase, scanID, string(phase), text(waitingFor), nullTime(until))
}

// SetScope moves the scope to another host.
func (s *Store) SetScope(ctx context.Context, scanID, host string) error {
	return s.exec(ctx, "set scope", scanScope, scanID, text(host))
}

// SetBrowser records the Chromium really used and the User-Agent it goes by.
func (s *Store) SetBrowser(ctx context.Context, scanID, version, userAgent string) error {
	return s.exec(ctx, "set browser", scanBrowser, scanID, text(version), text(userAgent))
}

// SetRobots records what robots.txt came to before the first page.
func (s *Store) SetRobots(ctx context.Context, scanID string, r schema.ScanRobots) error {
	return s.exec(ctx, "set robots", scanRobots, scanID, int16Of(r.Status), r.CrawlDelay.Milliseconds(), text(r.Rule), nullTime(r.ReadAt))
}

// Finish closes a scan; one already closed keeps its state. An address claimed
// and never recorded is settled as not analysed, so that none is without outcome.
func (s *Store) Finish(ctx context.Context, scanID string, state schema.ScanState, reason string) error {
	left := schema.ReasonOurCrash
	if state == schema.ScanCancelled {
		left = schema.ReasonCancelled
	}
	err := s.inTx(ctx, "finish scan", func(ctx context.Context, tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, scanFinish, scanID, string(state), text(reason))
		if err != nil || tag.RowsAffected() == 0 {
			return err
		}
		_, err = tx.Exec(ctx, frontierLeft, scanID, string(left))
		return err
	})
	if err == nil {
		s.known.forget(scanID)
	}
	return err
}

func (s *Store) exec(ctx context.Context, what, sql string, args ...any) error {
	return again(ctx, what, func(ctx context.Context) error {
		_, err := s.pool.Exec(ctx, sql, args...)
		return err
	})
}

// querier is a pool or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

func readScan(ctx context.Context, q querier, sql string, args ...any) (schema.Scan, error) {
	rows, err := q.Query(ctx, sql, args...)
	if err != nil {
		return schema.Scan{}, err
	}
	scan, err := pgx.CollectExactlyOneRow(rows, scanScan)
	return scan, notFound("scan", err)
}

func scanScan(row pgx.CollectableRow) (schema.Scan, error) {
	var v schema.Scan
	var waiting, started, finished, robotsAt *time.Time
	var delayMS int64
	err := row.Scan(&v.ID, &v.WorkspaceID, &v.SiteID, &v.URL, &v.ScopeHost, &v.Engine, &v.Device, &v.Profile, &v.MaxPages,
		&v.Basis.Kind, &v.Basis.Party, &v.Contact, &v.State, &v.StateReason, &v.Phase, &v.WaitingFor, &waiting,
		&v.CreatedAt, &started, &finished, &v.BrowserVersion, &v.UserAgent,
		&v.Robots.Status, &delayMS, &v.Robots.Rule, &robotsAt, &v.Cause, &v.Previews)
	v.Robots.CrawlDelay, v.Robots.ReadAt = time.Duration(delayMS)*time.Millisecond, timeOf(robotsAt)
	v.WaitingUntil, v.StartedAt, v.FinishedAt = timeOf(waiting), timeOf(started), timeOf(finished)
	v.CreatedAt = v.CreatedAt.UTC()
	return v, err
}
