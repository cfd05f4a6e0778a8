package postgres

import (
	"context"
	"fmt"
	"time"
)

const sqlDropLedger = `SELECT ledger_drop(($1::date - $2::integer))`

// DropLedger forgets the ledger's lines of days (UTC) that ended more than so
// many whole days before now, a partition at a time; younger lines stay. Returns
// how many days were dropped. Repeating is harmless.
func (s *CourtesyStore) DropLedger(ctx context.Context, now time.Time, days int) (int, error) {
	var dropped int
	if err := s.pool.QueryRow(ctx, sqlDropLedger, now.UTC().Format(time.DateOnly), days).Scan(&dropped); err != nil {
		return 0, fmt.Errorf("drop old days of the ledger: %w", err)
	}
	return dropped, nil
}
