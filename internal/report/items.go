package report

import (
	"cmp"
	"slices"
	"time"

	"visite/schema"
)

// Item is an item of the key "items": one fault, or question, of one template,
// folded over the pages that show it.
type Item struct {
	ID       string                `json:"id"` // schema.Fingerprint
	Rule     string                `json:"rule"`
	Engine   string                `json:"engine"`
	Category schema.Category       `json:"category"`
	Severity schema.Severity       `json:"severity"` // the gravest of its findings
	Outcome  schema.FindingOutcome `json:"outcome"`
	Title    string                `json:"title"`
	Help     string                `json:"help"`
	Selector string                `json:"selector"` // shape of the place
	Template string                `json:"template"` // shape of the path
	Places   int                   `json:"places"`
	Pages    int                   `json:"pages"`
	Examples []string              `json:"examples"`

	State       schema.ItemState `json:"state"`
	StateReason string           `json:"state_reason"`
	StateUntil  *time.Time       `json:"state_until"` // an acknowledgement's end
}

func showItem(f *schema.FoldedItem, states schema.ItemStates, speak words) *Item {
	said := speak.inWords(f.Finding)
	item := &Item{ID: f.ID, Rule: f.Finding.Rule, Engine: f.Finding.Engine, Category: f.Finding.Category, Severity: f.Severity, Outcome: f.Finding.Outcome,
		Title: said.Title, Help: said.Help, Selector: f.Selector, Template: f.Template, Places: f.Places, Pages: f.Pages, Examples: make([]string, len(f.Examples))}
	if f.Subject != "" {
		item.Title += ": " + f.Subject
	}
	for i, p := range f.Examples {
		item.Examples[i] = p.URL
	}
	d := states.Of(f.ID)
	item.State, item.StateReason, item.StateUntil = d.State, d.Reason, timeOrNull(d.Until)
	return item
}

// effect is how much an item takes from its topic's score (decision 0018), in
// pages that would be without any.
func (i *Item) effect() float64 { return i.Severity.Weight() * float64(i.Pages) }

// orderedItems lists faults before questions, then by effect times reach.
func orderedItems(fold schema.ItemFold, states schema.ItemStates, speak words) []*Item {
	out := make([]*Item, 0, len(fold.Items))
	for _, item := range fold.Items {
		out = append(out, showItem(item, states, speak))
	}
	slices.SortFunc(out, func(a, b *Item) int {
		return cmp.Or(cmp.Compare(a.Outcome, b.Outcome), cmp.Compare(b.effect(), a.effect()), b.Severity.Rank()-a.Severity.Rank(), b.Pages-a.Pages, b.Places-a.Places, cmp.Compare(a.ID, b.ID))
	})
	return out
}
