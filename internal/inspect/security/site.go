package security

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"visite/internal/inspect/rule"
	"visite/internal/inspect/security/observatory"
	"visite/schema"
)

// siteRule is a check of the site as a whole, from the facts of one look at it.
type siteRule struct {
	rule.Info
	judge func(schema.SecurityFacts) (schema.CheckVerdict, string)
}

const (
	passed  = schema.CheckPassed
	fails   = schema.CheckFailed
	unknown = schema.CheckUnknown
	noCase  = schema.CheckNotApplicable
)

// SiteRules lists the checks of the site as a whole.
func SiteRules() []rule.Info {
	var out []rule.Info
	for _, r := range siteRules {
		out = append(out, r.Info)
	}
	return out
}

// JudgeSite gives each check its verdict and the site its grade. Findings are
// those of failed checks; they belong to the page the scan began at.
func JudgeSite(f schema.SecurityFacts) (schema.SiteSecurity, []schema.Finding) {
	var out schema.SiteSecurity
	var findings []schema.Finding
	if f.Probe != nil {
		for _, r := range siteRules {
			verdict, detail := r.judge(f)
			out.Checks = append(out.Checks, schema.SecurityCheck{Rule: r.ID, Verdict: verdict, Detail: detail})
			if verdict == fails {
				findings = append(findings, r.Finding(rule.Hit{Detail: detail}, ""))
			}
		}
	}
	out.Grade, out.NoGrade = grade(f)
	return out, findings
}

// grade is by the Observatory's scoring, or the reason why there is none.
func grade(f schema.SecurityFacts) (*schema.SecurityGrade, string) {
	switch {
	case f.Probe == nil:
		return nil, schema.NoGradeNoProbe
	case IsLocal(hostname(f.Probe.Host)):
		return nil, schema.NoGradeLocal
	case IsAddress(hostname(f.Probe.Host)):
		return nil, schema.NoGradeAddress
	case f.Front == nil:
		return nil, schema.NoGradeNoPage
	}
	g := observatory.Grade([][2]string{
		{observatory.CSP, f.Front.CSP}, {observatory.Cookies, f.Front.Cookies}, {observatory.CORS, f.Front.CORS},
		{observatory.Redirection, redirectResult(f)}, {observatory.Referrer, f.Front.Referrer}, {observatory.HSTS, hstsResult(f)},
		{observatory.SRI, f.Front.SRI}, {observatory.ContentType, f.Front.ContentType}, {observatory.Framing, f.Front.Framing}, {observatory.CORP, f.Front.CORP},
	})
	return &g, ""
}

// hostname is the host of a HostKey without its port.
func hostname(key string) string {
	if i := strings.LastIndexByte(key, ':'); i > 0 && !strings.HasSuffix(key, "]") && strings.IndexByte(key, ':') == i {
		return key[:i]
	}
	if strings.HasPrefix(key, "[") {
		inside, _, _ := strings.Cut(key[1:], "]")
		return inside
	}
	return key
}

// connects and valid tell whether the site's https can be used.
func connects(p *schema.SiteProbe) bool {
	return p.TLS.State == schema.LookDone && p.TLS.Reason == schema.ReasonNone
}

func valid(p *schema.SiteProbe) bool {
	c := p.TLS.Certificate
	return connects(p) && c.Chain == schema.ChainTrusted && c.Host && p.At.Before(c.NotAfter) && !p.At.Before(c.NotBefore)
}

// redirectResult: empty, which leaves the test out, where it could not be made.
func redirectResult(f schema.SecurityFacts) string {
	p := f.Probe
	if p.Redirect.State != schema.LookDone {
		return ""
	}
	if connects(p) && !valid(p) && p.Redirect.Outcome == schema.RedirectSecure {
		return observatory.RedirectInvalidCert
	}
	switch p.Redirect.Outcome {
	case schema.RedirectSecure:
		return observatory.RedirectHTTPS
	case schema.RedirectOffHost:
		return observatory.RedirectOffHost
	case schema.RedirectLate:
		if !f.Front.Secure {
			return observatory.RedirectNotHTTPS
		}
		return observatory.RedirectLate
	case schema.RedirectInsecure:
		return observatory.RedirectNotHTTPS
	case schema.RedirectNone:
		return observatory.RedirectMissing
	case schema.RedirectNoService:
		return observatory.RedirectNoHTTP
	}
	return ""
}

// hstsResult takes the field from the front page or, where that came over http,
// from what the site answered over https.
func hstsResult(f schema.SecurityFacts) string {
	p, h := f.Probe, f.Front.StrictTransport
	if !f.Front.Secure {
		switch {
		case p.TLS.State != schema.LookDone:
			return ""
		case !connects(p):
			return observatory.HSTSNoHTTPS
		case !valid(p):
			return observatory.HSTSInvalidCert
		}
		h = p.SecurityTxt.Transport
	}
	switch {
	case !h.Present:
		return observatory.HSTSNone
	case !h.Valid:
		return observatory.HSTSInvalid
	case h.MaxAge < halfAYear:
		return observatory.HSTSShort
	}
	return observatory.HSTSLong
}

// soonest and part bound when a certificate is told to run out soon: less than
// three weeks, or a quarter of its life where that is shorter.
const (
	soonest = 21 * 24 * time.Hour
	part    = 4
)

func siteFailed(id string, severity schema.Severity, title, help string, source rule.Source, reference string, judge func(schema.SecurityFacts) (schema.CheckVerdict, string)) siteRule {
	return siteRule{
		Info:  rule.Info{ID: id, Category: schema.CategorySecurity, Severity: severity, Outcome: schema.FindingFailed, Title: title, Help: help, Source: source, Reference: reference},
		judge: judge,
	}
}

// ofCertificate is a check of the certificate: unknown or without meaning where
// none was seen.
func ofCertificate(fault func(p *schema.SiteProbe, c schema.CertificateFacts) (bool, string)) func(schema.SecurityFacts) (schema.CheckVerdict, string) {
	return func(f schema.SecurityFacts) (schema.CheckVerdict, string) {
		switch p := f.Probe; {
		case p.TLS.State == schema.LookUnknown || p.TLS.State == schema.LookPending:
			return unknown, string(p.TLS.Reason)
		case !connects(p):
			return noCase, ""
		default:
			faulty, detail := fault(p, p.TLS.Certificate)
			if faulty {
				return fails, detail
			}
			return passed, detail
		}
	}
}

// ofChain is a check for one state of the chain.
func ofChain(states ...schema.ChainState) func(schema.SecurityFacts) (schema.CheckVerdict, string) {
	return ofCertificate(func(_ *schema.SiteProbe, c schema.CertificateFacts) (bool, string) {
		for _, s := range states {
			if c.Chain == s {
				return true, rule.Count(c.Sent, "certificate") + " sent"
			}
		}
		return false, ""
	})
}

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

func judgeHTTPS(f schema.SecurityFacts) (schema.CheckVerdict, string) {
	switch p := f.Probe; {
	case p.TLS.State == schema.LookNotApplicable:
		return noCase, ""
	case p.TLS.State != schema.LookDone:
		return unknown, string(p.TLS.Reason)
	case connects(p):
		return passed, ""
	case p.TLS.Reason == schema.ReasonTimeout:
		return unknown, string(p.TLS.Reason) // nobody answered this once
	default:
		return fails, string(p.TLS.Reason)
	}
}

func judgeRedirect(f schema.SecurityFacts) (schema.CheckVerdict, string) {
	p := f.Probe
	switch {
	case p.Redirect.State == schema.LookNotApplicable, p.TLS.State == schema.LookDone && !connects(p): // to what?
		return noCase, ""
	case p.Redirect.State != schema.LookDone:
		return unknown, string(p.Redirect.Reason)
	case p.Redirect.Outcome == schema.RedirectNone || p.Redirect.Outcome == schema.RedirectInsecure:
		return fails, rule.Count(p.Redirect.Hops, "redirect")
	}
	return passed, ""
}

func judgeRedirectWay(f schema.SecurityFacts) (schema.CheckVerdict, string) {
	p := f.Probe
	switch {
	case p.Redirect.State == schema.LookNotApplicable:
		return noCase, ""
	case p.Redirect.State != schema.LookDone:
		return unknown, string(p.Redirect.Reason)
	case p.Redirect.Outcome == schema.RedirectLate || p.Redirect.Outcome == schema.RedirectOffHost:
		return fails, map[schema.RedirectEnd]string{schema.RedirectLate: "first to http", schema.RedirectOffHost: "first to another host"}[p.Redirect.Outcome]
	case p.Redirect.Outcome == schema.RedirectSecure:
		return passed, ""
	}
	return noCase, ""
}

func judgeLegacy(f schema.SecurityFacts) (schema.CheckVerdict, string) {
	switch l := f.Probe.Legacy; {
	case l.State == schema.LookNotApplicable:
		return noCase, ""
	case l.State != schema.LookDone:
		return unknown, ""
	case l.Offered:
		return fails, cmp.Or(f.Probe.TLS.Version, "TLS 1.0 or 1.1")
	}
	return passed, ""
}

func judgeModern(f schema.SecurityFacts) (schema.CheckVerdict, string) {
	v, _ := ofCertificate(func(p *schema.SiteProbe, _ schema.CertificateFacts) (bool, string) {
		return p.TLS.Version != "TLS 1.3", ""
	})(f)
	return v, f.Probe.TLS.Version
}

func judgeSoon(p *schema.SiteProbe, c schema.CertificateFacts) (bool, string) {
	left := c.NotAfter.Sub(p.At)
	soon := left > 0 && left < min(soonest, c.NotAfter.Sub(c.NotBefore)/part)
	return soon, fmt.Sprintf("until %s, %s left", day(c.NotAfter), rule.Count(max(int(left.Hours()/24), 0), "day"))
}

func judgeTxt(f schema.SecurityFacts) (schema.CheckVerdict, string) {
	switch s := f.Probe.SecurityTxt; {
	case s.State == schema.LookNotApplicable:
		return noCase, ""
	case s.State != schema.LookDone:
		return unknown, string(s.Reason)
	case !s.Found:
		return fails, ""
	}
	return passed, ""
}

// ofTxt is a check of a security.txt that is there.
func ofTxt(fault func(at time.Time, s schema.SecurityTxtFacts) (bool, string)) func(schema.SecurityFacts) (schema.CheckVerdict, string) {
	return func(f schema.SecurityFacts) (schema.CheckVerdict, string) {
		verdict, detail := judgeTxt(f)
		if verdict != passed {
			if verdict == fails {
				verdict = noCase
			}
			return verdict, detail
		}
		if faulty, detail := fault(f.Probe.At, f.Probe.SecurityTxt); faulty {
			return fails, detail
		}
		return passed, ""
	}
}
