package courtesy_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"visite/internal/fixturesite"
)

// fourWays is a page of a secure context that asks for an address as an image, a
// frame, a worker and a service worker, and tells its site when all was tried.
const fourWays = `<!doctype html><html lang="en"><title>Four ways</title><body><img src="/hold.png" alt=""><script>
const to = 'TARGET', rest = ms => new Promise(done => setTimeout(done, ms));
(async () => {
  new Image().src = to + '?image';
  document.body.append(Object.assign(document.createElement('iframe'), {src: to + '?frame'}));
  const code = "fetch('" + to + "?worker', {mode: 'no-cors'}).catch(() => 0).then(() => postMessage(1))";
  const worker = new Worker(URL.createObjectURL(new Blob([code], {type: 'text/javascript'})));
  await Promise.race([new Promise(done => { worker.onmessage = done }), rest(20000)]);
  await navigator.serviceWorker.register('/sw.js');
  await Promise.race([navigator.serviceWorker.ready, rest(20000)]);
  await rest(500);
  await fetch('/tried');
})().catch(e => fetch('/broke?' + encodeURIComponent(e)))
</script>`

const serviceWorker = `self.addEventListener('install', e => e.waitUntil((async () => {
  await fetch('/sw-installing');
  await fetch('TARGET?service-worker', {mode: 'no-cors'}).catch(() => 0);
  await fetch('/sw-tried');
})()))`

// serveFourWays puts the page and its worker at a site; the page stays open until
// it has tried everything.
func serveFourWays(site *fixturesite.Site, target string) {
	open := make(chan struct{})
	done := sync.OnceFunc(func() { close(open) })
	site.Handle("/four-ways", fixturesite.HTML(strings.ReplaceAll(fourWays, "TARGET", target)))
	site.SetText("/sw.js", strings.ReplaceAll(serviceWorker, "TARGET", target))
	for _, path := range []string{"/tried", "/broke"} {
		site.HandleFunc(path, func(http.ResponseWriter, *http.Request) { done() })
	}
	for _, path := range []string{"/sw-installing", "/sw-tried"} {
		site.HandleFunc(path, func(http.ResponseWriter, *http.Request) {})
	}
	site.HandleFunc("/hold.png", func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-open:
		case <-r.Context().Done():
		case <-time.After(time.Minute):
		}
	})
}

// bareChromium opens a page in a Chromium of its own, in which service workers
// are to be had, and waits until the page is loaded.
func bareChromium(t *testing.T, address string, flags ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, chromium(t), append([]string{
		"--headless=new", "--no-sandbox", "--disable-gpu", "--user-data-dir=" + t.TempDir(), "--disable-background-networking", "--disable-component-update", "--no-first-run",
		"--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests", "--dump-dom",
	}, append(flags, address)...)...)
	cmd.WaitDelay = 5 * time.Second
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		t.Fatal(err)
	}
	if !bytes.Contains(out, []byte("Four ways")) {
		t.Logf("Chromium showed %.200q and said %.2000s", out, said.Bytes())
	}
}

// all is every first line that came to the guarded port.
func (f *forbiddenPort) all() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(f.lines, "\n")
}

func triedAll(t *testing.T, site *fixturesite.Site) {
	t.Helper()
	arrivals := site.Arrivals()
	for _, path := range []string{"/sw.js", "/sw-installing", "/sw-tried", "/tried"} {
		if arrivals.Count(path) == 0 {
			t.Errorf("%s never came: the attempts were not made; there came %v", path, arrivals.Requests())
		}
	}
	for _, a := range arrivals.Path("/broke") {
		t.Errorf("the page broke off: %s", a.Query)
	}
}

// A visit keeps service workers off altogether; were one to get in all the same,
// the door is in its way too: one that is installed, over https, and tries to
// reach this machine comes to nothing.
func TestAServiceWorkerIsGuardedToo(t *testing.T) {
	h, site, guarded, _ := hostileSite(t)
	serveFourWays(site, "http://127.0.0.1:"+guarded.port+"/")
	v := inBrowser(visit("https://site.test/four-ways", public()))
	v.MaxWait = time.Minute
	pass := h.enter(v)
	stop := renewing(t, pass)
	defer stop()
	bareChromium(t, v.URL, "--proxy-server=http://"+pass.ProxyAddr(), "--proxy-bypass-list=<-loopback>", "--ignore-certificate-errors-spki-list="+h.SPKI())
	if err := pass.Leave(within(t)); err != nil {
		t.Fatal(err)
	}
	triedAll(t, site)
	guarded.untouched(t, "an image, a frame, a worker and a service worker")
}

// The same page without the door: each of its four ways does reach the guarded
// port, so that the test above would notice.
func TestWithoutTheDoorTheGuardedPortIsReached(t *testing.T) {
	guarded := guardPort(t)
	site := fixturesite.New()
	serveFourWays(site, "http://127.0.0.1:"+guarded.port+"/")
	site.Start(t)
	bareChromium(t, site.URL("/four-ways"))
	triedAll(t, site)
	for _, way := range []string{"image", "frame", "worker", "service-worker"} {
		if !strings.Contains(guarded.all(), fmt.Sprintf("GET /?%s HTTP", way)) {
			t.Errorf("the %s did not reach the guarded port; there came:\n%s", way, guarded.all())
		}
	}
}
