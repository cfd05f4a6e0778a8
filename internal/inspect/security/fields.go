package security

import (
	"strings"

	"visite/internal/inspect/page"
	"visite/internal/inspect/rule"
)

// frameOptions are the values of X-Frame-Options; a field's value may be a list,
// equal ones count once (HTML Standard, the X-Frame-Options header).
func frameOptions(c *page.Content) []string {
	var out []string
	seen := map[string]bool{}
	for _, f := range field(c, "X-Frame-Options") {
		for v := range strings.SplitSeq(strings.ToLower(f), ",") {
			if v = strings.TrimSpace(v); v != "" && !seen[v] {
				seen[v] = true
				out = append(out, v)
			}
		}
	}
	return out
}

func framesKnown(options []string) bool {
	return len(options) == 1 && (options[0] == "deny" || options[0] == "sameorigin")
}

func framingMissing(c *page.Content) []rule.Hit {
	_, strong, _ := weak(c)
	if strong.FrameAncestors || len(frameOptions(c)) > 0 || !deployed(c) {
		return nil
	}
	return rule.Page("")
}

func framingOpen(c *page.Content) []rule.Hit {
	if _, strong, _ := weak(c); !strong.FrameAncestors || strong.Framing {
		return nil
	}
	return rule.Page("frame-ancestors")
}

// frameOptionsInvalid: where frame-ancestors is set, browsers do not look here.
func frameOptionsInvalid(c *page.Content) []rule.Hit {
	options := frameOptions(c)
	_, strong, _ := weak(c)
	switch {
	case len(options) == 0 || framesKnown(options) || strong.FrameAncestors:
		return nil
	case len(options) > 1:
		return rule.Page(rule.Count(len(options), "different value"))
	case strings.HasPrefix(options[0], "allow-from"):
		return rule.Page("ALLOW-FROM")
	}
	return rule.Page("")
}

// sniffing is the state of X-Content-Type-Options: of a list the first counts
// (Fetch Standard, determine nosniff).
func sniffing(c *page.Content) (present, nosniff bool) {
	fields := field(c, "X-Content-Type-Options")
	if len(fields) == 0 {
		return false, false
	}
	first, _, _ := strings.Cut(fields[0], ",")
	return true, strings.EqualFold(strings.TrimSpace(first), "nosniff")
}

func nosniffMissing(c *page.Content) []rule.Hit {
	if present, _ := sniffing(c); present || !deployed(c) {
		return nil
	}
	return rule.Page("")
}

func nosniffInvalid(c *page.Content) []rule.Hit {
	if present, ok := sniffing(c); !present || ok {
		return nil
	}
	return rule.Page("")
}

// referrerPolicies are all there are; true for those that give other sites, or
// insecure ones, more than the origin of a secure page.
var referrerPolicies = map[string]bool{
	"no-referrer": false, "same-origin": false, "strict-origin": false, "strict-origin-when-cross-origin": false,
	"origin": true, "origin-when-cross-origin": true, "unsafe-url": true, "no-referrer-when-downgrade": true,
}

// referrer is the policy in force: of all given the last one that is known
// (Referrer Policy section 8.1); the markup comes after the field.
func referrer(c *page.Content) (policy string, given bool) {
	values := field(c, "Referrer-Policy")
	for _, m := range c.MetasNamed("referrer") {
		values = append(values, m.Content)
	}
	for _, v := range values {
		for token := range strings.SplitSeq(strings.ToLower(v), ",") {
			token = strings.TrimSpace(token)
			given = given || token != ""
			if _, known := referrerPolicies[token]; known {
				policy = token
			}
		}
	}
	return policy, given
}

func referrerUnsafe(c *page.Content) []rule.Hit {
	policy, _ := referrer(c)
	if !referrerPolicies[policy] {
		return nil
	}
	return rule.Page(policy)
}

func referrerInvalid(c *page.Content) []rule.Hit {
	if policy, given := referrer(c); !given || policy != "" {
		return nil
	}
	return rule.Page("")
}

func corp(c *page.Content) string {
	if f := field(c, "Cross-Origin-Resource-Policy"); len(f) > 0 {
		return strings.ToLower(f[0])
	}
	return ""
}

func corpInvalid(c *page.Content) []rule.Hit {
	switch corp(c) {
	case "", "same-origin", "same-site", "cross-origin":
		return nil
	}
	return rule.Page("")
}

// corsCredentials: browsers let nobody in who sends credentials to "*"; whoever
// wrote this meant to open more than they should.
func corsCredentials(c *page.Content) []rule.Hit {
	allow, with := field(c, "Access-Control-Allow-Origin"), field(c, "Access-Control-Allow-Credentials")
	if len(allow) == 0 || len(with) == 0 || with[0] != "true" || (allow[0] != "*" && allow[0] != "null") {
		return nil
	}
	return rule.Page(allow[0])
}

// versions looks for a version number in what a server says of itself.
func versions(c *page.Content) []rule.Hit {
	var names []string
	for _, name := range [...]string{"Server", "X-Powered-By", "X-AspNet-Version", "X-AspNetMvc-Version", "X-Generator"} {
		for _, v := range field(c, name) {
			if hasVersion(v) {
				names = append(names, name)
				break
			}
		}
	}
	return listed(names)
}

// hasVersion reports whether a word has a number with a dot and a digit after it.
func hasVersion(s string) bool {
	for i := 1; i+1 < len(s); i++ {
		if s[i] == '.' && isDigit(s[i-1]) && isDigit(s[i+1]) {
			return true
		}
	}
	return false
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }
