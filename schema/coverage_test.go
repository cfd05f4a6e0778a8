package schema

import (
	"slices"
	"strings"
	"testing"
)

func coverageOf(t *testing.T, p Page, by Engine) map[string]Coverage {
	t.Helper()
	p.Outcome = OutcomeAnalysed
	all := map[string]Coverage{}
	for _, c := range CoverageOf(p, by) {
		all[c.ID] = c.Coverage
	}
	if len(all) != len(Criteria) {
		t.Fatalf("%d criteria covered", len(all))
	}
	return all
}

// WCAG 2.2 has 55 criteria of levels A and AA, 31 and 24 of them.
func TestTheListOfCriteriaIsWhole(t *testing.T) {
	levels := map[Level]int{}
	for i, c := range Criteria {
		levels[c.Level]++
		if c.EN301549 != "" && c.EN301549 != "9."+c.ID {
			t.Errorf("%s is clause %s", c.ID, c.EN301549)
		}
		if i > 0 && !before(Criteria[i-1].ID, c.ID) {
			t.Errorf("%s stands after %s", c.ID, Criteria[i-1].ID)
		}
	}
	if levels[LevelA] != 31 || levels[LevelAA] != 24 {
		t.Errorf("%v", levels)
	}
	if c, ok := CriterionByID("1.4.10"); !ok || c.Name != "Reflow" {
		t.Errorf("%+v", c)
	}
	if _, ok := CriterionByID("4.1.1"); ok {
		t.Error("4.1.1 is no criterion of WCAG 2.2")
	}
}

func before(a, b string) bool {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	return slices.CompareFunc(as, bs, func(x, y string) int { return len(x)*100 + int(x[len(x)-1]) - len(y)*100 - int(y[len(y)-1]) }) < 0
}

// A group that did not run takes the word from the criteria only it looks at.
func TestCoverageFollowsWhatRan(t *testing.T) {
	whole := coverageOf(t, Page{}, EngineBrowser)
	for id, want := range map[string]Coverage{"1.1.1": CoveragePartly, "1.4.3": CoveragePartly, "1.3.2": CoverageNotTestable, "2.5.8": CoveragePartly} {
		if whole[id] != want {
			t.Errorf("%s: %s, want %s", id, whole[id], want)
		}
	}
	for _, id := range []string{"1.3.4", "1.4.2", "2.1.2", "2.1.4", "2.2.2", "2.4.1", "2.4.7", "2.5.3", "2.5.4"} { // by checks of our own
		if whole[id] != CoveragePartly {
			t.Errorf("%s: %s", id, whole[id])
		}
	}
	unused := coverageOf(t, Page{Notes: []string{NoteAxeIncomplete, "accessibility_own_use_not_run"}}, EngineBrowser)
	if unused["2.1.2"] != CoverageNotRun || unused["2.5.3"] != CoveragePartly || unused["1.4.3"] != CoveragePartly || unused["2.2.2"] != CoveragePartly {
		t.Errorf("own checks that use the page not run: %v", unused)
	}
	slow := coverageOf(t, Page{Notes: []string{NoteAxeIncomplete, "accessibility_contrast_not_run"}}, EngineBrowser)
	if slow["1.4.3"] != CoverageNotRun || slow["1.1.1"] != CoveragePartly {
		t.Errorf("contrast not run: %v", slow)
	}
	for name, p := range map[string]Page{"old record": {Notes: []string{NoteAxeIncomplete}}, "too many elements": {Notes: []string{NoteTooManyElements}}} {
		if got := coverageOf(t, p, EngineBrowser); got["2.5.8"] != CoverageNotRun || got["2.4.2"] != CoveragePartly {
			t.Errorf("%s: %v", name, got)
		}
	}
	plain := coverageOf(t, Page{}, EngineHTTP)
	if plain["1.4.3"] != CoverageNotRun || plain["2.4.2"] != CoveragePartly || plain["1.3.2"] != CoverageNotTestable {
		t.Errorf("http: %v", plain)
	}
	if CoverageOf(Page{Outcome: OutcomeNotAnalysed}, EngineBrowser) != nil {
		t.Error("a page that was not analysed has coverage")
	}
}
