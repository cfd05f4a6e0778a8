package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"visite/activities"
)

const (
	// HousekeepingName is the registered workflow type.
	HousekeepingName = "Housekeeping"
	// HousekeepingID is the id of the one that runs: a deployment has one.
	HousekeepingID = "housekeeping"
	// HousekeepingEvery is the time between two rounds.
	HousekeepingEvery = 24 * time.Hour

	housekeepingRounds = 30 // then it continues as new, so that its history stays short
)

var housekeeping *activities.Housekeeping

// Housekeeping goes round once a day for as long as the deployment lives, and
// drops what the ledger no longer has to keep. Days without a worker are no
// loss: the next round drops what is due.
func Housekeeping(ctx workflow.Context) error {
	for range housekeepingRounds {
		if _, err := call(ownStep(ctx, "drop old days of the ledger"), housekeeping.DropLedger, activities.DropLedgerInput{}); err != nil {
			return err
		}
		if err := pause(ctx, HousekeepingEvery, "next round tomorrow"); err != nil {
			return err
		}
	}
	return workflow.NewContinueAsNewError(ctx, HousekeepingName)
}
