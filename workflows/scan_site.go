package workflows

import (
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"visite/activities"
	"visite/schema"
)

// ScanSite tells the story of one scan: robots.txt, sitemaps, page after page,
// verdicts. Frontier and results are in PostgreSQL; here are only the decisions.
// Cancelling it ends the visits and leaves a partial report.
func ScanSite(ctx workflow.Context, in ScanInput) (ScanResult, error) {
	run := newScanRun(ctx, in)
	if err := run.takeOrders(ctx); err != nil {
		return ScanResult{}, err
	}
	ending, err := run.tell(ctx)
	if workflow.IsContinueAsNewError(err) {
		return ScanResult{}, err
	}
	cancelled := ctx.Err() != nil || temporal.IsCanceledError(err)
	switch {
	case cancelled:
		ending = scanEnding{state: schema.ScanCancelled, reason: "cancelled", skip: schema.ReasonCancelled}
	case err != nil:
		workflow.GetLogger(ctx).Error("scan failed", "scan", in.ScanID, "error", err)
		ending = scanEnding{state: schema.ScanFailed, reason: "our_fault", skip: schema.ReasonOurCrash}
	}
	result, concludeErr := run.conclude(ctx, ending)
	if concludeErr != nil {
		return result, concludeErr
	}
	if cancelled {
		return result, temporal.NewCanceledError()
	}
	return result, err
}

// scanEnding is how a scan ends.
type scanEnding struct {
	state  schema.ScanState
	reason string
	skip   schema.Reason
	cause  schema.Reason // why robots.txt could not be read, where that ends it
}

// scanRun is the story's memory.
type scanRun struct {
	in       ScanInput
	carry    ScanCarry
	progress schema.Progress
	waiting  *activities.Wait
	visiting int  // visits under way
	gated    bool // somebody waits for the site: nobody else starts
	draining bool // history is long: finish what is under way, then continue as new
	over     bool // the frontier is empty and nobody is under way
	finds    int  // grows with each visit that ended: what a lane with nothing to do waits for
	ordering bool // a brisk gait is being recorded
	ending   *scanEnding
	fault    error

	linksLeft schema.Reason // why links to other servers are let be; empty where they are not
}

// objected is the end of a scan whose site asked us to stay away (C-43).
func objected() *scanEnding {
	return &scanEnding{state: schema.ScanStopped, reason: "objected", skip: schema.ReasonObjection}
}

func newScanRun(ctx workflow.Context, in ScanInput) *scanRun {
	run := &scanRun{in: in}
	if in.Carry != nil {
		run.carry = *in.Carry
	} else {
		run.carry = ScanCarry{Phase: schema.PhaseRobots, StartedAt: workflow.Now(ctx), ScopeHost: in.Host}
	}
	return run
}

func (r *scanRun) tell(ctx workflow.Context) (scanEnding, error) {
	if r.in.Carry == nil {
		begun, err := call(ownStep(ctx, "begin"), scans.Begin, activities.ScanRef{ScanID: r.in.ScanID})
		if err != nil {
			return scanEnding{}, err
		}
		if begun.Closed {
			return scanEnding{state: schema.ScanCancelled, reason: "cancelled", skip: schema.ReasonCancelled}, nil
		}
		r.carry.ScopeHost = begun.ScopeHost
	}
	if r.carry.Phase == schema.PhaseRobots {
		ending, err := r.readRobots(ctx)
		if err == nil {
			ending, err = r.lookAtConnections(ctx, ending)
		}
		if ending != nil || err != nil {
			return deref(ending), err
		}
	}
	if r.carry.Phase == schema.PhaseSitemap {
		if err := r.readSitemaps(ctx); err != nil || r.ending != nil {
			return deref(r.ending), err
		}
	}
	ending, err := r.visitPages(ctx)
	if err != nil || ending.state != schema.ScanFinished || r.onePage() {
		return ending, err
	}
	return ending, r.checkLinks(ctx)
}

func deref(e *scanEnding) scanEnding {
	if e == nil {
		return scanEnding{}
	}
	return *e
}

// readRobots reads the rules of the current scope and says whether the scan may go on.
func (r *scanRun) readRobots(ctx workflow.Context) (*scanEnding, error) {
	r.tellPhase(ctx, schema.PhaseRobots)
	input := activities.RobotsInput{ScanID: r.in.ScanID, Since: r.carry.StartedAt, MaxWait: r.in.Policy.MaxWait}
	for {
		out, err := visit(ctx, r, "robots.txt of "+r.carry.ScopeHost, QueueFetch, 5*time.Minute, sites.ReadRobots, input)
		if err != nil {
			return nil, err
		}
		if out.Wait != nil {
			if r.tooLong(ctx, out.Wait) {
				return hostResting(), nil
			}
			if err := r.waitFor(ctx, out.Wait); err != nil {
				return nil, err
			}
			continue
		}
		if out.Reason == schema.ReasonObjection {
			return objected(), nil
		}
		if out.Reason != schema.ReasonNone {
			r.carry.Rule = out.Rule
			return &scanEnding{state: schema.ScanRefused, reason: string(out.Reason), skip: out.Reason, cause: out.Cause}, nil
		}
		r.carry.Sitemaps, r.carry.Phase, r.carry.DelayMS = out.Sitemaps, schema.PhaseSitemap, out.DelayMS
		if r.onePage() {
			r.carry.Sitemaps = nil
		}
		return nil, nil
	}
}

// maxSitemapReads bounds how many sitemaps one scan reads.
const maxSitemapReads = 100

func (r *scanRun) readSitemaps(ctx workflow.Context) error {
	r.tellPhase(ctx, schema.PhaseSitemap)
	for len(r.carry.Sitemaps) > 0 && len(r.carry.SeenMaps) < maxSitemapReads {
		next := r.carry.Sitemaps[0]
		if contains(r.carry.SeenMaps, next) {
			r.carry.Sitemaps = r.carry.Sitemaps[1:]
			continue
		}
		input := activities.SitemapInput{ScanID: r.in.ScanID, URL: next, Since: r.carry.StartedAt, MaxWait: r.in.Policy.MaxWait}
		out, err := visit(ctx, r, "sitemap", QueueFetch, 10*time.Minute, sites.ReadSitemap, input)
		if err != nil {
			return err
		}
		if out.Wait != nil {
			if err := r.waitFor(ctx, out.Wait); err != nil {
				return err
			}
			continue
		}
		if r.noteSitemap(ctx, out.Reason); r.ending != nil {
			return nil
		}
		r.carry.SeenMaps = append(r.carry.SeenMaps, next)
		r.carry.Sitemaps = append(r.carry.Sitemaps[1:], out.Children...)
	}
	r.carry.Phase = schema.PhasePages
	r.carry.Sitemaps = nil
	return nil
}

// noteSitemap counts a sitemap among the visits that may heap timeouts (C-51).
func (r *scanRun) noteSitemap(ctx workflow.Context, reason schema.Reason) {
	timedOut := reason == schema.ReasonTimeout
	if timedOut && workflow.GetVersion(ctx, "sitemap-timeouts", workflow.DefaultVersion, 1) == workflow.DefaultVersion {
		return
	}
	r.carry.Timeouts = r.carry.Timeouts.with(timedOut)
	if r.carry.Timeouts.heaped() {
		r.ending = timeoutsHeaped()
	}
}

func contains(list []string, s string) bool {
	for _, v := range list {
		if v == s {
			return true
		}
	}
	return false
}

// visit runs a step that reaches the site and repeats it when our side failed:
// the step itself knows, from PostgreSQL, what it had done before.
func visit[In, Out any](ctx workflow.Context, r *scanRun, summary, queue string, longest time.Duration, step stepFunc[In, Out], in In) (Out, error) {
	for attempt := 0; ; attempt++ {
		out, err := call(visitStep(ctx, queue, summary, longest, r.in.Policy), step, in)
		if err == nil || ctx.Err() != nil || temporal.IsCanceledError(err) || attempt >= repeatTimes || refused(err) {
			return out, err
		}
		if err := pause(ctx, repeatPause(attempt), "our own trouble: trying again"); err != nil {
			return out, err
		}
	}
}

// waitFor sits out what the site asked for, on a durable timer.
func (r *scanRun) waitFor(ctx workflow.Context, w *activities.Wait) error {
	r.waiting = w
	r.tellDetails(ctx)
	defer func() { r.waiting = nil }()
	return pause(ctx, w.Until.Sub(workflow.Now(ctx)), fmt.Sprintf("%s, until %s", w.Words, w.Until.UTC().Format("15:04:05 MST")))
}

// conclude closes the scan, also after a cancellation.
func (r *scanRun) conclude(ctx workflow.Context, e scanEnding) (ScanResult, error) {
	ctx, cancel := workflow.NewDisconnectedContext(ctx)
	defer cancel()
	r.tellPhase(ctx, schema.PhaseVerdicts)
	out, err := call(ownStep(ctx, "verdicts over the site"), scans.Conclude, activities.ConcludeInput{
		ScanID: r.in.ScanID, State: e.state, Reason: e.reason, SkipReason: e.skip, LinksLeft: r.linksLeft,
	})
	if err != nil {
		return ScanResult{State: schema.ScanFailed}, err
	}
	r.progress = out.Progress
	r.carry.Phase = schema.PhaseDone
	r.tellDetails(ctx)
	if err := r.settleOrders(ctx); err != nil {
		return ScanResult{State: out.State}, err
	}
	return ScanResult{State: out.State, Reason: e.reason, Progress: out.Progress}, nil
}
