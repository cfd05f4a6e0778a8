package report

import (
	"cmp"
	"slices"

	"visite/schema"
)

// decidedShown bounds the acknowledged and ignored items that the HTML report names.
const decidedShown = 100

// decidedSums are items that were acknowledged or ignored, by fingerprint; as many
// as a site has decisions (schema.ItemsDecidedMost).
type decidedSums map[string]*decidedItem

// decidedItem is one of them as this scan found it.
type decidedItem struct {
	schema.Finding // the first one
	schema.ItemDecision
	Path   string
	Places int
	Pages  int
	last   int64
}

func (s decidedSums) add(p schema.Page, f schema.Finding, item string, d schema.ItemDecision) {
	sum := s[item]
	if sum == nil {
		sum = &decidedItem{Finding: f, ItemDecision: d, Path: schema.PathShape(p.URL), last: -1}
		s[item] = sum
	}
	sum.Places++
	if sum.last != p.ID {
		sum.last = p.ID
		sum.Pages++
	}
}

// count gives the faults of one state; questions that were decided are none.
func (s decidedSums) count(state schema.ItemState) (n int) {
	for _, sum := range s {
		if sum.State == state && sum.Outcome != schema.FindingNeedsReview {
			n += sum.Places
		}
	}
	return n
}

// ordered lists acknowledged ones first, those that end soonest at the top.
func (s decidedSums) ordered() []*decidedItem {
	out := make([]*decidedItem, 0, len(s))
	for _, sum := range s {
		out = append(out, sum)
	}
	slices.SortFunc(out, func(a, b *decidedItem) int {
		return cmp.Or(cmp.Compare(a.State, b.State), a.Until.Compare(b.Until), b.Pages-a.Pages, cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Selector, b.Selector), cmp.Compare(a.Path, b.Path))
	})
	return out
}
