package workflows

import (
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"visite/activities"
	"visite/schema"
)

const (
	// LinkServerName is the registered workflow type.
	LinkServerName = "LinkServer"
	// LinkServerSignal tells a server's workflow that somebody waits for its addresses.
	LinkServerSignal = "LookAgain"
)

// LinkServerInput starts LinkServer.
type LinkServerInput struct {
	Server string // schema.LinkServer
	Policy LinkPolicy
}

// LinkPolicy bounds the steps of link checks.
type LinkPolicy struct {
	HeartbeatTimeout time.Duration // a crash shows after this long
	Deadline         time.Duration // for one request
	MaxWait          time.Duration // pauses up to this are slept out in the activity
	HistoryLimit     int           // events after which the workflow continues as new
}

// DefaultLinkPolicy is what servers' workflows are started with.
func DefaultLinkPolicy() LinkPolicy {
	return LinkPolicy{HeartbeatTimeout: 30 * time.Second, Deadline: 15 * time.Second, MaxWait: 5 * time.Second, HistoryLimit: 1_000}
}

// LinkServer tells the story of one server that links lead to: a visit to at most
// five addresses, then the rest of 30 days, over all customers (C-10 to C-12,
// Who waits, what was asked and until when the server rests is in
// PostgreSQL; the timer here only says when to look there again. The workflow
// ends when nobody waits.
func LinkServer(ctx workflow.Context, in LinkServerInput) error {
	signals := workflow.GetSignalChannel(ctx, LinkServerSignal)
	s := &linkServer{in: in}
	for {
		plan, err := call(ownStep(ctx, "who waits for "+in.Server), linkChecks.PlanLinks, activities.LinkServerRef{Server: in.Server, At: workflow.Now(ctx)})
		if err != nil {
			return err
		}
		woken := drain(signals)
		switch {
		case plan.Over && !woken:
			s.tell(ctx, "Nobody waits for an address of `%s`.", in.Server)
			return nil
		case plan.Over:
		case !plan.RestUntil.IsZero():
			s.tell(ctx, "`%s` **rests** until %s: at most %d addresses a visit, then %d days.", in.Server, stamp(plan.RestUntil), schema.LinkAddressesAVisit, int(schema.LinkRest.Hours()/24))
			err = pause(ctx, plan.RestUntil.Sub(workflow.Now(ctx)), "the rest of "+in.Server+", until "+stamp(plan.RestUntil))
		default:
			err = s.visit(ctx, plan)
		}
		if err != nil {
			return err
		}
		if workflow.GetInfo(ctx).GetCurrentHistoryLength() > in.Policy.HistoryLimit || workflow.GetInfo(ctx).GetContinueAsNewSuggested() {
			drain(signals) // what they tell is recorded: the next run looks first
			return workflow.NewContinueAsNewError(ctx, LinkServerName, in)
		}
	}
}

func drain(signals workflow.ReceiveChannel) (any bool) {
	for signals.ReceiveAsync(nil) {
		any = true
	}
	return any
}

type linkServer struct{ in LinkServerInput }

// visit goes through the visit's addresses, one at a time (S-33). A server that does
// not answer, or refuses, a few times in a row is let be for this time (C-51).
func (s *linkServer) visit(ctx workflow.Context, plan schema.LinkPlan) error {
	s.tell(ctx, "**Visit %d** of `%s` since %s: robots.txt, then at most %d addresses.", plan.Visit, s.in.Server, stamp(plan.Since), schema.LinkAddressesAVisit)
	input := activities.LinkVisitInput{Server: s.in.Server, Since: plan.Since, MaxWait: s.in.Policy.MaxWait, Deadline: s.in.Policy.Deadline}
	for failures := 0; failures < schema.LinkFailuresMost; {
		out, err := s.check(ctx, input)
		if err != nil {
			return err
		}
		switch {
		case out.Over:
			return s.end(ctx)
		case out.Wait != nil:
			if err := s.waitFor(ctx, out.Wait); err != nil {
				return err
			}
		case out.Failed:
			failures++
		default:
			failures = 0
		}
	}
	return s.end(ctx)
}

func (s *linkServer) end(ctx workflow.Context) error {
	_, err := call(ownStep(ctx, "the visit's end"), linkChecks.EndLinks, activities.LinkServerRef{Server: s.in.Server, At: workflow.Now(ctx)})
	return err
}

// linkTroublePause is between tries while our own side fails: a rest is no hurry.
const linkTroublePause = 5 * time.Minute

// check takes one address on, for as long as our own trouble lasts: the step knows
// from PostgreSQL what it had begun, and begins nothing twice.
func (s *linkServer) check(ctx workflow.Context, input activities.LinkVisitInput) (activities.LinkVisitOutput, error) {
	for attempt := 0; ; attempt++ {
		longest := 2*(input.Deadline+input.MaxWait) + 3*time.Minute // two turns, and robots.txt before
		out, err := call(visitStep(ctx, QueueLinks, "one address of "+s.in.Server, longest, ScanPolicy{HeartbeatTimeout: s.in.Policy.HeartbeatTimeout}), linkChecks.CheckLink, input)
		if err == nil || ctx.Err() != nil || temporal.IsCanceledError(err) || refused(err) {
			return out, err
		}
		wait := linkTroublePause
		if attempt < repeatTimes {
			wait = repeatPause(attempt)
		}
		if err := pause(ctx, wait, "our own trouble: trying again"); err != nil {
			return out, err
		}
	}
}

func (s *linkServer) waitFor(ctx workflow.Context, w *activities.Wait) error {
	s.tell(ctx, "**Waiting:** %s, until %s", w.Words, stamp(w.Until))
	return pause(ctx, w.Until.Sub(workflow.Now(ctx)), w.Words+", until "+stamp(w.Until))
}

func (s *linkServer) tell(ctx workflow.Context, format string, args ...any) {
	workflow.SetCurrentDetails(ctx, fmt.Sprintf(format, args...))
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
