package accessibility

import (
	"encoding/json"

	"visite/internal/inspect/rule"
	"visite/schema"
)

// RenderedRules lists the checks of our own that a browser runs in the rendered
// page; what they found comes with the document.
func RenderedRules() []rule.Info { return append([]rule.Info(nil), rendered...) }

// FromChecks makes findings of what our own checks found in a browser. Results
// that cannot be read count as not run; none at all (another engine) are no gap.
func FromChecks(results []byte) (findings []schema.Finding, notes []string) {
	if len(results) == 0 {
		return nil, nil
	}
	var r schema.CheckResults
	if json.Unmarshal(results, &r) != nil {
		return nil, []string{schema.NoteAxeIncomplete}
	}
	if len(r.NotRun) > 0 {
		notes = []string{schema.NoteAxeIncomplete}
	}
	for _, h := range r.Hits {
		info, known := renderedRule(h.Rule)
		if !known {
			continue
		}
		outcome := schema.FindingNeedsReview
		if h.Outcome == schema.FindingFailed {
			outcome = schema.FindingFailed
		}
		if len(h.Selector) > maxSelector {
			h.Selector = ""
		}
		findings = append(findings, info.Finding(rule.Hit{Detail: h.Detail, Outcome: outcome}, h.Selector))
	}
	return findings, notes
}

func renderedRule(id string) (rule.Info, bool) {
	for _, info := range rendered {
		if info.ID == id {
			return info, true
		}
	}
	return rule.Info{}, false
}

// check is a rule on one success criterion.
func check(id string, severity schema.Severity, criterion string, act []string, title, help string, in map[string]rule.Words) rule.Info {
	return rule.Info{
		ID: id, Category: schema.CategoryAccessibility, Severity: severity, Outcome: schema.FindingFailed, Title: title, Help: help, In: in,
		Source: rule.Standard, Reference: "WCAG 2.2, " + criterion, WCAG: []string{criterion}, ACT: act,
	}
}

func words(germanTitle, germanHelp, spanishTitle, spanishHelp string) map[string]rule.Words {
	return map[string]rule.Words{"de": {Title: germanTitle, Help: germanHelp}, "es": {Title: spanishTitle, Help: spanishHelp}}
}
