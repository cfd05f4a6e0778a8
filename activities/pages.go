package activities

import (
	"context"
	"errors"
	"fmt"
	"time"

	"visite/schema"
)

// Pages is the step that visits a scan's pages.
type Pages struct {
	Store   ScanStore
	Door    Door
	Fetch   Fetcher
	Browser Browser
}

// VisitInput asks for the next pages of a scan. The ticket makes a repeat after
// a crash take up the same addresses again instead of new ones.
type VisitInput struct {
	ScanID       string
	Ticket       string
	Since        time.Time     // robots.txt must have been read at or after
	PageDeadline time.Duration // for one page
	MaxWait      time.Duration // pauses up to this are slept out here
	AtMost       int           // pages in one step
	Budget       time.Duration // no further page is begun after this
}

// Step is how a page counts for the stop after three.
type Step string

const (
	StepLoaded    Step = "loaded"
	StepNotLoaded Step = "not_loaded"
	StepTimedOut  Step = "timed_out" // not loaded, because of a timeout (C-51)
	StepNeutral   Step = "neutral"
)

// VisitOutput is what the visits came to; the pages themselves are recorded.
type VisitOutput struct {
	Steps      []Step
	Wait       *Wait
	Exhausted  bool   // nothing left to take now
	Pending    bool   // where Exhausted: other tickets are still loading and may find more
	ScopeMoved string // the seed redirected to this host of the same site
	Objected   bool   // the site asked us to stay away: nothing more is to be loaded (C-43)
	Progress   schema.Progress
}

// VisitPages takes addresses and visits them one after the other, as long as
// they load, nothing has to be waited for, and the budget lasts. Everything that
// calls for a decision goes back to the workflow at once.
func (p *Pages) VisitPages(ctx context.Context, in VisitInput) (VisitOutput, error) {
	defer keepAlive(ctx)()
	scan, err := p.Store.Scan(ctx, in.ScanID)
	if err != nil {
		return VisitOutput{}, asFault("read scan", err)
	}
	out, err := p.visitSome(ctx, scan, in)
	if ctx.Err() != nil {
		return VisitOutput{}, ctx.Err()
	}
	if err != nil {
		return VisitOutput{}, asFault("visit page", err)
	}
	if err := p.Store.Flush(ctx); err != nil {
		return VisitOutput{}, asFault("flush records", err)
	}
	out.Progress, err = p.Store.Progress(ctx, in.ScanID)
	if err != nil {
		return VisitOutput{}, asFault("count progress", err)
	}
	words, until := "", noTime
	if out.Wait != nil {
		words, until = out.Wait.Words, out.Wait.Until
	}
	if err := p.Store.SetPhase(ctx, in.ScanID, schema.PhasePages, words, until); err != nil {
		return VisitOutput{}, asFault("set phase", err)
	}
	return out, nil
}

func (p *Pages) visitSome(ctx context.Context, scan schema.Scan, in VisitInput) (VisitOutput, error) {
	var out VisitOutput
	began := time.Now()
	for i := 0; i < in.AtMost; i++ {
		if i > 0 && time.Since(began) > in.Budget {
			return out, nil
		}
		turn, err := p.next(ctx, scan, in, fmt.Sprintf("%s.%d", in.Ticket, i))
		if err != nil {
			return out, err
		}
		if turn.exhausted {
			out.Exhausted, out.Pending = true, turn.pending
			return out, nil
		}
		if turn.wait != nil {
			out.Wait = turn.wait
			return out, nil
		}
		out.Steps = append(out.Steps, turn.step)
		if turn.scopeMoved != "" || turn.objected {
			out.ScopeMoved, out.Objected = turn.scopeMoved, turn.objected
			return out, nil
		}
		if turn.step == StepNotLoaded || turn.step == StepTimedOut {
			return out, nil
		}
	}
	return out, nil
}

// turn is what became of one attempt at one page.
type turn struct {
	step       Step
	wait       *Wait
	exhausted  bool
	pending    bool
	again      bool // the same ticket is to be tried once more
	scopeMoved string
	objected   bool // the site asked us to stay away
}

// next deals with the address of one ticket to the end: a result recorded, or
// a wait.
func (p *Pages) next(ctx context.Context, scan schema.Scan, in VisitInput, ticket string) (turn, error) {
	for {
		claim, err := p.Store.Claim(ctx, scan.ID, ticket)
		if err != nil {
			return turn{}, err
		}
		if !claim.Found {
			return turn{exhausted: true, pending: claim.Pending}, nil
		}
		if claim.Recorded {
			return turn{step: stepOf(claim.Outcome, claim.Reason)}, nil
		}
		if until := claim.NotUntil; time.Until(until) > 0 {
			return turn{wait: &Wait{Until: until, Words: scan.ScopeHost + " asked for a rest"}}, nil
		}
		t, err := p.visitClaim(ctx, scan, in, claim)
		if err != nil || !t.again {
			return t, err
		}
	}
}

// visitClaim loads a claimed address, unless our own crashes have used up its
// loads: one that the server put off is loaded once more in all (S-37), one cut
// off by a crash of ours once more.
func (p *Pages) visitClaim(ctx context.Context, scan schema.Scan, in VisitInput, claim schema.Claim) (turn, error) {
	if claim.Loads >= 2 || (claim.Refused > 0 && claim.Loads >= 1) {
		return p.recordFailure(ctx, claim, schema.DocumentFacts{}, schema.OutcomeNotAnalysed, schema.ReasonOurCrash)
	}
	visit, err := p.visitFor(ctx, scan, in, claim)
	if err != nil {
		return turn{}, err
	}
	pass, admission, err := p.Door.Enter(ctx, visit)
	if err != nil {
		return turn{}, err
	}
	if pass == nil {
		if admission.Kind == schema.AdmissionWait {
			return turn{wait: &Wait{Until: admission.Until, Words: admission.Words}}, nil
		}
		return p.recordDenied(ctx, claim, admission)
	}
	defer leave(ctx, pass)
	letGo := holdTurn(ctx, pass)
	defer letGo()
	if claim.Loads, err = p.Store.BeginLoad(ctx, claim); err != nil {
		return turn{}, err
	}
	loaded, err := p.load(ctx, scan, in, claim, visit, pass)
	letGo()
	facts := pass.Document()
	defer leaving(ctx, pass)() // the site has its turn back while the page is judged and recorded
	if err := firstOf(ctx.Err(), err, pass.Fault()); err != nil {
		return turn{}, errors.Join(err, p.undoUnsent(ctx, claim, pass))
	}
	if loaded.ourFault && pass.Totals().Requests == 0 {
		return turn{}, errors.Join(errBrowserDied, p.undoUnsent(ctx, claim, pass))
	}
	return p.settle(ctx, scan, claim, facts, loaded)
}

// errBrowserDied: Chromium went before anything was asked of the site.
var errBrowserDied = errors.New("the browser ended before the page was asked for")

// undoUnsent takes the load back where our own trouble came before any request:
// the site has seen nothing, so nothing counts as repeated.
func (p *Pages) undoUnsent(ctx context.Context, claim schema.Claim, pass Pass) error {
	if pass.Totals().Requests > 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return p.Store.UndoLoad(ctx, claim)
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *Pages) visitFor(ctx context.Context, scan schema.Scan, in VisitInput, claim schema.Claim) (schema.Visit, error) {
	holder := fmt.Sprintf("%s/%d", scan.ID, claim.ID)
	visit := visitOf(scan, schema.PurposePage, claim.URL, holder, in.MaxWait, in.Since)
	visit.Onward = in.AtMost > 1
	if scan.Engine != schema.EngineBrowser {
		return visit, nil
	}
	chrome, err := p.Browser.UserAgent(ctx, scan.Device)
	if err != nil {
		return visit, err
	}
	visit.Browser = true
	visit.UserAgent = scan.Profile.BrowserUserAgent(chrome)
	return visit, p.noteBrowser(ctx, scan, visit.UserAgent)
}

// noteBrowser records once which Chromium is really used (S-05).
func (p *Pages) noteBrowser(ctx context.Context, scan schema.Scan, userAgent string) error {
	if scan.BrowserVersion != "" {
		return nil
	}
	version, err := p.Browser.Version(ctx)
	if err != nil {
		return err
	}
	return p.Store.SetBrowser(ctx, scan.ID, version, userAgent)
}

// stepOf sorts outcomes for the stop after three: any answer with a page
// counts as loaded, a skip by robots and our own crash count for nothing.
func stepOf(outcome schema.Outcome, reason schema.Reason) Step {
	switch outcome {
	case schema.OutcomeBlocked:
		return StepNotLoaded
	case schema.OutcomeDisallowed:
		return StepNeutral
	case schema.OutcomeNotAnalysed:
		switch reason {
		case schema.ReasonOurCrash, schema.ReasonRobots, schema.ReasonGuarded, schema.ReasonPort, schema.ReasonCancelled,
			schema.ReasonObjection, schema.ReasonQuietHours:
			return StepNeutral
		case schema.ReasonTooLarge:
			return StepLoaded
		case schema.ReasonTimeout:
			return StepTimedOut
		}
		return StepNotLoaded
	}
	return StepLoaded
}
