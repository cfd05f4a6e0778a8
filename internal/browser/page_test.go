package browser

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"visite/schema"
)

// analysed fails unless the page was captured without a failure.
func analysed(t *testing.T, r Rendered) {
	t.Helper()
	if r.Failure != schema.ReasonNone || !strings.Contains(r.HTML, "</html>") {
		t.Fatalf("failure %q, %d bytes of HTML, notes %v", r.Failure, len(r.HTML), r.Notes)
	}
}

// soon waits until nothing is left to complain of.
func soon(t *testing.T, complaint func() string) {
	t.Helper()
	said := complaint()
	for deadline := time.Now().Add(30 * time.Second); said != "" && time.Now().Before(deadline); said = complaint() {
		time.Sleep(20 * time.Millisecond)
	}
	if said != "" {
		t.Error(said)
	}
}

// took fails where a visit lasted as long as if something had been waited for in vain.
func took(t *testing.T, start time.Time, limit time.Duration) {
	t.Helper()
	if d := time.Since(start); d > limit {
		t.Errorf("took %v, want at most %v", d, limit)
	}
}

// streams never end: server-sent events, a chunked answer, a long poll.
type streams struct{ pages }

func (s streams) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/sse", "/chunks":
		w.Header().Set("Content-Type", map[string]string{"/sse": "text/event-stream", "/chunks": "text/plain"}[r.URL.Path])
		io.WriteString(w, "data: 1\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	case "/poll", "/never.svg":
		<-r.Context().Done()
	default:
		s.pages.ServeHTTP(w, r)
	}
}

func TestEndlessConnectionsDoNotKeepAPageFromBeingLoaded(t *testing.T) {
	b := ownBrowser(t)
	b.limits.settle = time.Minute // what is waited for in vain shows on a slow machine, too
	for name, script := range map[string]string{
		"server-sent events": `new EventSource("/sse")`,
		"stream":             `fetch("/chunks").then(r => r.text())`,
		"long poll":          `fetch("/poll")`,
		"socket":             `new WebSocket("ws://site.example/socket")`,
		"late frame":         `onload = () => document.body.append(Object.assign(document.createElement("iframe"), {src: "/poll", title: "x"}))`,
	} {
		t.Run(name, func(t *testing.T) {
			d := newDoor(t, streams{pages{"/": html("", `<p>x</p><script>`+script+`</script>`)}})
			v := visitOf(t, b, d, "/")
			v.Deadline = 2 * time.Minute
			start := time.Now()
			out, err := b.Visit(t.Context(), v)
			if err != nil {
				t.Fatal(err)
			}
			analysed(t, out)
			took(t, start, b.limits.settle-2*time.Second)
			if slices.Contains(out.Notes, schema.NoteHardLimit) {
				t.Error("the load event came, yet the note says it did not")
			}
		})
	}
}

func TestAFileThatNeverComesIsNotWaitedForWithoutEnd(t *testing.T) {
	b := ownBrowser(t)
	b.limits.load = time.Second
	d := newDoor(t, streams{pages{"/": html("", `<p>here</p><img alt="x" src="/never.svg">`)}})
	out := open(t, b, d, "/")
	analysed(t, out)
	if !slices.Contains(out.Notes, schema.NoteHardLimit) || out.LoadMS < 1000 {
		t.Errorf("notes %v, load %v ms", out.Notes, out.LoadMS)
	}
}

func TestDialogsAreDismissedAtOnce(t *testing.T) {
	out, _ := openPage(t, html("", `<script>
		onbeforeunload = () => "stay";
		onload = () => { alert("Welcome"); document.title = [confirm("Sure?"), prompt("Who?")].join(); };
	</script>`))
	analysed(t, out)
	if out.Dialogs != 3 || !slices.Contains(out.Notes, schema.NoteDialog) || !strings.Contains(out.HTML, "<title>false,</title>") {
		t.Errorf("%d dialogs, notes %v", out.Dialogs, out.Notes)
	}
}

// proves S-19
func TestNothingThePageDoesByItselfLeavesTheVisit(t *testing.T) {
	for name, c := range map[string]struct {
		body     string
		redirect string
		forms    int
	}{
		"location":            {body: `<script>location.href = "/b?x=1"</script>`, redirect: "http://site.example/b?x=1"},
		"after load":          {body: `<script>onload = () => location.replace("/b")</script>`, redirect: "http://site.example/b"},
		"meta refresh":        {body: `<meta http-equiv="refresh" content="0;url=/b">`, redirect: "http://site.example/b"},
		"other host":          {body: `<script>location = "http://else.example/"</script>`, redirect: "http://else.example/"},
		"reload":              {body: `<script>location.reload()</script>`, redirect: "http://site.example/"},
		"form post":           {body: `<form method="post" action="/b"></form><script>document.forms[0].submit()</script>`, forms: 1},
		"form sent by script": {body: `<form method="post" action="/b"><button>x</button></form><script>document.querySelector("button").click(); document.forms[0].requestSubmit()</script>`, forms: 2},
		"form get":            {body: `<form action="/b"><input name="q" value="1"></form><script>document.forms[0].submit()</script>`, redirect: "http://site.example/b?q=1"},
		"download":            {body: `<a download href="/b">x</a><script>document.querySelector("a").click()</script>`},
		"mail":                {body: `<script>location = "mailto:a@b.example"</script>`},
		"close":               {body: `<script>window.close()</script>`},
		"back":                {body: `<script>onload = () => history.back()</script>`},
		"back in a script":    {body: `<script>history.go(-1); history.back()</script>`},
		"print":               {body: `<script>window.print(); onload = () => print()</script>`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, d := openPage(t, html("", "<p>mark</p>"+c.body))
			analysed(t, out)
			if !strings.Contains(out.HTML, "mark") || out.FinalURL != "http://site.example/" {
				t.Errorf("inspected %s", out.FinalURL)
			}
			if out.ClientRedirect != c.redirect || out.RefusedForms != c.forms {
				t.Errorf("redirect %q, forms %d; want %q, %d", out.ClientRedirect, out.RefusedForms, c.redirect, c.forms)
			}
			documents := slices.DeleteFunc(d.requests(), func(r string) bool { return strings.HasSuffix(r, "/favicon.ico") })
			if !slices.Equal(documents, []string{"GET http://site.example/"}) {
				t.Errorf("requests %v", documents)
			}
		})
	}
}

func TestPopupsAreClosedBeforeTheyAskForAnything(t *testing.T) {
	out, d := openPage(t, html("", `<a target="_blank" href="http://ads.example/link">x</a><a rel="noopener" target="_blank" href="http://ads.example/quiet">y</a><script>
		window.open("http://ads.example/open");
		window.open("http://ads.example/noopener", "_blank", "noopener");
		onload = () => document.querySelectorAll("a").forEach(a => a.click());
	</script>`))
	analysed(t, out)
	if out.Popups != 4 || !slices.Contains(out.Notes, schema.NotePopup) {
		t.Errorf("%d popups, notes %v", out.Popups, out.Notes)
	}
	time.Sleep(200 * time.Millisecond)
	if n := d.count("ads.example"); n != 0 {
		t.Errorf("%d requests of pop-ups: %v", n, d.requests())
	}
	noTabsLeft(t, needBrowser(t))
}

func noTabsLeft(t *testing.T, b *Browser) {
	t.Helper()
	soon(t, func() string {
		if left := targets(t, b); len(left) > 0 {
			return fmt.Sprintf("left open: %v", left)
		}
		return ""
	})
}

// answers that are no page.
type files struct{}

func (files) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/nothing":
		w.WriteHeader(http.StatusNoContent)
	case "/overview":
		http.Redirect(w, r, "/file", http.StatusFound)
	case "/file":
		w.Header().Set("Content-Disposition", `attachment; filename="x.zip"`)
		w.Header().Set("Content-Type", "application/zip")
		w.Write(make([]byte, 1<<16))
	case "/privacy.pdf":
		w.Header().Set("Content-Disposition", "attachment")
		w.Header().Set("Content-Type", "application/pdf")
		io.WriteString(w, "%PDF-1.4")
	case "/wall":
		w.Header().Set("WWW-Authenticate", `Basic realm="staging"`)
		w.WriteHeader(http.StatusUnauthorized)
	}
}

func TestNavigationsThatEndInNoPageAreNoFailure(t *testing.T) {
	d := newDoor(t, files{})
	for _, path := range []string{"/nothing", "/overview", "/file", "/privacy.pdf"} {
		start := time.Now()
		out := open(t, needBrowser(t), d, path)
		if out.HTML != "" || out.Failure != schema.ReasonNone || out.Axe != nil {
			t.Errorf("%s: failure %q, %d bytes", path, out.Failure, len(out.HTML))
		}
		took(t, start, defaultLimits.load-2*time.Second)
	}
}

// proves S-20
func TestAPasswordWallNeitherPromptsNorHangs(t *testing.T) {
	d := newDoor(t, files{})
	start := time.Now()
	out := open(t, needBrowser(t), d, "/wall")
	if out.Failure != schema.ReasonNone || d.count("/wall") != 1 {
		t.Errorf("failure %q, requests %v", out.Failure, d.requests())
	}
	took(t, start, defaultLimits.load-2*time.Second)
}

func TestPermissionsAreRefusedWithoutAPrompt(t *testing.T) {
	d := newDoor(t, pages{"/": html("", `<script>
		Promise.allSettled([
			new Promise((ok, no) => navigator.geolocation.getCurrentPosition(ok, no)),
			navigator.mediaDevices.getUserMedia({video: true}),
			Notification.requestPermission().then(r => { if (r !== "granted") throw r }),
		]).then(all => document.title = all.map(x => x.status).join());
	</script>`)})
	b := needBrowser(t)
	v := visitOf(t, b, d, "/")
	v.URL = "http://localhost/" // a secure context, so that there is something to ask for
	out, err := b.Visit(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.HTML, "<title>rejected,rejected,rejected</title>") {
		t.Errorf("title %.200s", out.HTML)
	}
}

func TestServiceWorkersAreOffSoThatNothingIsMissed(t *testing.T) {
	site := pages{
		"/": html("", `<script src="/tracker.js"></script><script>
			navigator.serviceWorker.register("/sw.js").then(() => document.title = "on", e => document.title = e.name);
			const f = document.createElement("iframe"); document.body.append(f);
			f.contentWindow.navigator.serviceWorker.register("/sw.js").catch(() => {});
		</script>`),
		"/tracker.js": "1", "/sw.js": `onfetch = e => e.respondWith(new Response("1"))`,
	}
	d := newDoor(t, site)
	b := needBrowser(t)
	v := visitOf(t, b, d, "/")
	v.URL = "http://localhost/"
	for range 2 {
		out, err := b.Visit(t.Context(), v)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.HTML, "<title>SecurityError</title>") || out.ConsoleErrors != 0 {
			t.Errorf("%d console errors, %.120s", out.ConsoleErrors, out.HTML)
		}
	}
	if d.count("tracker.js") != 2 || d.count("sw.js") != 0 {
		t.Errorf("requests %v", d.requests())
	}
}

func TestLazyImagesLoadByOneScrollAndInfiniteOnesEnd(t *testing.T) {
	d := newDoor(t, pages{
		"/lazy":  html("", `<div style="height:5000px"></div><img loading="lazy" alt="x" src="/lazy.svg">`),
		"/js":    html("", `<div style="height:4000px"></div><img id="i" alt="x"><script>new IntersectionObserver(e => { if (e[0].isIntersecting) i.src = "/seen.svg" }).observe(i)</script>`),
		"/ever":  html("", `<script>onscroll = () => document.body.append(Object.assign(document.createElement("p"), {style: "height:9000px"}))</script><p style="height:9000px"></p>`),
		"/short": html("", `<script>onscroll = () => document.title = "scrolled"</script>`),
	})
	b := needBrowser(t)
	analysed(t, open(t, b, d, "/lazy"))
	analysed(t, open(t, b, d, "/js"))
	if d.count("/lazy.svg") != 1 || d.count("/seen.svg") != 1 {
		t.Errorf("requests %v", d.requests())
	}
	start := time.Now()
	analysed(t, open(t, b, d, "/ever"))
	took(t, start, 100*time.Second)
	if out := open(t, b, d, "/short"); !strings.Contains(out.HTML, "<title>A page</title>") {
		t.Error("a page that fits the window was scrolled")
	}
}

func TestConsoleErrorsAreCountedNotKept(t *testing.T) {
	out, _ := openPage(t, html("", `<script>console.error("one"); console.log("two"); console.assert(false)</script><script>throw new Error("three")</script>`))
	if out.ConsoleErrors != 3 {
		t.Errorf("%d", out.ConsoleErrors)
	}
	out, _ = openPage(t, html("", `<script>for (let i = 0; i < 5000; i++) console.error(i)</script>`))
	if out.ConsoleErrors < maxConsole {
		t.Errorf("%d of a flood", out.ConsoleErrors)
	}
}

func TestTheRenderedDocumentIsTaken(t *testing.T) {
	out, _ := openPage(t, `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x.dtd"><html lang="de"><title>t</title><body>
		<img name="documentElement"><img name="doctype"><form name="getElementsByTagName"></form><my-card></my-card><script>
		document.body.append("made by script");
		history.pushState({}, "", "/route?a=1#part");
		document.querySelector("my-card").attachShadow({mode: "open"}).innerHTML = "<p>in the shadow</p>";
	</script>`)
	analysed(t, out)
	for _, want := range []string{`<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x.dtd">`, `<html lang="de">`, "made by script", `<my-card><template shadowrootmode="open"><p>in the shadow</p></template></my-card>`} {
		if !strings.Contains(out.HTML, want) {
			t.Errorf("no %s in %s", want, out.HTML)
		}
	}
	if out.FinalURL != "http://site.example/route?a=1" || out.Elements != 9 || out.LoadMS <= 0 || out.HTMLCut {
		t.Errorf("final %s, %d elements, %v ms, cut %v", out.FinalURL, out.Elements, out.LoadMS, out.HTMLCut)
	}
}

func TestHugeDocumentsAreBounded(t *testing.T) {
	out, _ := openPage(t, html("", fmt.Sprintf(`<script>document.body.insertAdjacentHTML("beforeend", "<i></i>".repeat(%d))</script>`, MaxElements)))
	if out.Elements <= MaxElements || out.Axe != nil || !slices.Equal(out.Notes, []string{schema.NoteTooManyElements}) {
		t.Errorf("%d elements, notes %v", out.Elements, out.Notes)
	}
	b := ownBrowser(t)
	b.limits.html = 1 << 20
	d := newDoor(t, pages{"/": html("", `<script>document.body.append(Object.assign(document.createElement("script"), {type: "text/plain", text: "ü".repeat(600_000)}))</script>`)})
	out = open(t, b, d, "/")
	if !out.HTMLCut || len(out.HTML) != 1<<20 && len(out.HTML) != 1<<20-1 {
		t.Errorf("cut %v at %d, failure %q", out.HTMLCut, len(out.HTML), out.Failure)
	}
}

func TestAPageThatReplacesItselfIsNotTakenForTheOneAskedFor(t *testing.T) {
	out, _ := openPage(t, html("", `<script>onload = () => setTimeout(() => { location = URL.createObjectURL(new Blob(["<p>other"], {type: "text/html"})) }, 20)</script>`))
	if out.Failure != schema.ReasonProtocol && !strings.Contains(out.HTML, "A heading") {
		t.Errorf("failure %q, %.100s", out.Failure, out.HTML)
	}
}

func TestAScriptWithoutEndMeetsTheDeadline(t *testing.T) {
	b := needBrowser(t)
	d := newDoor(t, pages{"/": html("", `<script>for(;;);</script>`)})
	v := visitOf(t, b, d, "/")
	v.Deadline = 2 * time.Second
	start := time.Now()
	out, err := b.Visit(t.Context(), v)
	if err != nil || out.Failure != schema.ReasonTimeout || out.OurFault {
		t.Errorf("%v, %+v", err, out.Failure)
	}
	took(t, start, defaultLimits.load-2*time.Second)
	noTabsLeft(t, b)
}

func TestCancellingClosesTheTabAtOnce(t *testing.T) {
	for name, page := range map[string]string{
		"waiting for a file": html("", `<img alt="x" src="/never.svg">`),
		"in an endless loop": html("", `<script>for(;;);</script>`),
		"in a dialog flood":  html("", `<script>for(;;) alert(1)</script>`),
	} {
		t.Run(name, func(t *testing.T) {
			b := needBrowser(t)
			d := newDoor(t, streams{pages{"/": page}})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			v := visitOf(t, b, d, "/")
			var cancelled time.Time
			time.AfterFunc(700*time.Millisecond, func() { cancelled = time.Now(); cancel() })
			out, err := b.Visit(ctx, v)
			if !errors.Is(err, context.Canceled) || out.HTML != "" {
				t.Errorf("%v, %d bytes", err, len(out.HTML))
			}
			took(t, cancelled, defaultLimits.load-2*time.Second)
			noTabsLeft(t, b)
			took(t, cancelled, defaultLimits.load-2*time.Second)
		})
	}
}
