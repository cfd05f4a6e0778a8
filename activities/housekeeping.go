package activities

import (
	"context"
	"time"
)

// LedgerKeeper forgets old lines of the ledger (internal/postgres).
type LedgerKeeper interface {
	// DropLedger forgets the days (UTC) that ended more than so many whole days
	// before now; returns how many days were dropped. Younger lines stay.
	DropLedger(ctx context.Context, now time.Time, days int) (int, error)
}

// Housekeeping is the steps that keep our own records within their bounds.
type Housekeeping struct {
	Ledger     LedgerKeeper
	LedgerDays int // how many days a line is kept at least
}

// DropLedgerInput asks for nothing: how long lines are kept is the deployment's
// setting, which may change while the workflow that asks goes on.
type DropLedgerInput struct{}

// DropLedgerOutput tells what was forgotten.
type DropLedgerOutput struct {
	Days int // partitions dropped
}

// DropLedger forgets ledger lines older than the deployment keeps them.
func (h *Housekeeping) DropLedger(ctx context.Context, _ DropLedgerInput) (DropLedgerOutput, error) {
	days, err := h.Ledger.DropLedger(ctx, time.Now(), h.LedgerDays)
	return DropLedgerOutput{Days: days}, asFault("drop old days of the ledger", err)
}
