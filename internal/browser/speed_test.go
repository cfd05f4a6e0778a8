package browser

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"visite/schema"
)

// bigPicture has enough in it to count as content.
var bigPicture = `<svg xmlns="http://www.w3.org/2000/svg" width="800" height="500"><rect width="800" height="500" fill="#363"/>` +
	strings.Repeat(`<circle cx="300" cy="200" r="150" fill="#ec8"/>`, 200) + `</svg>`

// A page with everything that makes one slow: a picture as its largest content, a
// notice that pushes the text down, a script that blocks.
const slowPage = `<p id="lead">Words that are to be read.</p><img src="/big.svg" width="800" height="500" alt="A field">
<script>
new PerformanceObserver((list) => { if (list.getEntriesByName("first-contentful-paint").length) setTimeout(() => {
  const late = document.createElement("aside"); late.style.height = "200px"; late.textContent = "Late news";
  document.querySelector("main").prepend(late);
  const end = performance.now() + 180; while (performance.now() < end);
}); }).observe({ type: "paint", buffered: true });
</script>`

func TestSpeedIsMeasuredInTheLoadThatIsMadeAnyway(t *testing.T) {
	d := newDoor(t, pages{"/": html("", slowPage), "/big.svg": bigPicture, "/calm": html("", "<p>Words and nothing else.</p>")})
	b := ownBrowser(t)
	b.limits.paint = 20 * time.Second // a loaded machine paints late
	out := open(t, b, d, "/")
	s := out.Observed.Speed
	if s == nil {
		t.Fatal("no speed")
	}
	if s.FCPMS <= 0 || s.LCPMS < s.FCPMS || s.TTFBMS <= 0 || s.TTFBMS > s.FCPMS {
		t.Errorf("paints are not in their order: %+v", s)
	}
	if !strings.HasSuffix(s.LCPAt, "main > img") || s.LCPParts == nil || s.LCPParts.TTFBMS <= 0 {
		t.Errorf("largest at %q, parts %+v", s.LCPAt, s.LCPParts)
	}
	if s.CLS <= 0.02 || s.CLSAt == "" {
		t.Errorf("shift %v at %q", s.CLS, s.CLSAt)
	}
	if s.TBTMS < 100 || s.LongTasks < 1 {
		t.Errorf("blocked %v ms in %d tasks", s.TBTMS, s.LongTasks)
	}
	if s.Loads != 1 || s.Cache != schema.CacheEmpty {
		t.Errorf("conditions %+v", s)
	}
	if n := d.count("/big.svg"); n != 1 {
		t.Errorf("the picture was loaded %d times", n)
	}
	calm := open(t, b, d, "/calm").Observed.Speed
	if calm == nil || calm.CLS != 0 || calm.LCPMS <= 0 || calm.CLSAt != "" {
		t.Errorf("a calm page: %+v", calm)
	}
	t.Logf("%+v %+v", s, calm)
}

func TestAPageThatShowsNothingHasNoSpeed(t *testing.T) {
	d := newDoor(t, pages{"/": `<!doctype html><html lang="en"><head><title>Nothing</title></head><body></body></html>`})
	if s := open(t, needBrowser(t), d, "/").Observed.Speed; s != nil {
		t.Errorf("%+v", s)
	}
}

// Whom a page contacts, with what, and what it weighs; also from the cache.
func TestContactsOfAPage(t *testing.T) {
	script := strings.Repeat("/* weight */", 2000)
	site := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Host + r.URL.Path {
		case "site.example/a/page":
			w.Header().Set("Referrer-Policy", "unsafe-url")
			w.Header().Set("Content-Security-Policy", "img-src http://site.example http://pictures.example")
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, html(`<script src="http://cdn.example/lib.js"></script><link rel="stylesheet" href="/s.css">`,
				`<img src="http://pictures.example/p.svg" alt="A" width="9" height="9"><img src="http://kept.example/p.svg" alt="B" width="9" height="9"><script>fetch("http://api.example/x").catch(() => 0); navigator.sendBeacon("http://beacon.example/b", "x")</script>`))
		case "cdn.example/lib.js":
			w.Header().Set("Cache-Control", "max-age=600")
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w, script)
		default:
			w.Header().Set("Content-Type", map[bool]string{true: "image/svg+xml", false: "text/css"}[strings.HasSuffix(r.URL.Path, ".svg")])
			fmt.Fprint(w, svg)
		}
	})
	d := newDoor(t, site)
	b := needBrowser(t)
	v := visitOf(t, b, d, "/a/page")
	for i, cache := range []string{schema.CacheEmpty, schema.CacheShared} {
		out, err := b.Visit(t.Context(), v)
		if err != nil {
			t.Fatal(err)
		}
		by := map[string]schema.Contact{}
		for _, c := range out.Observed.Contacts {
			by[c.Host] = c
		}
		for _, host := range []string{"site.example", "cdn.example", "pictures.example", "api.example", "beacon.example"} {
			if by[host].Requests == 0 {
				t.Errorf("visit %d: %s is missing in %+v", i, host, out.Observed.Contacts)
			}
		}
		if _, there := by["kept.example"]; there {
			t.Errorf("visit %d: what the page's policy kept back counts", i)
		}
		if f := by["cdn.example"].Files[schema.FileScript]; f.Requests != 1 || f.Bytes < int64(len(script)) {
			t.Errorf("visit %d: script %+v", i, f)
		}
		if by["pictures.example"].FullReferrer != 1 || by["site.example"].FullReferrer != 0 {
			t.Errorf("visit %d: referrers %+v", i, by)
		}
		if out.Observed.Speed == nil || out.Observed.Speed.Cache != cache {
			t.Errorf("visit %d: %+v", i, out.Observed.Speed)
		}
	}
	if n := d.count("cdn.example/lib.js"); n != 1 {
		t.Errorf("the script was loaded %d times", n)
	}
}
