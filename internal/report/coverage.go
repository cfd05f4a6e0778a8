package report

import "visite/schema"

// Criterion is an item of the key "criteria": a success criterion of WCAG 2.2, A
// or AA.
type Criterion struct {
	ID       string       `json:"id"`
	Name     string       `json:"name"`
	Level    schema.Level `json:"level"`
	EN301549 string       `json:"en_301_549"`
}

func documentCriteria() []Criterion {
	out := make([]Criterion, len(schema.Criteria))
	for i, c := range schema.Criteria {
		out[i] = Criterion{ID: c.ID, Name: c.Name, Level: c.Level, EN301549: c.EN301549}
	}
	return out
}

// coveredPage is a page with what was tested of it. A page that was not analysed
// has no verdicts, so nothing was.
func coveredPage(p schema.Page, speak words, states schema.ItemStates, by schema.Engine) Page {
	out := documentPage(p, speak, states)
	out.Coverage = map[string]schema.Coverage{}
	for _, c := range schema.CoverageOf(p, by) {
		out.Coverage[c.ID] = c.Coverage
	}
	return out
}
