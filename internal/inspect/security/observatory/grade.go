// Package observatory grades a site by the published scoring of Mozilla's HTTP
// Observatory (developer.mozilla.org, HTTP Observatory, "Tests and scoring"):
// its tests, results, modifiers and letters. The facts are our own.
package observatory

import "visite/schema"

// Tests, by the Observatory's names.
const (
	CSP         = "content-security-policy"
	Cookies     = "cookies"
	CORS        = "cross-origin-resource-sharing"
	Redirection = "redirection"
	Referrer    = "referrer-policy"
	HSTS        = "strict-transport-security"
	SRI         = "subresource-integrity"
	ContentType = "x-content-type-options"
	Framing     = "x-frame-options"
	CORP        = "cross-origin-resource-policy"
)

// Results, by the Observatory's names.
const (
	CSPDefaultNone     = "csp-implemented-with-no-unsafe-default-src-none"
	CSPNoUnsafe        = "csp-implemented-with-no-unsafe"
	CSPUnsafeStyle     = "csp-implemented-with-unsafe-inline-in-style-src-only"
	CSPInsecurePassive = "csp-implemented-with-insecure-scheme-in-passive-content-only"
	CSPUnsafeEval      = "csp-implemented-with-unsafe-eval"
	CSPUnsafeInline    = "csp-implemented-with-unsafe-inline"
	CSPInsecure        = "csp-implemented-with-insecure-scheme"
	CSPInvalid         = "csp-header-invalid"
	CSPNone            = "csp-not-implemented"
	CSPReportOnly      = "csp-not-implemented-but-reporting-enabled"
	CSPDuplicates      = "csp-implemented-but-duplicate-directives"

	CookiesSameSite        = "cookies-secure-with-httponly-sessions-and-samesite"
	CookiesSecure          = "cookies-secure-with-httponly-sessions"
	CookiesNone            = "cookies-not-found"
	CookiesInsecureHSTS    = "cookies-without-secure-flag-but-protected-by-hsts"
	CookiesSessionHSTS     = "cookies-session-without-secure-flag-but-protected-by-hsts"
	CookiesInsecure        = "cookies-without-secure-flag"
	CookiesSameSiteInvalid = "cookies-samesite-flag-invalid"
	CookiesAntiCSRF        = "cookies-anticsrf-without-samesite-flag"
	CookiesSessionScripted = "cookies-session-without-httponly-flag"
	CookiesSessionInsecure = "cookies-session-without-secure-flag"

	CORSNone       = "cross-origin-resource-sharing-not-implemented"
	CORSPublic     = "cross-origin-resource-sharing-implemented-with-public-access"
	CORSRestricted = "cross-origin-resource-sharing-implemented-with-restricted-access"
	CORSUniversal  = "cross-origin-resource-sharing-implemented-with-universal-access"

	RedirectHTTPS       = "redirection-to-https"
	RedirectNoHTTP      = "redirection-not-needed-no-http"
	RedirectOffHost     = "redirection-off-host-from-http"
	RedirectLate        = "redirection-not-to-https-on-initial-redirection"
	RedirectNotHTTPS    = "redirection-not-to-https"
	RedirectMissing     = "redirection-missing"
	RedirectInvalidCert = "redirection-invalid-cert"

	ReferrerPrivate = "referrer-policy-private"
	ReferrerNone    = "referrer-policy-not-implemented"
	ReferrerUnsafe  = "referrer-policy-unsafe"
	ReferrerInvalid = "referrer-policy-header-invalid"

	HSTSLong        = "hsts-implemented-max-age-at-least-six-months"
	HSTSShort       = "hsts-implemented-max-age-less-than-six-months"
	HSTSNone        = "hsts-not-implemented"
	HSTSInvalid     = "hsts-header-invalid"
	HSTSNoHTTPS     = "hsts-not-implemented-no-https"
	HSTSInvalidCert = "hsts-invalid-cert"

	SRIAll             = "sri-implemented-and-all-scripts-loaded-securely"
	SRIExternal        = "sri-implemented-and-external-scripts-loaded-securely"
	SRINoScripts       = "sri-not-implemented-but-no-scripts-loaded"
	SRIOwn             = "sri-not-implemented-but-all-scripts-loaded-from-secure-origin"
	SRIMissing         = "sri-not-implemented-but-external-scripts-loaded-securely"
	SRIInsecure        = "sri-implemented-but-external-scripts-not-loaded-securely"
	SRIMissingInsecure = "sri-not-implemented-and-external-scripts-not-loaded-securely"
	ContentTypeNosniff = "x-content-type-options-nosniff"
	ContentTypeNone    = "x-content-type-options-not-implemented"
	ContentTypeInvalid = "x-content-type-options-header-invalid"
	FramingCSP         = "x-frame-options-implemented-via-csp"
	FramingSameOrigin  = "x-frame-options-sameorigin-or-deny"
	FramingAllowFrom   = "x-frame-options-allow-from-origin"
	FramingNone        = "x-frame-options-not-implemented"
	FramingInvalid     = "x-frame-options-header-invalid"
	CORPNone           = "cross-origin-resource-policy-not-implemented"
	CORPSameOrigin     = "cross-origin-resource-policy-implemented-with-same-origin"
	CORPSameSite       = "cross-origin-resource-policy-implemented-with-same-site"
	CORPCrossOrigin    = "cross-origin-resource-policy-implemented-with-cross-origin"
	CORPInvalid        = "cross-origin-resource-policy-header-invalid"
)

// Modifiers is what each result changes the score by.
var Modifiers = map[string]int{
	CSPDefaultNone: 10, CSPNoUnsafe: 5, CSPUnsafeStyle: 0, CSPInsecurePassive: -10, CSPUnsafeEval: -10, CSPUnsafeInline: -20, CSPInsecure: -20,
	CSPInvalid: -25, CSPNone: -25, CSPReportOnly: -25, CSPDuplicates: 0,
	CookiesSameSite: 5, CookiesSecure: 0, CookiesNone: 0, CookiesInsecureHSTS: -5, CookiesSessionHSTS: -10, CookiesInsecure: -20,
	CookiesSameSiteInvalid: -20, CookiesAntiCSRF: -20, CookiesSessionScripted: -30, CookiesSessionInsecure: -40,
	CORSNone: 0, CORSPublic: 0, CORSRestricted: 0, CORSUniversal: -50,
	RedirectHTTPS: 0, RedirectNoHTTP: 0, RedirectOffHost: -5, RedirectLate: -10, RedirectNotHTTPS: -20, RedirectMissing: -20, RedirectInvalidCert: -20,
	ReferrerPrivate: 5, ReferrerNone: 0, ReferrerUnsafe: -5, ReferrerInvalid: -5,
	HSTSLong: 0, HSTSShort: -10, HSTSNone: -20, HSTSInvalid: -20, HSTSNoHTTPS: -20, HSTSInvalidCert: -20,
	SRIAll: 5, SRIExternal: 5, SRINoScripts: 0, SRIOwn: 0, SRIMissing: -5, SRIInsecure: -20, SRIMissingInsecure: -50,
	ContentTypeNosniff: 0, ContentTypeNone: -5, ContentTypeInvalid: -5,
	FramingCSP: 5, FramingSameOrigin: 0, FramingAllowFrom: 0, FramingNone: -20, FramingInvalid: -20,
	CORPNone: 0, CORPSameOrigin: 10, CORPSameSite: 10, CORPCrossOrigin: 0, CORPInvalid: -5,
}

// extraFrom is the score without bonuses from which on bonuses count.
const extraFrom = 90

// letters are the grades by score, rounded down to a multiple of five.
var letters = [...]string{
	0: "F", 5: "F", 10: "F", 15: "F", 20: "F", 25: "D-", 30: "D", 35: "D", 40: "D+", 45: "C-", 50: "C", 55: "C", 60: "C+",
	65: "B-", 70: "B", 75: "B", 80: "B+", 85: "A-", 90: "A", 95: "A", 100: "A+",
}

// Grade adds the modifiers of results, given as pairs of test and result, to 100.
// A result without a name is left out.
func Grade(results [][2]string) schema.SecurityGrade {
	g := schema.SecurityGrade{Tests: []schema.GradeTest{}}
	plain, bonus := 100, 0
	for _, r := range results {
		modifier, known := Modifiers[r[1]]
		if !known {
			continue
		}
		g.Tests = append(g.Tests, schema.GradeTest{Test: r[0], Result: r[1], Modifier: modifier})
		if modifier < 0 {
			plain += modifier
		} else {
			bonus += modifier
		}
	}
	g.Score = max(plain, 0)
	if plain >= extraFrom {
		g.Score += bonus
	}
	g.Grade = letters[min(g.Score, 100)/5*5]
	return g
}
