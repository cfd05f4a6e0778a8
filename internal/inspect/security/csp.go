package security

import (
	"slices"
	"strings"

	"visite/internal/inspect/page"
	"visite/internal/inspect/rule"
	"visite/internal/inspect/security/csp"
)

// policies are those that browsers enforce on a page.
func policies(c *page.Content) []csp.Policy {
	return csp.Parse(field(c, "Content-Security-Policy"), c.Policies)
}

func weak(c *page.Content) (csp.Weak, csp.Strong, bool) {
	p := policies(c)
	w, s := csp.Weigh(p)
	return w, s, len(p) > 0
}

// reportOnly reports whether a policy is tried out: it protects from nothing.
func reportOnly(c *page.Content) bool {
	return len(csp.Parse(field(c, "Content-Security-Policy-Report-Only"), nil)) > 0
}

func cspMissing(c *page.Content) []rule.Hit {
	if len(policies(c)) > 0 || reportOnly(c) || !deployed(c) || !c.Complete() {
		return nil
	}
	return rule.Page("")
}

func cspReportOnly(c *page.Content) []rule.Hit {
	if len(policies(c)) > 0 || !reportOnly(c) || !c.Complete() {
		return nil
	}
	return rule.Page("")
}

func cspInline(c *page.Content) []rule.Hit {
	w, _, there := weak(c)
	if !there || !w.ScriptInline {
		return nil
	}
	if !slices.ContainsFunc(policies(c), restrictsScripts) {
		return rule.Page("no script-src")
	}
	return rule.Page("script-src")
}

func restrictsScripts(p csp.Policy) bool {
	_, set := p.Sources("script-src", "default-src")
	return set
}

func cspBroad(c *page.Content) []rule.Hit {
	w, _, there := weak(c)
	if !there || !slices.ContainsFunc(policies(c), restrictsScripts) { // said by csp-unsafe-inline
		return nil
	}
	var in []string
	if w.ScriptBroad {
		in = append(in, "script-src")
	}
	if w.ObjectBroad {
		in = append(in, "object-src")
	}
	return listed(in)
}

func cspEval(c *page.Content) []rule.Hit {
	if w, _, there := weak(c); !there || !w.Eval {
		return nil
	}
	return rule.Page("")
}

func cspStyle(c *page.Content) []rule.Hit {
	w, _, there := weak(c)
	if !there || !w.StyleOpen || w.ScriptInline { // a gate beside an open wall
		return nil
	}
	return rule.Page("style-src")
}

func cspInsecure(c *page.Content) []rule.Hit {
	w, _, there := weak(c)
	if !there || !c.Secure() {
		return nil
	}
	var in []string
	if w.InsecureActive {
		in = append(in, "active content")
	}
	if w.InsecurePassive {
		in = append(in, "images and media")
	}
	return listed(in)
}

// cspBase: a base element put in by an attacker turns nonces on scripts of his own.
func cspBase(c *page.Content) []rule.Hit {
	if w, s, there := weak(c); !there || !w.BaseOpen || !s.Nonces {
		return nil
	}
	return rule.Page("base-uri")
}

func cspDynamic(c *page.Content) []rule.Hit {
	if w, _, there := weak(c); !there || !w.StrictDynamicAlone {
		return nil
	}
	return rule.Page("strict-dynamic")
}

func cspMalformed(c *page.Content) []rule.Hit {
	malformed := 0
	var names []string
	for _, p := range policies(c) {
		malformed += p.Malformed
		for _, n := range p.Unknown() {
			names = append(names, word(n))
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if malformed > 0 {
		names = append(names, rule.Count(malformed, "malformed directive"))
	}
	return listed(names)
}

func cspDuplicate(c *page.Content) []rule.Hit {
	var names []string
	for _, p := range policies(c) {
		for _, n := range p.Duplicates {
			names = append(names, word(n))
		}
	}
	slices.Sort(names)
	return listed(slices.Compact(names))
}

func cspInVain(c *page.Content) []rule.Hit {
	var names []string
	for _, p := range policies(c) {
		names = append(names, p.InVain...)
	}
	slices.Sort(names)
	return listed(slices.Compact(names))
}

// mostListed bounds the names in one finding.
const mostListed = 10

// listed is one hit that names things, none where there are none.
func listed(names []string) []rule.Hit {
	if len(names) == 0 {
		return nil
	}
	return rule.Page(strings.Join(names[:min(len(names), mostListed)], ", "))
}
