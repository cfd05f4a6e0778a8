package report

import (
	"context"
	"fmt"

	"visite/schema"
)

// Change is what became of an item from one scan of a site to another.
type Change string

const (
	ChangeNew       Change = "new"       // the earlier scan looked and did not find it
	ChangeUnchanged Change = "unchanged" // both found it
	ChangeGone      Change = "gone"      // the later scan looked and did not find it
	// ChangeNotCompared: only one scan found it, and the other analysed no page of
	// its template. Nothing may be concluded.
	ChangeNotCompared Change = "not_compared"
)

// ComparedItem is an item and what became of it; Change is empty where nothing is compared.
type ComparedItem struct {
	Item
	Change Change
}

// folding is a scan's items and the templates it analysed pages of.
type folding struct {
	itemSums
	analysed map[string]bool
}

// pathsKept bounds the path shapes remembered of a scan; of one with more,
// what is not remembered is not compared.
const pathsKept = 50_000

func (r Renderer) fold(ctx context.Context, scanID string, states schema.ItemStates, speak words) (*folding, error) {
	f := &folding{itemSums: itemSums{items: map[string]*Item{}, states: states}, analysed: map[string]bool{}}
	err := eachPage(ctx, r.Source, scanID, func(p schema.Page) error {
		if p.Outcome == schema.OutcomeAnalysed && len(f.analysed) < pathsKept {
			f.analysed[schema.PathShape(p.URL)] = true
		}
		for _, finding := range p.Findings {
			f.add(p, finding, speak)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return f, nil
}

// Items folds a scan's findings, at most 10,000 items, faults before questions
// and by effect times reach. Where before names an earlier scan of the site, each
// item says what became of it, and those that only the earlier scan has follow.
func (r Renderer) Items(ctx context.Context, scan schema.Scan, before string, lang Lang) ([]ComparedItem, error) {
	speak, err := wordsOf(lang)
	if err != nil {
		return nil, err
	}
	states, err := r.Source.ItemStates(ctx, scan.SiteID)
	if err != nil {
		return nil, wrapped(err)
	}
	now, err := r.fold(ctx, scan.ID, states, speak)
	if err != nil {
		return nil, err
	}
	if before == "" {
		return now.compared(nil, ""), nil
	}
	then, err := r.fold(ctx, before, states, speak)
	if err != nil {
		return nil, err
	}
	return append(now.compared(then, ChangeNew), then.compared(now, ChangeGone)...), nil
}

// compared lists the items with what became of them towards another scan: only
// is said of those that the other looked for in vain. Of the earlier scan
// (only is "gone") those that both have are left out.
func (f *folding) compared(other *folding, only Change) []ComparedItem {
	out := []ComparedItem{}
	for _, item := range f.ordered() {
		c := ComparedItem{Item: *item}
		switch {
		case other == nil:
		case other.items[item.ID] != nil && only == ChangeGone:
			continue
		case other.items[item.ID] != nil:
			c.Change = ChangeUnchanged
		case other.analysed[item.Template] && other.left == 0:
			c.Change = only
		default:
			c.Change = ChangeNotCompared
		}
		out = append(out, c)
	}
	return out
}
