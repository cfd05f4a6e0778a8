package activities

import (
	"context"
	"net/url"
	"strings"
	"time"

	"visite/internal/inspect"
	"visite/schema"
)

// loaded is what came back from one load, in memory.
type loaded struct {
	document inspect.Document
	failure  schema.Reason // the browser's side of a failure
	ourFault bool
	page     bool   // there is markup to judge
	redirect string // where the page itself tried to go
	preview  *schema.Preview
}

// maxDocumentBytes bounds a page's decoded source.
const maxDocumentBytes = 20 << 20

func (p *Pages) load(ctx context.Context, scan schema.Scan, in VisitInput, claim schema.Claim, visit schema.Visit, pass Pass) (loaded, error) {
	if scan.Engine == schema.EngineBrowser {
		return p.render(ctx, scan, in, claim, visit, pass)
	}
	ctx, cancel := context.WithTimeout(ctx, in.PageDeadline)
	defer cancel()
	began := time.Now()
	fetched, err := p.Fetch.Get(ctx, pass, claim.URL, maxDocumentBytes)
	took := time.Since(began)
	if err != nil {
		return loaded{failure: failureOf(err)}, ignoreSiteTrouble(err)
	}
	facts := pass.Document()
	facts.Timing.LoadMS = max(float64((took-facts.Held).Microseconds())/1000, 0)
	if facts.Bytes == 0 {
		facts.Bytes = int64(len(fetched.Body))
	}
	return loaded{
		page:     len(fetched.Body) > 0,
		document: inspect.Document{Facts: facts, Totals: pass.Totals(), Source: fetched.Body, Cut: fetched.Truncated, Engine: scan.Engine, Device: scan.Device, Registrable: registrable},
	}, nil
}

func (p *Pages) render(ctx context.Context, scan schema.Scan, in VisitInput, claim schema.Claim, visit schema.Visit, pass Pass) (loaded, error) {
	preview, err := p.previewFor(ctx, scan, claim, pass)
	if err != nil {
		return loaded{}, err
	}
	rendered, err := p.Browser.Visit(ctx, BrowserVisit{
		ScanID: scan.ID, ProxyAddr: pass.ProxyAddr(), URL: claim.URL,
		Device: scan.Device, UserAgent: visit.UserAgent, Deadline: in.PageDeadline, Preview: preview,
		Markup: func() []byte { return inspect.Markup(pass.Source(), pass.Document()) },
	})
	if err != nil {
		return loaded{}, err
	}
	held := float64(pass.Document().Held.Microseconds()) / 1000
	rendered.Observed.Speed.Held(held)
	document := documentOf(scan, pass, rendered)
	document.Facts.Timing.LoadMS = max(rendered.LoadMS-held, 0)
	return loaded{
		failure: rendered.Failure, ourFault: rendered.OurFault, page: rendered.HTML != "", redirect: rendered.ClientRedirect,
		document: document, preview: rendered.Preview,
	}, nil
}

// documentOf is a rendered page as it is judged.
func documentOf(scan schema.Scan, pass Pass, rendered Rendered) inspect.Document {
	totals := pass.Totals()
	totals.RefusedCalls += rendered.RefusedForms
	return inspect.Document{
		Facts: pass.Document(), Totals: totals, Source: pass.Source(), Rendered: rendered.HTML, Engine: scan.Engine, Device: scan.Device,
		Cut: rendered.HTMLCut, Axe: rendered.Axe, QualWeb: rendered.QualWeb, Checks: rendered.Checks, Validity: rendered.Validity, Observed: &rendered.Observed, ConsoleErrors: rendered.ConsoleErrors, Notes: notesOf(rendered), Registrable: registrable,
	}
}

func isHTML(mediaType string) bool {
	return strings.HasPrefix(mediaType, "text/html") || strings.HasPrefix(mediaType, "application/xhtml+xml")
}

func notesOf(r Rendered) []string {
	notes := append([]string(nil), r.Notes...)
	if r.Dialogs > 0 {
		notes = append(notes, schema.NoteDialog)
	}
	if r.Popups > 0 {
		notes = append(notes, schema.NotePopup)
	}
	return notes
}

// settle decides what the load was and records it.
func (p *Pages) settle(ctx context.Context, scan schema.Scan, claim schema.Claim, facts schema.DocumentFacts, l loaded) (turn, error) {
	facts.Timing.LoadMS = l.document.Facts.Timing.LoadMS
	if l.ourFault {
		return turn{again: true}, nil // our own browser died: the load counter bounds the repeats
	}
	switch {
	case facts.Reason == schema.ReasonQuietHours, facts.Reason == schema.ReasonServerParked && facts.Status == 0 && len(facts.Hops) == 0:
		return turn{again: true}, nil // nothing left; the next try is told until when to wait
	case facts.Reason == schema.ReasonObjection:
		return p.recordFailure(ctx, claim, facts, schema.OutcomeNotAnalysed, facts.Reason)
	}
	if product, blocked := inspect.BlockedAtOnce(facts); blocked {
		return p.recordBlocked(ctx, claim, facts, product)
	}
	if facts.RetryAfter != nil {
		return p.putOff(ctx, claim, facts)
	}
	if facts.Outcome == schema.OutcomeRedirected {
		return p.recordRedirectAway(ctx, scan, claim, facts)
	}
	if facts.Outcome == schema.OutcomeErrorAnswer && l.page {
		if page, _ := inspect.Page(l.document, scan.ScopeHost); page.Outcome == schema.OutcomeBlocked {
			return p.recordBlocked(ctx, claim, facts, page.BlockedBy)
		}
	}
	if facts.Outcome != "" && facts.Outcome != schema.OutcomeAnalysed {
		return p.recordFailure(ctx, claim, facts, facts.Outcome, facts.Reason)
	}
	if l.failure == schema.ReasonBrowserCrashed && claim.Loads < 2 {
		return turn{again: true}, nil // once more, in a fresh tab
	}
	if l.failure != schema.ReasonNone {
		return p.recordFailure(ctx, claim, facts, schema.OutcomeNotAnalysed, l.failure)
	}
	if facts.Status >= 400 {
		return p.recordFailure(ctx, claim, facts, schema.OutcomeErrorAnswer, schema.ReasonErrorStatus)
	}
	if scan.Engine == schema.EngineHTTP && l.document.Cut {
		return p.recordFailure(ctx, claim, facts, schema.OutcomeNotAnalysed, schema.ReasonTooLarge)
	}
	if !l.page && l.redirect != "" {
		return p.recordSelfRedirect(ctx, scan, claim, facts, l.redirect)
	}
	if !l.page && scan.Engine == schema.EngineBrowser && facts.Bytes > 0 && isHTML(facts.MediaType) { // a page that took itself apart
		return p.recordFailure(ctx, claim, facts, schema.OutcomeNotAnalysed, schema.ReasonProtocol)
	}
	if !l.page {
		return p.recordFailure(ctx, claim, facts, schema.OutcomeNotPage, schema.ReasonMediaType)
	}
	return p.recordAnalysed(ctx, scan, claim, l)
}

// putOff sends a page the server refused for now away until the stated time,
// once; refused again, or for longer than half a minute, it is not analysed
// (S-34 to S-40).
func (p *Pages) putOff(ctx context.Context, claim schema.Claim, facts schema.DocumentFacts) (turn, error) {
	rest := facts.RetryAfter
	if claim.Refused > 0 {
		return p.recordFailure(ctx, claim, facts, schema.OutcomeNotAnalysed, schema.ReasonRefusedForNow)
	}
	if !rest.Reload {
		return p.recordFailure(ctx, claim, facts, schema.OutcomeNotAnalysed, schema.ReasonServerParked)
	}
	if err := p.Store.PutOff(ctx, claim, rest.Until); err != nil {
		return turn{}, err
	}
	host := claim.URL
	if u, err := url.Parse(claim.URL); err == nil {
		host = u.Host
	}
	return turn{wait: &Wait{Until: rest.Until, Words: host + " asked for a rest"}}, nil
}
