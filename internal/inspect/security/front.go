package security

import (
	"slices"
	"strings"

	"visite/internal/inspect/page"
	"visite/internal/inspect/security/csp"
	"visite/internal/inspect/security/observatory"
	"visite/schema"
)

// Front gathers the results of the Observatory's tests from the page a scan
// began at. Where the Observatory is less exact than the standards (several
// policies, policies in the markup), it follows the standards.
func Front(c *page.Content) schema.FrontSecurity {
	h := strictTransport(c)
	return schema.FrontSecurity{
		Secure: c.Secure(), StrictTransport: h, CSP: cspResult(c), Cookies: cookieResult(c, h), CORS: corsResult(c), Referrer: referrerResult(c),
		SRI: sriResult(c), ContentType: contentTypeResult(c), Framing: framingResult(c), CORP: corpResult(c),
	}
}

func cspResult(c *page.Content) string {
	all := policies(c)
	w, s := csp.Weigh(all)
	repeats := func(p csp.Policy) bool { return len(p.Duplicates) > 0 }
	switch {
	case len(all) == 0 && reportOnly(c):
		return observatory.CSPReportOnly
	case len(all) == 0 || !slices.ContainsFunc(all, func(p csp.Policy) bool { return len(p.Directives) > 0 }):
		return observatory.CSPNone
	case w.StrictDynamicAlone:
		return observatory.CSPInvalid
	case w.ScriptInline || w.ScriptBroad || w.ObjectBroad:
		return observatory.CSPUnsafeInline
	case c.Secure() && w.InsecureActive:
		return observatory.CSPInsecure
	case w.Eval:
		return observatory.CSPUnsafeEval
	case c.Secure() && w.InsecurePassive:
		return observatory.CSPInsecurePassive
	case slices.ContainsFunc(all, repeats):
		return observatory.CSPDuplicates
	case w.StyleOpen:
		return observatory.CSPUnsafeStyle
	case s.DefaultNone:
		return observatory.CSPDefaultNone
	}
	return observatory.CSPNoUnsafe
}

// worst is the result with the lowest modifier.
func worst(a, b string) string {
	if a == "" || observatory.Modifiers[b] < observatory.Modifiers[a] {
		return b
	}
	return a
}

func cookieResult(c *page.Content, h schema.StrictTransport) string {
	cookies := readCookies(c)
	if len(cookies) == 0 {
		return observatory.CookiesNone
	}
	guarded := h.Valid && h.MaxAge >= halfAYear
	result, all := "", true
	for _, k := range cookies {
		if r := k.result(guarded); r != "" {
			result = worst(result, r)
		}
		all = all && k.given
	}
	switch {
	case result != "":
		return result
	case all:
		return observatory.CookiesSameSite
	}
	return observatory.CookiesSecure
}

// result is the worst that can be said of a cookie, empty where nothing can. Who
// is a session the Observatory tells by two syllables.
func (k cookie) result(guarded bool) string {
	n := strings.ToLower(k.name)
	session := strings.Contains(n, "login") || strings.Contains(n, "sess")
	r := ""
	if (k.given && !k.validSameSite()) || (k.sameSite == "none" && !k.secure) {
		r = worst(r, observatory.CookiesSameSiteInvalid)
	}
	switch {
	case !k.secure && guarded && session:
		r = worst(r, observatory.CookiesSessionHSTS)
	case !k.secure && guarded:
		r = worst(r, observatory.CookiesInsecureHSTS)
	case !k.secure && session:
		r = worst(r, observatory.CookiesSessionInsecure)
	case !k.secure:
		r = worst(r, observatory.CookiesInsecure)
	}
	if strings.Contains(n, "csrf") && !k.given {
		r = worst(r, observatory.CookiesAntiCSRF)
	}
	if session && !k.httpOnly {
		r = worst(r, observatory.CookiesSessionScripted)
	}
	return r
}

// corsResult: we do not send an Origin of our own, so that a server which lets in
// whoever asks shows as one that lets in nobody.
func corsResult(c *page.Content) string {
	allow := field(c, "Access-Control-Allow-Origin")
	switch {
	case len(allow) == 0:
		return observatory.CORSNone
	case allow[0] == "*":
		return observatory.CORSPublic
	}
	return observatory.CORSRestricted
}

func referrerResult(c *page.Content) string {
	policy, given := referrer(c)
	switch {
	case !given:
		return observatory.ReferrerNone
	case policy == "":
		return observatory.ReferrerInvalid
	case referrerPolicies[policy]:
		return observatory.ReferrerUnsafe
	}
	return observatory.ReferrerPrivate
}

// sriResult looks at scripts only, as the Observatory does.
func sriResult(c *page.Content) string {
	result, scripts, foreign, own := "", 0, false, false
	for _, k := range code(c) {
		if !k.script {
			continue
		}
		scripts++
		switch {
		case k.sameSite:
			own = own || (k.integrity != "" && k.secure)
			continue
		case k.integrity == "" && !k.secure:
			result = worst(result, observatory.SRIMissingInsecure)
		case !k.secure:
			result = worst(result, observatory.SRIInsecure)
		case k.integrity == "":
			result = worst(result, observatory.SRIMissing)
		}
		foreign = true
	}
	switch {
	case result != "":
		return result
	case foreign:
		return observatory.SRIExternal
	case own:
		return observatory.SRIAll
	case scripts == 0:
		return observatory.SRINoScripts
	}
	return observatory.SRIOwn
}

func contentTypeResult(c *page.Content) string {
	switch present, ok := sniffing(c); {
	case !present:
		return observatory.ContentTypeNone
	case !ok:
		return observatory.ContentTypeInvalid
	}
	return observatory.ContentTypeNosniff
}

func framingResult(c *page.Content) string {
	_, strong, _ := weak(c)
	options := frameOptions(c)
	switch {
	case strong.FrameAncestors:
		return observatory.FramingCSP
	case len(options) == 0:
		return observatory.FramingNone
	case framesKnown(options):
		return observatory.FramingSameOrigin
	case len(options) == 1 && strings.HasPrefix(options[0], "allow-from"):
		return observatory.FramingAllowFrom
	}
	return observatory.FramingInvalid
}

func corpResult(c *page.Content) string {
	switch corp(c) {
	case "":
		return observatory.CORPNone
	case "same-origin":
		return observatory.CORPSameOrigin
	case "same-site":
		return observatory.CORPSameSite
	case "cross-origin":
		return observatory.CORPCrossOrigin
	}
	return observatory.CORPInvalid
}
