package browser

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-rod/rod/lib/proto"
)

// cached is a site whose picture may be kept and whose pages set a cookie.
type cached struct{}

func (cached) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/favicon.ico":
		http.NotFound(w, r)
		return
	case "/a.svg":
		w.Header().Set("Content-Type", "image/svg+xml")
		w.Header().Set("Cache-Control", "max-age=3600")
		io.WriteString(w, svg)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: "seen", Value: r.URL.Path[1:]})
	w.Header().Set("Content-Type", "text/html")
	io.WriteString(w, html("", `<img alt="x" src="/a.svg"><p>cookie `+r.Header.Get("Cookie")+`.</p>`))
}

// proves R-08
func TestVisitsOfARunShareWhatTheyFetchedAndOtherRunsDoNot(t *testing.T) {
	b := needBrowser(t)
	d := newDoor(t, cached{})
	v := visitOf(t, b, d, "/one")
	for _, path := range []string{"/one", "/two"} {
		v.URL = "http://site.example" + path
		out, err := b.Visit(t.Context(), v)
		if err != nil {
			t.Fatal(err)
		}
		if want := map[string]string{"/one": "cookie .", "/two": "cookie seen=one."}[path]; !strings.Contains(out.HTML, want) {
			t.Errorf("%s: no %q", path, want)
		}
	}
	if n := d.count("/a.svg"); n != 1 {
		t.Errorf("a run fetched a shared file %d times", n)
	}
	if out := open(t, b, d, "/three"); !strings.Contains(out.HTML, "cookie .") || d.count("/a.svg") != 2 {
		t.Errorf("another run shares: %v", d.requests())
	}
}

// contexts lists the browser contexts Chromium holds beside its own.
func contexts(t *testing.T, b *Browser) []proto.BrowserBrowserContextID {
	t.Helper()
	r, err := proto.TargetGetBrowserContexts{}.Call(instanceOf(b).channel(t.Context(), ""))
	if err != nil {
		t.Fatal(err)
	}
	return r.BrowserContextIDs
}

func TestARunsContextEndsWithItOrWhenIdle(t *testing.T) {
	b := ownBrowser(t)
	b.limits.idle = 300 * time.Millisecond
	d := newDoor(t, pages{"/": html("", "x")})
	v := visitOf(t, b, d, "/")
	if _, err := b.Visit(t.Context(), v); err != nil {
		t.Fatal(err)
	}
	if n := len(contexts(t, b)); n != 1 {
		t.Fatalf("%d contexts", n)
	}
	b.EndRun(v.ScanID)
	if n := len(contexts(t, b)); n != 0 {
		t.Errorf("%d contexts after the run", n)
	}
	if _, err := b.Visit(t.Context(), v); err != nil {
		t.Fatal(err)
	}
	soon(t, func() string {
		if len(contexts(t, b)) > 0 {
			return "an idle run's context stays open"
		}
		return ""
	})
}

func TestEndingARunEndsItsVisits(t *testing.T) {
	b := needBrowser(t)
	d := newDoor(t, streams{pages{"/": html("", `<img alt="x" src="/never.svg">`)}})
	v := visitOf(t, b, d, "/")
	time.AfterFunc(600*time.Millisecond, func() { b.EndRun(v.ScanID) })
	start := time.Now()
	if _, err := b.Visit(t.Context(), v); !errors.Is(err, errRunEnded) {
		t.Errorf("%v", err)
	}
	took(t, start, defaultLimits.load-2*time.Second)
	noTabsLeft(t, b)
}

func TestARunFollowsItsProxyAndFailsWithoutOne(t *testing.T) {
	b := needBrowser(t)
	site := pages{"/": html("", "x")}
	one, two := newDoor(t, site), newDoor(t, site)
	v := visitOf(t, b, one, "/")
	if _, err := b.Visit(t.Context(), v); err != nil {
		t.Fatal(err)
	}
	v.ProxyAddr = two.addr()
	if _, err := b.Visit(t.Context(), v); err != nil || two.count("site.example") == 0 {
		t.Errorf("%v, requests at the new door %v", err, two.requests())
	}
	two.CloseClientConnections()
	two.Close()
	if out, err := b.Visit(t.Context(), v); err == nil {
		t.Errorf("no door, and no error: %+v", out)
	}
}

func TestVisitsSideBySideAreAllSeen(t *testing.T) {
	b := needBrowser(t)
	// Each frame changes the document, so that the visit waits as long as it may for rest.
	d := newDoor(t, pages{"/": html("", `<img src="/a.svg"><script>
		let n = 0;
		const tick = () => { document.title = document.visibilityState + " " + (++n > 20 ? "moving" : n); requestAnimationFrame(tick) };
		tick();
	</script>`), "/a.svg": svg})
	v := visitOf(t, b, d, "/")
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			w := v
			if i >= 2 {
				w.ScanID += "-other"
			}
			out, err := b.Visit(t.Context(), w)
			if err != nil {
				t.Error(err)
				return
			}
			if !strings.Contains(out.HTML, "<title>visible moving</title>") {
				t.Errorf("%.120s", out.HTML)
			}
			if got := ids(axeOf(t, out).Violations); !slices.Equal(got, []string{"image-alt:1"}) {
				t.Errorf("%v", got)
			}
		})
	}
	wg.Wait()
	b.EndRun(v.ScanID + "-other")
	noTabsLeft(t, b)
}

func TestAWornChromiumIsReplacedBetweenRuns(t *testing.T) {
	b := ownBrowser(t)
	d := newDoor(t, pages{"/": html("", "x")})
	v := visitOf(t, b, d, "/")
	if _, err := b.Visit(t.Context(), v); err != nil {
		t.Fatal(err)
	}
	first := instanceOf(b)
	first.mu.Lock()
	first.visits = maxVisits
	first.mu.Unlock()
	if _, err := b.Visit(t.Context(), v); err != nil || instanceOf(b) != first {
		t.Fatalf("replaced in the middle of a run: %v", err)
	}
	b.EndRun(v.ScanID)
	if _, err := b.Visit(t.Context(), v); err != nil || instanceOf(b) == first {
		t.Fatalf("not replaced: %v", err)
	}
	select {
	case <-first.proc.done:
	case <-time.After(30 * time.Second):
		t.Error("the old one lives on")
	}
}
