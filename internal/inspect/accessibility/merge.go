package accessibility

import (
	"slices"

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
		i := slices.IndexFunc(at[p.path], func(i int) bool { return sameFault(all[i].Finding, p.Finding) })
		if p.path == "" || i < 0 {
			all = append(all, p)
			continue
		}
		known := &all[at[p.path][i]]
		known.Engine += ", " + p.Engine
		known.ACTRules = union(known.ACTRules, p.ACTRules)
		known.WCAG = union(known.WCAG, p.WCAG)
		if p.Outcome == schema.FindingFailed { // what one could not decide, the other one did
			known.Outcome = schema.FindingFailed
		}
	}
	return all
}

func sameFault(a, b schema.Finding) bool {
	if share(a.ACTRules, b.ACTRules) {
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
