package csp

import (
	"slices"
	"strings"
)

// Weak is what policies leave open together. Every policy is enforced, so
// something is open only where each of them leaves it open.
type Weak struct {
	ScriptInline       bool // inline scripts, or scripts in data: addresses
	ScriptBroad        bool // scripts from anywhere, or from anywhere over some scheme
	ObjectBroad        bool // plug-ins likewise
	Eval               bool // 'unsafe-eval' for scripts or styles
	InsecureActive     bool // http: or ftp: sources for what can run
	InsecurePassive    bool // likewise for images and media
	StyleOpen          bool // inline styles, data: or broad sources of styles
	BaseOpen           bool // base-uri not set: nonces can be turned against the page
	FormOpen           bool // form-action not set
	StrictDynamicAlone bool // 'strict-dynamic' without nonce or hash: no script runs
}

// Strong is what at least one of the policies ensures.
type Strong struct {
	DefaultNone    bool // default-src is 'none' and nothing else
	FrameAncestors bool // who may frame the page is said
	Framing        bool // ... and it is not anybody
	Nonces         bool // scripts are let in by nonce or hash
	Upgrade        bool // upgrade-insecure-requests
}

// Weigh looks at policies as browsers enforce them, all at once. Without a
// policy everything is open.
func Weigh(policies []Policy) (Weak, Strong) {
	if len(policies) == 0 {
		return Weak{ScriptInline: true, ScriptBroad: true, ObjectBroad: true, Eval: true, StyleOpen: true, BaseOpen: true, FormOpen: true}, Strong{}
	}
	weak, strong := policies[0].weigh()
	for _, p := range policies[1:] {
		w, s := p.weigh()
		weak = weak.both(w)
		strong = strong.either(s)
	}
	return weak, strong
}

func (w Weak) both(o Weak) Weak {
	return Weak{
		ScriptInline: w.ScriptInline && o.ScriptInline, ScriptBroad: w.ScriptBroad && o.ScriptBroad, ObjectBroad: w.ObjectBroad && o.ObjectBroad,
		Eval: w.Eval && o.Eval, InsecureActive: w.InsecureActive && o.InsecureActive, InsecurePassive: w.InsecurePassive && o.InsecurePassive,
		StyleOpen: w.StyleOpen && o.StyleOpen, BaseOpen: w.BaseOpen && o.BaseOpen, FormOpen: w.FormOpen && o.FormOpen,
		StrictDynamicAlone: w.StrictDynamicAlone || o.StrictDynamicAlone, // one such policy stops all scripts
	}
}

func (s Strong) either(o Strong) Strong {
	return Strong{
		DefaultNone: s.DefaultNone || o.DefaultNone, FrameAncestors: s.FrameAncestors || o.FrameAncestors, Framing: s.Framing || o.Framing,
		Nonces: s.Nonces || o.Nonces, Upgrade: s.Upgrade || o.Upgrade,
	}
}

func (p Policy) weigh() (Weak, Strong) {
	script, scriptSet := p.Sources("script-src", "default-src")
	style, styleSet := p.Sources("style-src", "default-src")
	object, objectSet := p.Sources("object-src", "default-src")
	trusted := keyed(script)
	dynamic := slices.Contains(script, "'strict-dynamic'")
	_, base := p.Directives["base-uri"]
	_, form := p.Directives["form-action"]
	ancestors, framing := p.Directives["frame-ancestors"]
	_, upgrade := p.Directives["upgrade-insecure-requests"]
	fallback := p.Directives["default-src"]
	weak := Weak{
		// A nonce or hash makes browsers ignore 'unsafe-inline' (CSP3 6.7.3.2).
		ScriptInline:       !scriptSet || (slices.Contains(script, "'unsafe-inline'") && !trusted) || (slices.Contains(script, "data:") && !dynamic),
		ScriptBroad:        !scriptSet || (anyBroad(script) && !(dynamic && trusted)),
		ObjectBroad:        !objectSet || anyBroad(object),
		Eval:               slices.Contains(script, "'unsafe-eval'") || slices.Contains(style, "'unsafe-eval'"),
		InsecureActive:     p.insecureActive(dynamic && trusted),
		InsecurePassive:    p.insecurePassive(),
		StyleOpen:          !styleSet || anyBroad(style) || slices.Contains(style, "data:") || (slices.Contains(style, "'unsafe-inline'") && !keyed(style)),
		BaseOpen:           !base,
		FormOpen:           !form,
		StrictDynamicAlone: dynamic && !trusted,
	}
	return weak, Strong{
		DefaultNone: len(fallback) == 1 && fallback[0] == "'none'", FrameAncestors: framing, Framing: framing && !anyBroad(ancestors),
		Nonces: trusted, Upgrade: upgrade,
	}
}

// keyed reports whether sources name a nonce or a hash.
func keyed(sources []string) bool {
	return slices.ContainsFunc(sources, func(s string) bool {
		for _, start := range [...]string{"'nonce-", "'sha256-", "'sha384-", "'sha512-"} {
			if strings.HasPrefix(s, start) {
				return true
			}
		}
		return false
	})
}

// anyBroad reports whether sources let in the whole web, be it over one scheme.
func anyBroad(sources []string) bool {
	return slices.ContainsFunc(sources, func(s string) bool {
		switch s {
		case "*", "http:", "https:", "ftp:", "http://*", "https://*", "http://*.*", "https://*.*":
			return true
		}
		return false
	})
}

// passive are directives for what is shown, not run.
var passive = []string{"img-src", "media-src"}

// insecureActive looks for insecure sources of anything that can run. Where
// scripts are let in by nonce, browsers do not look at their hosts.
func (p Policy) insecureActive(scriptsByKey bool) bool {
	for name, sources := range p.Directives {
		switch {
		case slices.Contains(passive, name), name == "script-src" && scriptsByKey, !strings.HasSuffix(name, "-src") && !strings.HasPrefix(name, "script-src-") && !strings.HasPrefix(name, "style-src-"):
			continue
		}
		if anyInsecure(sources) {
			return true
		}
	}
	return false
}

func (p Policy) insecurePassive() bool {
	for _, name := range passive {
		if sources, _ := p.Sources(name, "default-src"); anyInsecure(sources) {
			return true
		}
	}
	return false
}

func anyInsecure(sources []string) bool {
	return slices.ContainsFunc(sources, func(s string) bool { return strings.HasPrefix(s, "http:") || strings.HasPrefix(s, "ftp:") })
}
