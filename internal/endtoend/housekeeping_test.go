package endtoend_test

import (
	"testing"
	"time"

	"go.temporal.io/api/enums/v1"

	"visite/internal/postgres"
	"visite/schema"
	"visite/workflows"
)

// A deployment has one Housekeeping workflow, however many workers it has; it
// comes back with the next worker, and forgets what the deployment need not keep.
func TestHousekeepingForgetsOldLedgerLines(t *testing.T) {
	t.Parallel()
	d := deploy(t, "VISITE_LEDGER_DAYS=30")
	c := d.temporalClient()
	running := func() string {
		desc, err := c.DescribeWorkflow(t.Context(), workflows.HousekeepingID, "")
		if err != nil || desc.Status != enums.WORKFLOW_EXECUTION_STATUS_RUNNING {
			return ""
		}
		return desc.WorkflowExecution.RunID
	}
	d.eventually(30*time.Second, "housekeeping to run", func() bool { return running() != "" })
	first := running()
	d.start("worker")
	pool, err := postgres.Connect(t.Context(), d.database)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	ledger := postgres.NewCourtesyStore(pool)
	line := func(scan string, days int) schema.LedgerLine {
		return schema.LedgerLine{
			At: time.Now().UTC().AddDate(0, 0, -days).Truncate(time.Microsecond), ScanID: scan, WorkspaceID: "w", Host: "a.example", Method: "GET", URL: "https://a.example/",
			Purpose: schema.PurposePage, Cause: schema.CauseScan, Profile: "visite",
		}
	}
	if _, _, err := ledger.BeginLines(t.Context(), []schema.LedgerLine{line("old", 32), line("young", 29), line("young", 0)}); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Second)
	if again := running(); again != first {
		t.Errorf("a second worker replaced the run %s by %s", first, again)
	}
	if err := c.TerminateWorkflow(t.Context(), workflows.HousekeepingID, "", "the test has no day to wait"); err != nil {
		t.Fatal(err)
	}
	d.worker.kill()
	d.worker = d.start("worker")
	d.eventually(30*time.Second, "the old line to be forgotten", func() bool {
		lines, err := ledger.Lines(t.Context(), "old")
		return err == nil && len(lines) == 0
	})
	if lines, err := ledger.Lines(t.Context(), "young"); err != nil || len(lines) != 2 {
		t.Errorf("%d of the young lines are there (%v), want 2", len(lines), err)
	}
}
