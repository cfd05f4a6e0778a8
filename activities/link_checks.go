package activities

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"visite/internal/inspect/links"
	"visite/schema"
)

// LinkChecks is the steps of a server's workflow: at most five addresses a visit,
// one request at a time, each recorded before it leaves.
type LinkChecks struct {
	Store   LinkStore
	Door    Door
	Servers LinkServers
	Now     func() time.Time // nil: time.Now
}

// LinkServerRef names a server (schema.LinkServer) at a moment of its workflow.
type LinkServerRef struct {
	Server string
	At     time.Time
}

// LinkVisitInput asks for the next address of a server's visit.
type LinkVisitInput struct {
	Server   string
	Since    time.Time     // when the visit began; robots.txt is read since then
	MaxWait  time.Duration // pauses up to this are slept out here
	Deadline time.Duration // for one request
}

// LinkVisitOutput is what became of it; the verdict is recorded.
type LinkVisitOutput struct {
	Over   bool  // nothing is left for this visit
	Wait   *Wait // the same address afterwards
	Failed bool  // the server did not answer, or refused for now
}

// PlanLinks says what the server's workflow does next.
func (l *LinkChecks) PlanLinks(ctx context.Context, in LinkServerRef) (schema.LinkPlan, error) {
	plan, err := l.Store.PlanLinkVisit(ctx, in.Server, in.At)
	return plan, asFault("plan a visit of links", err)
}

// EndLinks closes the visit under way; the server rests from its last request.
func (l *LinkChecks) EndLinks(ctx context.Context, in LinkServerRef) (LinkVisitOutput, error) {
	return LinkVisitOutput{Over: true}, asFault("end a visit of links", l.Store.EndLinkVisit(ctx, in.Server))
}

// CheckLink takes one address to its verdict, or to a wait. A repeat after a crash
// finds what had been begun: a request whose intent was recorded is not sent again.
func (l *LinkChecks) CheckLink(ctx context.Context, in LinkVisitInput) (LinkVisitOutput, error) {
	defer keepAlive(ctx)()
	for range linkTurnsMost {
		claim, err := l.Store.ClaimLink(ctx, in.Server)
		if err != nil {
			return LinkVisitOutput{}, asFault("claim a link", err)
		}
		out, again, err := l.checkClaim(ctx, in, claim)
		if ctx.Err() != nil {
			return LinkVisitOutput{}, ctx.Err()
		}
		if err != nil || !again {
			return out, asFault("check a link", err)
		}
	}
	return LinkVisitOutput{}, nil // the workflow comes again
}

// linkTurnsMost bounds one step: an address takes two turns at its server.
const linkTurnsMost = 10

// checkClaim does what comes next for an address; again: that was not yet the end of it.
func (l *LinkChecks) checkClaim(ctx context.Context, in LinkVisitInput, c schema.LinkClaim) (out LinkVisitOutput, again bool, err error) {
	unknown := schema.LinkCheck{Verdict: schema.LinkUnchecked}
	switch begun := !c.HeadAt.IsZero(); {
	case !c.Found:
		return LinkVisitOutput{Over: true}, false, nil
	case begun && (c.HeadStatus == 0 || !c.GetAt.IsZero()): // our crash in between
		unknown.Reason = schema.ReasonOurCrash
		return out, false, l.settle(ctx, c, unknown)
	case c.Withdrawn && begun:
		unknown.Reason = schema.ReasonCancelled
		return out, false, l.settle(ctx, c, unknown)
	case c.Withdrawn:
		return out, true, l.Store.ReleaseLink(ctx, c.ID)
	}
	return l.ask(ctx, in, c, c.HeadStatus == 0)
}

// ask sends HEAD or, after it, GET, and records what came of it.
func (l *LinkChecks) ask(ctx context.Context, in LinkVisitInput, c schema.LinkClaim, head bool) (out LinkVisitOutput, again bool, err error) {
	pass, admission, err := l.Door.Enter(ctx, linkVisit(in, c))
	if err != nil {
		return out, false, err
	}
	if pass == nil {
		return l.notAdmitted(ctx, in, c, admission)
	}
	defer leave(ctx, pass)
	began, err := l.Store.BeginLinkRequest(ctx, c.ID, head, now(l.Now))
	if err != nil || !began {
		return out, !began && err == nil, err
	}
	answer, err := send(ctx, pass, c.URL, head, in.Deadline)
	leave(ctx, pass)
	if pass.Totals().Requests == 0 { // nothing has left: the door shut in between, or our own trouble
		return out, err == nil, errors.Join(err, l.undo(ctx, c, head))
	}
	if err != nil {
		return out, false, err // the next try finds the intent
	}
	check, get := links.AfterGet(answer), false
	if head {
		check, get = links.AfterHead(answer)
	}
	if get {
		return out, true, l.Store.EndLinkHead(ctx, c.ID, answer.Status)
	}
	out.Failed = check.Verdict == schema.LinkUnchecked
	return out, false, l.settle(ctx, c, check)
}

// notAdmitted waits, or settles an address that may not be asked for.
func (l *LinkChecks) notAdmitted(ctx context.Context, in LinkVisitInput, c schema.LinkClaim, a schema.Admission) (LinkVisitOutput, bool, error) {
	if a.Kind == schema.AdmissionWait {
		err := l.Store.LookAgain(ctx, in.Server, a.Until)
		return LinkVisitOutput{Wait: &Wait{Until: a.Until, Words: a.Words}}, false, err
	}
	if a.Reason == schema.ReasonRobots || a.Reason == schema.ReasonRobotsUnreached { // robots.txt was read for it
		if err := l.Store.RestLinkServer(ctx, in.Server, now(l.Now)); err != nil {
			return LinkVisitOutput{}, false, err
		}
	}
	out := LinkVisitOutput{Failed: a.Reason == schema.ReasonRobotsUnreached}
	return out, false, l.settle(ctx, c, links.Denied(a, c.Profile.LoopbackOnly))
}

func (l *LinkChecks) undo(ctx context.Context, c schema.LinkClaim, head bool) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return l.Store.UndoLinkRequest(ctx, c.ID, head)
}

// settle records a verdict; a redirect's target goes to its own server's workflow.
func (l *LinkChecks) settle(ctx context.Context, c schema.LinkClaim, check schema.LinkCheck) error {
	check.CheckedAt = now(l.Now)
	asleep, err := l.Store.SettleLink(ctx, c.ID, check)
	if err != nil {
		return err
	}
	return l.Servers.Wake(ctx, asleep)
}

// linkVisit asks the door for one request to another server: at the normal pace
// whatever the profile's own, alone (S-33), after its robots.txt (C-16).
func linkVisit(in LinkVisitInput, c schema.LinkClaim) schema.Visit {
	profile, least := c.Profile, schema.ContractLimits()
	profile.Limits.PagesAtOnce = schema.LinkServerAtOnce
	profile.Limits.VisitsPerIP = min(max(profile.Limits.VisitsPerIP, 1), least.VisitsPerIP)
	profile.Limits.PauseMin = max(profile.Limits.PauseMin, least.PauseMin)
	profile.Limits.PauseFactor = max(profile.Limits.PauseFactor, least.PauseFactor)
	return schema.Visit{
		Run: c.Run, Cause: schema.CauseLinkCheck, Purpose: schema.PurposeLink, Profile: profile, URL: c.URL,
		Holder: fmt.Sprintf("link/%d", c.ID), MaxWait: in.MaxWait, RobotsSince: in.Since, PublicOnly: !c.Loopback,
	}
}

// send carries one request out. Redirects are not followed; of a GET only the head
// of the answer is read. The site's trouble is an answer, the error is ours.
func send(ctx context.Context, pass Pass, address string, head bool, deadline time.Duration) (schema.LinkAnswer, error) {
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	method := http.MethodGet
	if head {
		method = http.MethodHead
	}
	req, err := http.NewRequestWithContext(ctx, method, address, nil)
	if err != nil {
		return schema.LinkAnswer{}, err
	}
	req.Header.Set("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
	resp, err := pass.RoundTrip(req)
	if err != nil {
		if reason := failureOf(err); reason != schema.ReasonNone {
			return schema.LinkAnswer{Reason: reason}, nil
		}
		if errors.Is(ctx.Err(), context.DeadlineExceeded) { // ours, not the step's own
			return schema.LinkAnswer{Reason: schema.ReasonTimeout}, nil
		}
		return schema.LinkAnswer{}, err
	}
	if err := resp.Body.Close(); err != nil && failureOf(err) == schema.ReasonNone {
		return schema.LinkAnswer{}, err
	}
	return answerOf(pass.Document(), req.URL), nil
}

// answerOf reads what the network saw of the one address asked for.
func answerOf(facts schema.DocumentFacts, asked *url.URL) schema.LinkAnswer {
	a := schema.LinkAnswer{Status: facts.Status}
	if a.Status == 0 {
		a.Reason = reasonOf(facts)
		return a
	}
	if facts.RetryAfter != nil {
		a.Reason = schema.ReasonRefusedForNow
	}
	if location := http.Header(facts.Header).Get("Location"); location != "" {
		if target, err := schema.NormalizeAddress(location, asked); err == nil {
			a.Location = target
		}
	}
	return a
}
