package schema

// CheckResults is what our own accessibility checks found in a rendered page, as
// JSON from the browser to the judge. Like AxeResults it carries no text of the
// page: rule ids, selectors of element names and places, figures and words of ours.
type CheckResults struct {
	Hits []CheckHit `json:"hits"`
	// Ran are the ids of the rules that ran, in their order.
	Ran []string `json:"ran"`
	// NotRun are rules that found no time or could not be decided; nothing may be
	// concluded about them. AllChecks stands for all of them.
	NotRun []string `json:"not_run"`
}

// AllChecks stands for all rules in CheckResults.NotRun.
const AllChecks = "*"

// CheckHit is one place at which a rule found something.
type CheckHit struct {
	Rule     string         `json:"rule"`
	Outcome  FindingOutcome `json:"outcome"`  // failed or needs_review
	Detail   string         `json:"detail"`   // at most 120 characters
	Selector string         `json:"selector"` // empty where the page as a whole is meant
}
