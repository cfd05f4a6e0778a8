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
	lines := []string{
		fmt.Sprintf("**Phase:** %s on `%s`", r.carry.Phase, r.carry.ScopeHost),
		fmt.Sprintf("| found | done | analysed | not analysed | findings | to review |\n|---|---|---|---|---|---|\n| %d | %d | %d | %d | %d | %d |",
			p.Found, p.Done, p.Analysed, p.NotAnalysed, p.Findings, p.NeedsReview),
	}
	if d := time.Duration(r.carry.DelayMS) * time.Millisecond; d > 0 {
		lines = append(lines, fmt.Sprintf("**Crawl-delay:** at least %s between requests, as robots.txt asks", d))
	}
	if brisk := r.briskDetails(ctx); brisk != "" {
		lines = append(lines, brisk)
	}
	if r.waiting != nil {
		lines = append(lines, fmt.Sprintf("**Waiting:** %s, until %s", r.waiting.Words, r.waiting.Until.UTC().Format(time.RFC3339)))
	}
	if r.carry.Failures > 0 && r.carry.Phase == schema.PhasePages {
		lines = append(lines, fmt.Sprintf("**Pages in a row that could not be loaded:** %d of %d before the scan stops", r.carry.Failures, r.in.Profile.Limits.StopAfter))
	}
	if r.ending != nil {
		lines = append(lines, fmt.Sprintf("**Ending:** %s (%s)", r.ending.state, r.ending.reason))
		if r.carry.Rule != "" {
			lines = append(lines, fmt.Sprintf("**Line of robots.txt:** `%s`", strings.ReplaceAll(r.carry.Rule, "`", "'")))
		}
	}
	workflow.SetCurrentDetails(ctx, strings.Join(lines, "\n\n"))
}
