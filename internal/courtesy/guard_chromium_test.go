package courtesy_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"visite/internal/browser"
	"visite/internal/courtesy"
	"visite/internal/fixturesite"
	"visite/schema"
)

// attacks is what a hostile page does with each target ("host:port"). It counts
// what it tried; each attempt that throws was tried all the same.
const attacks = `
const heavy = new Set(HEAVY), schemes = ['http', 'https'];
let tried = 0;
const go = f => { tried++; try { const r = f(); if (r && r.catch) r.catch(() => 0) } catch (e) {} };
const el = (name, set) => go(() => { const e = document.createElement(name); Object.assign(e, set); document.body.append(e); return 0 });
const link = (rel, href, more) => el('link', Object.assign({rel: rel, href: href}, more || {}));
const style = css => el('style', {textContent: css});
const worker = code => URL.createObjectURL(new Blob([code], {type: 'text/javascript'}));
function light(u, t) {
  go(() => { new Image().src = u + '?image' });
  go(() => fetch(u + '?fetch', {mode: 'no-cors'}));
  go(() => fetch('/redirect?to=' + encodeURIComponent(u + '?redirected'), {mode: 'no-cors'}));
  go(() => { const x = new XMLHttpRequest(); x.open('GET', u + '?xhr'); x.send() });
  go(() => { const s = new EventSource(u + '?events'); setTimeout(() => s.close(), 2000) });
  go(() => navigator.sendBeacon(u + '?beacon', 'x'));
  go(() => new WebSocket(u.replace(/^http/, 'ws') + '?socket'));
  go(() => import(u + '?module'));
  el('script', {src: u + '?script'});
  link('prefetch', u + '?prefetch'); link('preload', u + '?preload', {as: 'image'}); link('modulepreload', u + '?modulepreload');
  link('preconnect', u); link('dns-prefetch', u); link('stylesheet', u + '?sheet'); link('icon', u + '?icon'); link('prerender', u + '?prerender');
  el('i', {style: 'background:url("' + u + '?background"); list-style: url("' + u + '?list"); content: url("' + u + '?content"); cursor: url("' + u + '?cursor"), auto'});
  style('@import "' + u + '?import";');
  go(() => new FontFace('f' + tried, 'url("' + u + '?font")').load());
  go(() => { const a = document.createElement('a'); a.ping = u + '?ping'; a.href = '#x'; document.body.append(a); a.click() });
}
function weighty(u, t) {
  el('iframe', {src: u + '?frame'});
  el('iframe', {src: '/redirect?to=' + encodeURIComponent(u + '?redirected-frame')});
  el('iframe', {srcdoc: '<meta http-equiv="refresh" content="0;url=' + u + '?refresh">'});
  el('iframe', {src: 'data:text/html,' + encodeURIComponent('<img src="' + u + '?data"><script>location="' + u + '?from-data"<' + '/script>')});
  el('object', {data: u + '?object'}); el('embed', {src: u + '?embed'});
  el('video', {src: u + '?video', preload: 'auto'}); el('audio', {src: u + '?audio', preload: 'auto'});
  go(() => { const s = document.createElementNS('http://www.w3.org/2000/svg', 'svg'); s.innerHTML = '<use href="' + u + '?use#x"></use><image href="' + u + '?svg-image"></image>'; document.body.append(s) });
  go(() => new Worker(u + '?worker'));
  go(() => new Worker(worker('try { importScripts("' + u + '?imported") } catch (e) {} fetch("' + u + '?from-worker", {mode: "no-cors"}).catch(() => 0); try { new WebSocket("ws://' + t + '/?worker-socket") } catch (e) {}')));
  go(() => new SharedWorker(worker('fetch("' + u + '?from-shared-worker", {mode: "no-cors"}).catch(() => 0)')));
  for (const method of ['get', 'post']) go(() => {
    const f = document.createElement('form'), name = 'f' + tried;
    const frame = document.createElement('iframe'); frame.name = name; document.body.append(frame);
    f.method = method; f.action = u + '?form'; f.target = name; f.innerHTML = '<input name="a" value="b">'; document.body.append(f); f.submit();
  });
  go(() => window.open(u + '?window'));
  for (const ice of ['stun:' + t, 'turn:' + t + '?transport=udp', 'turn:' + t + '?transport=tcp', 'turns:' + t + '?transport=tcp']) go(() => {
    const c = new RTCPeerConnection({iceServers: [{urls: ice, username: 'u', credential: 'c'}]});
    c.createDataChannel('x');
    return c.createOffer().then(o => c.setLocalDescription(o));
  });
  go(() => { // a peer said to be at the target
    const c = new RTCPeerConnection(); c.createDataChannel('x');
    return c.createOffer().then(o => c.setLocalDescription(o)).then(() => c.addIceCandidate({candidate: 'candidate:1 1 udp 2122260223 ' + t.replace(/:(\d+)$/, ' $1') + ' typ host', sdpMid: '0'}));
  });
  go(() => new WebTransport('https://' + t + '/?transport').ready);
  go(() => caches.open('x').then(c => c.add(u + '?cache')));
  go(() => navigator.serviceWorker.register('/worker.js?to=' + encodeURIComponent(u)));
  link('manifest', u + '?manifest');
  go(() => { const s = document.createElement('script'); s.type = 'speculationrules'; s.textContent = JSON.stringify({prefetch: [{urls: [u + '?speculation']}], prerender: [{urls: [u + '?prerendered']}]}); document.head.append(s) });
}
const rest = ms => new Promise(done => setTimeout(done, ms));
(async () => {
for (const t of TARGETS) for (const s of schemes) {
  const u = s + '://' + t + '/';
  light(u, t);
  if (heavy.has(t)) weighty(u, t);
  await rest(heavy.has(t) ? 50 : 5);
}
for (const u of SCHEMES) {
  go(() => { new Image().src = u }); go(() => fetch(u)); go(() => { const x = new XMLHttpRequest(); x.open('GET', u); x.send() });
  el('iframe', {src: u}); el('script', {src: u}); el('object', {data: u}); el('iframe', {src: '/redirect?to=' + encodeURIComponent(u)});
  go(() => fetch('/redirect?to=' + encodeURIComponent(u), {mode: 'no-cors'}));
}
await rest(1500);
document.body.replaceChildren(); // nothing of it is worth an inspection
await fetch('/done?tried=' + tried);
})();
`

// representatives are tried in the ways that cost a process or a frame each.
func representatives(port string, secure bool) (hosts []string) {
	for _, host := range slices.Concat([]string{
		"127.0.0.1", "localhost", "2130706433", "[::1]", "[::ffff:127.0.0.1]",
	}, rebinders(fmt.Sprint("heavy-", secure), 1)[:1]) {
		hosts = append(hosts, host+":"+port)
	}
	return hosts
}

// asJSON is a list as JavaScript has it.
func asJSON(list []string) string {
	text, err := json.Marshal(append([]string{}, list...))
	if err != nil {
		panic(err)
	}
	return string(text)
}

// hostilePage is what a page attacks.
type hostilePage struct {
	targets, heavy, schemes []string
	tried                   atomic.Int64
}

// serve puts the page up; it is under way until it has made its attempts.
func (p *hostilePage) serve(site *fixturesite.Site, path string) {
	open := make(chan struct{})
	code := strings.NewReplacer("HEAVY", asJSON(p.heavy), "TARGETS", asJSON(p.targets), "SCHEMES", asJSON(p.schemes), "/done", path+"-done").Replace(attacks)
	site.Handle(path, fixturesite.HTML(`<!doctype html><html lang="en"><title>Hostile</title><body><p>Hello</p><img src="`+path+`-slow.png" alt=""><script src="`+path+`.js"></script>`))
	site.SetText(path+".js", code)
	done := sync.OnceFunc(func() { close(open) })
	site.HandleFunc(path+"-done", func(_ http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.URL.Query().Get("tried"))
		p.tried.Store(int64(n))
		done()
	})
	site.HandleFunc(path+"-slow.png", func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-open:
		case <-r.Context().Done():
		}
	})
}

// attempts is what a target of the page is attacked with, at least.
func (p *hostilePage) attempts() int {
	return 2*21*len(p.targets) + 2*25*len(p.heavy) + 8*len(p.schemes)
}

// otherSchemes are addresses that are none of the web, or are written to be
// misread.
func otherSchemes(to string) []string {
	return []string{
		"file:///etc/passwd", "ftp://" + to + "/", "gopher://" + to + "/", "chrome://version", "view-source:http://" + to + "/", "dict://" + to + "/", "ldap://" + to + "/", "smb://" + to + "/x",
		"filesystem:http://" + to + "/temporary/x", "blob:http://" + to + "/x", "jar:http://" + to + "!/x", "devtools://devtools/x", "chrome-extension://x/y", "unix:///run/docker.sock", "ssh://" + to,
		"javascript:fetch('http://" + to + "/javascript')", "data:text/html,<script>fetch('http://" + to + "/data')</script>", "ws://" + to + "/", "about:blank#http://" + to, "http:" + to, "//" + to + "/",
		"http:///" + to, "http://site.test@" + to + "/", "http://" + to + "\\@site.test/",
	}
}

// hostilePages try all payloads over http, and over https, where browsers let
// less out by themselves, each fourth.
func hostilePages(port string, secure bool) (pages []*hostilePage) {
	const most = 20
	for part := range slices.Chunk(payloads(port, fmt.Sprint("light-", secure)), most) {
		if !secure || len(pages)%4 == 0 {
			pages = append(pages, &hostilePage{targets: part})
		} else {
			pages = append(pages, nil)
		}
	}
	pages = slices.DeleteFunc(pages, func(p *hostilePage) bool { return p == nil })
	for part := range slices.Chunk(representatives(port, secure), 1) {
		pages = append(pages, &hostilePage{targets: part, heavy: part})
	}
	if !secure {
		pages = append(pages, &hostilePage{schemes: otherSchemes("127.0.0.1:" + port)})
	}
	return pages
}

// Chromium as it is run, behind the door, on pages that try every payload in
// every way a page has, over http and over https: nothing arrives.
func TestNoPayloadReachesThisMachineThroughChromium(t *testing.T) {
	chrome, err := browser.Find()
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	for _, scheme := range []string{"http", "https"} {
		t.Run(scheme, func(t *testing.T) { attackThroughChromium(t, chrome, scheme) })
	}
}

// renewing keeps a pass for as long as a visit takes.
func renewing(t *testing.T, pass *courtesy.Pass) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for {
			select {
			case <-time.After(5 * time.Second):
				_ = pass.Renew(ctx) // a turn that lapsed shows as a fault
			case <-ctx.Done():
				return
			}
		}
	}()
	return cancel
}

// attack opens a page in a run of its own and tells how many calls the door refused for their method.
func attack(t *testing.T, h *harness, b *browser.Browser, address string) (refused int) {
	t.Helper()
	v := inBrowser(visit(address, public()))
	v.MaxWait, v.Run.ScanID = time.Minute, fmt.Sprint("scan ", holders.Add(1))
	pass := h.enter(v)
	defer renewing(t, pass)()
	page, err := b.Visit(within(t), browser.Visit{ScanID: v.Run.ScanID, ProxyAddr: pass.ProxyAddr(), URL: v.URL, Device: schema.DeviceDesktop, UserAgent: chromeAgent, Deadline: time.Minute})
	if err != nil || pass.Fault() != nil {
		t.Fatalf("%s: %v, fault %v, failure %q", address, err, pass.Fault(), page.Failure)
	}
	if err := pass.Leave(within(t)); err != nil {
		t.Fatal(err)
	}
	b.EndRun(v.Run.ScanID)
	h.EndRun(v.Run.ScanID)
	return pass.Totals().RefusedCalls
}

func attackThroughChromium(t *testing.T, chrome, scheme string) {
	h, site, guarded, names := hostileSite(t)
	site.HandleFunc("/worker.js", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		to := "127.0.0.1:" + guarded.port
		fmt.Fprintf(w, "self.addEventListener('install', e => { for (const u of [%q, %q]) fetch(u + '?service-worker', {mode: 'no-cors'}).catch(() => 0) }); fetch(%q, {mode: 'no-cors'}).catch(() => 0);",
			r.URL.Query().Get("to"), "http://"+to+"/", "https://"+to+"/")
	})
	b, err := browser.New(browser.Options{Path: chrome, SPKI: []string{h.SPKI()}})
	if errors.Is(err, browser.ErrNoScripts) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	tried, refused := 0, 0
	for i, p := range hostilePages(guarded.port, scheme == "https") {
		path := fmt.Sprintf("/hostile-%d", i)
		// A busy machine may need more time than a page gets: only whether it made its attempts counts.
		for again := 0; again < 3 && int(p.tried.Load()) < p.attempts(); again++ {
			p.serve(site, path)
			refused += attack(t, h, b, scheme+"://site.test"+path)
		}
		n := int(p.tried.Load())
		if n < p.attempts() {
			t.Errorf("%s made %d attempts on %v, want at least %d", path, n, p.targets, p.attempts())
		}
		tried += n
	}
	guarded.untouched(t, fmt.Sprintf("Chromium over %s, %d attempts", scheme, tried))
	t.Logf("%d attempts, %d calls refused for their method", tried, refused)
	if n := len(site.Arrivals().Path("/worker.js")); n != 0 { // off during visits; see TestAServiceWorkerIsGuardedToo
		t.Errorf("%d service workers were asked for", n)
	}
	if refused < len(representatives(guarded.port, false)) {
		t.Errorf("%d beacons, forms and sockets were refused: the pages' attempts do not come to the door", refused)
	}
	names.mu.Lock()
	defer names.mu.Unlock()
	met := 0
	for _, asked := range names.rebind {
		if asked >= 2 {
			met++
		}
	}
	if scheme == "http" && met < 8 {
		t.Errorf("%d names came to lead to this machine after they had been judged, want at least 8", met)
	}
}
