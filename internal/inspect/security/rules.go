package security

import (
	"slices"

	"visite/internal/inspect/page"
	"visite/internal/inspect/rule"
	"visite/schema"
)

// Where the rules come from.
const (
	mixedContent   = "W3C Mixed Content"
	cspLevel3      = "W3C Content Security Policy Level 3"
	cspInMeta      = "W3C Content Security Policy Level 3, section 3.3"
	owaspHeaders   = "OWASP HTTP Security Response Headers Cheat Sheet"
	rfcHSTS        = "RFC 6797"
	preloadList    = "hstspreload.org, submission requirements"
	rfcCookies     = "RFC 6265bis"
	htmlFraming    = "HTML Standard, the X-Frame-Options header"
	fetchNosniff   = "Fetch Standard, X-Content-Type-Options"
	referrerPolicy = "W3C Referrer Policy"
	integrity      = "W3C Subresource Integrity"
	fetchCORS      = "Fetch Standard, CORS protocol"
	fetchCORP      = "Fetch Standard, Cross-Origin-Resource-Policy"
)

const (
	serious  = schema.SeveritySerious
	moderate = schema.SeverityModerate
	minor    = schema.SeverityMinor
	info     = schema.SeverityInfo
)

// Rules lists those that judge one page.
func Rules() []rule.Rule {
	return slices.Concat(contentRules, policyRules, transportRules, cookieRules)
}

func failed(id string, severity schema.Severity, title, help string, source rule.Source, reference string, run func(*page.Content) []rule.Hit) rule.Rule {
	return rule.Rule{
		Info: rule.Info{ID: id, Category: schema.CategorySecurity, Severity: severity, Outcome: schema.FindingFailed, Title: title, Help: help, Source: source, Reference: reference},
		Run:  run,
	}
}

// contentRules are about what a page loads and sends.
var contentRules = []rule.Rule{
	failed("mixed-content", serious, "A secure page loads files over an insecure connection",
		"Load the file over https; browsers block it or warn, and others can read and change it on the way.", rule.Standard, mixedContent, mixed),
	failed("form-insecure", serious, "A form of a secure page is sent over an insecure connection",
		"Let the form's action start with https://.", rule.Standard, mixedContent, insecureForms),
	failed("sri-missing", minor, "Code of another site is loaded without a digest",
		"Whoever changes the file there changes this page. Add an integrity attribute where the file's version is fixed, or serve the file yourself.", rule.Convention, integrity, sriMissing),
	failed("sri-invalid", moderate, "An integrity attribute has no digest that browsers know",
		"Browsers ignore it. Give sha256-, sha384- or sha512- and the digest in base64.", rule.Standard, integrity, sriInvalid),
	failed("sri-blocked", serious, "A file of another origin has a digest but is not asked for with CORS",
		"Browsers cannot compare the digest and do not use the file. Add crossorigin=\"anonymous\" to the element.", rule.Standard, integrity, sriBlocked),
}

// policyRules are about what an answer tells browsers to allow.
var policyRules = []rule.Rule{
	failed("csp-missing", moderate, "The page has no Content Security Policy",
		"A policy keeps code that somebody smuggled in from running. Start with default-src 'self' and try it with Content-Security-Policy-Report-Only.", rule.Convention, owaspHeaders, cspMissing),
	failed("csp-report-only", minor, "The Content Security Policy is only being tried out",
		"A report-only policy protects from nothing. Send it as Content-Security-Policy once its reports are quiet.", rule.Standard, cspLevel3, cspReportOnly),
	failed("csp-unsafe-inline", moderate, "The Content Security Policy lets any inline script run",
		"Restrict script-src, take out 'unsafe-inline' and data:, and let in the page's own scripts by nonce or hash.", rule.Convention, cspLevel3, cspInline),
	failed("csp-broad-sources", moderate, "The Content Security Policy lets code in from everywhere",
		"Name the hosts that are needed instead of * or a whole scheme, and set object-src 'none'.", rule.Convention, cspLevel3, cspBroad),
	failed("csp-unsafe-eval", minor, "The Content Security Policy lets text be run as code",
		"Take out 'unsafe-eval'; scripts that need eval() can usually be replaced.", rule.Convention, cspLevel3, cspEval),
	failed("csp-unsafe-style", info, "The Content Security Policy lets any style in",
		"Smuggled styles can read and cover parts of a page. Use nonces or hashes in style-src, too.", rule.Convention, cspLevel3, cspStyle),
	failed("csp-insecure-sources", moderate, "The Content Security Policy of a secure page allows insecure sources",
		"Write https: in place of http: in the policy.", rule.Convention, cspLevel3, cspInsecure),
	failed("csp-base-uri", minor, "The Content Security Policy leaves base-uri open",
		"With a base element of theirs, attackers can redirect scripts that nonces let in. Add base-uri 'none' or 'self'.", rule.Convention, cspLevel3, cspBase),
	failed("csp-strict-dynamic", serious, "'strict-dynamic' stands without a nonce or hash",
		"Browsers then run no script of the page. Add a nonce or hash to script-src.", rule.Standard, cspLevel3, cspDynamic),
	failed("csp-unknown-directive", minor, "The Content Security Policy has directives that browsers do not know",
		"They are ignored, most likely they are misspelt. Correct or remove them.", rule.Standard, cspLevel3, cspMalformed),
	failed("csp-duplicate-directive", minor, "A directive occurs twice in one Content Security Policy",
		"Only the first one counts. Put the sources into one directive.", rule.Standard, cspLevel3, cspDuplicate),
	failed("csp-meta-ignored", minor, "A policy in the markup has directives that work in a header only",
		"Send frame-ancestors, report-uri and sandbox in the Content-Security-Policy header.", rule.Standard, cspInMeta, cspInVain),
	failed("framing-missing", moderate, "Any site may show the page in a frame",
		"Visitors can be led to click on things they do not see. Send frame-ancestors in the Content-Security-Policy header, or X-Frame-Options.", rule.Convention, owaspHeaders, framingMissing),
	failed("framing-open", moderate, "frame-ancestors lets every site in",
		"Name the sites that may frame the page, or 'none' or 'self'.", rule.Convention, cspLevel3, framingOpen),
	failed("x-frame-options-invalid", moderate, "X-Frame-Options has a value that browsers ignore",
		"Send DENY or SAMEORIGIN, once; for single sites use frame-ancestors.", rule.Standard, htmlFraming, frameOptionsInvalid),
	failed("nosniff-missing", minor, "Browsers may guess the type of files",
		"A file that somebody uploaded can then run as a script. Send X-Content-Type-Options: nosniff.", rule.Convention, owaspHeaders, nosniffMissing),
	failed("nosniff-invalid", minor, "X-Content-Type-Options has a value that browsers ignore",
		"The only value is nosniff.", rule.Standard, fetchNosniff, nosniffInvalid),
	failed("referrer-policy-unsafe", minor, "The referrer policy tells other sites more than it must",
		"Use strict-origin-when-cross-origin, same-origin or no-referrer.", rule.Convention, referrerPolicy, referrerUnsafe),
	failed("referrer-policy-invalid", minor, "The referrer policy has no value that browsers know",
		"Use strict-origin-when-cross-origin, same-origin or no-referrer.", rule.Standard, referrerPolicy, referrerInvalid),
	failed("cors-credentials", moderate, "The page offers its content with credentials to any site",
		"Browsers refuse this pair of headers. Name the origins that need it, or leave Access-Control-Allow-Credentials out.", rule.Standard, fetchCORS, corsCredentials),
	failed("corp-invalid", info, "Cross-Origin-Resource-Policy has a value that browsers ignore",
		"Send same-origin, same-site or cross-origin.", rule.Standard, fetchCORP, corpInvalid),
	failed("server-version", info, "The server tells the version of its software",
		"It helps those who look for known holes and nobody else. Switch the version off in the server's settings.", rule.Convention, owaspHeaders, versions),
}

// transportRules are about Strict-Transport-Security.
var transportRules = []rule.Rule{
	failed("hsts-missing", moderate, "Browsers are not told to use https only",
		"The first request of a visit can be intercepted. Send Strict-Transport-Security with a max-age of at least six months.", rule.Convention, owaspHeaders, hstsMissing),
	failed("hsts-invalid", moderate, "Strict-Transport-Security is faulty",
		"Browsers ignore it, or all but the first field. Send it once, each directive once, with max-age in seconds.", rule.Standard, rfcHSTS, hstsInvalid),
	failed("hsts-short", minor, "Strict-Transport-Security holds for a short time only",
		"Raise max-age to at least 15552000 s (six months).", rule.Convention, owaspHeaders, hstsShort),
	failed("hsts-subdomains", info, "Strict-Transport-Security leaves subdomains out",
		"Add includeSubDomains once all subdomains answer over https.", rule.Convention, owaspHeaders, hstsSubDomains),
	failed("hsts-preload", info, "The site asks to be preloaded but does not meet the list's terms",
		"The list asks for a max-age of at least 31536000 s and includeSubDomains. Meet both, or take preload out.", rule.Convention, preloadList, hstsPreload),
	failed("hsts-over-http", info, "Strict-Transport-Security is sent over an insecure connection",
		"Browsers ignore it there. Redirect to https and send it with the answers there.", rule.Standard, rfcHSTS, hstsInsecure),
}

// cookieRules are about the cookies an answer sets.
var cookieRules = []rule.Rule{
	failed("cookie-insecure", moderate, "A cookie of a secure page can travel over an insecure connection",
		"Add the attribute Secure.", rule.Convention, rfcCookies, cookieInsecure),
	failed("cookie-no-httponly", moderate, "Scripts can read a session cookie",
		"Smuggled code could take over the session. Add the attribute HttpOnly.", rule.Convention, rfcCookies, cookieScripted),
	failed("cookie-samesite-missing", info, "A cookie does not say whether other sites' requests carry it",
		"Browsers decide differently. Add SameSite=Lax or SameSite=Strict.", rule.Convention, rfcCookies, cookieSameSite),
	failed("cookie-samesite-invalid", moderate, "A cookie's SameSite attribute does not work",
		"Use Strict or Lax; None needs the attribute Secure, otherwise browsers drop the cookie.", rule.Standard, rfcCookies, cookieSameSiteInvalid),
	failed("cookie-prefix", moderate, "A cookie breaks the promise in its name",
		"Browsers drop it. __Secure- needs Secure; __Host- needs Secure and Path=/ and no Domain.", rule.Standard, rfcCookies, cookiePrefix),
}
