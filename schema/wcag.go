package schema

// Level is a WCAG conformance level.
type Level string

const (
	LevelA  Level = "A"
	LevelAA Level = "AA"
)

// Criterion is a success criterion of WCAG 2.2 (W3C Recommendation, 2023), level
// A or AA.
type Criterion struct {
	ID    string // "1.4.3"
	Name  string
	Level Level
	// EN301549 is the clause of EN 301 549 V3.2.1 that asks for it of web pages;
	// empty for what WCAG 2.2 added: that edition follows WCAG 2.1.
	EN301549 string
	machine  machine
}

// machine is what a machine can tell of a criterion, and by which groups of
// rules; without a group nothing checks it.
type machine struct {
	whole  bool // a page without findings meets it
	groups []string
}

// own stands for our own checks of the markup, which run on every page that is analysed.
const own = "own"

// Criteria are the success criteria of WCAG 2.2, levels A and AA, in their order.
// 4.1.1 is not among them: WCAG 2.2 took it out.
var Criteria = []Criterion{
	{"1.1.1", "Non-text Content", LevelA, "9.1.1.1", partly(GroupWCAG, GroupQualWebElements, own)},
	{"1.2.1", "Audio-only and Video-only (Prerecorded)", LevelA, "9.1.2.1", machine{}},
	{"1.2.2", "Captions (Prerecorded)", LevelA, "9.1.2.2", partly(GroupWCAG)},
	{"1.2.3", "Audio Description or Media Alternative (Prerecorded)", LevelA, "9.1.2.3", machine{}},
	{"1.2.4", "Captions (Live)", LevelAA, "9.1.2.4", machine{}},
	{"1.2.5", "Audio Description (Prerecorded)", LevelAA, "9.1.2.5", machine{}},
	{"1.3.1", "Info and Relationships", LevelA, "9.1.3.1", partly(GroupWCAG, GroupQualWebElements)},
	{"1.3.2", "Meaningful Sequence", LevelA, "9.1.3.2", machine{}},
	{"1.3.3", "Sensory Characteristics", LevelA, "9.1.3.3", machine{}},
	{"1.3.4", "Orientation", LevelAA, "9.1.3.4", partly(GroupOwnUse, GroupQualWebElements)},
	{"1.3.5", "Identify Input Purpose", LevelAA, "9.1.3.5", partly(GroupWCAG, GroupQualWebElements)},
	{"1.4.1", "Use of Color", LevelA, "9.1.4.1", partly(GroupWCAG)},
	{"1.4.2", "Audio Control", LevelA, "9.1.4.2", partly(GroupWCAG, GroupQualWebElements, GroupOwnUse)},
	{"1.4.3", "Contrast (Minimum)", LevelAA, "9.1.4.3", partly(GroupContrast)},
	{"1.4.4", "Resize Text", LevelAA, "9.1.4.4", partly(GroupWCAG, GroupQualWebPage, GroupOwnUse, own)},
	{"1.4.5", "Images of Text", LevelAA, "9.1.4.5", machine{}},
	{"1.4.10", "Reflow", LevelAA, "9.1.4.10", machine{}},
	{"1.4.11", "Non-text Contrast", LevelAA, "9.1.4.11", machine{}},
	{"1.4.12", "Text Spacing", LevelAA, "9.1.4.12", partly(GroupWCAG, GroupQualWebElements)},
	{"1.4.13", "Content on Hover or Focus", LevelAA, "9.1.4.13", machine{}},
	{"2.1.1", "Keyboard", LevelA, "9.2.1.1", partly(GroupWCAG)},
	{"2.1.2", "No Keyboard Trap", LevelA, "9.2.1.2", partly(GroupOwnUse)},
	{"2.1.4", "Character Key Shortcuts", LevelA, "9.2.1.4", partly(GroupOwnUse)},
	{"2.2.1", "Timing Adjustable", LevelA, "9.2.2.1", partly(GroupWCAG, GroupQualWebPage, own)},
	{"2.2.2", "Pause, Stop, Hide", LevelA, "9.2.2.2", partly(GroupWCAG, GroupOwnUse)},
	{"2.3.1", "Three Flashes or Below Threshold", LevelA, "9.2.3.1", machine{}},
	{"2.4.1", "Bypass Blocks", LevelA, "9.2.4.1", partly(GroupWCAG, GroupOwnPage)},
	{"2.4.2", "Page Titled", LevelA, "9.2.4.2", partly(GroupWCAG, GroupQualWebPage, own)},
	{"2.4.3", "Focus Order", LevelA, "9.2.4.3", machine{}},
	{"2.4.4", "Link Purpose (In Context)", LevelA, "9.2.4.4", partly(GroupWCAG, GroupQualWebElements, own)},
	{"2.4.5", "Multiple Ways", LevelAA, "9.2.4.5", machine{}},
	{"2.4.6", "Headings and Labels", LevelAA, "9.2.4.6", machine{}},
	{"2.4.7", "Focus Visible", LevelAA, "9.2.4.7", partly(GroupOwnUse)},
	{"2.4.11", "Focus Not Obscured (Minimum)", LevelAA, "", machine{}},
	{"2.5.1", "Pointer Gestures", LevelA, "9.2.5.1", machine{}},
	{"2.5.2", "Pointer Cancellation", LevelA, "9.2.5.2", machine{}},
	{"2.5.3", "Label in Name", LevelA, "9.2.5.3", partly(GroupOwnPage)},
	{"2.5.4", "Motion Actuation", LevelA, "9.2.5.4", partly(GroupOwnUse)},
	{"2.5.7", "Dragging Movements", LevelAA, "", machine{}},
	{"2.5.8", "Target Size (Minimum)", LevelAA, "", partly(GroupWCAG)},
	{"3.1.1", "Language of Page", LevelA, "9.3.1.1", partly(GroupWCAG, GroupQualWebPage, own)},
	{"3.1.2", "Language of Parts", LevelAA, "9.3.1.2", partly(GroupWCAG, GroupQualWebElements, own)},
	{"3.2.1", "On Focus", LevelA, "9.3.2.1", machine{}},
	{"3.2.2", "On Input", LevelA, "9.3.2.2", machine{}},
	{"3.2.3", "Consistent Navigation", LevelAA, "9.3.2.3", machine{}},
	{"3.2.4", "Consistent Identification", LevelAA, "9.3.2.4", machine{}},
	{"3.2.6", "Consistent Help", LevelA, "", machine{}},
	{"3.3.1", "Error Identification", LevelA, "9.3.3.1", machine{}},
	{"3.3.2", "Labels or Instructions", LevelA, "9.3.3.2", partly(GroupWCAG)},
	{"3.3.3", "Error Suggestion", LevelAA, "9.3.3.3", machine{}},
	{"3.3.4", "Error Prevention (Legal, Financial, Data)", LevelAA, "9.3.3.4", machine{}},
	{"3.3.7", "Redundant Entry", LevelA, "", machine{}},
	{"3.3.8", "Accessible Authentication (Minimum)", LevelAA, "", machine{}},
	{"4.1.2", "Name, Role, Value", LevelA, "9.4.1.2", partly(GroupWCAG, GroupQualWebElements, GroupOwnPage, GroupOwnUse, own)},
	{"4.1.3", "Status Messages", LevelAA, "9.4.1.3", machine{}},
}

func partly(groups ...string) machine { return machine{groups: groups} }

// CriterionByID is a success criterion by its number, false for one that is not
// WCAG 2.2 A or AA.
func CriterionByID(id string) (Criterion, bool) {
	for _, c := range Criteria {
		if c.ID == id {
			return c, true
		}
	}
	return Criterion{}, false
}
