package browser

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"visite/schema"
)

func TestASoundPageHasNoFindings(t *testing.T) {
	out, _ := openPage(t, html("", `<p>Fine.</p>`))
	a := axeOf(t, out)
	if len(a.Violations)+len(a.Incomplete)+len(a.GroupsNotRun)+a.FramesSkipped != 0 || a.Engine != "axe-core 4.14.1" || out.AxeEngine != a.Engine {
		t.Errorf("%+v", a)
	}
	for _, rule := range []string{"color-contrast", "image-alt", "target-size", "region", "html-has-lang"} {
		if !slices.Contains(a.RulesRun, rule) {
			t.Errorf("%s did not run", rule)
		}
	}
	for _, rule := range []string{"color-contrast-enhanced", "frame-tested", "p-as-heading", "duplicate-id"} {
		if slices.Contains(a.RulesRun, rule) {
			t.Errorf("%s ran", rule)
		}
	}
}

func TestFindingsAreComplete(t *testing.T) {
	out, _ := openPage(t, html("", `<p style="color:#aaa">pale</p><img src="/a.svg"><img src="/a.svg" class="second">`))
	a := axeOf(t, out)
	if got := ids(a.Violations); !slices.Equal(got, []string{"color-contrast:1", "image-alt:2"}) {
		t.Fatalf("%v", got)
	}
	contrast, alt := a.Violations[0], a.Violations[1]
	if want := (schema.AxeContrast{Ratio: 2.32, Expected: 4.5, Foreground: "#aaaaaa", Background: "#ffffff", FontSize: "12.0pt (16px)"}); contrast.Nodes[0].Contrast == nil || *contrast.Nodes[0].Contrast != want {
		t.Errorf("contrast %+v", contrast.Nodes[0].Contrast)
	}
	if alt.Impact != "critical" || alt.Help != "Images must have alternative text" || !slices.Equal(alt.ACTIDs, []string{"23a2a8"}) || !slices.Contains(alt.Tags, "wcag111") {
		t.Errorf("%+v", alt)
	}
	if got := []string{alt.Nodes[0].Selector(), alt.Nodes[1].Selector()}; !slices.Equal(got, []string{"img:nth-child(3)", ".second"}) {
		t.Errorf("%v", got)
	}
	if alt.Nodes[0].Contrast != nil || alt.Nodes[0].Impact != "critical" {
		t.Errorf("%+v", alt.Nodes[0])
	}
}

// The committed sample is what others build on: it must be of the real shape.
func TestTheSampleHasTheShapeOfRealResults(t *testing.T) {
	raw, err := os.ReadFile("testdata/axe_results.json")
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.DisallowUnknownFields()
	var a schema.AxeResults
	if err := d.Decode(&a); err != nil {
		t.Fatal(err)
	}
	out, _ := openPage(t, html("", `<p style="color:#aaa">pale</p>`))
	d = json.NewDecoder(strings.NewReader(string(out.Axe)))
	d.DisallowUnknownFields()
	if err := d.Decode(&a); err != nil {
		t.Error(err)
	}
}

// proves C-58, S-24
func TestNoTextOfThePageIsInTheResults(t *testing.T) {
	const canary = "kanarienvogel"
	long := strings.Repeat("sehrlangeklasse", 5)
	out, _ := openPage(t, html("", strings.ReplaceAll(`
		<p style="color:#bbb">CANARY</p><p style="color:#bbb" title="CANARY">x</p>
		<img src="/CANARY.svg"><a href="/CANARY?mail=CANARY@example.org"></a><a href="mailto:CANARY@example.org"><img src="/a.svg"></a>
		<div role="button" aria-label="CANARY" aria-CANARY="1"></div><input name="CANARY" value="CANARY" placeholder="CANARY"><input type="image" src="/CANARY.svg" name="CANARY">
		<button data-canary="CANARY"></button><select title="CANARY" aria-labelledby="nothing"><option>CANARY</select>
		<iframe src="about:blank" srcdoc="<html lang='CANARY'><p style='color:#bbb'>CANARY</p><img src='/CANARY.svg'>"></iframe>
		<div lang="CANARY">x</div><table summary="CANARY"><caption>CANARY</caption><tr><td>CANARY</table><div id="`+long+`" role="CANARY">x</div>
		<object data="/CANARY"></object><svg role="img" aria-roledescription="CANARY"><title></title></svg><label for="n">CANARY</label><my-card></my-card>
		<script>document.querySelector("my-card").attachShadow({mode:"open"}).innerHTML = '<img src="/CANARY.svg" id="i"><p style="color:#bbb">CANARY</p>'</script>`, "CANARY", canary)))
	a := axeOf(t, out)
	if n := len(a.Violations); n < 9 || len(a.GroupsNotRun) != 0 || a.FramesChecked != 1 {
		t.Fatalf("only %d rules, groups not run %v: the test proves little", n, a.GroupsNotRun)
	}
	lower := strings.ToLower(string(out.Axe))
	for _, word := range []string{canary, long, "example.org"} {
		if i := strings.Index(lower, word); i >= 0 {
			t.Errorf("%s is in the results: ...%s...", word, lower[max(0, i-200):min(len(lower), i+80)])
		}
	}
	if !strings.Contains(string(out.Axe), "my-card >>> ") && !strings.Contains(string(out.Axe), "my-card \\u003e\\u003e\\u003e ") {
		t.Error("the shadow root was not looked into")
	}
}

// A02: what a page does to its built-ins does not reach the engine.
func TestPagesThatAlterBuiltInsAreCheckedAllTheSame(t *testing.T) {
	out, _ := openPage(t, html(`<script>
		Array.from = x => x && x.length ? [].slice.call(x) : [];
		Array.prototype.map = Array.prototype.forEach = () => { throw 1 };
		Promise = undefined; JSON.stringify = () => "x"; Document.prototype.querySelectorAll = () => [];
	</script>`, `<img src="/a.svg">`))
	if got := ids(axeOf(t, out).Violations); !slices.Equal(got, []string{"image-alt:1"}) {
		t.Errorf("%v", got)
	}
}

func TestThePageSeesNothingOfOurs(t *testing.T) {
	out, _ := openPage(t, html("", `<script>
		const before = Object.getOwnPropertyNames(window).length;
		onload = () => setTimeout(() => document.title = [typeof axe, typeof visite, typeof visiteAxe, Object.getOwnPropertyNames(window).length - before].join(), 90);
	</script>`))
	if !strings.Contains(out.HTML, "<title>undefined,undefined,undefined,") {
		t.Errorf("%.150s", out.HTML)
	}
}

// A04: contrast is judged when animations and transitions have ended, so that two
// runs over a page that did not change agree.
func TestContrastIsJudgedAtRest(t *testing.T) {
	page := html(`<style>
		@keyframes f { from { opacity: 0 } to { opacity: 1 } } @keyframes g { 50% { color: #eee } }
		.fade { color: #171717; animation: f 30s } .ever { color: #171717; animation: g 4s infinite } .slow { color: #eee; transition: color 60s }
	</style>`, `<p class="fade">a</p><p class="ever">b</p><p class="slow">c</p><script>
		onload = () => requestAnimationFrame(() => { document.querySelector(".slow").style.color = "#171717" });
	</script>`)
	for range 2 {
		out, _ := openPage(t, page)
		if a := axeOf(t, out); len(a.Violations)+len(a.Incomplete) != 0 {
			t.Errorf("%v %v", ids(a.Violations), ids(a.Incomplete))
		}
	}
}

// A05: what the engine cannot decide is a question, no violation.
func TestUndecidedIsNoViolation(t *testing.T) {
	out, _ := openPage(t, html("", `<div style="background-image:url(/a.svg)"><h2 style="color:#fff">Hi</h2></div>`))
	a := axeOf(t, out)
	if len(a.Violations) != 0 || !slices.Equal(ids(a.Incomplete), []string{"color-contrast:1"}) || a.Incomplete[0].Nodes[0].Contrast.Reason != "bgImage" {
		t.Errorf("%v %v", ids(a.Violations), ids(a.Incomplete))
	}
}

// Text on a gradient is judged where no place of the gradient gives it contrast enough.
func TestContrastOnGradients(t *testing.T) {
	const gradient = "background-image:linear-gradient(to right,"
	out, _ := openPage(t, html("", `<p style="color:#aaa;`+gradient+`#fff,#ddf)">low everywhere</p>
		<p style="color:#aaa;`+gradient+`#fff,#000)">low in places</p>
		<div style="`+gradient+`#fff,#eee)"><p style="color:#bbb">low, around it</p></div>
		<p style="color:#aaa;text-shadow:0 0 2px #000;`+gradient+`#fff,#ddf)">with a shadow</p>
		<p style="color:#aaa;`+gradient+`rgba(0,0,0,.9),#ddf)">see-through</p>
		<h2 style="color:#949494;`+gradient+`#fff,#fefefe)">large: 3 is enough</h2>`))
	a := axeOf(t, out)
	i := slices.IndexFunc(a.Violations, func(r schema.AxeRule) bool { return r.ID == "color-contrast" })
	if i < 0 || a.Violations[i].Count != 2 {
		t.Fatalf("%v, asked %v", ids(a.Violations), ids(a.Incomplete))
	}
	for k, want := range []schema.AxeContrast{{Ratio: 2.32, Expected: 4.5, Foreground: "#aaaaaa", Background: "#ffffff"}, {Ratio: 1.91, Expected: 4.5, Foreground: "#bbbbbb", Background: "#ffffff"}} {
		got := *a.Violations[i].Nodes[k].Contrast
		if got.Ratio != want.Ratio || got.Expected != want.Expected || got.Foreground != want.Foreground || got.Background != want.Background {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
}

// Contrast that is enough for level AA and not for AAA is told of once a page.
func TestEnhancedContrast(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][]string{
		`<p style="color:#666">5.74</p><p style="color:#6a6a6a">5.41</p>`:    {"color-contrast-enhanced:1"},
		`<h2 style="color:#767676;font-size:30px">4.54 is enough here</h2>`:  {},
		`<p style="color:#666">5.74</p><p style="color:#aaa">not for AA</p>`: {"color-contrast:1"},
	} {
		out, _ := openPage(t, html("", body))
		a := axeOf(t, out)
		if !slices.Equal(ids(a.Violations), want) {
			t.Errorf("%s: %v, want %v", body, ids(a.Violations), want)
			continue
		}
		if len(want) == 0 || a.Violations[0].ID != "color-contrast-enhanced" {
			continue
		}
		if r := a.Violations[0]; r.Nodes[0].Contrast.Ratio < 5.3 || r.Nodes[0].Contrast.Ratio > 5.5 || r.Nodes[0].Contrast.Expected != 7 || !slices.Contains(r.ACTIDs, "09o5cg") || !slices.Contains(r.Tags, "wcag146") {
			t.Errorf("%+v", r)
		}
	}
}

func TestFramesAreCheckedWhereTheyHaveContents(t *testing.T) {
	bad := `<!doctype html><html lang="en"><title>f</title><main><img src="/a.svg" id="inside"></main>`
	d := newDoor(t, pages{
		"/": html("", `<iframe title="own" src="/bad"></iframe><iframe title="foreign" src="http://else.example/nest"></iframe>
			<iframe title="fenced" sandbox="allow-scripts" src="http://third.example/bad"></iframe>
			<iframe title="empty"></iframe><iframe title="hidden" style="display:none" src="/bad"></iframe><iframe title="gone" src="http://else.example/204"></iframe>`),
		"/bad": bad, "/nest": `<!doctype html><html lang="en"><title>n</title><main><iframe title="deep" src="http://third.example/bad"></iframe></main>`, "/a.svg": svg,
	})
	out := open(t, needBrowser(t), d, "/")
	a := axeOf(t, out)
	var targets []string
	for _, r := range a.Violations {
		if r.ID == "image-alt" {
			for _, n := range r.Nodes {
				targets = append(targets, fmt.Sprint(len(n.Target))+" "+n.Target[len(n.Target)-1])
			}
		}
	}
	slices.Sort(targets)
	if !slices.Equal(targets, []string{"2 #inside", "2 #inside", "3 #inside"}) {
		t.Errorf("%v in %v", ids(a.Violations), targets)
	}
	if a.FramesChecked != 5 || a.FramesSkipped != 0 {
		t.Errorf("checked %d, skipped %d", a.FramesChecked, a.FramesSkipped)
	}
}

// A01: a frame that never loads costs the page nothing, and the report says that it
// was not checked.
func TestAFrameThatWasNotLoadedIsListed(t *testing.T) {
	d := newDoor(t, streams{pages{
		"/": html("", `<p>x</p><img src="/a.svg"><iframe title="map" src="/never.svg"></iframe>`), "/a.svg": svg,
		"/lazy": html("", `<p>x</p><div style="height:60000px"></div><iframe title="map" loading="lazy" src="http://maps.example/"></iframe>`),
	}})
	b := ownBrowser(t)
	b.limits.load = time.Second
	out := open(t, b, d, "/")
	if a := axeOf(t, out); out.FramesSkipped != 1 || a.FramesSkipped != 1 || !slices.Equal(ids(a.Violations), []string{"image-alt:1"}) || !slices.Contains(out.Notes, schema.NoteFramesUnchecked) {
		t.Errorf("%+v %v", a, out.Notes)
	}
	start := time.Now()
	out = open(t, b, d, "/lazy") // beyond the steps of the scroll
	if out.FramesSkipped != 1 || !slices.Contains(out.Notes, schema.NoteFramesUnchecked) {
		t.Errorf("skipped %d %v", out.FramesSkipped, out.Notes)
	}
	took(t, start, 100*time.Second)
}

func TestAGroupThatMissesItsDeadlineCostsNoOther(t *testing.T) {
	b := needBrowser(t)
	d := newDoor(t, pages{"/": html("", `<img src="/a.svg"><p style="color:#aaa">pale words</p>`)})
	tb := heldTab(t, b, d, "/")
	w, err := tb.newWorld(tb.main(), callLimit)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.run(callLimit, b.scripts.axe, nil); err != nil {
		t.Fatal(err)
	}
	e := &engine{tab: tb, source: b.scripts.axe, main: w, until: time.Now().Add(30 * time.Second)}
	if err := w.run(callLimit, `axe.run = () => { for (;;); }; 0`, nil); err != nil {
		t.Fatal(err)
	}
	err = e.group("wcag", 300*time.Millisecond)
	if !errors.Is(err, errNoAnswer) {
		t.Fatalf("%v", err)
	}
	e.again(err)
	if err := e.group("contrast", 10*time.Second); err != nil {
		t.Fatalf("after the miss: %v", err)
	}
	if !slices.Equal(ids(e.results.Violations), []string{"color-contrast:1"}) || !slices.Equal(e.results.RulesRun, []string{"color-contrast"}) {
		t.Errorf("%+v", e.results)
	}
}
