package workflows

import (
	"go.temporal.io/sdk/workflow"

	"visite/activities"
	"visite/schema"
)

// KindFree is the VisiteKind of a free analysis: a ScanSite of one page.
const KindFree = "free_analysis"

// ReasonHostResting is the state reason of a free analysis whose host asked for
// more rest than whoever asked would wait.
const ReasonHostResting = "host_resting"

// onePage reports whether the scan is a free analysis: robots.txt and one page,
// no sitemap, no links to other servers (contract S-16, R-11).
func (r *scanRun) onePage() bool { return r.in.Cause == schema.CauseFree }

// tooLong reports whether a free analysis ends rather than waits. A customer's
// scan waits as long as the site asks.
func (r *scanRun) tooLong(ctx workflow.Context, w *activities.Wait) bool {
	return r.onePage() && w.Until.Sub(workflow.Now(ctx)) > schema.FreeWaitMost
}

func hostResting() *scanEnding {
	return &scanEnding{state: schema.ScanStopped, reason: ReasonHostResting, skip: schema.ReasonServerParked}
}
