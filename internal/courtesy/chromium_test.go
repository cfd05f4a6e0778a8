package courtesy_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"visite/internal/courtesy"
	"visite/internal/fixturesite"
	"visite/schema"
)

// chromium finds the browser, or skips the test (fails it where CI=true).
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{os.Getenv("VISITE_CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path
		}
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("Chromium is not installed")
	}
	t.Skip("Chromium is not installed")
	return ""
}

// dump loads a page in Chromium behind a pass and gives the DOM.
func dump(t *testing.T, h *harness, pass *courtesy.Pass, address string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, chromium(t), "--headless=new", "--no-sandbox", "--disable-gpu", "--user-data-dir="+t.TempDir(),
		"--disable-background-networking", "--disable-component-update", "--no-first-run", "--virtual-time-budget=5000", "--timeout=20000",
		"--proxy-server=http://"+pass.ProxyAddr(), "--proxy-bypass-list=<-loopback>", "--ignore-certificate-errors-spki-list="+h.SPKI(), "--dump-dom", address)
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		t.Fatal(err)
	}
	return string(out)
}

const wilful = `
-- /robots.txt --
User-agent: *
Disallow: /private/
-- / --
<!doctype html><html lang="en"><title>Wilful</title>
<link rel="stylesheet" href="/style.css">
<link rel="prefetch" href="/next">
<script src="/private/x.js"></script>
<img src="/pixel.png" alt="">
<iframe src="/frame" title="f"></iframe>
<form id="f" method="post" action="/form"><input name="a" value="b"></form>
<script>
fetch('/api', {method: 'POST', body: 'x'}).then(r => document.body.dataset.post = r.status);
fetch('/data').then(r => document.body.dataset.get = r.status);
navigator.sendBeacon('/beacon', 'x');
try { new WebSocket((location.protocol === 'https:' ? 'wss://' : 'ws://') + location.host + '/socket').onerror = () => document.body.dataset.socket = 'refused' } catch (e) {}
navigator.serviceWorker && navigator.serviceWorker.register('/worker.js').catch(() => {});
new Worker('/thread.js');
fetch('http://169.254.169.254/latest/meta-data/').catch(() => 0);
fetch('http://10.0.0.1/').catch(() => 0);
</script>
<body>Hello
-- /style.css --
body { color: black; background: url(/back.png) }
-- /frame --
<!doctype html><title>Frame</title><img src="/in-frame.png" alt="">
-- /worker.js --
self.addEventListener('install', e => fetch('/from-worker', {method: 'PUT'}).catch(() => 0));
-- /thread.js --
fetch('/from-thread');
-- /data --
{}
-- /private/x.js --
document.title = 'private';
`

// Chromium itself behind the door, over http and https: it renders, and of what
// a wilful page tries only the reading leaves, each request as ourselves.
// proves S-02, S-03, S-05, S-17, S-19, S-47, R-24
func TestChromiumBehindTheDoor(t *testing.T) {
	for _, secure := range []bool{false, true} {
		name := "http"
		if secure {
			name = "https"
		}
		t.Run(name, func(t *testing.T) {
			files, err := fixturesite.Parse(wilful)
			if err != nil {
				t.Fatal(err)
			}
			site := fixturesite.New(files...)
			if secure {
				site.StartTLS(t)
			} else {
				site.Start(t)
			}
			h := newHarness(t, courtesy.Options{Roots: site.Roots()})
			pass := h.enter(inBrowser(visit(site.URL("/"), free())))
			dom := dump(t, h, pass, site.URL("/"))
			if err := pass.Leave(within(t)); err != nil {
				t.Fatal(err)
			}
			for _, want := range []string{"<title>Wilful</title>", `data-post="403"`, `data-get="200"`, `data-socket="refused"`} {
				if !strings.Contains(dom, want) {
					t.Errorf("the DOM has no %s", want)
				}
			}
			arrivals := site.Arrivals()
			arrivals.RobotsFirst(t)
			arrivals.NoMethodsBut(t, "GET", "HEAD", "OPTIONS")
			arrivals.Filter(func(a fixturesite.Arrival) bool { return a.Path != "/robots.txt" }).
				AllUserAgents(t, regexp.MustCompile(`Chrome/156\.0\.0\.0 Safari/537\.36 Visite/1\.0 \(\+https://visite\.example/robots-page/\)$`))
			for path, want := range map[string]int{
				"/": 1, "/style.css": 1, "/back.png": 1, "/frame": 1, "/in-frame.png": 1, "/data": 1, "/from-thread": 1,
				"/private/x.js": 0, "/next": 0, "/socket": 0, "/beacon": 0, "/api": 0, "/from-worker": 0,
			} {
				if got := arrivals.Count(path); got != want {
					t.Errorf("%s arrived %d times, want %d", path, got, want)
				}
			}
			for _, a := range arrivals {
				if strings.Contains(a.Header.Get("Sec-Ch-Ua"), "Headless") {
					t.Errorf("%s names %s", a.Request(), a.Header.Get("Sec-Ch-Ua"))
				}
			}
			facts, totals := pass.Document(), pass.Totals()
			if facts.Outcome != schema.OutcomeAnalysed || facts.Status != 200 || facts.Bytes == 0 {
				t.Errorf("facts: %+v", facts)
			}
			if totals.RefusedCalls < 3 || totals.OwnRefused < 3 || totals.DisallowedFiles != 1 || totals.FailedFiles[site.URL("/pixel.png")] != 404 {
				t.Errorf("totals: %+v", totals)
			}
			if arrived, lines := len(arrivals), len(h.lines()); arrived != lines {
				t.Errorf("%d requests arrived, %d ledger lines", arrived, lines)
			}
		})
	}
}

// A login prompt, a bomb and a download leave Chromium with an empty tab, and it
// does not hang.
func TestChromiumMeetsNoPage(t *testing.T) {
	site := fixturesite.Serve(t, small)
	site.Handle("/login", fixturesite.BasicAuth("staging"))
	site.Handle("/download", fixturesite.Attachment("x.pdf", "application/pdf", 1<<20))
	site.Handle("/bomb", fixturesite.GzipBomb(300<<20))
	site.HandleFunc("/refused", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "40")
		w.WriteHeader(429)
		_, _ = io.WriteString(w, "<title>Slow down</title>")
	})
	h := newHarness(t, courtesy.Options{Bounds: courtesy.Bounds{Document: 1 << 20}})
	for _, c := range []struct {
		path   string
		reason schema.Reason
		out    schema.Outcome
	}{
		{"/login", "", schema.OutcomePasswordWall},
		{"/download", schema.ReasonDownload, schema.OutcomeNotPage},
		{"/bomb", schema.ReasonTooLarge, schema.OutcomeNotAnalysed},
		{"/refused", schema.ReasonServerParked, schema.OutcomeNotAnalysed},
	} {
		var pass *courtesy.Pass
		var dom string
		for range 3 { // a Chromium that took its time to start closes the tab before the document is whole
			pass = h.enter(inBrowser(visit(site.URL(c.path), free())))
			dom = dump(t, h, pass, site.URL(c.path))
			if err := pass.Leave(within(t)); err != nil {
				t.Fatal(err)
			}
			if pass.Document().Reason != schema.ReasonTimeout {
				break
			}
		}
		if strings.Contains(dom, "Slow down") || len(dom) > 1<<20+1000 {
			t.Errorf("%s: the browser shows %d bytes", c.path, len(dom))
		}
		if facts := pass.Document(); facts.Outcome != c.out || facts.Reason != c.reason {
			t.Errorf("%s: %q %q, want %q %q", c.path, facts.Outcome, facts.Reason, c.out, c.reason)
		}
	}
}
