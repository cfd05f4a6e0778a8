package accessibility

import (
	"slices"
	"strings"

	"visite/schema"
)

// merge adds the second engine's findings to the first one's. A fault that both
// name is one finding, with both as its engines: the same element, and the same
// ACT rule; or the same success criterion where one of them names no ACT rule.
// Other faults of one element under one criterion stay apart: a button without a
// name that is also hidden has two.
func merge(all, more []placed) []placed {
	at := map[string][]int{}
	for i, p := range all {
		at[p.path] = append(at[p.path], i)
	}
	for _, p := range more {
		i := counterpart(all, at, p)
		if i < 0 {
			all = append(all, p)
			continue
		}
		known := &all[i]
		if !strings.HasSuffix(known.Engine, p.Engine) { // one place may stand for several of the other's
			known.Engine += ", " + p.Engine
		}
		known.ACTRules = union(known.ACTRules, p.ACTRules)
		known.WCAG = union(known.WCAG, p.WCAG)
		if p.Outcome == schema.FindingFailed { // what one could not decide, the other one did
			known.Outcome = schema.FindingFailed
		}
	}
	return all
}

// counterpart is the index of the first engine's finding of the same fault: at
// the same element, or by the same ACT rule at one around it, as engines place
// some faults at the table or the document instead; -1 for none.
func counterpart(all []placed, at map[string][]int, p placed) int {
	if p.path == "" {
		return -1
	}
	for _, i := range at[p.path] {
		if sameFault(all[i].Finding, p.Finding) {
			return i
		}
	}
	document := strings.LastIndex(p.path, " >>> ") // what is around a frame is another document
	for path := p.path; ; {
		end := strings.LastIndex(path, " > ")
		if end <= document {
			return -1
		}
		path = path[:end]
		for _, i := range at[path] {
			if share(all[i].ACTRules, p.ACTRules) {
				return i
			}
		}
	}
}

// imageName are ACT rules that say the same of an svg element with a role: one
// speaks of images, the other one of svg elements.
var imageName = []string{"23a2a8", "7d6734"}

func sameFault(a, b schema.Finding) bool {
	if share(a.ACTRules, b.ACTRules) || (share(a.ACTRules, imageName) && share(b.ACTRules, imageName)) {
		return true
	}
	return (len(a.ACTRules) == 0 || len(b.ACTRules) == 0) && share(a.WCAG, b.WCAG)
}

func share(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

// union is a with what of b it lacks; a stays as it is.
func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
