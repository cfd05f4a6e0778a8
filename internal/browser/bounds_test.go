package browser

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"visite/schema"
)

// ownChecks counts our own checks: those that only look at the page and those that use it.
const ownChecks = 8 + 9

// unaccounted are the groups of rules that neither ran nor are listed as not run:
// what was looked at has to follow from the results alone.
func unaccounted(t *testing.T, out Rendered) []string {
	t.Helper()
	var missing []string
	engines := map[string][]string{"axe": ruleGroups, "qualweb": qualwebGroups}
	for name, raw := range map[string][]byte{"axe": out.Axe, "qualweb": out.QualWeb} {
		var r schema.AxeResults
		if err := json.Unmarshal(raw, &r); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(r.RulesRun) == 0 && !slices.Equal(r.GroupsNotRun, engines[name]) {
			missing = append(missing, name)
		}
		if len(r.GroupsNotRun) > 0 && !slices.Contains(out.Notes, schema.NoteAxeIncomplete) {
			missing = append(missing, name+"'s note")
		}
	}
	var own schema.CheckResults
	if err := json.Unmarshal(out.Checks, &own); err != nil {
		t.Fatalf("our own checks: %v", err)
	}
	if all := slices.Contains(own.NotRun, schema.AllChecks); !all && len(own.Ran)+len(own.NotRun) < ownChecks {
		missing = append(missing, fmt.Sprintf("%d of our own checks", ownChecks-len(own.Ran)-len(own.NotRun)))
	}
	if len(own.NotRun) > 0 && !slices.Contains(out.Notes, schema.NoteAxeIncomplete) {
		missing = append(missing, "our own checks' note")
	}
	return missing
}

// A page of 30,000 elements in a time too short for it: whatever did not run, is
// said; and the visit ends. A machine too slow even to load it says that.
func TestAPageTooLargeForItsTimeSaysWhatWasNotRun(t *testing.T) {
	b := needBrowser(t)
	d := newDoor(t, pages{"/": html("", strings.Repeat(`<p style="color:#aaa">word <b>and <i>more</i></b></p>`, 10_000))})
	v := visitOf(t, b, d, "/")
	v.Deadline = 5 * time.Second
	out, err := b.Visit(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	defer noTabsLeft(t, b)
	if out.Failure != schema.ReasonNone {
		if out.Failure != schema.ReasonTimeout || out.HTML != "" {
			t.Errorf("failure %q", out.Failure)
		}
		return
	}
	if out.Elements < 30_000 {
		t.Errorf("%d elements", out.Elements)
	}
	if missing := unaccounted(t, out); len(missing) > 0 {
		t.Errorf("nothing tells of %v", missing)
	}
}

// Where there is no time at all, each group is listed by name, whatever the
// machine; none of them counts as run.
func TestWithoutTimeEachGroupIsNamed(t *testing.T) {
	b := needBrowser(t)
	tb := heldTab(t, b, newDoor(t, pages{"/": html("", `<img src="/a.svg"><p style="color:#aaa">pale words</p>`)}), "/")
	w, err := tb.newWorld(tb.main(), callLimit)
	if err != nil {
		t.Fatal(err)
	}
	out := Rendered{HTML: "<p>", Elements: 7}
	e := &engine{tab: tb, source: b.scripts.axe, main: w, until: time.Now()}
	e.inTurn()
	e.finish(&out)
	q := &second{tab: tb, until: time.Now()}
	for _, group := range qualwebGroups {
		if q.group(group, time.Until(q.until)) != nil {
			q.results.GroupsNotRun = append(q.results.GroupsNotRun, group)
		}
	}
	q.finish(&out)
	c := &checker{tab: tb, w: w}
	c.use(c.steps(nil, schema.DeviceDesktop))
	if err := w.run(callLimit, b.scripts.page+b.scripts.axe+b.scripts.own+"; 0", nil); err != nil {
		t.Fatal(err)
	}
	var looked schema.CheckResults
	if err := w.run(callLimit, "visiteOwn.run(-1)", &looked); err != nil {
		t.Fatal(err)
	}
	c.results.Ran, c.results.NotRun = append(c.results.Ran, looked.Ran...), append(c.results.NotRun, looked.NotRun...)
	c.finish(&out)
	if missing := unaccounted(t, out); len(missing) > 0 || len(e.results.RulesRun)+len(q.results.RulesRun)+len(c.results.Ran) > 0 {
		t.Errorf("nothing tells of %v; run: %v, %v, %v", missing, e.results.RulesRun, q.results.RulesRun, c.results.Ran)
	}
}

// A page that fights the scripts, with timers that never end, an attribute of
// 10 MB and 3,000 faults: what is found is bounded and counted, and what was not
// looked at is said.
func TestAPageThatFightsBackIsNeverWithoutProblems(t *testing.T) {
	b := needBrowser(t)
	d := newDoor(t, pages{"/a.svg": svg, "/": html(`<script>
		Array.from = x => x && x.length ? [].slice.call(x) : [];
		Array.prototype.map = Array.prototype.forEach = Array.prototype.filter = () => { throw 1 };
		Promise = undefined; JSON.stringify = () => "x"; Map = Set = WeakMap = function () { throw 2 };
		Document.prototype.querySelectorAll = Element.prototype.querySelectorAll = () => [];
		Element.prototype.getAttribute = Element.prototype.matches = Element.prototype.closest = () => { throw 3 };
		(function again() { setTimeout(again, 0); setTimeout(() => {}, 0) })(); setInterval(() => { document.title = Math.random() }, 1);
	</script>`, `<p title="`+strings.Repeat("x", 10<<20)+`">Long</p>`+strings.Repeat(`<img src="/a.svg">`, 3000))})
	v := visitOf(t, b, d, "/")
	v.Deadline = 2 * time.Minute
	out, err := b.Visit(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	analysed(t, out)
	a := axeOf(t, out)
	i := slices.IndexFunc(a.Violations, func(r schema.AxeRule) bool { return r.ID == "image-alt" })
	switch {
	case i < 0 && !slices.Contains(a.GroupsNotRun, "wcag"):
		t.Errorf("3,000 faults were not seen, and nothing says so: %v", ids(a.Violations))
	case i >= 0 && (a.Violations[i].Count != 3000 || len(a.Violations[i].Nodes) != 200):
		t.Errorf("%d faults, %d places", a.Violations[i].Count, len(a.Violations[i].Nodes))
	}
	if missing := unaccounted(t, out); len(missing) > 0 {
		t.Errorf("nothing tells of %v", missing)
	}
	if size := len(out.Axe) + len(out.QualWeb) + len(out.Checks); size > 4<<20 || len(out.HTML) > MaxHTMLBytes {
		t.Errorf("%d bytes of results, %d of markup", size, len(out.HTML))
	}
}

// A rule that takes long stops within itself when time is up: what it has found
// stands, and it counts as not run. The clock here moves as often as it is read,
// so the machine's speed plays no part.
func TestRulesStopWithinThemselves(t *testing.T) {
	b := checkingBrowser(t)
	tb := heldTab(t, b, newDoor(t, pages{"/": html("", `<form>`+strings.Repeat(`<label>Text field <input></label><p>Invalid value</p>`, 20)+`</form>`)}), "/")
	w, err := tb.newWorld(tb.main(), callLimit)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.run(patient, b.scripts.page+b.scripts.axe+b.scripts.own+"; let now = 0; performance.now = () => now++; 0", nil); err != nil {
		t.Fatal(err)
	}
	cut := map[string]bool{}
	for limit := 10; limit <= 250; limit += 40 {
		var r schema.CheckResults
		if err := w.run(patient, fmt.Sprintf("visiteOwn.run(%d)", limit), &r); err != nil {
			t.Fatal(err)
		}
		for _, h := range r.Hits {
			cut[h.Rule] = cut[h.Rule] || slices.Contains(r.NotRun, h.Rule)
		}
	}
	if !cut["field-label-unclear"] || !cut["error-message-unclear"] {
		t.Errorf("cut short were %v", cut)
	}
}
