package schema

import "slices"

// Coverage is how far a page was tested against one success criterion.
type Coverage string

const (
	// CoverageTested: a page without findings on it meets the criterion.
	CoverageTested Coverage = "tested"
	// CoveragePartly: some ways to fail it were looked for; a person has to look as well.
	CoveragePartly Coverage = "partly"
	// CoverageNotTestable: nothing a machine does here tells anything of it.
	CoverageNotTestable Coverage = "not_testable"
	// CoverageNotRun: what looks for it did not come to an end on this page.
	CoverageNotRun Coverage = "not_run"
)

// CriterionCoverage says of one criterion how far a page was tested.
type CriterionCoverage struct {
	Criterion
	Coverage Coverage
}

// CoverageOf says of every criterion of WCAG 2.2, A and AA, how far a page was
// tested: from what a machine can tell of it, from the engine that loaded the
// page, and from the groups of rules that did not come to an end there. Nothing
// for a page that was not analysed: it has no verdicts at all.
func CoverageOf(p Page, by Engine) []CriterionCoverage {
	if p.Outcome != OutcomeAnalysed {
		return nil
	}
	out := make([]CriterionCoverage, len(Criteria))
	for i, c := range Criteria {
		out[i] = CriterionCoverage{Criterion: c, Coverage: c.machine.on(p, by)}
	}
	return out
}

// on is what a machine could tell on one page. A criterion some of whose groups
// did not run was tested in part as long as another one ran.
func (m machine) on(p Page, by Engine) Coverage {
	if len(m.groups) == 0 {
		return CoverageNotTestable
	}
	ran := 0
	for _, g := range m.groups {
		if g == own || (by == EngineBrowser && !p.lacks(g)) {
			ran++
		}
	}
	switch {
	case ran == 0:
		return CoverageNotRun
	case ran == len(m.groups) && m.whole:
		return CoverageTested
	}
	return CoveragePartly
}

// lacks tells that a group of rules did not come to an end on the page. Where it
// is only known that some did not, none counts.
func (p Page) lacks(group string) bool {
	if slices.Contains(p.Notes, NoteTooManyElements) {
		return true
	}
	note, _ := GroupNote(group)
	if slices.Contains(p.Notes, note) {
		return true
	}
	return slices.Contains(p.Notes, NoteAxeIncomplete) && !slices.ContainsFunc(p.Notes, isGroupNote)
}

func isGroupNote(note string) bool {
	for _, n := range groupNotes {
		if n == note {
			return true
		}
	}
	return false
}
