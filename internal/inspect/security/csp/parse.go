// Package csp reads Content Security Policies and says what they leave open
// (W3C Content Security Policy Level 3). It keeps names of directives and
// sources in memory only.
package csp

import "strings"

// maxPolicies and maxDirectives bound what is read of one answer.
const (
	maxPolicies   = 50
	maxDirectives = 200
)

// Policy is one enforced policy.
type Policy struct {
	Directives map[string][]string // lower case, of equal names the first (CSP3 2.2.1)
	Duplicates []string            // names that occur again and are ignored there
	Malformed  int                 // directives whose name no directive can have
	Meta       bool                // delivered in the markup
	InVain     []string            // directives that the markup cannot deliver (CSP3 3.3)
}

// notInMeta are ignored where a meta element delivers them (CSP3 3.3).
var notInMeta = map[string]bool{"frame-ancestors": true, "report-uri": true, "sandbox": true}

// Parse reads the values of all Content-Security-Policy fields and of the meta
// elements that stand for them. A field's value is a list: commas part policies,
// semicolons part directives (CSP3 2.2.2). An empty policy is no policy.
func Parse(fields, metas []string) []Policy {
	var out []Policy
	add := func(text string, meta bool) {
		for policy := range strings.SplitSeq(text, ",") {
			if p, ok := parseOne(policy, meta); ok && len(out) < maxPolicies {
				out = append(out, p)
			}
		}
	}
	for _, f := range fields {
		add(f, false)
	}
	for _, m := range metas {
		add(m, true)
	}
	return out
}

func parseOne(text string, meta bool) (Policy, bool) {
	p := Policy{Directives: map[string][]string{}, Meta: meta}
	seen := 0
	for directive := range strings.SplitSeq(text, ";") {
		words := strings.Fields(strings.ToLower(directive))
		if len(words) == 0 || seen >= maxDirectives {
			continue
		}
		seen++
		name := words[0]
		switch _, twice := p.Directives[name]; {
		case !isName(name):
			p.Malformed++
		case twice:
			p.Duplicates = append(p.Duplicates, name)
		case meta && notInMeta[name]:
			p.InVain = append(p.InVain, name)
		default:
			p.Directives[name] = words[1:]
		}
	}
	return p, seen > 0
}

// isName reports whether a word can name a directive: letters, digits, hyphens.
func isName(s string) bool {
	return len(s) <= 60 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// known are the directives of CSP3 and its registered extensions, obsolete ones
// included.
var known = func() map[string]bool {
	out := map[string]bool{}
	for _, name := range strings.Fields(`default-src script-src script-src-elem script-src-attr style-src style-src-elem style-src-attr
		img-src font-src connect-src media-src object-src frame-src child-src worker-src manifest-src prefetch-src fenced-frame-src
		base-uri form-action frame-ancestors navigate-to sandbox report-uri report-to upgrade-insecure-requests
		block-all-mixed-content require-trusted-types-for trusted-types require-sri-for webrtc plugin-types referrer reflected-xss`) {
		out[name] = true
	}
	return out
}()

// Unknown lists directives that no specification knows, most likely misspelt.
func (p Policy) Unknown() []string {
	var out []string
	for name := range p.Directives {
		if !known[name] {
			out = append(out, name)
		}
	}
	return out
}

// Sources are those of the first of the directives that the policy has; set is
// false where it has none of them: then anything may be loaded.
func (p Policy) Sources(directives ...string) (sources []string, set bool) {
	for _, d := range directives {
		if s, ok := p.Directives[d]; ok {
			return s, true
		}
	}
	return nil, false
}
