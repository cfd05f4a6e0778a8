package accessibility

import (
	"slices"
	"strings"
	"testing"

	"visite/schema"
)

const first = `{"engine":"axe-core 4.14.1","violations":[
 {"id":"image-alt","impact":"critical","tags":["wcag111"],"act_ids":["23a2a8"],"help":"Images must have alternative text","count":1,"nodes":[{"target":["#a"],"path":["html > body > img:nth-child(1)"],"impact":"critical"}]},
 {"id":"button-name","impact":"critical","tags":["wcag412"],"act_ids":["97a4e1"],"help":"h","count":1,"nodes":[{"target":["#b"],"path":["html > body > button:nth-child(2)"],"impact":"critical"}]}],
 "incomplete":[{"id":"object-alt","tags":["wcag111"],"act_ids":["8fc3b6"],"help":"h","count":1,"nodes":[{"target":["#o"],"path":["html > body > object:nth-child(3)"]}]}]}`

const other = `{"engine":"qualweb 0.7.5","violations":[
 {"id":"QW-ACT-R17","tags":["wcag111"],"act_ids":["23a2a8"],"count":2,"nodes":[{"target":["html > body > img:nth-child(1)"],"path":["html > body > img:nth-child(1)"]},{"target":["html > body > img:nth-child(9)"],"path":["html > body > img:nth-child(9)"]}]},
 {"id":"QW-ACT-R65","tags":["wcag412"],"act_ids":["307n5z"],"count":1,"nodes":[{"target":["html > body > button:nth-child(2)"],"path":["html > body > button:nth-child(2)"]}]},
 {"id":"QW-ACT-R42","tags":["wcag111"],"act_ids":["8fc3b6"],"count":1,"nodes":[{"target":["x"],"path":["html > body > object:nth-child(3)"]}]},
 {"id":"QW-ACT-R37","tags":["wcag143"],"act_ids":["afw4f7"],"count":1,"nodes":[{"target":["x"],"path":["html > body > p"]}]}],
 "incomplete":[{"id":"QW-ACT-R17","tags":["wcag111"],"act_ids":["23a2a8"],"count":1,"nodes":[{"target":["y"],"path":["html > body > q"]}]}],
 "groups_not_run":["qualweb-elements"]}`

// The same fault found by both engines is one finding that names both; other
// faults of one element stay apart; what is not trusted is not there.
func TestOneFaultOfBothEnginesIsOneFinding(t *testing.T) {
	e := FromEngines([]byte(first), []byte(other))
	var got []string
	for _, f := range e.Findings {
		got = append(got, strings.Join([]string{f.Rule, f.Engine, f.Selector, string(f.Outcome), string(f.Severity), strings.Join(f.ACTRules, "+")}, " | "))
	}
	want := []string{
		"image-alt | axe-core 4.14.1, qualweb 0.7.5 | #a | failed | critical | 23a2a8",
		"button-name | axe-core 4.14.1 | #b | failed | critical | 97a4e1",
		"object-alt | axe-core 4.14.1, qualweb 0.7.5 | #o | failed | moderate | 8fc3b6",
		"QW-ACT-R17 | qualweb 0.7.5 | html > body > img:nth-child(9) | failed | critical | 23a2a8",
		"QW-ACT-R65 | qualweb 0.7.5 | html > body > button:nth-child(2) | failed | serious | 307n5z",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if !slices.Equal(e.Notes, []string{schema.NoteAxeIncomplete, "accessibility_qualweb_elements_not_run"}) {
		t.Errorf("notes %v", e.Notes)
	}
	if f := e.Findings[3]; f.Title != "An image has no text alternative" || f.Help == "" {
		t.Errorf("an engine without words: %+v", f)
	}
}

// Engines that place a fault at the table and at its cells, or at the document
// and at its title, speak of the same one; a frame's document is another one.
func TestAFaultPlacedAroundTheElementIsTheSame(t *testing.T) {
	node := func(path string) string { return `{"target":["` + path + `"],"path":["` + path + `"]}` }
	rule := func(id, act, nodes string) string {
		return `{"id":"` + id + `","impact":"serious","tags":["wcag131"],"act_ids":["` + act + `"],"help":"h","count":1,"nodes":[` + nodes + `]}`
	}
	axe := `{"engine":"axe-core 4.14.1","violations":[` + rule("td-headers-attr", "a25f45", node("html > body > table")) + `,` + rule("document-title", "2779a5", node("html")) + `,` +
		rule("svg-img-alt", "7d6734", node("html > body > svg")) + `]}`
	qualweb := `{"engine":"qualweb 0.7.5","violations":[` + rule("QW-ACT-R36", "a25f45", node("html > body > table > tbody > tr > td:nth-child(1)")+`,`+node("html > body > table > tbody > tr > td:nth-child(2)")) + `,` +
		rule("QW-ACT-R1", "2779a5", node("html > head > title")+`,`+node("html > body > iframe >>> html > head > title")) + `,` + rule("QW-ACT-R17", "23a2a8", node("html > body > svg")) + `]}`
	var got []string
	for _, f := range FromEngines([]byte(axe), []byte(qualweb)).Findings {
		got = append(got, f.Rule+" by "+f.Engine)
	}
	want := []string{"td-headers-attr by axe-core 4.14.1, qualweb 0.7.5", "document-title by axe-core 4.14.1, qualweb 0.7.5", "svg-img-alt by axe-core 4.14.1, qualweb 0.7.5", "QW-ACT-R1 by qualweb 0.7.5"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
}

// Where our own check of a rule is right and both engines are not, neither is heard.
func TestARuleWithACheckOfOurOwn(t *testing.T) {
	axe := `{"engine":"axe-core 4.14.1","violations":[{"id":"label-content-name-mismatch","tags":["wcag253"],"act_ids":["2ee8b8"],"help":"h","count":1,"nodes":[{"target":["#b"],"path":["html > b"]}]}]}`
	qualweb := `{"engine":"qualweb 0.7.5","violations":[{"id":"QW-ACT-R30","tags":["wcag253"],"act_ids":["2ee8b8"],"count":1,"nodes":[{"target":["html > b"],"path":["html > b"]}]}]}`
	if e := FromEngines([]byte(axe), []byte(qualweb)); len(e.Findings) != 0 {
		t.Errorf("%+v", e.Findings)
	}
}

// Where the first engine did not run, that is said, whatever the second one found.
func TestTheSecondEngineIsNoStandIn(t *testing.T) {
	e := FromEngines(nil, []byte(other))
	if e.Ran || !slices.Contains(e.Notes, schema.NoteAxeIncomplete) || len(e.Findings) != 4 {
		t.Errorf("ran %v, notes %v, %d findings", e.Ran, e.Notes, len(e.Findings))
	}
}

// Each ruling has its reason; each rule that is passed on has words.
func TestEveryRulingHasAReason(t *testing.T) {
	for id, r := range qualwebRulings {
		if r.why == "" || !strings.HasPrefix(id, "QW-ACT-R") {
			t.Errorf("%s has no reason", id)
		}
		if (r.trust == failed || r.trust == review) && (r.title == "" || r.help == "" || r.severity.Rank() < 1) {
			t.Errorf("%s has no words", id)
		}
	}
	for id, r := range axeRulings {
		if r.why == "" {
			t.Errorf("%s has no reason", id)
		}
	}
}
