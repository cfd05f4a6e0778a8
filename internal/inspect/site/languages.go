package site

import (
	"maps"
	"slices"

	"visite/schema"
)

// tellLanguages looks at what the language versions of pages lead to, as far as
// they were loaded, and whether those name the page in return. Each page is told
// of once a rule.
func (j *judgement) tellLanguages() {
	for i := range j.f.Pages {
		p := &j.f.Pages[i]
		if p.Outcome != schema.OutcomeAnalysed || len(p.Hreflang) == 0 || noindex(p) || !selfCanonical(p) {
			continue
		}
		target, lonely := "", ""
		for _, code := range slices.Sorted(maps.Keys(p.Hreflang)) {
			address := p.Hreflang[code]
			other := j.byKey[schema.KeyOf(address)]
			if other == nil || other.ID == p.ID {
				continue
			}
			switch fault := j.versionFault(other); {
			case fault != "" && target == "":
				target = code + ", " + fault + ": " + schema.RedactAddress(address)
			case fault == "" && lonely == "" && other.Outcome == schema.OutcomeAnalysed && selfCanonical(other) && !names(other, p):
				lonely = code + ": " + schema.RedactAddress(address)
			}
		}
		if target != "" {
			j.find(p.ID, HreflangTarget, target)
		}
		if lonely != "" {
			j.find(p.ID, HreflangReturn, lonely)
		}
	}
}

// versionFault says why a page is no language version to show; empty where it is one.
func (j *judgement) versionFault(p *schema.PageFacts) string {
	switch verdict, _ := j.verdict(p); {
	case verdict == schema.LinkBroken:
		return "answers with an error"
	case verdict == schema.LinkRedirects:
		return "redirects"
	case p.Outcome == schema.OutcomeAnalysed && noindex(p):
		return "asks not to be listed"
	}
	return ""
}

// names reports whether a page lists another one among its language versions.
func names(p, other *schema.PageFacts) bool {
	for _, address := range p.Hreflang {
		key := schema.KeyOf(address)
		if key == schema.KeyOf(other.URL) || key == schema.KeyOf(other.FinalURL) || other.Canonical != "" && key == schema.KeyOf(other.Canonical) {
			return true
		}
	}
	return false
}
