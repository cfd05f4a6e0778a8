package browser

import (
	"strings"
	"testing"
	"time"
)

func TestContentThatChangesByItself(t *testing.T) {
	const ticker = `<p id="t">0</p><script>let n = 0; setInterval(() => { t.textContent = ++n }, 300)</script>`
	for page, want := range map[string]string{
		ticker:                           "failed p",
		ticker + `<button>Stop</button>`: "needs_review p",
		strings.ReplaceAll(ticker, "300", "1000"): "failed p",
		`<p id="t">0</p><script>for (const at of [2500, 3000, 7500]) setTimeout(() => { t.textContent = at }, at)</script>`: "",
		`<p>Nothing</p><script></script>`:                       "",
		strings.ReplaceAll(ticker, "setInterval", "setTimeout"): "",
		`<p id="t">0</p><script>let n = 0; const i = setInterval(() => { t.textContent = ++n; if (n > 5) clearInterval(i) }, 200)</script>`: "",
	} {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			got := checksOf(t, html("", page), "content-changes")
			if (want == "") != (len(got) == 0) || (want != "" && !strings.HasPrefix(got[0], want)) {
				t.Errorf("%s: %q, want %q", page, got, want)
			}
		})
	}
}

func TestDeviceMotion(t *testing.T) {
	const shown = `<p id="p">still</p><script>addEventListener("EVENT", e => { p.textContent = EXPR })</script>`
	motion := strings.NewReplacer("EVENT", "devicemotion", "EXPR", "e.acceleration.x").Replace(shown)
	for page, want := range map[string]string{
		motion:                          "failed",
		motion + `<button>Off</button>`: "needs_review",
		strings.NewReplacer("EVENT", "devicemotion", "EXPR", `"still"`).Replace(`<p id="p">still</p><script>addEventListener("EVENT", e => { if (p.textContent != EXPR) p.textContent = EXPR })</script>`): "",
		strings.NewReplacer("EVENT", "click", "EXPR", "1").Replace(shown): "",
	} {
		d := newDoor(t, pages{"/": html("", page)})
		v := visitOf(t, needBrowser(t), d, "/")
		v.Deadline = 2 * time.Minute
		v.URL = "http://localhost/" // a secure context: others hear nothing of movement
		out, err := needBrowser(t).Visit(t.Context(), v)
		if err != nil {
			t.Fatal(err)
		}
		got := told(t, out, "device-motion")
		if (want == "") != (len(got) == 0) || (want != "" && !strings.HasPrefix(got[0], want)) {
			t.Errorf("%s: %q, want %q", page, got, want)
		}
	}
}
