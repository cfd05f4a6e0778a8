package schema

// Category is a finding's topic (contract S-01, C-03). A closed list.
type Category string

const (
	CategoryAccessibility Category = "accessibility"
	CategorySEO           Category = "seo"
	CategoryTechnical     Category = "technical"
	CategoryLinks         Category = "links"
	CategorySecurity      Category = "security"
	CategoryPerformance   Category = "performance"
	CategoryPrivacy       Category = "privacy"
)

// Severity orders findings; higher is worse.
type Severity string

const (
	SeverityInfo     Severity = "info"
	SeverityMinor    Severity = "minor"
	SeverityModerate Severity = "moderate"
	SeveritySerious  Severity = "serious"
	SeverityCritical Severity = "critical"
)

// Severities lists all, mildest first.
var Severities = []Severity{SeverityInfo, SeverityMinor, SeverityModerate, SeveritySerious, SeverityCritical}

// Rank is the severity's place from 0 (info) to 4 (critical), -1 if unknown.
func (s Severity) Rank() int {
	for i, v := range Severities {
		if v == s {
			return i
		}
	}
	return -1
}

// FindingOutcome tells a fault from a question for a person.
type FindingOutcome string

const (
	// FindingFailed is a fault the machine is sure of.
	FindingFailed FindingOutcome = "failed"
	// FindingNeedsReview is a question for a person; never counted as a fault.
	FindingNeedsReview FindingOutcome = "needs_review"
)

// Finding is one fault, or question, at one place of one page. It carries no
// text of the page: selector, rule and figures only.
type Finding struct {
	Rule     string // stable id, e.g. "image-alt", "title-missing"
	Engine   string // "axe-core 4.14.1" or "visite"
	Category Category
	Severity Severity
	Outcome  FindingOutcome
	WCAG     []string // success criteria, "1.1.1"
	ACTRules []string // ACT rule ids, "23a2a8"
	Selector string   // CSS selector without attribute values that can carry text; may be empty
	Title    string   // what is wrong, short: the rule's name in our or the engine's words, never the page's; empty in old records
	Help     string   // what to do, our or the engine's words, never the page's
	Detail   string   // figures or addresses that make it plain, e.g. "612 ms"; never page text
}
