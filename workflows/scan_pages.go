package workflows

import (
	"errors"
	"strconv"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"visite/activities"
	"visite/schema"
)

// visitPages sends the profile's number of lanes through the frontier until it
// is empty, the scan has to stop, or the history has grown long.
func (r *scanRun) visitPages(ctx workflow.Context) (scanEnding, error) {
	r.tellPhase(ctx, schema.PhasePages)
	lanesCtx, cancelLanes := workflow.WithCancel(ctx)
	defer cancelLanes()
	done := workflow.NewWaitGroup(ctx)
	send := func(open func() bool) {
		done.Add(1)
		workflow.Go(lanesCtx, func(ctx workflow.Context) {
			defer done.Done()
			if err := r.lane(ctx, open); err != nil && r.fault == nil {
				r.fault = err
				cancelLanes()
			}
		})
	}
	lanes := max(1, r.in.Profile.Limits.PagesAtOnce)
	for range lanes {
		send(always)
	}
	if lanes < schema.BriskPages { // one more, as long as a brisk gait is in force (C-48)
		send(func() bool { return r.isBrisk(ctx) && r.carry.DelayMS == 0 })
	}
	done.Wait(ctx)
	switch {
	case ctx.Err() != nil:
		return scanEnding{}, ctx.Err()
	case r.fault != nil:
		return scanEnding{}, r.fault
	case r.ending != nil:
		return *r.ending, nil
	case r.draining:
		if err := r.settleOrders(ctx); err != nil {
			return scanEnding{}, err
		}
		next := r.in
		next.Carry = &r.carry
		return scanEnding{}, workflow.NewContinueAsNewError(ctx, ScanSiteName, next)
	}
	return scanEnding{state: schema.ScanFinished}, nil
}

func always() bool { return true }

// lane visits, while it is open, until there is nothing left for it. After a page that could not
// be loaded only one visit goes at a time, so that the third failure in a row is
// really the last request (S-43); after a timeout for as long as it counts (C-51).
func (r *scanRun) lane(ctx workflow.Context, open func() bool) error {
	idle := -1
	for {
		err := workflow.Await(ctx, func() bool { return r.closing() || (open() && r.mayStart(idle)) })
		if err != nil {
			return err
		}
		if r.closing() {
			return nil
		}
		out, err := r.visitOnce(ctx)
		if err != nil {
			return err
		}
		if out.Exhausted {
			idle = r.finds
			r.over = r.visiting == 0
		}
	}
}

// closing reports whether no lane starts another visit.
func (r *scanRun) closing() bool {
	return r.ending != nil || r.draining || r.fault != nil || r.over
}

// mayStart reports whether a lane may start a visit now: idle is the count of
// finds at which it last came back with empty hands.
func (r *scanRun) mayStart(idle int) bool {
	if r.gated {
		return false
	}
	if r.visiting == 0 {
		return true
	}
	known := min(r.progress.Found, r.in.MaxPages) - r.progress.Done
	return r.carry.Failures == 0 && len(r.carry.Timeouts) == 0 && idle != r.finds && r.visiting < known
}

// visitOnce takes one ticket to its end, waits included.
func (r *scanRun) visitOnce(ctx workflow.Context) (activities.VisitOutput, error) {
	ticket := strconv.Itoa(r.carry.Tickets)
	r.carry.Tickets++
	for {
		r.visiting++
		out, err := visit(ctx, r, "pages, ticket "+ticket, r.queue(), r.longestVisit(), pages.VisitPages, r.visitInput(ticket))
		r.visiting--
		if err != nil {
			return out, err
		}
		r.take(ctx, out)
		if out.ScopeMoved != "" {
			if err := r.moveScope(ctx, out.ScopeMoved); err != nil {
				return out, err
			}
		}
		if out.Wait == nil || r.ending != nil {
			return out, nil
		}
		if r.tooLong(ctx, out.Wait) {
			r.ending = hostResting()
			return out, nil
		}
		r.gated = true
		err = r.waitFor(ctx, out.Wait)
		r.gated = false
		if err != nil || r.ending != nil {
			return out, err
		}
	}
}

// take counts what a visit came to and decides whether the scan goes on.
func (r *scanRun) take(ctx workflow.Context, out activities.VisitOutput) {
	if len(out.Steps) > 0 {
		r.finds++
	}
	r.progress = out.Progress
	for _, step := range out.Steps {
		switch step {
		case activities.StepLoaded:
			r.carry.Failures = 0
			r.carry.Timeouts = r.carry.Timeouts.with(false)
		case activities.StepNotLoaded:
			r.carry.Failures++
			r.carry.Timeouts = r.carry.Timeouts.with(false)
		case activities.StepTimedOut:
			r.carry.Failures++
			r.carry.Timeouts = r.carry.Timeouts.with(true)
		}
	}
	if out.Objected {
		r.ending = objected()
	} else if r.carry.Timeouts.heaped() {
		r.ending = timeoutsHeaped()
	} else if limit := r.in.Profile.Limits.StopAfter; limit > 0 && r.carry.Failures >= limit {
		r.ending = &scanEnding{state: schema.ScanStopped, reason: "pages_not_loadable", skip: schema.ReasonStopped}
	}
	if workflow.GetInfo(ctx).GetCurrentHistoryLength() > r.in.Policy.HistoryLimit || workflow.GetInfo(ctx).GetContinueAsNewSuggested() {
		r.draining = true
	}
	r.tellDetails(ctx)
}

// moveScope reads robots.txt and sitemaps of the host the seed redirected to.
func (r *scanRun) moveScope(ctx workflow.Context, host string) error {
	r.gated = true
	defer func() { r.gated = false }()
	r.carry.ScopeHost, r.carry.Timeouts = host, nil
	ending, err := r.readRobots(ctx)
	if err != nil {
		return err
	}
	if ending != nil {
		r.ending = ending
		return nil
	}
	err = r.readSitemaps(ctx)
	r.tellPhase(ctx, schema.PhasePages)
	return err
}

func (r *scanRun) queue() string {
	if r.in.Engine == schema.EngineBrowser {
		return QueueBrowser
	}
	return QueueFetch
}

// A step goes on to a further page only while it is young and everything loads,
// so that a slow page has an activity of its own and quick ones do not fill the
// history. See docs/decisions/0005.
const (
	browserPagesPerStep = 4
	httpPagesPerStep    = 100
	browserBudget       = 8 * time.Second
	httpBudget          = 15 * time.Second
)

func (r *scanRun) visitInput(ticket string) activities.VisitInput {
	in := activities.VisitInput{
		ScanID: r.in.ScanID, Ticket: ticket, Since: r.carry.StartedAt,
		PageDeadline: r.in.Policy.PageDeadline, MaxWait: r.in.Policy.MaxWait,
		AtMost: httpPagesPerStep, Budget: httpBudget,
	}
	if r.in.Engine == schema.EngineBrowser {
		in.AtMost, in.Budget = browserPagesPerStep, browserBudget
	}
	if r.progress.Found == 0 {
		in.AtMost = 1 // the first page alone tells whether there is work for more lanes
	}
	return in
}

// longestVisit bounds a step: its budget, then one page with a repeat.
func (r *scanRun) longestVisit() time.Duration {
	return httpBudget + 3*(r.in.Policy.PageDeadline+r.in.Policy.MaxWait) + time.Minute
}

// refused reports whether repeating is useless.
func refused(err error) bool {
	var app *temporal.ApplicationError
	return errors.As(err, &app) && app.Type() == activities.ErrTypeRefusal
}
