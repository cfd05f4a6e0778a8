package workflows

import (
	"context"

	"go.temporal.io/sdk/workflow"

	"visite/activities"
)

// Nil pointers name the activities: a workflow never holds a dependency.
var (
	scans *activities.Scans
	sites *activities.Sites
	pages *activities.Pages

	linkOrders *activities.LinkOrders
	linkChecks *activities.LinkChecks
	security   *activities.Security
)

// call runs one activity. Its types make a wrong argument fail to compile,
// which workflow.ExecuteActivity alone would accept.
func call[In, Out any](ctx workflow.Context, step func(context.Context, In) (Out, error), in In) (Out, error) {
	var out Out
	err := workflow.ExecuteActivity(ctx, step, in).Get(ctx, &out)
	return out, err
}
