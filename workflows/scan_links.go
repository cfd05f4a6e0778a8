package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"visite/activities"
	"visite/schema"
)

// linksVersion guards the checks of links to other servers.
const linksVersion = "link-checks"

// checkLinks asks for the checks of links to other servers and waits for their
// verdicts, for a stated while at most: what comes later, or only after a server's
// rest, is in the next scan. It comes after the last page, so that a scan that was
// stopped, refused or cancelled never asks (S-44, R-18).
func (r *scanRun) checkLinks(ctx workflow.Context) error {
	if workflow.GetVersion(ctx, linksVersion, workflow.DefaultVersion, 1) == workflow.DefaultVersion {
		return nil
	}
	r.tellPhase(ctx, schema.PhaseLinks)
	out, err := call(ownStep(ctx, "order the checks of links to other servers"), linkOrders.OrderLinks, activities.OrderLinksInput{
		ScanID: r.in.ScanID, Since: r.carry.StartedAt, MaxWait: r.in.Policy.MaxWait,
	})
	if err != nil {
		return err
	}
	r.linksLeft = out.Forbidden
	deadline := workflow.Now(ctx).Add(r.in.Policy.LinkWait)
	for look := 0; out.Pending > 0; look++ {
		left := deadline.Sub(workflow.Now(ctx))
		if left <= 0 {
			return nil
		}
		if err := pause(ctx, min(linkLook(look), left), "other servers answer about links"); err != nil {
			return err
		}
		if out, err = call(ownStep(ctx, "how many links are still to be checked"), linkOrders.PendingLinks, activities.ScanRef{ScanID: r.in.ScanID}); err != nil {
			return err
		}
	}
	return nil
}

// linkLook is the time to the next look: short at first, so that few links are a
// matter of seconds, then longer, so that many do not fill the history.
func linkLook(n int) time.Duration {
	return min(time.Second<<min(n, 4), 10*time.Second)
}
