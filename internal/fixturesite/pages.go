package fixturesite

import (
	"fmt"
	"io"
	"net/http"
	"strings"
)

// page is a sound page around a script or markup that misbehaves.
func page(title, body string) http.Handler {
	return HTML("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + title +
		"</title><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"></head>\n<body><main><h1>" + title +
		"</h1><p>An ordinary paragraph.</p>\n" + body + "\n</main></body></html>\n")
}

// Dialogs opens alert, confirm and prompt while loading, and asks again before
// it is left.
func Dialogs() http.Handler {
	return page("Dialogs", `<p id="after">waiting</p><script>
addEventListener('beforeunload', e => { e.preventDefault(); e.returnValue = 'stay'; });
alert('Welcome'); confirm('Really?'); prompt('Your name?', '');
document.getElementById('after').textContent = 'gone on';
</script>`)
}

// Prints calls window.print on load.
func Prints() http.Handler {
	return page("Prints itself", `<script>addEventListener('load', () => window.print());</script>`)
}

// Popups opens two windows on the address given while loading.
func Popups(address string) http.Handler {
	return page("Pop-ups", fmt.Sprintf(`<script>window.open(%[1]q); addEventListener('load', () => window.open(%[1]q, 'second', 'width=300'));</script>`, address))
}

// CrashesTab takes memory until its tab dies.
func CrashesTab() http.Handler {
	return page("Takes all memory", `<script>
const kept = [];
addEventListener('load', () => { for (;;) { const a = new Float64Array(16 << 20); a.fill(Math.random()); kept.push(a); } });
</script>`)
}

// Spins keeps its script running for ever.
func Spins() http.Handler {
	return page("Never done", `<script>addEventListener('load', () => { for (;;) {} });</script>`)
}

// ManyElements is a page of n small elements, written out piece by piece.
func ManyElements(n int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, "<!doctype html><html lang=\"en\"><title>Very many elements</title><h1>Very many elements</h1>")
		block := strings.Repeat("<i>x</i>", 1000)
		left := n
		for ; left >= 1000; left -= 1000 {
			if _, err := io.WriteString(w, block); err != nil {
				return
			}
		}
		io.WriteString(w, strings.Repeat("<i>x</i>", left))
	})
}

// Sends tries every way a page has of sending something: form posts by script,
// fetch, XMLHttpRequest, beacon and WebSocket, all to the prefix given.
func Sends(prefix string) http.Handler {
	return page("Sends", strings.ReplaceAll(`<form id="f" method="post" action="PREFIX/form" target="sink"><input name="a" value="b" aria-label="a"></form>
<iframe name="sink" title="sink"></iframe><script>
fetch('PREFIX/fetch', {method: 'POST', body: 'x'}).catch(() => {});
fetch('PREFIX/put', {method: 'PUT', body: 'x'}).catch(() => {});
fetch('PREFIX/get').catch(() => {});
const x = new XMLHttpRequest(); x.open('POST', 'PREFIX/xhr'); x.send('x');
navigator.sendBeacon('PREFIX/beacon', 'x');
try { new WebSocket('ws://' + location.host + 'PREFIX/socket'); } catch (e) {}
document.getElementById('f').submit();
</script>`, "PREFIX", prefix))
}

// ListensForEver opens server-sent events at the address given, so that the
// network never falls silent.
func ListensForEver(events string) http.Handler {
	return page("Live", fmt.Sprintf(`<script>new EventSource(%q)</script>`, events))
}

// AddWorker puts a page with a service worker at prefix+"/": the worker would
// answer prefix+"/from-worker.js" by itself, so that only a visitor who blocks
// service workers makes that request arrive.
func (s *Site) AddWorker(prefix string) {
	s.Handle(prefix+"/", page("Service worker", strings.ReplaceAll(`<script>
(async () => {
  if ('serviceWorker' in navigator) {
    try { await navigator.serviceWorker.register('PREFIX/worker.js', {scope: 'PREFIX/'}); await navigator.serviceWorker.ready; } catch (e) {}
  }
  const s = document.createElement('script'); s.src = 'PREFIX/from-worker.js'; document.body.append(s);
})();
</script>`, "PREFIX", prefix)))
	s.SetText(prefix+"/worker.js", `self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', e => e.waitUntil(self.clients.claim()));
self.addEventListener('fetch', e => { if (e.request.url.endsWith('/from-worker.js')) e.respondWith(new Response('/* from the worker */', {headers: {'Content-Type': 'text/javascript'}})); });
`)
	s.SetText(prefix+"/from-worker.js", "/* from the network */\n")
}
