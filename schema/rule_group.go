package schema

// Groups of accessibility rules, as the engines in the browser run them. Each has
// a deadline of its own; the page says which of them did not come to an end.
const (
	GroupWCAG            = "wcag"             // axe-core, WCAG A and AA without contrast
	GroupBestPractice    = "best-practice"    // axe-core
	GroupContrast        = "contrast"         // axe-core, WCAG 1.4.3
	GroupQualWebPage     = "qualweb-page"     // QualWeb, what concerns the document
	GroupQualWebElements = "qualweb-elements" // QualWeb, what concerns elements
	GroupOwnPage         = "own-page"         // checks of our own that only look
	GroupOwnUse          = "own-use"          // checks of our own that press keys, turn the screen, listen and wait
)

// groupNotes are the notes that say that a group did not run.
var groupNotes = map[string]string{
	GroupWCAG:            "accessibility_wcag_not_run",
	GroupBestPractice:    "accessibility_best_practice_not_run",
	GroupContrast:        "accessibility_contrast_not_run",
	GroupQualWebPage:     "accessibility_qualweb_page_not_run",
	GroupQualWebElements: "accessibility_qualweb_elements_not_run",
	GroupOwnPage:         "accessibility_own_page_not_run",
	GroupOwnUse:          "accessibility_own_use_not_run",
}

// GroupNote is the note of a page on which a group of rules did not run; false
// for a group that nobody knows.
func GroupNote(group string) (note string, ok bool) {
	note, ok = groupNotes[group]
	return note, ok
}
