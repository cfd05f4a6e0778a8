package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"visite/schema"
)

const (
	sqlRobotsCopy = `SELECT origin, read_at, outcome, status, reason, body, etag, last_modified FROM courtesy_robots WHERE origin = $1`
	sqlSaveRobots = `INSERT INTO courtesy_robots (origin, read_at, outcome, status, reason, body, etag, last_modified)
VALUES ($1, $2, $3, $4, $5, coalesce($6, ''::bytea), $7, $8)
ON CONFLICT (origin) DO UPDATE SET read_at = excluded.read_at, outcome = excluded.outcome, status = excluded.status,
       reason = excluded.reason, body = excluded.body, etag = excluded.etag, last_modified = excluded.last_modified
 WHERE courtesy_robots.read_at <= excluded.read_at`
)

// RobotsCopy reads the copy kept for an origin; false where there is none.
func (s *CourtesyStore) RobotsCopy(ctx context.Context, origin string) (schema.RobotsCopy, bool, error) {
	rows, err := s.pool.Query(ctx, sqlRobotsCopy, origin)
	if err != nil {
		return schema.RobotsCopy{}, false, fmt.Errorf("read the robots.txt copy of %s: %w", origin, err)
	}
	c, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[schema.RobotsCopy])
	if errors.Is(err, pgx.ErrNoRows) {
		return schema.RobotsCopy{}, false, nil
	}
	if err != nil {
		return schema.RobotsCopy{}, false, fmt.Errorf("read the robots.txt copy of %s: %w", origin, err)
	}
	return c, true, nil
}

// SaveRobotsCopy keeps a copy unless a later one is there.
func (s *CourtesyStore) SaveRobotsCopy(ctx context.Context, c schema.RobotsCopy) error {
	_, err := s.pool.Exec(ctx, sqlSaveRobots, c.Origin, c.ReadAt, c.Outcome, c.Status, c.Reason, c.Body, c.ETag, c.LastModified)
	if err != nil {
		return fmt.Errorf("keep the robots.txt copy of %s: %w", c.Origin, err)
	}
	return nil
}
