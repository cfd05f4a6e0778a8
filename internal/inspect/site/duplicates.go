package site

import (
	"slices"
	"strconv"
	"strings"

	"visite/schema"
)

func number(n int) string { return strconv.Itoa(n) }

// listed are the pages that stand for themselves in search results: analysed,
// not asking to be left out, not naming another address as canonical, and not
// the target of a redirect twice over.
func (j *judgement) listed() []*schema.PageFacts {
	var out []*schema.PageFacts
	seen := map[string]bool{}
	for i := range j.f.Pages {
		p := &j.f.Pages[i]
		if p.Outcome != schema.OutcomeAnalysed || noindex(p) || !selfCanonical(p) || moved(p) || seen[schema.KeyOf(p.URL)] {
			continue
		}
		seen[schema.KeyOf(p.URL)] = true
		out = append(out, p)
	}
	return out
}

func noindex(p *schema.PageFacts) bool {
	return slices.Contains(p.RobotsTags, "noindex") || slices.Contains(p.RobotsTags, "none")
}

func selfCanonical(p *schema.PageFacts) bool {
	return p.Canonical == "" || schema.KeyOf(p.Canonical) == schema.KeyOf(p.URL) || schema.KeyOf(p.Canonical) == schema.KeyOf(p.FinalURL)
}

// tellDuplicates compares contents, titles and descriptions. Pages with the same
// content have the same title as well: they are told of once.
func (j *judgement) tellDuplicates() {
	listed := j.listed()
	groups(listed, func(p *schema.PageFacts) string {
		if p.ContentHash == 0 {
			return ""
		}
		return strconv.FormatUint(p.ContentHash, 36)
	}, func(same []*schema.PageFacts) {
		if variants(same) {
			j.tellGroup(AddressVariants, same)
		} else {
			j.tellGroup(ContentDuplicate, same)
		}
	})
	groups(listed, func(p *schema.PageFacts) string { return strings.ToLower(p.Title) },
		func(same []*schema.PageFacts) { j.tellGroup(TitleDuplicate, ofDifferentContent(same)) })
	groups(listed, func(p *schema.PageFacts) string { return strings.ToLower(p.Description) },
		func(same []*schema.PageFacts) { j.tellGroup(DescriptionDuplicate, ofDifferentContent(same)) })
}

// groups yields the pages that share a key, in their order.
func groups(pages []*schema.PageFacts, key func(*schema.PageFacts) string, yield func([]*schema.PageFacts)) {
	byKey := map[string][]*schema.PageFacts{}
	var order []string
	for _, p := range pages {
		k := key(p)
		if k == "" {
			continue
		}
		if byKey[k] == nil {
			order = append(order, k)
		}
		byKey[k] = append(byKey[k], p)
	}
	for _, k := range order {
		if len(byKey[k]) > 1 {
			yield(byKey[k])
		}
	}
}

// ofDifferentContent leaves one page of each content.
func ofDifferentContent(pages []*schema.PageFacts) []*schema.PageFacts {
	seen := map[uint64]bool{}
	var out []*schema.PageFacts
	for _, p := range pages {
		if p.ContentHash != 0 && seen[p.ContentHash] {
			continue
		}
		seen[p.ContentHash] = true
		out = append(out, p)
	}
	return out
}

func (j *judgement) tellGroup(id string, same []*schema.PageFacts) {
	if len(same) < 2 {
		return
	}
	for i, p := range same {
		other := same[0]
		if i == 0 {
			other = same[1]
		}
		j.find(p.ID, id, number(len(same))+" pages, another is "+schema.RedactAddress(other.URL))
	}
}
