package report

import (
	"slices"

	"visite/schema"
)

// pageRow is a page with its findings counted.
type pageRow struct {
	schema.Page
	faults    [5]int // by severity's rank
	review    int
	Rules     []ruleCount
	RulesLeft int // kinds of findings beyond pageRules
}

// ruleCount is how often a rule spoke on one page.
type ruleCount struct {
	Rule   string
	Count  int
	Review bool
}

func (row *pageRow) count(f schema.Finding) {
	review := f.Outcome == schema.FindingNeedsReview
	if review {
		row.review++
	} else if rank := f.Severity.Rank(); rank >= 0 {
		row.faults[rank]++
	}
	i := slices.IndexFunc(row.Rules, func(c ruleCount) bool { return c.Rule == f.Rule && c.Review == review })
	switch {
	case i >= 0:
		row.Rules[i].Count++
	case len(row.Rules) < pageRules:
		row.Rules = append(row.Rules, ruleCount{f.Rule, 1, review})
	default:
		row.RulesLeft++
	}
}

// tally is a number of faults of one severity.
type tally struct {
	Severity schema.Severity
	Count    int
}

// Faults lists the page's faults by severity, gravest first.
func (row pageRow) Faults() []tally {
	var out []tally
	for rank, n := range slices.Backward(row.faults[:]) {
		if n > 0 {
			out = append(out, tally{schema.Severities[rank], n})
		}
	}
	return out
}

// Reviews counts the page's questions for a person.
func (row pageRow) Reviews() int { return row.review }
