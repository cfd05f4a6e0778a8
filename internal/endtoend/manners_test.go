package endtoend_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"visite/internal/fixturesite"
)

// plain is a page without any fault of its own.
func plain(path, body string) fixturesite.File {
	return fixturesite.File{
		Path: path, Status: http.StatusOK, Text: true, Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}},
		Body: []byte(`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Page ` + path + `</title><meta name="viewport" content="width=device-width"></head><body><main><h1>Page</h1>` + body + `</main></body></html>`),
	}
}

// challenge answers like a bot filter. Whoever clicks in it, or sends anything
// from it, is heard at /solve.
func challenge(status int, header, value, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if header != "" {
			w.Header().Set(header, value)
		}
		w.WriteHeader(status)
		fmt.Fprint(w, body+`<script>addEventListener("click", () => fetch("/solve?click"), true); addEventListener("focusin", () => fetch("/solve?focus"), true)</script>`)
	}
}

// A page behind a challenge is blocked, by whom is told, and the scan goes on
// with the next. Nothing in it is touched and it is loaded once. Pages that
// merely hold a widget, and plain refusals, are what they are.
//
// proves S-21, S-23, R-28, L35
func TestChallengesAreBlockedAndTheScanGoesOn(t *testing.T) {
	t.Parallel()
	const human = `<!doctype html><html lang="en"><title>One more step</title><h1>Verify you are human</h1><label><input type="checkbox" id="human"> I am human</label><div class="h-captcha"></div>`
	for _, engine := range []string{"browser", "http"} {
		t.Run(engine, func(t *testing.T) {
			paths := []string{"/filtered", "/stub", "/checkpoint", "/waf", "/proof", "/contact", "/forbidden", "/last"}
			links := ""
			for _, p := range paths {
				links += `<a href="` + p + `">` + p + `</a> `
			}
			site := fixturesite.New(plain("/", links), plain("/last", "<p>The last page.</p>"),
				plain("/contact", `<form method="post" action="/solve"><label>Name <input name="n"></label><label>Words <textarea name="t"></textarea></label><div class="cf-turnstile"></div><button>Send</button></form>`))
			site.HandleFunc("/sitemap.xml", challenge(403, "Cf-Mitigated", "challenge", "<title>Just a moment...</title>"))
			site.HandleFunc("/filtered", challenge(403, "Cf-Mitigated", "challenge", "<title>Just a moment...</title>"))
			site.HandleFunc("/stub", challenge(403, "", "", human))
			site.HandleFunc("/checkpoint", challenge(429, "X-Vercel-Mitigated", "challenge", "<title>Vercel Security Checkpoint</title>"))
			site.HandleFunc("/waf", challenge(202, "X-Amzn-Waf-Action", "challenge", ""))
			site.HandleFunc("/proof", challenge(200, "", "", `<!doctype html><html lang="en"><title>Making sure you&#39;re not a bot!</title><main><h1>Making sure you're not a bot!</h1></main><script id="anubis_challenge" type="application/json">{}</script>`))
			site.HandleFunc("/forbidden", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "forbidden", http.StatusForbidden) })
			site.Start(t)
			dir := t.TempDir() // one page at a time: a server that asks for rest in the middle of another's turn is another test
			if err := os.WriteFile(filepath.Join(dir, "patient.yaml"), []byte(strings.Replace(patient, "pages_at_once: 2", "pages_at_once: 1", 1)), 0o600); err != nil {
				t.Fatal(err)
			}
			d := deploy(t, "VISITE_PROFILES_DIR="+dir)
			s := d.scan(order{"url": site.URL("/"), "engine": engine, "profile": "patient"})
			if s = d.finish(s.ID, 2*time.Minute); s.State != "finished" {
				t.Fatalf("ended %s (%s)", s.State, s.StateReason)
			}
			r := d.report(s.ID)
			for path, want := range map[string][3]string{
				"/filtered": {"blocked", "challenge", "Cloudflare"}, "/stub": {"blocked", "challenge", "hCaptcha"}, "/checkpoint": {"blocked", "challenge", "Vercel"},
				"/waf": {"blocked", "challenge", "AWS WAF"}, "/proof": {"blocked", "challenge", "Anubis"},
				"/contact": {"analysed", "", ""}, "/forbidden": {"error_answer", "error_status", ""}, "/last": {"analysed", "", ""}, "/": {"analysed", "", ""},
			} {
				p := r.page(t, site.URL(path))
				if got := [3]string{p.Outcome, p.Reason, p.BlockedBy}; got != want {
					t.Errorf("%s: %q, want %q", path, got, want)
				}
				if p.Outcome == "blocked" && (len(p.Findings) > 0 || p.Title != "" || p.Words > 0) {
					t.Errorf("%s is blocked and was judged: %+v", path, p)
				}
				if n := site.Arrivals().Count(path); n != 1 {
					t.Errorf("%s was loaded %d times", path, n)
				}
			}
			for _, f := range r.Findings { // we were refused: that says nothing of anybody else
				if strings.Contains(f.Rule, "sitemap") || strings.Contains(f.Rule, "robots") || strings.Contains(f.Rule, "index") {
					t.Errorf("finding %s", f.Rule)
				}
			}
			if touched := site.Arrivals().Path("/solve"); len(touched) > 0 {
				t.Errorf("touched: %q", touched.Requests())
			}
			_, html := d.request(http.MethodGet, "/v1/scans/"+s.ID+"/report", d.token, nil, "Accept", "text/html")
			for _, words := range []string{"Blocked by a security check: Cloudflare", "Allowing the User-Agent named below"} {
				if !strings.Contains(string(html), words) {
					t.Errorf("the report does not say %q", words)
				}
			}
		})
	}
}

// A banner is refused on the way through everything, its own log of that stays
// inside, and the page says what became of it.
//
// proves S-18, S-19, R-22, R-24
func TestABannerIsRefusedAndThePageSaysSo(t *testing.T) {
	t.Parallel()
	banner := func(buttons string) string {
		return strings.Repeat("<p>Words.</p>", 80) + `<div id="box" role="dialog" aria-label="Cookies" style="position:fixed;left:0;right:0;bottom:0;background:#fff;padding:20px"><p>We use cookies.</p>` + buttons + `</div>
<script>addEventListener("click", e => { fetch("/clicked?" + e.target.id, {keepalive: true}) }, true); for (const b of document.querySelectorAll("#box button")) b.onclick = () => { fetch("/consent-log", {method: "POST", body: b.id}).catch(() => {}); document.getElementById("box").remove() }</script>`
	}
	site := fixturesite.New(plain("/", banner(`<button id="yes">Accept all</button> <button id="no">Reject all</button>`)+`<a href="/only">only</a> <a href="/plain">plain</a>`),
		plain("/only", banner(`<button id="ok">OK</button>`)), plain("/plain", `<p>Plain.</p>`))
	site.Start(t)
	d := deploy(t)
	s := d.scan(order{"url": site.URL("/"), "engine": "browser"})
	if s = d.finish(s.ID, time.Minute); s.State != "finished" || s.Progress.Analysed != 3 {
		t.Fatalf("scan %+v", s)
	}
	r := d.report(s.ID)
	for path, want := range map[string]string{"/": "banner_rejected", "/only": "banner_open", "/plain": ""} {
		notes := r.page(t, site.URL(path)).Notes
		for _, note := range []string{"banner_rejected", "banner_closed", "banner_open"} {
			if slices.Contains(notes, note) != (note == want) {
				t.Errorf("%s: notes %v, want %q", path, notes, want)
			}
		}
	}
	arrivals := site.Arrivals()
	arrivals.NoMethodsBut(t, "GET", "HEAD", "OPTIONS")
	if got := strings.Join(arrivals.Path("/clicked").Requests(), ", "); got != "GET /clicked?no" {
		t.Errorf("clicked: %s", got)
	}
}

// Whatever a page asks for in whatever way, it is asked for as ourselves, and
// nothing of that is hidden from the page.
//
// proves S-02, S-03, S-05, S-17, R-24
func TestEveryKindOfRequestNamesUs(t *testing.T) {
	t.Parallel()
	script := func(path, body string) fixturesite.File {
		return fixturesite.File{Path: path, Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/javascript"}}, Body: []byte(body)}
	}
	const all = `<link rel="stylesheet" href="/style.css"><link rel="preload" as="fetch" href="/preload" crossorigin><link rel="modulepreload" href="/module.js"><link rel="prefetch" href="/prefetch"><link rel="icon" href="/icon.png"><link rel="manifest" href="/manifest.json">
<link rel="dns-prefetch" href="//elsewhere.example"><link rel="preconnect" href="//elsewhere.example"><script type="speculationrules">{"prerender": [{"source": "list", "urls": ["/prerender"]}]}</script>
<img src="/picture.png" alt=""><img srcset="/set.png 1x" alt=""><picture><source srcset="/source.png"><img alt=""></picture><iframe src="/frame" title="f"></iframe><iframe srcdoc="<img src=/in-srcdoc.png alt=>" title="s"></iframe><object data="/object.svg" type="image/svg+xml"></object><embed src="/embed.svg" type="image/svg+xml">
<video src="/film.mp4" preload="auto"></video><audio src="/sound.mp3" preload="auto"></audio><a href="/" ping="/ping">home</a>
<script src="/script.js"></script><script type="module" src="/module.js"></script>
<script>
fetch("/fetched"); fetch("/head", {method: "HEAD"}); fetch("/posted", {method: "POST", body: "x"}).catch(() => {}); fetch("/kept", {keepalive: true});
fetch("http://localhost:" + location.port + "/preflight", {headers: {"x-own": "1"}}).catch(() => {});
const x = new XMLHttpRequest(); x.open("GET", "/xhr"); x.send();
navigator.sendBeacon("/beacon", "x"); new EventSource("/events"); try { new WebSocket("ws://" + location.host + "/socket") } catch {}
new Worker("/worker.js"); new SharedWorker("/shared.js"); navigator.serviceWorker.register("/service.js").catch(() => {});
new FontFace("f", "url(/font.woff2)").load().catch(() => {}); import("/imported.js").catch(() => {}); new Image().src = "/image.png";
fetch("/told?" + new URLSearchParams({webdriver: navigator.webdriver, ua: navigator.userAgent, brands: JSON.stringify(navigator.userAgentData?.brands ?? null), platform: navigator.userAgentData?.platform ?? ""}));
</script>`
	site := fixturesite.New(plain("/", all), plain("/frame", `<img src="/in-frame.png" alt="">`), script("/script.js", ""), script("/module.js", ""), script("/imported.js", ""),
		script("/worker.js", `fetch("/from-worker"); importScripts("/in-worker.js")`), script("/in-worker.js", ""), script("/shared.js", `fetch("/from-shared")`), script("/service.js", `fetch("/from-service")`))
	site.Start(t)
	d := deploy(t)
	s := d.scan(order{"url": site.URL("/"), "engine": "browser"})
	if s = d.finish(s.ID, time.Minute); s.State != "finished" {
		t.Fatalf("scan %+v", s)
	}
	ours := regexp.MustCompile(`^Mozilla/5\.0 \(X11; Linux x86_64\) AppleWebKit/537\.36 \(KHTML, like Gecko\) Chrome/(\d+)\.0\.0\.0 Safari/537\.36 Visite/\S+ \(\+http\S+\)$`)
	arrivals := site.Arrivals()
	kinds := map[string]int{}
	for _, a := range arrivals {
		kinds[a.Path]++
		t.Logf("%-8s %-16s %s", a.Method, a.Path, a.Header.Get("User-Agent"))
		m := ours.FindStringSubmatch(a.Header.Get("User-Agent"))
		if m == nil {
			if robots := a.Path == "/robots.txt" || strings.HasPrefix(a.Path, "/sitemap"); !robots || !strings.Contains(a.Header.Get("User-Agent"), "Visite/") {
				t.Errorf("%s came as %q", a.Request(), a.Header.Get("User-Agent"))
			}
			continue
		}
		for name, want := range map[string]string{"Sec-Ch-Ua": `"Chromium";v="` + m[1] + `"`, "Sec-Ch-Ua-Platform": `"Linux"`, "Sec-Ch-Ua-Mobile": "?0"} {
			if got := a.Header.Get(name); got != "" && (!strings.Contains(got, want) || strings.Contains(got, "Headless")) {
				t.Errorf("%s came with %s: %s", a.Request(), name, got)
			}
		}
		for _, name := range []string{"Authorization", "Proxy-Authorization", "X-Forwarded-For", "Forwarded", "Via"} {
			if a.Header.Get(name) != "" {
				t.Errorf("%s came with %s", a.Request(), name)
			}
		}
	}
	arrivals.NoMethodsBut(t, "GET", "HEAD", "OPTIONS")
	for _, path := range []string{"/", "/style.css", "/preload", "/module.js", "/picture.png", "/set.png", "/source.png", "/frame", "/in-frame.png", "/in-srcdoc.png", "/object.svg", "/embed.svg", "/film.mp4", "/sound.mp3",
		"/script.js", "/fetched", "/head", "/kept", "/preflight", "/xhr", "/events", "/worker.js", "/from-worker", "/in-worker.js", "/shared.js", "/from-shared", "/font.woff2", "/imported.js", "/image.png", "/told"} {
		if kinds[path] == 0 {
			t.Errorf("%s was not asked for; the test proves nothing about it", path)
		}
	}
	for _, path := range []string{"/posted", "/beacon", "/ping", "/socket", "/service.js", "/from-service", "/prefetch", "/prerender"} {
		if kinds[path] != 0 {
			t.Errorf("%s was asked for", path)
		}
	}
	told := arrivals.Path("/told")
	if len(told) != 1 {
		t.Fatalf("the page told %d times what it sees", len(told))
	}
	for _, want := range []string{"webdriver=true", "Visite%2F", "platform=Linux", "Chromium"} {
		if !strings.Contains(told[0].Query, want) || strings.Contains(told[0].Query, "Headless") {
			t.Errorf("the page sees %s, want %s", told[0].Query, want)
		}
	}
}
