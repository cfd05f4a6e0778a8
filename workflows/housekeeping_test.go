package workflows_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"visite/activities"
	"visite/workflows"
)

// One round a day, a database that is away for a while included, and a history
// that stays short.
func TestHousekeepingGoesRoundDaily(t *testing.T) {
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	env.RegisterWorkflowWithOptions(workflows.Housekeeping, workflow.RegisterOptions{Name: workflows.HousekeepingName})
	var rounds []time.Time
	failures := 3
	env.RegisterActivityWithOptions(func(context.Context, activities.DropLedgerInput) (activities.DropLedgerOutput, error) {
		if failures > 0 {
			failures--
			return activities.DropLedgerOutput{}, errors.New("the database is away")
		}
		rounds = append(rounds, env.Now())
		return activities.DropLedgerOutput{Days: 1}, nil
	}, activity.RegisterOptions{Name: "DropLedger"})
	env.ExecuteWorkflow(workflows.HousekeepingName)
	var again *workflow.ContinueAsNewError
	if err := env.GetWorkflowError(); !errors.As(err, &again) {
		t.Fatalf("ended with %v, want it to continue as new", err)
	}
	if len(rounds) != 30 {
		t.Fatalf("%d rounds before it continued as new, want 30", len(rounds))
	}
	for i := 1; i < len(rounds); i++ {
		if gap := rounds[i].Sub(rounds[i-1]); gap < 24*time.Hour || gap > 25*time.Hour {
			t.Errorf("round %d came %v after the one before", i+1, gap)
		}
	}
}
