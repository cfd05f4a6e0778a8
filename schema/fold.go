package schema

// Bounds of what is folded of one scan; what they leave out is counted or not compared.
const (
	ItemsMost         = 10_000
	ItemExamples      = 5      // pages named with an item
	ItemTemplatesMost = 50_000 // path shapes of analysed pages
)

// FoldedItem is one fault, or question, of one template, folded over the pages that show it.
type FoldedItem struct {
	ID       string   // Fingerprint
	Finding  Finding  // the first one, without its place
	Severity Severity // the gravest
	Subject  string   // as Subject tells it
	Selector string   // SelectorShape
	Template string   // PathShape
	Places   int      // findings
	Pages    int
	Examples []PageRef // the first of these pages, ItemExamples at most

	lastPage int64
}

// PageRef names a page of a scan.
type PageRef struct {
	ID  int64
	URL string
}

// ItemFold folds findings into items, in bounded memory. Its zero value folds nothing yet.
type ItemFold struct {
	Items     map[string]*FoldedItem
	Left      int              // findings of items beyond ItemsMost
	Templates map[string]Looks // path shapes of which a page was analysed
}

// Look notes the page whose findings follow and how it was looked at, and gives the
// shape of its path. Pages come one after another.
func (s *ItemFold) Look(url string, outcome Outcome, looks Looks) (template string) {
	template = PathShape(url)
	if outcome != OutcomeAnalysed {
		return template
	}
	before, known := s.Templates[template]
	if !known && len(s.Templates) == ItemTemplatesMost {
		return template
	}
	if s.Templates == nil {
		s.Templates = map[string]Looks{}
	}
	s.Templates[template] = before | looks
	return template
}

// Add folds a finding of a page; template as Look gave it.
func (s *ItemFold) Add(p PageRef, template string, f Finding) {
	id := FingerprintIn(f, template)
	item := s.Items[id]
	if item == nil {
		if len(s.Items) == ItemsMost {
			s.Left++
			return
		}
		item = newItem(id, template, f)
		if s.Items == nil {
			s.Items = map[string]*FoldedItem{}
		}
		s.Items[id] = item
	}
	item.Places++
	if f.Severity.Rank() > item.Severity.Rank() {
		item.Severity = f.Severity
	}
	if item.lastPage != p.ID {
		item.lastPage = p.ID
		item.Pages++
		if len(item.Examples) < ItemExamples {
			item.Examples = append(item.Examples, p)
		}
	}
}

func newItem(id, template string, f Finding) *FoldedItem {
	item := &FoldedItem{ID: id, Finding: f, Severity: f.Severity, Subject: Subject(f), Selector: SelectorShape(f.Selector), Template: template, lastPage: -1}
	item.Finding.Selector, item.Finding.Detail = "", ""
	return item
}
