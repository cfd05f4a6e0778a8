package workflows

import (
	"context"
	"fmt"
	"strings"
	"time"

	"go.temporal.io/sdk/workflow"

	"visite/schema"
)

// stepFunc is an activity's shape: one input, one output.
type stepFunc[In, Out any] = func(context.Context, In) (Out, error)

// pause is a durable timer that says in the Web UI what it is for.
func pause(ctx workflow.Context, d time.Duration, summary string) error {
	if d <= 0 {
		return ctx.Err()
	}
	return workflow.NewTimerWithOptions(ctx, d, workflow.TimerOptions{Summary: summary}).Get(ctx, nil)
}

func (r *scanRun) tellPhase(ctx workflow.Context, phase schema.Phase) {
	r.carry.Phase = phase
	r.tellDetails(ctx)
}

// tellDetails keeps the current details an operator reads in the Web UI.
func (r *scanRun) tellDetails(ctx workflow.Context) {
	p := r.progress
	var b strings.Builder
	fmt.Fprintf(&b, "**Phase:** %s on `%s`\n\n", r.carry.Phase, r.carry.ScopeHost)
	fmt.Fprintf(&b, "| found | done | analysed | not analysed | findings | to review |\n|---|---|---|---|---|---|\n| %d | %d | %d | %d | %d | %d |\n\n",
		p.Found, p.Done, p.Analysed, p.NotAnalysed, p.Findings, p.NeedsReview)
	if r.waiting != nil {
		fmt.Fprintf(&b, "**Waiting:** %s, until %s\n\n", r.waiting.Words, r.waiting.Until.UTC().Format(time.RFC3339))
	}
	if r.carry.Failures > 0 && r.carry.Phase == schema.PhasePages {
		fmt.Fprintf(&b, "**Pages in a row that could not be loaded:** %d of %d before the scan stops\n\n", r.carry.Failures, r.in.Profile.Limits.StopAfter)
	}
	if r.ending != nil {
		fmt.Fprintf(&b, "**Ending:** %s (%s)\n", r.ending.state, r.ending.reason)
	}
	workflow.SetCurrentDetails(ctx, b.String())
}
