package browser

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"visite/schema"
)

func qualwebOf(t testing.TB, r Rendered) schema.AxeResults {
	t.Helper()
	var a schema.AxeResults
	if err := json.Unmarshal(r.QualWeb, &a); err != nil {
		t.Fatalf("results of the second engine: %v (failure %q, notes %v)", err, r.Failure, r.Notes)
	}
	return a
}

// The second engine's version is the one of the lock file.
func TestTheSecondEngineIsTheOneOfTheLockFile(t *testing.T) {
	raw, err := os.ReadFile("scripts/package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	var lock struct {
		Packages map[string]struct{ Version string }
	}
	if err := json.Unmarshal(raw, &lock); err != nil {
		t.Fatal(err)
	}
	if got := "qualweb " + lock.Packages["node_modules/@qualweb/act-rules"].Version; got != qualwebName {
		t.Errorf("%s, want %s", qualwebName, got)
	}
}

// Both engines give one element the same path: in the document, in a shadow root,
// in a frame of the same origin. The page alters its built-ins and watches its
// document; it learns nothing. Three visits find the same.
// proves C-58, S-24
func TestBothEnginesNameTheSameElements(t *testing.T) {
	page := html(`<script>Array.from = () => []; Element.prototype.setAttribute = () => { throw 1 };</script>`, `
		<p>Words</p><form><img src="/a.svg"><input type="hidden" name="children"></form><img src="/a.svg"><my-card></my-card><iframe title="inner" srcdoc="<html lang='en'><title>f</title><main><img src='/a.svg' class='kanarienvogel'></main>"></iframe>
		<script>
			document.querySelector("my-card").attachShadow({mode: "open"}).innerHTML = '<b>kanarienvogel</b><img src="/a.svg">';
			onload = () => new MutationObserver(() => document.body.dataset.seen = "yes").observe(document, {subtree: true, attributes: true, childList: true});
		</script>`)
	var before []string
	for range 3 {
		out, _ := openPage(t, page)
		axe, qw := paths(axeOf(t, out), "image-alt"), paths(qualwebOf(t, out), "QW-ACT-R17")
		// axe-core is misled by a field that is named like a property; nothing of ours is.
		const clobbered = "html > body > main > form:nth-child(3) > img"
		if !slices.Contains(qw, clobbered+":nth-child(1)") {
			t.Errorf("in a form with a field named children: %q", qw)
		}
		within := func(path string) bool { return strings.HasPrefix(path, clobbered) }
		axe, qw = slices.DeleteFunc(axe, within), slices.DeleteFunc(qw, within)
		if len(axe) != 3 || !slices.Equal(axe, qw) {
			t.Fatalf("axe-core\n%s\nQualWeb\n%s\nnot run %v", strings.Join(axe, "\n"), strings.Join(qw, "\n"), qualwebOf(t, out).GroupsNotRun)
		}
		if strings.Contains(strings.ToLower(string(out.QualWeb)), "kanarienvogel") {
			t.Error("text of the page is in the results")
		}
		if both := append([]string{string(out.QualWeb)}, string(out.Axe)); before != nil && !slices.Equal(before, both) {
			t.Error("two visits of an unchanged page differ")
		} else {
			before = both
		}
	}
}

func paths(a schema.AxeResults, rule string) []string {
	var out []string
	for _, r := range a.Violations {
		for _, n := range r.Nodes {
			if r.ID == rule {
				out = append(out, strings.Join(n.Path, " >>> "))
			}
		}
	}
	slices.Sort(out)
	return out
}

// The engine's notes on elements do not become attributes of the page's.
func TestTheSecondEngineLeavesThePageAlone(t *testing.T) {
	b := needBrowser(t)
	d := newDoor(t, pages{"/": html("", `<p style="letter-spacing:.1em">Words</p><img src="/a.svg"><a href="/x"></a>`), "/a.svg": svg})
	tb := heldTab(t, b, d, "/")
	w, err := tb.newWorld(tb.main(), callLimit)
	if err != nil {
		t.Fatal(err)
	}
	var markup, after string
	if err := w.run(callLimit, "document.documentElement.outerHTML", &markup); err != nil {
		t.Fatal(err)
	}
	q := &second{tab: tb, until: time.Now().Add(time.Minute)}
	if err := q.enter(b.scripts.qualweb, 10); err != nil {
		t.Fatal(err)
	}
	for _, g := range qualwebGroups {
		if err := q.group(g, 30*time.Second); err != nil {
			t.Fatalf("%s: %v", g, err)
		}
	}
	if err := w.run(callLimit, "document.documentElement.outerHTML", &after); err != nil || after != markup {
		t.Errorf("%v: the page is another one now:\n%s", err, after)
	}
	if !slices.Contains(ids(q.results.Violations), "QW-ACT-R12:1") || !slices.Contains(q.results.RulesRun, "QW-ACT-R1") {
		t.Errorf("found %v, ran %v", ids(q.results.Violations), q.results.RulesRun)
	}
}
