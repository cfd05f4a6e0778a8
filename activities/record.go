package activities

import (
	"context"
	"errors"
	"net/url"

	"visite/internal/inspect"
	"visite/schema"
)

// siteTrouble is implemented by errors that tell of the site's trouble.
type siteTrouble interface {
	error
	SiteReason() schema.Reason
}

func failureOf(err error) schema.Reason {
	var trouble siteTrouble
	if errors.As(err, &trouble) {
		return trouble.SiteReason()
	}
	return schema.ReasonNone
}

// ignoreSiteTrouble keeps only our own errors.
func ignoreSiteTrouble(err error) error {
	if failureOf(err) != schema.ReasonNone {
		return nil
	}
	return err
}

// pageFrom fills a page with what the network saw.
func pageFrom(claim schema.Claim, facts schema.DocumentFacts) schema.Page {
	final := facts.Final
	if final == "" {
		final = claim.URL
	}
	return schema.Page{
		URL: claim.URL, FinalURL: final, Depth: claim.Depth, Status: facts.Status, Redirects: facts.Hops, Timing: facts.Timing,
		WireBytes: facts.WireBytes, Bytes: facts.Bytes, MediaType: facts.MediaType, Protocol: facts.Protocol, Encoding: facts.Encoding,
	}
}

// recordFailure records an address without verdicts.
func (p *Pages) recordFailure(ctx context.Context, claim schema.Claim, facts schema.DocumentFacts, outcome schema.Outcome, reason schema.Reason) (turn, error) {
	page := pageFrom(claim, facts)
	page.Outcome, page.Reason = outcome, reason
	if err := p.Store.RecordPage(ctx, claim, page, nil); err != nil {
		return turn{}, err
	}
	return turn{step: stepOf(outcome, reason), objected: reason == schema.ReasonObjection}, nil
}

// recordBlocked records an address a challenge stands before, which is left alone.
func (p *Pages) recordBlocked(ctx context.Context, claim schema.Claim, facts schema.DocumentFacts, product string) (turn, error) {
	page := pageFrom(claim, facts)
	page.Outcome, page.Reason, page.BlockedBy = schema.OutcomeBlocked, schema.ReasonChallenge, product
	if err := p.Store.RecordPage(ctx, claim, page, nil); err != nil {
		return turn{}, err
	}
	return turn{step: stepOf(page.Outcome, page.Reason)}, nil
}

// recordDenied records an address the door did not let us load.
func (p *Pages) recordDenied(ctx context.Context, claim schema.Claim, a schema.Admission) (turn, error) {
	outcome := schema.OutcomeNotAnalysed
	if a.Reason == schema.ReasonRobots {
		outcome = schema.OutcomeDisallowed
	}
	return p.recordFailure(ctx, claim, schema.DocumentFacts{}, outcome, a.Reason)
}

// recordRedirectAway records a redirect that left the scope. The seed takes the
// scope along to a sister host of the same site.
func (p *Pages) recordRedirectAway(ctx context.Context, scan schema.Scan, claim schema.Claim, facts schema.DocumentFacts) (turn, error) {
	page := pageFrom(claim, facts)
	page.Outcome = schema.OutcomeRedirected
	target, err := url.Parse(facts.Final)
	from, errFrom := url.Parse(claim.URL)
	if claim.Via != schema.ViaSeed || err != nil || errFrom != nil || !sameSite(target, from) {
		if err := p.Store.RecordPage(ctx, claim, page, nil); err != nil {
			return turn{}, err
		}
		return turn{step: StepLoaded}, nil
	}
	page.Outcome = schema.OutcomeDuplicate
	host := schema.HostKey(target)
	if err := p.Store.SetScope(ctx, scan.ID, host); err != nil {
		return turn{}, err
	}
	if schema.CarriesSecret(facts.Final) { // the site's, not typed by the customer
		target.RawQuery = ""
	}
	next := []schema.Candidate{{URL: schema.AddressKey(target), Depth: 0, Via: schema.ViaSeed}}
	if err := p.Store.RecordPage(ctx, claim, page, next); err != nil {
		return turn{}, err
	}
	return turn{step: StepLoaded, scopeMoved: host}, nil
}

// recordSelfRedirect records a page that went elsewhere by itself before it was
// whole; its target is a page of its own where it is within the scope.
func (p *Pages) recordSelfRedirect(ctx context.Context, scan schema.Scan, claim schema.Claim, facts schema.DocumentFacts, target string) (turn, error) {
	page := pageFrom(claim, facts)
	page.Outcome, page.FinalURL = schema.OutcomeRedirected, target
	next := selfRedirect(scan, claim, target)
	if len(next) > 0 {
		page.Outcome = schema.OutcomeDuplicate
	}
	if err := p.Store.RecordPage(ctx, claim, page, next); err != nil {
		return turn{}, err
	}
	return turn{step: StepLoaded}, nil
}

// selfRedirect is the address a page tried to go to by itself, as a candidate.
func selfRedirect(scan schema.Scan, claim schema.Claim, target string) []schema.Candidate {
	base, err := url.Parse(claim.URL)
	if err != nil || target == "" {
		return nil
	}
	c, ok := candidate(target, base, scan.ScopeHost, schema.ViaRedirect)
	if !ok {
		return nil
	}
	c.Depth = claim.Depth
	return []schema.Candidate{c}
}

// recordAnalysed judges a page and records it under the address that answered:
// an address that only redirected gets no verdicts of its own.
func (p *Pages) recordAnalysed(ctx context.Context, scan schema.Scan, claim schema.Claim, l loaded) (turn, error) {
	facts := l.document.Facts
	page, candidates := inspect.Page(l.document, scan.ScopeHost)
	if claim.Via == schema.ViaSeed && page.Outcome == schema.OutcomeAnalysed {
		if err := p.Store.SetFront(ctx, scan.ID, inspect.Front(l.document, scan.ScopeHost)); err != nil {
			return turn{}, err
		}
	}
	page = withNetwork(page, pageFrom(claim, facts))
	if page.Outcome == schema.OutcomeAnalysed {
		page.Preview = l.preview
	}
	for i := range candidates {
		candidates[i].Depth = claim.Depth + 1
	}
	candidates = append(candidates, selfRedirect(scan, claim, l.redirect)...)
	var err error
	if final, moved := movedWithin(claim.URL, facts.Final); moved {
		from := pageFrom(claim, facts)
		from.Outcome = schema.OutcomeDuplicate
		page.URL = final
		err = p.Store.RecordRedirect(ctx, claim, from, page, candidates)
	} else {
		err = p.Store.RecordPage(ctx, claim, page, candidates)
	}
	if err != nil {
		return turn{}, err
	}
	return turn{step: stepOf(page.Outcome, page.Reason)}, nil
}

// withNetwork joins what the judge found with what the network saw.
func withNetwork(judged, seen schema.Page) schema.Page {
	judged.URL, judged.FinalURL, judged.Depth = seen.URL, seen.FinalURL, seen.Depth
	judged.Status, judged.Redirects, judged.Timing = seen.Status, seen.Redirects, seen.Timing
	judged.WireBytes, judged.Bytes = seen.WireBytes, seen.Bytes
	judged.MediaType, judged.Protocol, judged.Encoding = seen.MediaType, seen.Protocol, seen.Encoding
	if judged.Outcome == "" {
		judged.Outcome = schema.OutcomeAnalysed
	}
	return judged
}

// movedWithin tells whether an address redirected to another of the site, and
// gives that one normalised, without secrets.
func movedWithin(asked, final string) (string, bool) {
	normal, err := schema.NormalizeAddress(final, nil)
	if err != nil {
		return "", false
	}
	a, errA := url.Parse(asked)
	f, errF := url.Parse(normal)
	if errA != nil || errF != nil {
		return "", false
	}
	return schema.RecordedAddress(normal, schema.HostKey(f)), schema.AddressKey(a) != schema.AddressKey(f)
}
