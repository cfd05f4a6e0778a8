package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"visite/schema"
)

const (
	linkServerLock = `SELECT visit, began_at, addresses, rest_until,
    EXISTS (SELECT FROM link_waits o WHERE o.server = $1) OR EXISTS (SELECT FROM link_targets t WHERE t.server = $1 AND t.taken)
FROM link_servers WHERE server = $1 FOR UPDATE`
	linkServerEnd   = `UPDATE link_servers SET began_at = NULL, addresses = 0 WHERE server = $1`
	linkServerLooks = `UPDATE link_servers SET looks_at = $2 WHERE server = $1`
	linkServerBegin = `UPDATE link_servers SET visit = visit + 1, began_at = $2, addresses = 0 WHERE server = $1 RETURNING visit`

	linkTaken = `SELECT id, url, head_at, coalesce(head_status, 0), get_at FROM link_targets WHERE server = $1 AND taken`

	// linkNext: most linked first, over all customers, then oldest.
	linkNext = `SELECT t.id, t.url FROM link_targets t JOIN link_waits o ON o.target_id = t.id
WHERE o.server = $1 GROUP BY t.id ORDER BY sum(o.pages) DESC, min(o.ordered_at), t.id LIMIT 1`
	linkTake    = `UPDATE link_targets SET taken = true, head_at = NULL, head_status = NULL, get_at = NULL WHERE id = $1`
	linkRelease = `UPDATE link_targets SET taken = false, head_at = NULL, head_status = NULL, get_at = NULL WHERE id = $1`

	// linkOnBehalf is the scan in whose name an address is asked for; of a site on
	// this machine, where there is one.
	linkOnBehalf = `SELECT workspace_id, site_id, scan_id, profile, loopback FROM link_waits
WHERE target_id = $1 ORDER BY loopback DESC, ordered_at, site_id LIMIT 1`

	linkHeadBegin = `WITH t AS (
    UPDATE link_targets SET head_at = $2 WHERE id = $1 AND taken AND head_at IS NULL RETURNING server
)
UPDATE link_servers s SET addresses = s.addresses + 1, rest_until = $3 FROM t WHERE s.server = t.server`
	linkGetBegin = `WITH t AS (
    UPDATE link_targets SET get_at = $2 WHERE id = $1 AND taken AND head_at IS NOT NULL AND head_status IS NOT NULL AND get_at IS NULL RETURNING server
)
UPDATE link_servers s SET rest_until = $3 FROM t WHERE s.server = t.server`
	linkHeadUndo = `WITH t AS (
    UPDATE link_targets SET head_at = NULL WHERE id = $1 AND taken AND head_status IS NULL AND get_at IS NULL RETURNING server
)
UPDATE link_servers s SET addresses = greatest(s.addresses - 1, 0) FROM t WHERE s.server = t.server`
	linkGetUndo   = `UPDATE link_targets SET get_at = NULL WHERE id = $1 AND taken`
	linkHeadEnded = `UPDATE link_targets SET head_status = $2 WHERE id = $1 AND taken AND get_at IS NULL`
	linkTouched   = `UPDATE link_servers SET rest_until = greatest(rest_until, $2) WHERE server = $1`
)

// lookMargin is how much longer than announced a server's workflow may be silent
// before another order wakes it.
const lookMargin = time.Hour

// PlanLinkVisit says what a server's workflow does next, and begins a visit where
// that is it.
func (s *Store) PlanLinkVisit(ctx context.Context, server string, at time.Time) (schema.LinkPlan, error) {
	var plan schema.LinkPlan
	err := s.inTx(ctx, "plan a visit of links", func(ctx context.Context, tx pgx.Tx) error {
		plan = schema.LinkPlan{}
		var began, rest *time.Time
		var addresses int
		var wanted bool
		err := tx.QueryRow(ctx, linkServerLock, server).Scan(&plan.Visit, &began, &addresses, &rest, &wanted)
		if errors.Is(err, pgx.ErrNoRows) {
			plan.Over = true
			return nil
		}
		if err != nil {
			return err
		}
		var looks *time.Time
		switch next := at.Add(lookMargin); {
		case !wanted:
			plan.Over = true
			if _, err := tx.Exec(ctx, linkServerEnd, server); err != nil {
				return err
			}
		case began != nil:
			plan.Since, looks = began.UTC(), &next
		case rest != nil && rest.After(at):
			plan.RestUntil = rest.UTC()
			next = rest.Add(lookMargin)
			looks = &next
		default:
			plan.Since, looks = at, &next
			if err := tx.QueryRow(ctx, linkServerBegin, server, at).Scan(&plan.Visit); err != nil {
				return err
			}
		}
		_, err = tx.Exec(ctx, linkServerLooks, server, looks)
		return err
	})
	return plan, err
}

// ClaimLink takes the next address of a visit up; one taken up before and not
// settled comes first. Not found: the visit's addresses are used up, or nobody
// waits for any more.
func (s *Store) ClaimLink(ctx context.Context, server string) (schema.LinkClaim, error) {
	var c schema.LinkClaim
	err := s.inTx(ctx, "claim a link", func(ctx context.Context, tx pgx.Tx) error {
		c = schema.LinkClaim{}
		var visit, addresses int
		var began, rest *time.Time
		var wanted bool
		if err := tx.QueryRow(ctx, linkServerLock, server).Scan(&visit, &began, &addresses, &rest, &wanted); err != nil {
			return notFound("server", err)
		}
		var head, get *time.Time
		err := tx.QueryRow(ctx, linkTaken, server).Scan(&c.ID, &c.URL, &head, &c.HeadStatus, &get)
		if errors.Is(err, pgx.ErrNoRows) {
			if began == nil || addresses >= schema.LinkAddressesAVisit {
				return nil
			}
			err = tx.QueryRow(ctx, linkNext, server).Scan(&c.ID, &c.URL)
			if errors.Is(err, pgx.ErrNoRows) {
				return nil
			}
			if err == nil {
				_, err = tx.Exec(ctx, linkTake, c.ID)
			}
		}
		if err != nil {
			return err
		}
		c.Found, c.HeadAt, c.GetAt = true, timeOf(head), timeOf(get)
		err = tx.QueryRow(ctx, linkOnBehalf, c.ID).Scan(&c.Run.WorkspaceID, &c.Run.SiteID, &c.Run.ScanID, &c.Profile, &c.Loopback)
		if errors.Is(err, pgx.ErrNoRows) {
			c.Withdrawn = true
			return nil
		}
		return err
	})
	return c, err
}

// BeginLinkRequest records the intent to send a request, HEAD or GET, before it
// leaves; false where it was recorded before: then it must not be sent.
func (s *Store) BeginLinkRequest(ctx context.Context, id int64, head bool, at time.Time) (bool, error) {
	sql := linkGetBegin
	if head {
		sql = linkHeadBegin
	}
	tag, err := s.pool.Exec(ctx, sql, id, at, restFrom(at))
	return err == nil && tag.RowsAffected() == 1, told("record the intent to check a link", err)
}

// UndoLinkRequest takes an intent back of which nothing was sent.
func (s *Store) UndoLinkRequest(ctx context.Context, id int64, head bool) error {
	sql := linkGetUndo
	if head {
		sql = linkHeadUndo
	}
	return s.exec(ctx, "undo the intent to check a link", sql, id)
}

// EndLinkHead records what HEAD was answered with, where a GET follows.
func (s *Store) EndLinkHead(ctx context.Context, id int64, status int) error {
	return s.exec(ctx, "record a HEAD", linkHeadEnded, id, int16Of(status))
}

// ReleaseLink gives an address back that was taken up and not asked for.
func (s *Store) ReleaseLink(ctx context.Context, id int64) error {
	return s.exec(ctx, "release a link", linkRelease, id)
}

// RestLinkServer lets a server rest from a request on, also where that was for
// robots.txt alone.
func (s *Store) RestLinkServer(ctx context.Context, server string, at time.Time) error {
	return s.exec(ctx, "rest a server", linkTouched, server, restFrom(at))
}

// restFrom is when a rest that begins now ends, in PostgreSQL's microseconds: never
// earlier.
func restFrom(at time.Time) time.Time {
	return at.Add(schema.LinkRest + time.Microsecond - 1).Truncate(time.Microsecond)
}

// LookAgain notes until when a server's workflow waits.
func (s *Store) LookAgain(ctx context.Context, server string, until time.Time) error {
	return s.exec(ctx, "note a wait", linkServerLooks, server, until.Add(lookMargin))
}

// EndLinkVisit closes the visit under way.
func (s *Store) EndLinkVisit(ctx context.Context, server string) error {
	return s.exec(ctx, "end a visit of links", linkServerEnd, server)
}
