package activities

import (
	"context"
	"strings"

	"visite/internal/inspect"
	"visite/schema"
)

// notFoundLimit is how much is read of the answer for a page that is not there, in
// bytes: enough to recognise a challenge.
const notFoundLimit = 256 << 10

// fewPages are those of a site nobody proved to run: of so small a scan one
// more address would be much.
const fewPages = 3

// notFound asks once for an address that cannot be there. A site that answers it
// with success hides its missing pages from everybody.
func (p *probing) notFound(ctx context.Context) error {
	f := &p.facts.NotFound
	switch {
	case f.State != schema.LookPending:
		return nil
	case p.sides == sides{}:
		f.State = schema.LookNotApplicable
		return nil
	case p.in.HandshakeOnly:
		*f = schema.NotFoundFacts{State: schema.LookUnknown, Reason: schema.ReasonRobotsUnreached}
		return nil
	case p.scan.MaxPages <= fewPages:
		f.State = schema.LookNotApplicable
		return nil
	}
	root, err := scopeRoot(p.scan)
	if err != nil {
		return err
	}
	missing := *root
	missing.Path, missing.RawQuery, missing.Fragment = "/no-such-page-"+strings.ToLower(p.scan.ID), "", ""
	pass, state, reason, err := p.enterFor(ctx, schema.PurposeNotFound, missing.String(), "not-found", false)
	if err != nil || state == schema.LookPending && pass == nil {
		return err
	}
	if pass == nil {
		*f = schema.NotFoundFacts{State: state, Reason: reason}
		return nil
	}
	defer leave(ctx, pass)
	defer holdTurn(ctx, pass)()
	body, failure, err := p.read(ctx, pass, missing.String(), notFoundLimit)
	if err != nil {
		return err
	}
	*f = readNotFound(pass.Document(), body, failure, p.scan.ScopeHost)
	return nil
}

// readNotFound says nothing where we were refused, sent elsewhere or challenged:
// that is no answer about the page.
func readNotFound(facts schema.DocumentFacts, body []byte, failure error, scope string) schema.NotFoundFacts {
	unknown := func(reason schema.Reason) schema.NotFoundFacts {
		return schema.NotFoundFacts{State: schema.LookUnknown, Reason: reason}
	}
	switch facts.Outcome {
	case schema.OutcomeAnalysed, schema.OutcomeErrorAnswer:
	default:
		return unknown(reasonOf(facts))
	}
	if failure != nil || facts.RetryAfter != nil || facts.Status == 0 {
		return unknown(reasonOf(facts))
	}
	judged, _ := inspect.Page(inspect.Document{Facts: facts, Source: body, Engine: schema.EngineHTTP, Registrable: registrable}, scope)
	if _, blocked := inspect.BlockedAtOnce(facts); blocked || judged.Outcome == schema.OutcomeBlocked {
		return unknown(schema.ReasonChallenge)
	}
	return schema.NotFoundFacts{State: schema.LookDone, Status: facts.Status, Redirects: len(facts.Hops)}
}
