package workflows

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"visite/activities"
	"visite/schema"
)

// BriskUpdateName is the update of ScanSite by which an operator orders a brisk
// gait: a schema.BriskOrder goes in, a BriskGrant comes out. What must not be is
// rejected by the validator, with a *schema.Refusal as the error's detail.
const BriskUpdateName = "BriskGait"

// RefusalType is the type of the application error a rejected update comes back as.
const RefusalType = activities.ErrTypeRefusal

// BriskGrant is the answer to an order that was taken.
type BriskGrant struct {
	Until      time.Time
	CrawlDelay bool // robots.txt names a Crawl-delay: the pace stays as it is (C-49)
}

// Brisk is a brisk gait in force or over, as a scan remembers it.
type Brisk struct {
	Until time.Time
	Order schema.BriskOrder
}

// takeOrders listens for updates.
func (r *scanRun) takeOrders(ctx workflow.Context) error {
	return workflow.SetUpdateHandlerWithOptions(ctx, BriskUpdateName, r.goBriskly, workflow.UpdateHandlerOptions{
		Validator:   r.mayGoBriskly,
		Description: "Lets this scan go briskly for a while: two pages at once, the least pause. Needs a reason, minutes (1 to 120) and who orders it.",
	})
}

// mayGoBriskly rejects an order that lacks something or comes at the wrong time.
func (r *scanRun) mayGoBriskly(ctx workflow.Context, o schema.BriskOrder) error {
	if err := o.Validate(); err != nil {
		return rejection(err)
	}
	switch {
	case r.ending != nil || r.carry.Phase == schema.PhaseLinks || r.carry.Phase == schema.PhaseVerdicts || r.carry.Phase == schema.PhaseDone:
		return rejection(&schema.Refusal{Kind: schema.RefusalConflict, Code: "scan-not-running", Detail: "The scan is ending.", Remedy: "There is nothing left to hasten."})
	case r.ordering || r.isBrisk(ctx):
		return rejection(&schema.Refusal{Kind: schema.RefusalConflict, Code: "brisk-already", Detail: "The scan goes briskly already.", Remedy: "Wait until that ends."})
	}
	return nil
}

// rejection carries a refusal to whoever sent the update.
func rejection(err error) error {
	var refusal *schema.Refusal
	if !errors.As(err, &refusal) {
		return err
	}
	return temporal.NewApplicationErrorWithOptions(refusal.Error(), RefusalType, temporal.ApplicationErrorOptions{
		NonRetryable: true, Details: []any{*refusal},
	})
}

// goBriskly records the order; the door reads the record at each visit, so that
// the brisk gait ends with the clock whatever becomes of this workflow.
func (r *scanRun) goBriskly(ctx workflow.Context, o schema.BriskOrder) (BriskGrant, error) {
	r.ordering = true
	defer func() { r.ordering = false }()
	out, err := call(ownStep(ctx, "record the brisk gait"), scans.GrantBrisk, activities.BriskInput{
		ID: workflow.GetCurrentUpdateInfo(ctx).ID, ScanID: r.in.ScanID, Order: o,
	})
	if err != nil {
		return BriskGrant{}, err
	}
	r.carry.Brisk = &Brisk{Until: out.Until, Order: o}
	r.tellDetails(ctx)
	return BriskGrant{Until: out.Until, CrawlDelay: r.carry.DelayMS > 0}, nil
}

// isBrisk reports whether a brisk gait is in force.
func (r *scanRun) isBrisk(ctx workflow.Context) bool {
	return r.carry.Brisk != nil && workflow.Now(ctx).Before(r.carry.Brisk.Until)
}

// settleOrders waits for updates under way, so that none is lost with this run.
func (r *scanRun) settleOrders(ctx workflow.Context) error {
	return workflow.Await(ctx, func() bool { return workflow.AllHandlersFinished(ctx) })
}

// briskDetails is the line about a brisk gait in the Web UI.
func (r *scanRun) briskDetails(ctx workflow.Context) string {
	if r.carry.Brisk == nil {
		return ""
	}
	b := r.carry.Brisk
	state := "until"
	if !r.isBrisk(ctx) {
		state = "ended"
	}
	line := fmt.Sprintf("**Brisk gait:** %s %s, ordered by `%s`: `%s`", state, b.Until.UTC().Format(time.RFC3339), plainCode(b.Order.By), plainCode(b.Order.Reason))
	if r.carry.DelayMS > 0 {
		line += " (a Crawl-delay holds: the pace stays as it is)"
	}
	return line
}

// plainCode is text fit to stand between backticks, in one line.
func plainCode(s string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(s, "`", "'")), " ")
}
