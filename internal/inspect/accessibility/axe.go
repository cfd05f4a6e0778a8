package accessibility

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
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

// placed is a finding with the way to its element, the same for both engines.
type placed struct {
	schema.Finding
	path string
}

// FromEngines makes findings of what the engines found: violations are faults
// as far as the rule is trusted, what axe-core could not decide is a question
// for a person. A fault both name is one finding. Results that cannot be read
// count as not run.
func FromEngines(axe, qualweb []byte) Engine {
	e := Engine{Reported: map[string]bool{}}
	first, ran := read(axe)
	e.Ran = ran
	all := e.add(first, axeRuling, true)
	second, ran := read(qualweb)
	if ran {
		all = merge(all, e.add(second, qualwebRuling, false))
	}
	for _, p := range all {
		e.Findings = append(e.Findings, p.Finding)
	}
	e.Notes = notRun(e.Ran, append(first.GroupsNotRun, second.GroupsNotRun...))
	if first.FramesSkipped > 0 {
		e.Notes = append(e.Notes, schema.NoteFramesUnchecked)
	}
	return e
}

func read(results []byte) (schema.AxeResults, bool) {
	var r schema.AxeResults
	if len(results) == 0 || json.Unmarshal(results, &r) != nil || r.Engine == "" {
		return schema.AxeResults{}, false
	}
	return r, true
}

// notRun says which groups of rules did not run.
func notRun(first bool, groups []string) []string {
	var notes []string
	if !first || len(groups) > 0 {
		notes = append(notes, schema.NoteAxeIncomplete)
	}
	for _, g := range groups {
		if note, ok := schema.GroupNote(g); ok {
			notes = append(notes, note)
		}
	}
	return notes
}

// add makes findings of one engine's results. What an engine could not decide
// is a question only where it is asked.
func (e *Engine) add(r schema.AxeResults, rulingOn func(id string) ruling, asked bool) []placed {
	var out []placed
	for _, rule := range r.Violations {
		ruling := rulingOn(rule.ID)
		if outcome, ok := ruling.outcome(); ok {
			out = append(out, e.findings(r.Engine, rule, ruling, outcome)...)
		}
	}
	for _, rule := range r.Incomplete {
		if ruling := rulingOn(rule.ID); asked && ruling.trust != off {
			out = append(out, e.findings(r.Engine, rule, ruling, schema.FindingNeedsReview)...)
		}
	}
	return out
}

func (e *Engine) findings(engine string, r schema.AxeRule, ruling ruling, outcome schema.FindingOutcome) []placed {
	e.Reported[r.ID] = true
	e.Truncated = e.Truncated || r.Count > len(r.Nodes)
	criteria := criteriaOf(r.Tags)
	var out []placed
	for _, n := range r.Nodes {
		f := schema.Finding{
			Rule: r.ID, Engine: engine, Category: schema.CategoryAccessibility, Severity: ruling.severity, Outcome: outcome,
			WCAG: criteria, ACTRules: actRules(r), Selector: boundedSelector(n), Title: ruling.title, Help: ruling.help, Detail: contrastDetail(n.Contrast),
		}
		if f.Severity == "" {
			f.Severity = severityOf(cmp.Or(n.Impact, r.Impact))
		}
		if f.Title == "" {
			f.Title, f.Help = r.Help, r.Help
		}
		out = append(out, placed{f, strings.Join(n.Path, " >>> ")})
	}
	return out
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

// actRules are the ACT rules a rule of an engine implements, by its own word or ours.
func actRules(r schema.AxeRule) []string {
	if more, ok := alsoACT[r.ID]; ok && !slices.Contains(r.ACTIDs, more) {
		return append(slices.Clone(r.ACTIDs), more)
	}
	return r.ACTIDs
}
