package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"visite/activities"
)

// ownStep is for steps that touch only our records: Temporal repeats them until
// they succeed, because repeating is harmless and our database comes back.
func ownStep(ctx workflow.Context, summary string) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:           QueueScan,
		StartToCloseTimeout: 2 * time.Minute,
		Summary:             summary,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval:        time.Second,
			MaximumInterval:        30 * time.Second,
			NonRetryableErrorTypes: []string{activities.ErrTypeRefusal},
		},
	})
}

// visitStep is for steps that reach a visited site: never repeated by policy,
// the workflow decides.
func visitStep(ctx workflow.Context, queue, summary string, longest time.Duration, p ScanPolicy) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:           queue,
		StartToCloseTimeout: longest,
		HeartbeatTimeout:    p.HeartbeatTimeout,
		WaitForCancellation: true,
		Summary:             summary,
		RetryPolicy:         &temporal.RetryPolicy{MaximumAttempts: 1},
	})
}

// Bounds of the workflow's own repeats of a visiting step that failed by our
// fault (a worker died, the database was away).
const (
	repeatFirst = time.Second
	repeatMost  = time.Minute
	repeatTimes = 30 // about 25 minutes of trouble in all
)

// repeatPause grows from repeatFirst to repeatMost.
func repeatPause(attempt int) time.Duration {
	pause := repeatFirst
	for i := 0; i < attempt && pause < repeatMost; i++ {
		pause *= 2
	}
	return min(pause, repeatMost)
}
