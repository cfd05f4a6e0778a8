package report

import (
	"cmp"
	"slices"
	"time"

	"visite/schema"
)

// Bounds of the list of items; what they leave out is counted.
const (
	itemsKept    = 10_000
	itemExamples = 5 // pages named with an item
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

	lastPage int64
}

// itemSums folds findings, in the order of their pages, in bounded memory.
type itemSums struct {
	items  map[string]*Item
	states schema.ItemStates
	left   int // findings of items beyond itemsKept
}

func (s *itemSums) add(p schema.Page, f schema.Finding, speak words) {
	id := schema.Fingerprint(f, p.URL)
	item := s.items[id]
	if item == nil {
		if len(s.items) == itemsKept {
			s.left++
			return
		}
		said := speak.inWords(f)
		item = &Item{ID: id, Rule: f.Rule, Engine: f.Engine, Category: f.Category, Severity: f.Severity, Outcome: f.Outcome, Title: said.Title, Help: said.Help,
			Selector: schema.SelectorShape(f.Selector), Template: schema.PathShape(p.URL), lastPage: -1}
		if subject := schema.Subject(f); subject != "" {
			item.Title += ": " + subject
		}
		d := s.states.Of(id)
		item.State, item.StateReason, item.StateUntil = d.State, d.Reason, timeOrNull(d.Until)
		s.items[id] = item
	}
	item.Places++
	if f.Severity.Rank() > item.Severity.Rank() {
		item.Severity = f.Severity
	}
	if item.lastPage != p.ID {
		item.lastPage = p.ID
		item.Pages++
		if len(item.Examples) < itemExamples {
			item.Examples = append(item.Examples, p.URL)
		}
	}
}

// effect is how much an item takes from its topic's score (decision 0018), in
// pages that would be without any.
func (i *Item) effect() float64 { return i.Severity.Weight() * float64(i.Pages) }

// ordered lists faults before questions, then by effect times reach.
func (s *itemSums) ordered() []*Item {
	out := make([]*Item, 0, len(s.items))
	for _, item := range s.items {
		out = append(out, item)
	}
	slices.SortFunc(out, func(a, b *Item) int {
		return cmp.Or(cmp.Compare(a.Outcome, b.Outcome), cmp.Compare(b.effect(), a.effect()), b.Severity.Rank()-a.Severity.Rank(), b.Pages-a.Pages, b.Places-a.Places, cmp.Compare(a.ID, b.ID))
	})
	return out
}
