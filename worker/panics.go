package worker

import (
	"context"
	"runtime"
	"runtime/debug"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"
)

// panicType is the failure type of a step that panicked.
const panicType = "Panic"

// quietPanics makes a step's panic an error that says where, and not with what:
// a panic's value can quote the page that was being judged, and Temporal would
// log it and keep it in the history (C-36, C-58).
type quietPanics struct {
	interceptor.WorkerInterceptorBase
}

// InterceptActivity puts the guard in front of each step.
func (*quietPanics) InterceptActivity(_ context.Context, next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	return &quietStep{interceptor.ActivityInboundInterceptorBase{Next: next}}
}

type quietStep struct {
	interceptor.ActivityInboundInterceptorBase
}

// ExecuteActivity carries a step out.
func (q *quietStep) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (out any, err error) {
	defer func() {
		value := recover()
		if value == nil {
			return
		}
		words := "the step panicked"
		if e, ok := value.(runtime.Error); ok { // speaks of types, numbers and addresses only
			words += ": " + e.Error()
		}
		// A stack names functions and addresses of memory, not what lies there.
		activity.GetLogger(ctx).Error(words, "stack", string(debug.Stack()))
		out, err = nil, temporal.NewApplicationError(words, panicType)
	}()
	return q.Next.ExecuteActivity(ctx, in)
}
