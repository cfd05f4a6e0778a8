package browser

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"visite/schema"
)

// checksOf are the hits of our own checks as "rule outcome selector: detail".
func checksOf(t *testing.T, page string, rules ...string) []string {
	t.Helper()
	d := newDoor(t, pages{"/": page, "/a.svg": svg})
	return told(t, open(t, checkingBrowser(t), d, "/"), rules...)
}

func told(t *testing.T, out Rendered, rules ...string) []string {
	t.Helper()
	var r schema.CheckResults
	if err := json.Unmarshal(out.Checks, &r); err != nil {
		t.Fatalf("our own checks: %v (failure %q, notes %v)", err, out.Failure, out.Notes)
	}
	got := []string{}
	for _, h := range r.Hits {
		if len(rules) == 0 || slices.Contains(rules, h.Rule) {
			got = append(got, fmt.Sprintf("%s %s: %s", h.Outcome, h.Selector[strings.LastIndex(h.Selector, " ")+1:], h.Detail))
		}
	}
	for _, rule := range rules {
		if !slices.Contains(r.Ran, rule) {
			t.Errorf("%s did not run (not run: %v)", rule, r.NotRun)
		}
	}
	return got
}

func same(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A page without faults passes all of our own checks, and all of them ran.
func TestOwnChecksFindNothingOnASoundPage(t *testing.T) {
	page := html(`<style>.box { overflow: hidden } @media (orientation: portrait) { main { transform: none } } a:focus { outline: 2px solid }</style>`,
		`<nav><ul><li><a href="/a">First</a></li><li><a href="/b">Second</a></li></ul></nav><p>Some words of content that are long enough to be read as such.</p>
		<div class="box"><p>Fits</p></div><button aria-label="Search the shop">Search</button><input aria-label="Name">
		<script>document.querySelector("input").addEventListener("blur", () => {}); addEventListener("keydown", () => {});</script>`)
	out, d := openPage(t, page)
	if got := told(t, out); len(got) != 0 {
		t.Errorf("%q", got)
	}
	var r schema.CheckResults
	if err := json.Unmarshal(out.Checks, &r); err != nil || len(r.Ran) < 8 || len(r.NotRun) != 0 {
		t.Errorf("ran %v, not run %v", r.Ran, r.NotRun)
	}
	for _, request := range d.requests() {
		if !strings.HasPrefix(request, "GET ") {
			t.Errorf("the checks sent %s", request)
		}
	}
}

// Fields named like properties of an element neither stop a rule nor lead it in a
// circle, and the places told are right.
func TestFieldsNamedLikePropertiesMisleadNoRule(t *testing.T) {
	page := html("", `<p>Words</p><form><p>Words</p><p><button aria-label="Send">Order</button></p><button aria-label="Send">Order</button><input type="hidden" name="children"></form>
		<form><p aria-hidden="true">Please mind that the name is invalid.</p><label>Menu <input></label><label>Name <input></label><input type="hidden" name="parentElement"><input type="hidden" name="inert"></form>`)
	out := open(t, checkingBrowser(t), newDoor(t, pages{"/": page}), "/")
	told(t, out, "label-in-name", "field-label-unclear", "error-message-unclear")
	var r schema.CheckResults
	if err := json.Unmarshal(out.Checks, &r); err != nil || len(r.NotRun) > 0 {
		t.Fatalf("not run %v, %v", r.NotRun, err)
	}
	var got []string
	for _, h := range r.Hits {
		got = append(got, h.Rule+" "+strings.TrimPrefix(h.Selector, "html > body > main > "))
	}
	same(t, got, "label-in-name form:nth-of-type(1) > p:nth-of-type(2) > button", "label-in-name form:nth-of-type(1) > button",
		"field-label-unclear form:nth-of-type(2) > label:nth-of-type(1) > input", "error-message-unclear form:nth-of-type(2) > p")
}

func TestNoTextOfThePageIsInTheCheckResults(t *testing.T) {
	const canary = "kanarienvogel"
	out, _ := openPage(t, html("", strings.ReplaceAll(`<button id="CANARY" class="CANARY" aria-label="CANARY word">CANARY label</button>
		<button aria-label="x y" data-CANARY="1">CANARY</button><CANARY-card><button aria-label="a">b CANARY</button></CANARY-card>`, "CANARY", canary)))
	if len(told(t, out, "label-in-name")) != 3 {
		t.Error("the test proves little")
	}
	// Names of custom elements are the page's vocabulary, not its text.
	if s := strings.ReplaceAll(string(out.Checks), canary+"-card", ""); strings.Contains(s, canary) {
		t.Errorf("%s", s)
	}
}

func TestLabelInName(t *testing.T) {
	var page strings.Builder
	var want []string
	for i, one := range [][2]string{
		{`<button aria-label="Order by post">Send order</button>`, "failed"},
		{`<button aria-label="Send order now">send  Order</button>`, ""},
		{`<a href="/" aria-label="Read on">Read <b>all</b></a>`, "failed"},
		{`<a href="/" aria-label="Reading">Read</a>`, "failed"},
		{`<button aria-label="Close">✕</button>`, ""},
		{`<button aria-label="Close"><svg width="9" height="9"></svg></button>`, ""},
		{`<button aria-label="Date">Date (DD.MM.YYYY)</button>`, ""},
		{`<button aria-label="Street map">Str. map</button>`, "needs_review"},
		{`<button aria-label="Send">Send <span hidden>it</span></button>`, ""},
		{`<button aria-label="Search" style="font-family:'My Icons'">lens</button>`, ""},
		{`<i aria-label="A part">Other words</i>`, ""},
	} {
		fmt.Fprintf(&page, "<x%d>%s</x%d>", i, one[0], i)
		if one[1] != "" {
			want = append(want, fmt.Sprintf("%s x%d", one[1], i))
		}
	}
	out, _ := openPage(t, html("", page.String()))
	var r schema.CheckResults
	if err := json.Unmarshal(out.Checks, &r); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, h := range r.Hits {
		steps := strings.Split(h.Selector, " > ")
		got = append(got, string(h.Outcome)+" "+steps[len(steps)-2])
	}
	same(t, got, want...)
}

const (
	blocks = `<header><nav><ul><li><a href="/a">First</a></li><li><a href="/b">Second</a></li></ul></nav></header>`
	words  = `<p>Some words of content that are long enough to be read as content.</p>`
)

func plainPage(body string) string {
	return `<!doctype html><html lang="en"><head><title>A page</title></head><body>` + body + `</body></html>`
}

func TestBypassMissing(t *testing.T) {
	for body, want := range map[string]string{
		blocks + words:                                                           "failed",
		blocks + `<main>` + words + `</main>`:                                    "",
		blocks + `<h2>Words</h2>` + words:                                        "",
		blocks + `<h2 aria-hidden="true">x</h2>` + words:                         "failed",
		`<a href="#own">Skip</a>` + blocks + `<div id="own">` + words + `</div>`: "",
		`<a href="#none">Skip</a>` + blocks + words:                              "failed",
		`<button>Menu</button>` + blocks + words:                                 "needs_review",
		words + `<footer>` + blocks + `</footer>`:                                "",
		words: "",
		`<nav><h2>Menu</h2><a href="/a">First</a></nav>` + words: "failed",
	} {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			got := checksOf(t, plainPage(body), "bypass-missing")
			if (want == "") != (len(got) == 0) || (want != "" && !strings.HasPrefix(got[0], want)) {
				t.Errorf("%s: %q, want %q", body, got, want)
			}
		})
	}
}

func TestFramesOfOneName(t *testing.T) {
	frame := func(title string) string {
		return `<!doctype html><html lang="en"><title>` + title + `</title><main><h1>` + title + `</h1></main>`
	}
	d := newDoor(t, pages{
		"/": html("", `<iframe title="Offers" src="/one"></iframe><iframe title="offers " src="/two"></iframe><iframe title="Offers" src="/copy"></iframe>
			<iframe title="Film" src="/one"></iframe><iframe title="Film" src="http://else.example/two"></iframe>
			<iframe title="Advertisement" src="/one"></iframe><iframe title="Advertisement" src="/two"></iframe>
			<iframe title="Same" src="/one"></iframe><iframe title="Same" src="/one#part"></iframe>`),
		"/one": frame("One"), "/two": frame("Two"), "/copy": frame("One"),
	})
	same(t, told(t, open(t, needBrowser(t), d, "/"), "frame-same-name"),
		"failed iframe:nth-of-type(2): ", "needs_review iframe:nth-of-type(5): ", "needs_review iframe:nth-of-type(7): ")
}

func TestOrientationLock(t *testing.T) {
	same(t, checksOf(t, html(`<style>@media (orientation: portrait) { main { transform: rotate(-90deg) } h1 { transform: rotate(5deg) } }
		@media screen { @media (orientation: landscape) { p { rotate: 0.25turn } } } @media (min-width: 1px) { b { transform: rotate(90deg) } }</style>`,
		`<p>Turned</p><b>Not</b>`), "orientation-lock"), "failed main: 90 degrees", "failed p: 90 degrees")
}

func TestZoomClipsText(t *testing.T) {
	same(t, checksOf(t, html(`<style>.cut { height: 1.3em; overflow: hidden } .line { width: 60vw; overflow: hidden; white-space: nowrap } .free { overflow: hidden }
		.dots { width: 60vw; overflow: hidden; white-space: nowrap; text-overflow: ellipsis }</style>`, strings.ReplaceAll(
		`<p class="cut">LONG</p><p class="line">LONG</p><p class="free">LONG</p><p class="dots">LONG</p>`, "LONG",
		"A line of words that is whole on a wide screen and is not on a small one, as many lines of words are.")), "zoom-clips-text"),
		"failed p:nth-of-type(1): 1 texts", "failed p:nth-of-type(2): 1 texts", "needs_review p:nth-of-type(4): 1 texts")
}

// Three visits of an unchanged page find the same, by both engines and our own checks.
func TestThreeVisitsFindTheSame(t *testing.T) {
	t.Parallel()
	page := html(`<style>@keyframes k { 50% { color: #eee } } .k { animation: k 1s infinite } .none:focus { outline: none } .cut { height: 1.3em; overflow: hidden }
		@media (orientation: portrait) { h1 { rotate: 90deg } }</style>`,
		`<p style="color:#aaa">pale</p><p class="k" style="color:#777">pale at times</p><img src="/a.svg"><button aria-label="Send">Order</button><a href="/x" class="none">Nothing shows</a>
		<div aria-hidden="true"><a href="/y">Hidden</a></div><p class="cut">A line of words that is whole on a wide screen and is not on a small one, as many lines of words are, this one among them.</p>
		<div><button onblur="setTimeout(() => this.focus(), 5)">Stay</button></div><iframe title="f" srcdoc="<html lang='en'><title>f</title><main><img src='/a.svg'></main>"></iframe>
		<script>addEventListener("keydown", e => { if (e.key == "k") e.preventDefault() })</script>`)
	var first []string
	for i := range 3 {
		out, _ := openPage(t, page)
		got := told(t, out)
		for _, r := range []schema.AxeResults{axeOf(t, out), qualwebOf(t, out)} {
			for _, v := range append(r.Violations, r.Incomplete...) {
				for _, n := range v.Nodes {
					got = append(got, v.ID+" "+n.Selector())
				}
			}
			if len(r.GroupsNotRun) > 0 {
				t.Errorf("not run %v", r.GroupsNotRun)
			}
		}
		if i == 0 {
			if first = got; len(first) < 10 {
				t.Fatalf("only %q: the test proves little", first)
			}
			continue
		}
		same(t, got, first...)
	}
}
