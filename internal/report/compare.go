package report

import (
	"context"

	"visite/schema"
)

// Change is what became of an item from one scan of a site to another.
type Change string

const (
	ChangeNew       Change = "new"       // the earlier scan looked and did not find it
	ChangeUnchanged Change = "unchanged" // both found it
	ChangeGone      Change = "gone"      // the later scan looked and did not find it
	// ChangeNotCompared: only one scan found it, and the other did not look in the same
	// way: with another engine or device, at no page of its template, or without what
	// finds it (schema.ItemFold.Misses). Nothing may be concluded.
	ChangeNotCompared Change = "not_compared"
)

// ComparedItem is an item and what became of it; Change is empty where nothing is compared.
type ComparedItem struct {
	Item
	Change Change
}

// Items folds a scan's findings, at most 10,000 items, faults before questions
// and by effect times reach. Where before is an earlier scan of the site, not nil, each
// item says what became of it, and those that only the earlier scan has follow.
func (r Renderer) Items(ctx context.Context, scan schema.Scan, before *schema.Scan, lang Lang) ([]ComparedItem, error) {
	speak, err := wordsOf(lang)
	if err != nil {
		return nil, err
	}
	states, err := r.Source.ItemStates(ctx, scan.SiteID)
	if err != nil {
		return nil, wrapped(err)
	}
	now, err := r.Source.Items(ctx, scan.ID)
	if err != nil {
		return nil, wrapped(err)
	}
	show := func(fold, other *schema.ItemFold, only Change) []ComparedItem {
		return compared(orderedItems(*fold, states, speak), fold, other, only)
	}
	if before == nil {
		return show(&now, nil, ""), nil
	}
	then, err := r.Source.Items(ctx, before.ID)
	if err != nil {
		return nil, wrapped(err)
	}
	if before.Engine != scan.Engine || before.Device != scan.Device {
		now.Templates, then.Templates = nil, nil // others see other faults
	}
	return append(show(&now, &then, ChangeNew), show(&then, &now, ChangeGone)...), nil
}

// compared lists a fold's items with what became of them towards another scan: only
// is said of those that the other looked for in vain. Of the earlier scan
// (only is "gone") those that both have are left out.
func compared(items []*Item, fold, other *schema.ItemFold, only Change) []ComparedItem {
	out := make([]ComparedItem, 0, len(items))
	for _, item := range items {
		c := ComparedItem{Item: *item}
		switch {
		case other == nil:
		case other.Items[item.ID] != nil && only == ChangeGone:
			continue
		case other.Items[item.ID] != nil:
			c.Change = ChangeUnchanged
		case other.Misses(item.Rule, item.Template, fold):
			c.Change = only
		default:
			c.Change = ChangeNotCompared
		}
		out = append(out, c)
	}
	return out
}
