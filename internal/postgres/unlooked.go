package postgres

import (
	"context"

	"visite/schema"
)

const unlookedCount = `SELECT count(*) FILTER (WHERE p.notes @> ARRAY[$2::text]), count(*) FILTER (WHERE p.measured->>'trackers_by' = $3)
FROM pages p WHERE p.scan = (SELECT seq FROM scans WHERE id = $1) AND p.outcome = 'analysed'`

// Unlooked counts a scan's pages on which some of what is looked for was not.
func (s *Store) Unlooked(ctx context.Context, scanID string) (schema.Unlooked, error) {
	var u schema.Unlooked
	err := s.pool.QueryRow(ctx, unlookedCount, scanID, schema.NoteValidityUnchecked, string(schema.TrackersByNames)).Scan(&u.Unvalidated, &u.ByNames)
	return u, told("count what was not looked at", err)
}
