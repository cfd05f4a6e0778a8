package activities

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"visite/internal/inspect/security"
	"visite/internal/inspect/security/securitytxt"
	"visite/schema"
)

// redirect asks the site's http address where it leads. Only its own host is
// followed, and only until https is reached.
func (p *probing) redirect(ctx context.Context) error {
	f := &p.facts.Redirect
	switch {
	case f.State != schema.LookPending:
		return nil
	case p.sides.insecure == "":
		f.State = schema.LookNotApplicable
		return nil
	case p.in.HandshakeOnly:
		*f = schema.RedirectFacts{State: schema.LookUnknown, Reason: schema.ReasonRobotsUnreached}
		return nil
	}
	if done, err := p.noHTTP(ctx); done || err != nil {
		return err
	}
	pass, state, reason, err := p.enter(ctx, p.sides.insecure, "http", false)
	if err != nil || state == schema.LookPending && pass == nil {
		return err
	}
	if pass == nil {
		*f = schema.RedirectFacts{State: state, Reason: reason}
		return nil
	}
	defer leave(ctx, pass)
	defer holdTurn(ctx, pass)()
	*f, err = followRedirects(ctx, pass, p.sides.insecure)
	if f.Reason == schema.ReasonTimeout {
		p.out.TimedOut++
	}
	return err
}

// noHTTP reads the http side's own robots.txt, as every origin's is read first,
// and learns from it where nobody listens. done is true where the look is over,
// or has to wait.
func (p *probing) noHTTP(ctx context.Context) (done bool, err error) {
	visit := visitOf(p.scan, schema.PurposeSecurity, p.sides.insecure, p.scan.ID+"/security/http", p.in.MaxWait, p.in.Since)
	reading, admission, err := p.Door.ReadRobots(ctx, visit)
	if err != nil {
		return true, err
	}
	switch {
	case admission.Kind == schema.AdmissionWait:
		p.out.Wait = noteWait(ctx, p.Store, p.scan.ID, schema.PhaseRobots, Wait{Until: admission.Until, Words: admission.Words})
		return true, nil
	case admission.Kind == schema.AdmissionDenied:
		p.out.Objected = admission.Reason == schema.ReasonObjection
		p.facts.Redirect = schema.RedirectFacts{State: schema.LookUnknown, Reason: admission.Reason}
		return true, nil
	case reading.Copy.Outcome != schema.RobotsDenyAll:
		return false, nil
	}
	p.facts.Redirect = schema.RedirectFacts{State: schema.LookUnknown, Reason: schema.ReasonRobotsUnreached}
	switch reading.Copy.Reason {
	case schema.ReasonTimeout:
		p.out.TimedOut++
		fallthrough
	case schema.ReasonConnection:
		if p.connects() { // the host is there, so that its http port is closed
			p.facts.Redirect = schema.RedirectFacts{State: schema.LookDone, Outcome: schema.RedirectNoService}
		}
	}
	return true, nil
}

// redirectHops bounds the redirects followed.
const redirectHops = 5

func followRedirects(ctx context.Context, pass Pass, address string) (schema.RedirectFacts, error) {
	f := schema.RedirectFacts{State: schema.LookDone}
	for f.Hops < redirectHops {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return f, err
		}
		resp, err := pass.RoundTrip(req)
		if err != nil {
			f.State, f.Reason = schema.LookUnknown, failureOf(err)
			return f, ignoreSiteTrouble(err)
		}
		_ = resp.Body.Close() // where it leads is in its head
		facts := pass.Document()
		if len(facts.Hops) == f.Hops {
			return settleRedirect(f, facts), nil
		}
		f.Hops = len(facts.Hops)
		target, err := url.Parse(facts.Final)
		if err != nil {
			return schema.RedirectFacts{State: schema.LookUnknown, Reason: schema.ReasonBadRedirect, Hops: f.Hops}, nil
		}
		switch {
		case target.Scheme == "https" && f.Hops > 1:
			f.Outcome = schema.RedirectLate
			return f, nil
		case target.Scheme == "https" && !strings.EqualFold(target.Hostname(), hostOf(address)):
			f.Outcome = schema.RedirectOffHost
			return f, nil
		case target.Scheme == "https":
			f.Outcome = schema.RedirectSecure
			return f, nil
		case facts.Outcome == schema.OutcomeRedirected: // to http on another host, which is not asked
			f.Outcome = schema.RedirectLate
			return f, nil
		case facts.Outcome != "":
			return schema.RedirectFacts{State: schema.LookUnknown, Reason: facts.Reason, Hops: f.Hops}, nil
		}
		address = facts.Final
	}
	f.Outcome = schema.RedirectInsecure
	return f, nil
}

// settleRedirect sorts an answer that does not redirect.
func settleRedirect(f schema.RedirectFacts, facts schema.DocumentFacts) schema.RedirectFacts {
	switch {
	case facts.Outcome == schema.OutcomeDisallowed || facts.Outcome == schema.OutcomeNotAnalysed:
		return schema.RedirectFacts{State: schema.LookUnknown, Reason: facts.Reason, Hops: f.Hops}
	case f.Hops == 0:
		f.Outcome = schema.RedirectNone
	default:
		f.Outcome = schema.RedirectInsecure
	}
	return f
}

// securityTxt reads the site's security.txt over https, the only way it may be
// offered (RFC 9116 section 3).
func (p *probing) securityTxt(ctx context.Context) error {
	f := &p.facts.SecurityTxt
	switch {
	case f.State != schema.LookPending:
		return nil
	case p.facts.TLS.State != schema.LookUnknown && !p.connects():
		f.State = schema.LookNotApplicable
		return nil
	case p.in.HandshakeOnly:
		*f = schema.SecurityTxtFacts{State: schema.LookUnknown, Reason: schema.ReasonRobotsUnreached}
		return nil
	}
	address := strings.TrimSuffix(p.sides.secure, "/") + securitytxt.Path
	pass, state, reason, err := p.enter(ctx, address, "txt", false)
	if err != nil || state == schema.LookPending && pass == nil {
		return err
	}
	if pass == nil {
		*f = schema.SecurityTxtFacts{State: state, Reason: reason}
		return nil
	}
	defer leave(ctx, pass)
	defer holdTurn(ctx, pass)()
	body, failure, err := p.read(ctx, pass, address, securitytxt.Limit)
	if err != nil {
		return err
	}
	*f = readSecurityTxt(pass.Document(), body, failure)
	return nil
}

// read gets one address within its turn, at most limit bytes. failure is the
// site's trouble or that it took too long, err our own.
func (p *probing) read(ctx context.Context, pass Pass, address string, limit int64) (body []byte, failure, err error) {
	fetchCtx, cancel := context.WithTimeout(ctx, sitemapDeadline)
	defer cancel()
	fetched, failure := p.Fetch.Get(fetchCtx, pass, address, limit)
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	if err := ignoreSiteTrouble(failure); err != nil && fetchCtx.Err() == nil {
		return nil, nil, err
	}
	if pass.Document().Reason == schema.ReasonTimeout {
		p.out.TimedOut++
	}
	return fetched.Body, failure, nil
}

func readSecurityTxt(facts schema.DocumentFacts, body []byte, failure error) schema.SecurityTxtFacts {
	f := schema.SecurityTxtFacts{State: schema.LookDone}
	switch {
	case failure == nil && facts.Status == http.StatusOK && facts.Outcome == schema.OutcomeAnalysed:
		if parsed, found := securitytxt.Parse(body, facts.MediaType); found {
			f = parsed
			f.State = schema.LookDone
		}
	case facts.Status == http.StatusNotFound || facts.Status == http.StatusGone:
	default:
		f.State, f.Reason = schema.LookUnknown, reasonOf(facts)
	}
	f.Transport = security.ReadStrictTransport(facts.Header["Strict-Transport-Security"])
	return f
}
