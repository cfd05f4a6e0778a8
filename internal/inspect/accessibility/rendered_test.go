package accessibility

import (
	"slices"
	"strings"
	"testing"

	"visite/schema"
)

// What the browser found becomes findings of our own; what it never could have
// said is left out.
func TestFindingsFromOwnChecks(t *testing.T) {
	long := strings.Repeat("a > ", 400)
	got, notes := FromChecks([]byte(`{"hits":[{"rule":"label-in-name","outcome":"failed","detail":"2 words of label","selector":"html > body > a"},
		{"rule":"keyboard-trap","outcome":"strange","selector":"` + long + `"},{"rule":"no-such-rule","outcome":"failed"}],"ran":["label-in-name"],"not_run":["focus-not-visible"]}`))
	if len(got) != 2 || !slices.Equal(notes, []string{schema.NoteAxeIncomplete, "accessibility_own_use_not_run"}) {
		t.Fatalf("%+v, notes %v", got, notes)
	}
	f := got[0]
	if f.Rule != "label-in-name" || f.Engine != "visite" || f.Outcome != schema.FindingFailed || f.Selector != "html > body > a" || f.Detail != "2 words of label" ||
		!slices.Equal(f.WCAG, []string{"2.5.3"}) || !slices.Equal(f.ACTRules, []string{"2ee8b8"}) || f.Severity != schema.SeveritySerious {
		t.Errorf("%+v", f)
	}
	if got[1].Outcome != schema.FindingNeedsReview || got[1].Selector != "" {
		t.Errorf("%+v", got[1])
	}
	if got, notes := FromChecks(nil); got != nil || notes != nil {
		t.Errorf("without results: %v %v", got, notes)
	}
	if _, notes := FromChecks([]byte(`{"hits":`)); !slices.Equal(notes, []string{schema.NoteAxeIncomplete, "accessibility_own_page_not_run", "accessibility_own_use_not_run"}) {
		t.Errorf("broken results: %v", notes)
	}
}

// Each of our rendered rules speaks three languages and names its sources.
func TestRenderedRulesAreDescribed(t *testing.T) {
	for _, r := range RenderedRules() {
		if r.Title == "" || r.Help == "" || len(r.WCAG) == 0 || len(r.ACT) == 0 || r.Severity == "" {
			t.Errorf("%+v", r)
		}
		for _, lang := range []string{"de", "es"} {
			if w := r.In[lang]; w.Title == "" || w.Help == "" || w.Title == r.Title {
				t.Errorf("%s in %s: %+v", r.ID, lang, w)
			}
		}
	}
}
