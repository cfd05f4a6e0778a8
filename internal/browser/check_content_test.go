package browser

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"visite/schema"
)

// inTurn puts each sample into an element of its own and returns what a visit
// found of a rule as "outcome xN".
func inTurn(t *testing.T, rule string, samples ...string) []string {
	t.Helper()
	var page strings.Builder
	for i, sample := range samples {
		fmt.Fprintf(&page, "<x%d>%s</x%d>", i, sample, i)
	}
	out := open(t, checkingBrowser(t), newDoor(t, pages{"/": html("", page.String()), "/a.svg": svg}), "/")
	told(t, out, rule)
	var r schema.CheckResults
	if err := json.Unmarshal(out.Checks, &r); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, h := range r.Hits {
		if _, after, found := strings.Cut(h.Selector, " > x"); found && h.Rule == rule {
			number, _, _ := strings.Cut(after, " ")
			got = append(got, string(h.Outcome)+" x"+number)
		}
	}
	return got
}

func TestFieldLabels(t *testing.T) {
	const two = `<label>Town <input></label><label>Street <input></label>`
	same(t, inTurn(t, "field-label-unclear",
		`<form><label>First name <input></label></form>`,
		`<form><label>Text field: <input></label></form>`,
		`<form><label for="b">Eingabefeld</label><input id="b"></form>`,
		`<form><fieldset><legend>Guest</legend><label>Menu <input></label></fieldset></form>`,
		`<form><label>Info <input></label></form>`,
		`<form><label>Info <input type="number"></label></form>`,
		`<form><label>Menu <select><option>Soup</select></label></form>`,
		`<form><h2>From</h2>`+two+`<h2>To</h2>`+two+`</form>`,
		`<form><fieldset>`+two+`</fieldset><fieldset>`+two+`</fieldset></form>`,
		`<form><fieldset>`+two+`</fieldset><img src="/a.svg" width="9" alt="To"><fieldset>`+two+`</fieldset></form>`,
		`<form><label>Search <input type="search"></label></form><form><label>Search <input type="search"></label></form>`,
		`<form><table><tr><td><label>Size <input></label><td><label>Size <input></label></table></form>`,
		`<form><label>Guest <input></label><button>Remove</button><label>Guest <input></label><button>Remove</button></form>`,
		`<form><label>Menu <input></label></form>`,
		`<form><label>Menü <input type="number"></label><label>Menu <textarea></textarea></label></form>`,
		`<form><label>Entrada <input type="date"></label><label>Data <input type="date"></label><label>Valor <input type="number"></label><label>Campo <input></label></form>`,
		`<form><label>Info <input type="date"></label></form>`,
		`<form><label>Info <input type="tel"></label></form>`,
		`<form><label for="c">Room</label><input id="c"><label for="d">Room</label><input id="d"></form>`,
	), "failed x1", "failed x2", "needs_review x3", "needs_review x4", "failed x5", "failed x13", "failed x16", "needs_review x17", "failed x8", "failed x8", "failed x18")
}

func TestErrorMessages(t *testing.T) {
	form := func(message string) string {
		return `<form>` + message + `<label>Age (years) <input type="number"></label><p>Your friends</p><label>Name <input></label></form>`
	}
	same(t, inTurn(t, "error-message-unclear",
		form(`<p>Please fill in the form.</p>`),
		form(`<p>Please fill the field correctly.</p>`),
		form(`<div>Ungültige Eingabe</div>`),
		form(`<p>Age must be at least 18.</p>`),
		form(`<p>Invalid value for age.</p>`),
		form(`<p>Invalid value for age. It must be at least 18.</p>`),
		form(`<p id="told">Invalid value for age</p><input aria-label="Age" aria-describedby="told">`),
		form(`<p aria-hidden="true">Invalid value for age, which must be 18.</p>`),
		form(`<p aria-hidden="true">Name is invalid: it is too long.</p><p>Name is invalid: it is too long.</p>`),
		form(`<p aria-hidden="true">* required</p>`),
		form(`<div><label>Town <input></label> <span>Invalid value</span></div>`),
		`<form><fieldset><legend>A</legend><label>Town <input></label></fieldset><fieldset><legend>B</legend><label>Town <input></label></fieldset><p>Not sent.<br>Please fill in Town</p></form>`,
		`<p>The message said: invalid value.</p>`,
		form(`<div><i class="material-icons" aria-hidden="true">error_outline</i></div><span class="icon-big" aria-hidden="true">Error sign</span><b style="font-family: 'My Symbols'" aria-hidden="true">error mark</b>`),
		`<div aria-hidden="true">`+form(`<p>Street is invalid: it is too long.</p>`)+`</div>`,
		`<label>Search <input></label><ul><li>Invalid value</li></ul><label>Mail <input></label>`,
		`<label>Search <input></label><p role="alert">Invalid value</p><label>Mail <input></label>`,
		`<form><nav><label>Search <input></label></nav><ul><li>Invalid value</li></ul><label>Mail <input></label></form>`,
	), "failed x1", "failed x2", "failed x4", "failed x7", "failed x11", "failed x16")
}

func TestPictures(t *testing.T) {
	drawing := func(text string) string {
		return `data:image/svg+xml;utf8,<svg xmlns='http://www.w3.org/2000/svg' height='20' width='90'><text y='15'>` + text + `</text></svg>`
	}
	same(t, inTurn(t, "picture-of-text",
		`<img alt="Boats for hire" src="`+drawing("Boats for hire")+`">`,
		`<img alt="Boats in the harbour" src="`+drawing("Boats for hire")+`">`,
		`<img alt="The logo" src="`+drawing("The logo")+`">`,
		`<img alt="Boats" src="`+drawing("Boats")+`">`,
		`<img alt="Boats for hire" src="/a.svg">`,
		`<img alt="Boats for hire in the old harbour" src="`+drawing("Boats for hire in the old harbour")+`">`,
	), "needs_review x0", "needs_review x2", "failed x5")
	same(t, checksOf(t, plainPage(`<img alt="Boats for hire" src="`+drawing("Boats for hire")+`">`), "picture-of-text"), "failed img: 3 words")
	for body, want := range map[string]string{
		`<img src="/a.svg" alt="" width="90" height="90">`:                                                                                "failed",
		`<div><img src="/a.svg" alt="A map" aria-hidden="true" width="90" height="90"></div>`:                                             "failed",
		`<img src="/a.svg" alt="A map" width="90" height="90">`:                                                                           "",
		`<img src="/a.svg" alt="" width="20" height="20">`:                                                                                "",
		`<img src="/none.svg" alt="" width="90" height="90">`:                                                                             "",
		`<p>Come in.</p><img src="/a.svg" alt="" width="90" height="90">`:                                                                 "",
		`<button aria-label="Play"></button><img src="/a.svg" alt="" width="90" height="90">`:                                             "",
		`<canvas width="90" height="90"></canvas>`:                                                                                        "",
		`<canvas width="90" height="90"></canvas><script>document.querySelector("canvas").getContext("2d").fillRect(0, 0, 9, 9)</script>`: "failed",
		// Scripts may fill the page yet, or would for somebody whose calls come through.
		`<img src="/a.svg" alt="" width="90" height="90"><script>document.title = "Shop"</script>`:                                                                       "needs_review",
		`<noscript>Switch scripts on.</noscript><div id="root"><img src="/a.svg" alt="" width="90" height="90"></div><script>fetch("/api", { method: "POST" })</script>`: "",
		`<style>@keyframes s { to { rotate: 1turn } } svg { animation: s 1s linear infinite }</style><svg width="90" height="90"><path d="M0 0h90v90z"/></svg>`:          "",
		`<canvas width="90" height="90"></canvas><script>document.querySelector("canvas").getContext("2d").fillRect(0, 0, 9, 9); fetch("/")</script>`:                    "needs_review",
	} {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			got := checksOf(t, plainPage(body), "pictures-alone-hidden")
			if (want == "") != (len(got) == 0) || (want != "" && !strings.HasPrefix(got[0], want)) {
				t.Errorf("%s: %q, want %q", body, got, want)
			}
		})
	}
}

// A recording of two seconds, silence here: what is in it nobody listens to.
func recording() string {
	wave := append([]byte("RIFF"), binary.LittleEndian.AppendUint32(nil, 36+16000)...)
	wave = append(wave, "WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x40\x1f\x00\x00\x01\x00\x08\x00data"...)
	wave = binary.LittleEndian.AppendUint32(wave, 16000)
	wave = append(wave, strings.Repeat("\x80", 16000)...)
	return `<audio controls src="data:audio/wav;base64,` + base64.StdEncoding.EncodeToString(wave) + `"></audio>`
}

func TestSoundWithoutWords(t *testing.T) {
	for body, want := range map[string]string{
		`<h1>The moon</h1>` + recording(): "failed audio: 2 s",
		`<p>What is said in it stands here, word for word, as who cannot hear it wants it.</p>` + recording():                                                "needs_review audio: 2 s",
		recording() + `<a href="/text">Read it</a>`:                                                                                                          "needs_review audio: 2 s",
		`<div style="position: absolute; left: -9999px">What is said in it stands here, word for word, out of sight of who cannot hear.</div>` + recording(): "failed audio: 2 s",
		recording() + `<button aria-expanded="false">Transcript</button><div hidden>Words.</div>`:                                                            "needs_review audio: 2 s",
		recording() + `<nav><a href="/">Home</a><button aria-expanded="false">Menu</button></nav>`:                                                           "failed audio: 2 s",
		strings.Replace(recording(), "<audio", `<audio hidden`, 1):                                                                                           "",
		strings.Replace(recording(), "controls", `aria-details="x"`, 1):                                                                                      "",
	} {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			got := strings.Join(checksOf(t, plainPage(body), "sound-without-words"), ", ")
			if got != want {
				t.Errorf("%.60s: %q, want %q", body, got, want)
			}
		})
	}
}
