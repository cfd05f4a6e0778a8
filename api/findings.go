package api

import (
	"context"

	"visite/schema"
)

// Finding is a finding as the API shows it.
type Finding struct {
	ID       int64                 `json:"id"`
	PageID   int64                 `json:"page_id"`
	PageURL  string                `json:"page_url"`
	Rule     string                `json:"rule"`
	Engine   string                `json:"engine"`
	Category schema.Category       `json:"category" enum:"accessibility,seo,technical,links,security,performance,privacy"`
	Severity schema.Severity       `json:"severity" enum:"info,minor,moderate,serious,critical"`
	Outcome  schema.FindingOutcome `json:"outcome" enum:"failed,needs_review" doc:"failed: a fault for sure; needs_review: a question for a person."`
	WCAG     []string              `json:"wcag,omitempty" doc:"WCAG success criteria."`
	ACTRules []string              `json:"act_rules,omitempty" doc:"ACT rule ids."`
	Selector string                `json:"selector,omitempty"`
	Title    string                `json:"title" doc:"What is wrong: the rule's name. Empty in records from before there were names."`
	Help     string                `json:"help" doc:"What to do."`
	Detail   string                `json:"detail,omitempty"`
}

func showFinding(f schema.ListedFinding) Finding {
	return Finding{
		ID: f.ID, PageID: f.PageID, PageURL: f.PageURL, Rule: f.Finding.Rule, Engine: f.Finding.Engine, Category: f.Finding.Category,
		Severity: f.Finding.Severity, Outcome: f.Finding.Outcome, WCAG: f.Finding.WCAG, ACTRules: f.Finding.ACTRules,
		Selector: f.Finding.Selector, Title: f.Finding.Title, Help: f.Finding.Help, Detail: f.Finding.Detail,
	}
}

type findingsInput struct {
	ScanRef
	ListInput
	Rule     string                `query:"rule" pattern:"^[A-Za-z0-9_.:-]{1,100}$" patternDescription:"a rule id" doc:"Only findings of this rule."`
	Category schema.Category       `query:"category" enum:"accessibility,seo,technical,links,security,performance,privacy" doc:"Only findings of this category."`
	Severity schema.Severity       `query:"min_severity" enum:"info,minor,moderate,serious,critical" doc:"Only findings at least this severe."`
	Outcome  schema.FindingOutcome `query:"outcome" enum:"failed,needs_review" doc:"Only faults, or only questions."`
	Page     int64                 `query:"page" minimum:"1" doc:"Only findings of the page with this id."`
}

func (a *API) listFindings(ctx context.Context, in *findingsInput) (*listOutput[Finding], error) {
	scan, r, err := a.stretchOf(ctx, in.ScanRef, in.ListInput)
	if err != nil {
		return nil, err
	}
	wanted := schema.FindingFilter{Rule: in.Rule, Category: in.Category, MinSeverity: in.Severity, Outcome: in.Outcome, PageID: in.Page}
	findings, err := a.Store.Findings(ctx, scan.ID, wanted, r)
	if err != nil {
		return nil, err
	}
	filter := map[string]string{"rule": in.Rule, "category": string(in.Category), "min_severity": string(in.Severity), "outcome": string(in.Outcome)}
	if in.Page != 0 {
		filter["page"] = numberKey(in.Page)
	}
	key := func(f schema.ListedFinding) string { return numberKey(f.ID) }
	return listOf(in.ListInput, scanPath(scan.ID)+"/findings", filter, findings, key, showFinding), nil
}
