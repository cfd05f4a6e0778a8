package browser

import (
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"visite/schema"
)

// floods are pages that keep the process busy that all runs share.
var floods = map[string]string{
	"addresses": `setInterval(() => { for (let i = 0; i < 300; i++) { history.pushState(0, "", "?" + Math.random()); location.hash = Math.random(); document.title = Math.random() } }, 0)`,
	"messages": `addEventListener("message", e => { for (const f of frames) f.postMessage(e.data, "*"); postMessage(e.data, "*") });
for (let i = 0; i < 20; i++) { const f = document.createElement("iframe"); f.srcdoc = "<script>addEventListener('message', e => { parent.postMessage(e.data, '*'); console.error(e.data) })<\/script>"; document.body.append(f) }
setInterval(() => { for (let i = 0; i < 100; i++) postMessage("x".repeat(1000), "*") }, 0)`,
	"dialogs": `setTimeout(() => { for (;;) { alert(1); confirm(2); prompt(3) } })`,
	"windows": `setInterval(() => { for (let i = 0; i < 20; i++) { open("/other?" + i); const a = document.createElement("a"); a.href = "/other"; a.target = "_blank"; document.body.append(a); a.click() } }, 0)`,
	"going":   `setInterval(() => { for (let i = 0; i < 50; i++) { location = "/other?" + i; location.replace("/other#" + i); history.go(0) } }, 0)`,
}

// A page that floods the Chromium which all share does not ruin what another
// customer's scan does in it meanwhile; and its own visit ends.
func TestAFloodDoesNotRuinOtherRuns(t *testing.T) {
	b := ownBrowser(t)
	for name, script := range floods {
		t.Run(name, func(t *testing.T) {
			d := newDoor(t, pages{"/": html("", "<p>flood</p><script>onload = () => {"+script+"}</script>"), "/other": html("", "other"), "/calm": html("", "<p>calm waters</p>")})
			hostile, calm := visitOf(t, b, d, "/"), visitOf(t, b, d, "/calm")
			hostile.ScanID, hostile.Deadline = name+" hostile", 3*time.Second
			calm.ScanID, calm.Deadline = name+" calm", time.Minute
			before := instanceOf(b)
			ended := make(chan struct{})
			var flood sync.WaitGroup
			flood.Go(func() {
				defer close(ended)
				_, _ = b.Visit(t.Context(), hostile) // whatever came of it, it is that page's
			})
			visits := 0
			for under := true; under || visits == 0; visits++ {
				out, err := b.Visit(t.Context(), calm)
				if err != nil || out.OurFault || out.Failure != schema.ReasonNone || !strings.Contains(out.HTML, "calm waters") {
					t.Fatalf("visit %d beside the flood: %v, failure %q, our fault: %v, %d bytes", visits+1, err, out.Failure, out.OurFault, len(out.HTML))
				}
				select {
				case <-ended:
					under = false
				default:
				}
			}
			flood.Wait()
			b.EndRun(hostile.ScanID)
			b.EndRun(calm.ScanID)
			if out, err := b.Visit(t.Context(), calm); err != nil || out.Failure != schema.ReasonNone {
				t.Errorf("after the flood: %v, failure %q", err, out.Failure)
			}
			t.Logf("%d visits beside the flood, the same Chromium: %v", visits, before == nil || before == instanceOf(b))
		})
	}
}

// A Chromium that stands still in the middle of visits is noticed and replaced
// long before their deadlines, and that is no page's fault.
func TestAChromiumThatStandsStillUnderVisitsIsReplaced(t *testing.T) {
	b := ownBrowser(t)
	b.limits.answer = 12 * time.Second
	d := newDoor(t, streams{pages{"/": html("", `<img src="/never.svg">`), "/ok": html("", "fine")}})
	slow, ok := visitOf(t, b, d, "/"), visitOf(t, b, d, "/ok")
	if out, err := b.Visit(t.Context(), ok); err != nil || out.Failure != schema.ReasonNone {
		t.Fatalf("%v, failure %q", err, out.Failure)
	}
	before := instanceOf(b)
	slow.ScanID, slow.Deadline = "slow", 5*time.Minute
	began := time.Now()
	d.whenAsked("/never.svg", func() { syscall.Kill(before.proc.pid, syscall.SIGSTOP) })
	b.limits.load = 4 * time.Minute // the page's file never comes: its visit is under way all the time
	out, err := b.Visit(t.Context(), slow)
	if err != nil || !out.OurFault || out.Failure != schema.ReasonBrowserCrashed {
		t.Errorf("%v, failure %q, our fault: %v", err, out.Failure, out.OurFault)
	}
	if took := time.Since(began); took > 2*time.Minute {
		t.Errorf("noticed after %v", took)
	}
	b.limits = defaultLimits
	if out, err = b.Visit(t.Context(), ok); err != nil || out.Failure != schema.ReasonNone || instanceOf(b) == before {
		t.Errorf("after it was replaced: %v, failure %q, another Chromium: %v", err, out.Failure, instanceOf(b) != before)
	}
}
