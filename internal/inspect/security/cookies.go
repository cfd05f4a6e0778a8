package security

import (
	"strings"

	"visite/internal/inspect/page"
	"visite/internal/inspect/rule"
	"visite/schema"
)

// cookie is a Set-Cookie field without its value (RFC 6265bis section 5.6).
type cookie struct {
	name     string
	secure   bool
	httpOnly bool
	sameSite string // lower case; empty where not given
	given    bool   // SameSite is there, with a value or not
	domain   bool
	path     string
}

// readCookies takes names and attributes; the value is dropped at once.
func readCookies(c *page.Content) []cookie {
	var out []cookie
	for _, f := range field(c, "Set-Cookie") {
		pair, attributes, _ := strings.Cut(f, ";")
		name, _, ok := strings.Cut(pair, "=")
		if !ok {
			name = ""
		}
		k := cookie{name: strings.TrimSpace(name)}
		for a := range strings.SplitSeq(attributes, ";") {
			key, value, _ := strings.Cut(a, "=")
			value = strings.TrimSpace(value)
			switch strings.ToLower(strings.TrimSpace(key)) {
			case "secure":
				k.secure = true
			case "httponly":
				k.httpOnly = true
			case "samesite":
				k.given, k.sameSite = true, strings.ToLower(value)
			case "domain":
				k.domain = value != ""
			case "path":
				k.path = value
			}
		}
		out = append(out, k)
	}
	return out
}

// session tells by its name that a cookie carries a login or session.
func (k cookie) session() bool {
	n := strings.ToLower(k.name)
	if strings.Contains(n, "csrf") || strings.Contains(n, "xsrf") {
		return false
	}
	for _, part := range [...]string{"sess", "login", "auth"} {
		if strings.Contains(n, part) {
			return true
		}
	}
	return n == "sid" || strings.HasSuffix(n, ".sid") || strings.HasSuffix(n, "_sid")
}

func (k cookie) validSameSite() bool {
	return k.sameSite == "strict" || k.sameSite == "lax" || k.sameSite == "none"
}

func eachCookie(c *page.Content, fault func(cookie) (detail string, severity schema.Severity, found bool)) []rule.Hit {
	var hits []rule.Hit
	for _, k := range readCookies(c) {
		if detail, severity, found := fault(k); found {
			hits = append(hits, rule.Hit{Detail: strings.TrimSpace(word(k.name) + " " + detail), Severity: severity})
		}
	}
	return hits
}

// cookieInsecure: over http and on this machine a cookie cannot, or need not, be Secure.
func cookieInsecure(c *page.Content) []rule.Hit {
	if !c.Secure() {
		return nil
	}
	return eachCookie(c, func(k cookie) (string, schema.Severity, bool) {
		severity := schema.Severity("")
		if k.session() {
			severity = schema.SeveritySerious
		}
		return "", severity, !k.secure
	})
}

func cookieScripted(c *page.Content) []rule.Hit {
	return eachCookie(c, func(k cookie) (string, schema.Severity, bool) { return "", "", k.session() && !k.httpOnly })
}

func cookieSameSite(c *page.Content) []rule.Hit {
	if !deployed(c) {
		return nil
	}
	return eachCookie(c, func(k cookie) (string, schema.Severity, bool) { return "", "", !k.given })
}

// cookieSameSiteInvalid: browsers drop a cookie for other sites that is not
// Secure, and take a value they do not know for none given.
func cookieSameSiteInvalid(c *page.Content) []rule.Hit {
	return eachCookie(c, func(k cookie) (string, schema.Severity, bool) {
		switch {
		case k.given && !k.validSameSite():
			return "", "", true
		case k.sameSite == "none" && !k.secure:
			return "SameSite=None", "", true
		}
		return "", "", false
	})
}

// cookiePrefix: a cookie that breaks the promise in its name is not taken
// (RFC 6265bis section 4.1.3).
func cookiePrefix(c *page.Content) []rule.Hit {
	return eachCookie(c, func(k cookie) (string, schema.Severity, bool) {
		n := strings.ToLower(k.name)
		switch {
		case strings.HasPrefix(n, "__host-"):
			return "", "", !k.secure || k.domain || k.path != "/" || !c.Secure()
		case strings.HasPrefix(n, "__secure-"):
			return "", "", !k.secure || !c.Secure()
		}
		return "", "", false
	})
}
