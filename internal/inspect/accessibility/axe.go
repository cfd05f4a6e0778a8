package accessibility

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"visite/schema"
)

// Engine is what the accessibility engine said of a page.
type Engine struct {
	Findings  []schema.Finding
	Notes     []string
	Ran       bool            // it ran at all
	Reported  map[string]bool // rules it found something by
	Truncated bool            // a rule had more places than it lists
}

// maxSelector bounds a recorded selector, in bytes.
const maxSelector = 1000

// FromAxe makes findings of the engine's results: violations are faults, what it
// could not decide is a question for a person. Results that cannot be read count
// as not run.
func FromAxe(results []byte) Engine {
	var r schema.AxeResults
	if len(results) == 0 || json.Unmarshal(results, &r) != nil || r.Engine == "" {
		return Engine{Notes: []string{schema.NoteAxeIncomplete}}
	}
	e := Engine{Ran: true, Reported: map[string]bool{}}
	e.add(r.Engine, r.Violations, schema.FindingFailed)
	e.add(r.Engine, r.Incomplete, schema.FindingNeedsReview)
	if len(r.GroupsNotRun) > 0 {
		e.Notes = append(e.Notes, schema.NoteAxeIncomplete)
	}
	if r.FramesSkipped > 0 {
		e.Notes = append(e.Notes, schema.NoteFramesUnchecked)
	}
	return e
}

func (e *Engine) add(engine string, rules []schema.AxeRule, outcome schema.FindingOutcome) {
	for _, r := range rules {
		e.Reported[r.ID] = true
		e.Truncated = e.Truncated || r.Count > len(r.Nodes)
		criteria := criteriaOf(r.Tags)
		for _, n := range r.Nodes {
			impact := n.Impact
			if impact == "" {
				impact = r.Impact
			}
			e.Findings = append(e.Findings, schema.Finding{
				Rule: r.ID, Engine: engine, Category: schema.CategoryAccessibility, Severity: severityOf(impact), Outcome: outcome,
				WCAG: criteria, ACTRules: r.ACTIDs, Selector: boundedSelector(n), Title: r.Help, Help: r.Help, Detail: contrastDetail(n.Contrast),
			})
		}
	}
}

// severityOf takes the engine's impact words for ours.
func severityOf(impact string) schema.Severity {
	switch s := schema.Severity(impact); s {
	case schema.SeverityMinor, schema.SeverityModerate, schema.SeveritySerious, schema.SeverityCritical:
		return s
	}
	return schema.SeverityModerate
}

// criteriaOf reads success criteria out of tags: "wcag111" is 1.1.1, "wcag1412"
// 1.4.12; "wcag2aa" and "wcag22aa" are levels.
func criteriaOf(tags []string) []string {
	var out []string
	for _, tag := range tags {
		digits, ok := strings.CutPrefix(tag, "wcag")
		if !ok || len(digits) < 3 || strings.Trim(digits, "0123456789") != "" {
			continue
		}
		out = append(out, digits[:1]+"."+digits[1:2]+"."+digits[2:])
	}
	return out
}

// boundedSelector leaves an overlong selector out rather than cut it to
// something that selects another element.
func boundedSelector(n schema.AxeNode) string {
	if s := n.Selector(); len(s) <= maxSelector {
		return s
	}
	return ""
}

func contrastDetail(c *schema.AxeContrast) string {
	if c == nil {
		return ""
	}
	if c.Ratio > 0 && c.Expected > 0 {
		return fmt.Sprintf("contrast %s:1, needed %s:1", number(c.Ratio), number(c.Expected))
	}
	if c.Reason == "" || len(c.Reason) > 40 || strings.ContainsAny(c.Reason, " \t\n") {
		return ""
	}
	return "contrast could not be measured: " + c.Reason
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
