package schema

import "strings"

// AxeResults is what an accessibility engine (axe-core, QualWeb) found, already cleaned inside the
// page, as JSON from there to the judge. It carries no text of the page, no
// markup and no attribute value that can carry text (contract R-23): rule ids,
// the engine's own words, selectors, figures and colours only.
type AxeResults struct {
	// Engine is name and version, "axe-core 4.14.1", "qualweb 0.7.5".
	Engine string `json:"engine"`
	// Violations are faults the engine is sure of, by rule id.
	Violations []AxeRule `json:"violations"`
	// Incomplete is what the engine could not decide: a question for a person,
	// never a fault. A rule can stand in both lists, with different nodes.
	Incomplete []AxeRule `json:"incomplete"`
	// RulesRun are the ids of all rules that really ran, sorted. A rule that is
	// neither here nor in a group of GroupsNotRun was not asked for.
	RulesRun []string `json:"rules_run"`
	// GroupsNotRun names rule groups that missed their deadline or failed: "wcag",
	// "best-practice", "contrast", "qualweb-page", "qualweb-elements".
	// Nothing may be concluded about their rules.
	GroupsNotRun []string `json:"groups_not_run"`
	// FramesChecked counts frames below the main document whose contents were checked.
	FramesChecked int `json:"frames_checked"`
	// FramesSkipped counts frames with contents that could not be checked (not
	// loaded, not answering, beyond the cap of 50).
	FramesSkipped int `json:"frames_skipped"`
}

// AxeRule is one rule's verdict over all its nodes.
type AxeRule struct {
	// ID is the engine's rule id, "image-alt".
	ID string `json:"id"`
	// Impact is "minor", "moderate", "serious" or "critical"; the worst of its nodes.
	Impact string `json:"impact"`
	// Tags are the engine's, for example "wcag2a", "wcag111" (success criterion
	// 1.1.1), "wcag1412" (1.4.12), "best-practice", "cat.color".
	Tags []string `json:"tags"`
	// ACTIDs are the W3C ACT rules the rule implements, "23a2a8".
	ACTIDs []string `json:"act_ids"`
	// Help says in the engine's words what must be so, "Images must have alternative text".
	Help string `json:"help"`
	// Count is how many nodes are affected; Nodes holds the first 200 at most.
	Count int       `json:"count"`
	Nodes []AxeNode `json:"nodes"`
}

// AxeNode is one place in the page.
type AxeNode struct {
	// Target leads to the element: one CSS selector per document on the way, so
	// all but the last select an iframe. A step into a shadow root is written
	// " >>> " within an entry. Attribute values that can carry text are never in it.
	Target []string `json:"target"`
	// Path leads to the element by element names and places alone, in the form of
	// Target. It is the same for one element whichever engine names it.
	Path []string `json:"path,omitempty"`
	// Impact of this node, same words as AxeRule.Impact.
	Impact string `json:"impact"`
	// Contrast holds the figures where the rule measures contrast, else nil.
	Contrast *AxeContrast `json:"contrast,omitempty"`
}

// Selector is Target as one string, documents separated by " >>> " as well.
func (n AxeNode) Selector() string { return strings.Join(n.Target, " >>> ") }

// AxeContrast is the measured contrast of one node (WCAG 1.4.3). A figure that
// could not be determined is 0, a colour "".
type AxeContrast struct {
	Ratio      float64 `json:"ratio"`      // 1..21
	Expected   float64 `json:"expected"`   // 4.5 or 3
	Foreground string  `json:"foreground"` // "#rrggbb"
	Background string  `json:"background"` // "#rrggbb"
	FontSize   string  `json:"font_size"`  // "12.0pt (16px)"
	// Reason is the engine's key for why it could not decide, e.g. "bgImage"; empty where it could.
	Reason string `json:"reason"`
}
