package accessibility

import (
	"encoding/json"
	"maps"
	"slices"

	"visite/internal/inspect/rule"
	"visite/schema"
)

// RenderedRules lists the checks of our own that a browser runs in the rendered
// page; what they found comes with the document.
func RenderedRules() []rule.Info { return slices.Concat(rendered, contentRules) }

// FromChecks makes findings of what our own checks found in a browser. Results
// that cannot be read count as not run; none at all (another engine) are no gap.
func FromChecks(results []byte) (findings []schema.Finding, notes []string) {
	if len(results) == 0 {
		return nil, nil
	}
	var r schema.CheckResults
	if json.Unmarshal(results, &r) != nil {
		return nil, notRunChecks([]string{schema.AllChecks})
	}
	notes = notRunChecks(r.NotRun)
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

// lookingOnly are the checks that only look at the page; the others use it.
var lookingOnly = map[string]bool{
	"label-in-name": true, "bypass-missing": true, "frame-same-name": true, "field-label-unclear": true, "error-message-unclear": true,
	"pictures-alone-hidden": true, "picture-of-text": true, "sound-without-words": true,
}

// notRunChecks says which groups of our own checks did not come to an end.
func notRunChecks(rules []string) []string {
	groups := map[string]bool{}
	for _, id := range rules {
		switch {
		case id == schema.AllChecks:
			groups[schema.GroupOwnPage], groups[schema.GroupOwnUse] = true, true
		case lookingOnly[id]:
			groups[schema.GroupOwnPage] = true
		default:
			groups[schema.GroupOwnUse] = true
		}
	}
	return notRun(true, slices.Sorted(maps.Keys(groups)))
}

func renderedRule(id string) (rule.Info, bool) {
	for _, info := range RenderedRules() {
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
