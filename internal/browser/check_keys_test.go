package browser

import (
	"strings"
	"testing"
)

func TestHiddenFromAssistiveTechnologyButReached(t *testing.T) {
	same(t, checksOf(t, html("", `<div aria-hidden="true"><a href="#x" class="away">One</a><a href="#y" onfocus="document.querySelector('#next').focus()">Two</a>
		<a href="#z" tabindex="-1">Three</a></div><button id="next">Next</button>`), "aria-hidden-keeps-focus"), "failed a:nth-of-type(1): ")
}

func TestKeyboardTrap(t *testing.T) {
	const trap = `<a href="#a">Before</a><button onblur="setTimeout(() => this.focus(), 5)">Stay</button><a href="#b">After</a>`
	const key = `<script>addEventListener("keydown", e => { if (e.ctrlKey && e.key == "q") { document.querySelector("button").onblur = null; document.querySelector("a").focus() } })</script>`
	const circle = `onkeydown="if (event.key == 'Tab') { event.preventDefault(); (this.nextElementSibling || this.previousElementSibling).focus() }"`
	for page, want := range map[string]string{
		trap:                                  "failed",
		trap + key:                            "failed", // nobody says so
		trap + key + `<p>Leave by Ctrl+Q</p>`: "",
		trap + `<p>Leave by Ctrl+Q</p>`:       "failed", // it does not
		`<a href="#a">Before</a><div><button ` + circle + `>A</button><button ` + circle + `>B</button></div>`:               "failed",
		`<a href="#a">Before</a><div role="dialog"><button ` + circle + `>A</button><button ` + circle + `>B</button></div>`: "",
		`<input onblur="this.value = this.value.trim()"><button onfocus="this.title = 'x'">A</button>`:                       "",
	} {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			got := checksOf(t, html("", page), "keyboard-trap")
			if (want == "") != (len(got) == 0) || (want != "" && !strings.HasPrefix(got[0], want)) {
				t.Errorf("%s: %q, want %q", page, got, want)
			}
		})
	}
}

func TestFocusNotVisible(t *testing.T) {
	same(t, checksOf(t, html(`<style>.none:focus { outline: none } .tint:focus { outline: none; background: #ff0 } .by:focus { outline: none }
		.by:focus ~ .mark { background: #00f } .mark { display: inline-block; width: 20px; height: 20px } input:focus { outline: none }</style>`,
		`<a href="#a">Ring</a> <a href="#b" class="none">Nothing</a> <a href="#c" class="tint">Tint</a> <span><a href="#d" class="by">Beside</a><i class="mark"></i></span>
		<label>Name <input></label>`), "focus-not-visible"), "failed a:nth-of-type(2): ")
}

func TestCharacterKeyShortcut(t *testing.T) {
	const script = `<script>addEventListener("keydown", e => { if (e.key == "+" && !e.ctrlKey) e.preventDefault() })</script>`
	same(t, checksOf(t, html("", `<label>Name <input></label>`+script), "character-key-shortcut"), "failed : +")
	same(t, checksOf(t, html("", `<label><input type="checkbox"> Shortcuts</label>`+script), "character-key-shortcut"), "needs_review : +")
	same(t, checksOf(t, html("", `<label>Name <input></label>`+strings.ReplaceAll(script, "!e.", "e.")), "character-key-shortcut"))
}

// What a page does because of our keys is not counted as its own doing.
func TestWhatOurKeysCauseIsNotThePagesDoing(t *testing.T) {
	out, _ := openPage(t, html("", `<a href="#a" onfocus="alert(1)">One</a><label>Name <input></label>
		<script>addEventListener("keydown", e => { if (e.key == "n") location.href = "/next"; if (e.key == "o") open("/other") })</script>`))
	if out.Dialogs != 0 || out.Popups != 0 || out.ClientRedirect != "" || out.Failure != "" || out.HTML == "" {
		t.Errorf("%d dialogs, %d popups, redirect %q, failure %q", out.Dialogs, out.Popups, out.ClientRedirect, out.Failure)
	}
}
