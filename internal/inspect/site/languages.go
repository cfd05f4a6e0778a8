package site

import (
	"hash/maphash"
	"maps"
	"slices"

	"visite/schema"
)

// tellLanguages looks at what the language versions of pages lead to, as far as
// they were loaded, and whether those name the page in return. Each page is told
// of once a rule.
func (j *judgement) tellLanguages() {
	named := make(versionKeys)
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
			case fault == "" && lonely == "" && other.Outcome == schema.OutcomeAnalysed && selfCanonical(other) && !named.names(other, p):
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

// versionKeys are the language versions of pages by page id, as hashes of their
// keys: there are many of them, and each is looked for from every other one.
type versionKeys map[int64][]uint64

var versionSeed = maphash.MakeSeed()

func keyHash(address string) uint64 { return maphash.String(versionSeed, schema.KeyOf(address)) }

// names reports whether a page lists another one among its language versions, or
// may do so below those that were kept.
func (v versionKeys) names(p, other *schema.PageFacts) bool {
	if len(p.Hreflang) >= schema.HreflangMost {
		return true
	}
	keys, known := v[p.ID]
	if !known {
		for _, address := range p.Hreflang {
			keys = append(keys, keyHash(address))
		}
		v[p.ID] = keys
	}
	return slices.Contains(keys, keyHash(other.URL)) || slices.Contains(keys, keyHash(other.FinalURL)) ||
		other.Canonical != "" && slices.Contains(keys, keyHash(other.Canonical))
}
