package endtoend_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"visite/internal/fixturesite"
)

// askingForAll is a site whose pages ask for everything that a page can ask for.
func askingForAll(t *testing.T) *fixturesite.Site {
	t.Helper()
	site := fixturesite.New(
		page("/", `<link rel="stylesheet" href="/style.css"><img src="/picture.png" alt="A picture"><a href="/frame">frame</a> <a href="/two">two</a>
<iframe src="/frame" title="A frame"></iframe><script src="/script.js"></script><link rel="modulepreload" href="/module.js">
<script>
fetch("/data.json"); new Worker("/worker.js"); navigator.sendBeacon("/beacon", "x"); new EventSource("/events");
const asked = new XMLHttpRequest(); asked.open("GET", "/asked.json"); asked.send();
if (navigator.serviceWorker) navigator.serviceWorker.register("/service.js").catch(() => {});
</script>`),
		page("/frame", `<img src="/framed.png" alt="Another picture">`),
		page("/two", `<a href="/moved">moved</a>`),
		page("/three", `<p>Three.</p>`),
	)
	site.SetText("/style.css", `@import "/imported.css"; h1 { background: url("/background.png") }`)
	site.SetText("/imported.css", `h1 { color: #222 }`)
	site.SetText("/worker.js", `fetch("/from-worker.json")`)
	site.SetText("/service.js", `self.addEventListener("install", () => fetch("/from-service.json"))`)
	site.SetText("/robots.txt", "User-agent: *\nDisallow: /none\nSitemap: {{base}}/sitemap-one.xml\n")
	site.SetText("/sitemap-one.xml", `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>{{base}}/three</loc></url></urlset>`)
	site.Handle("/moved", fixturesite.RedirectTo(http.StatusMovedPermanently, "/three"))
	site.HandleFunc("/*", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "{}") })
	return site.Start(t)
}

// Each profile's User-Agents arrive exactly, on every request of whatever kind.
//
// proves S-02, S-03, S-04, S-05, S-06, S-07, S-08, S-45, S-50, C-01, R-02
func TestEveryRequestSaysWhoWeAre(t *testing.T) {
	t.Parallel()
	const (
		client   = "Mozilla/5.0 (compatible; SiteNorma/1.0; +https://sitenorma.com/rastreador/)"
		conregio = "Conregio-Check/1.0 (+https://conregio.de/bot)"
	)
	exactly := func(s string) *regexp.Regexp { return regexp.MustCompile("^" + regexp.QuoteMeta(s) + "$") }
	inBrowser := regexp.MustCompile(`^Mozilla/5\.0 \((X11; Linux x86_64)\) AppleWebKit/537\.36 \(KHTML, like Gecko\) Chrome/(\d+)\.0\.0\.0 Safari/537\.36 SiteNorma/1\.0 \(\+https://sitenorma\.com/rastreador/\)$`)
	onPhone := regexp.MustCompile(`^Mozilla/5\.0 \(Linux; (Android) [^)]*\) AppleWebKit/537\.36 \(KHTML, like Gecko\) Chrome/(\d+)\.0\.0\.0 Mobile Safari/537\.36 SiteNorma/1\.0 \(\+https://sitenorma\.com/rastreador/\)$`)
	files := []string{"/style.css", "/imported.css", "/background.png", "/picture.png", "/script.js", "/module.js", "/data.json", "/asked.json", "/framed.png", "/worker.js", "/from-worker.json"}
	d := deploy(t)
	for _, c := range []struct {
		name, profile, engine, device string
		pages, others                 *regexp.Regexp
		files                         []string
	}{
		{"browser", "sitenorma", "browser", "desktop", inBrowser, exactly(client), files},
		{"phone", "sitenorma", "browser", "mobile", onPhone, exactly(client), files},
		{"http", "sitenorma", "http", "desktop", exactly(client), exactly(client), nil},
		{"one string for all, browser", "conregio", "browser", "desktop", exactly(conregio), exactly(conregio), files},
		{"one string for all, http", "conregio", "http", "desktop", exactly(conregio), exactly(conregio), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := d.in(t)
			site := askingForAll(t)
			s := d.scan(order{"url": site.URL("/"), "engine": c.engine, "profile": c.profile, "device": c.device})
			if s = d.finish(s.ID, 2*time.Minute); s.State != "finished" || s.Progress.Analysed < 4 {
				t.Fatalf("scan %+v", s)
			}
			arrivals := site.Arrivals()
			arrivals.RobotsFirst(t)
			arrivals.NoMethodsBut(t, "GET", "HEAD", "OPTIONS")
			arrivals.Kinds(fixturesite.KindRobots, fixturesite.KindSitemap).AllUserAgents(t, c.others)
			arrivals.Kinds(fixturesite.KindDocument, fixturesite.KindFile).AllUserAgents(t, c.pages)
			for _, path := range append([]string{"/robots.txt", "/sitemap-one.xml", "/", "/frame", "/two", "/moved", "/three"}, c.files...) {
				if arrivals.Count(path) == 0 {
					t.Errorf("%s was not asked for: nothing is known of its User-Agent", path)
				}
			}
			version, _ := d.report(s.ID).Scan["browser"].(string)
			for _, a := range arrivals {
				if strings.Contains(strings.ToLower(a.UserAgent()), "bot") && c.profile == "sitenorma" {
					t.Errorf("%s says bot: %s", a.Request(), a.UserAgent())
				}
				for name, values := range a.Header {
					if strings.Contains(strings.Join(values, " "), "Headless") {
						t.Errorf("%s has %s: %s", a.Request(), name, values)
					}
				}
				// The version is the browser's own, here and in the client hint.
				if m := c.pages.FindStringSubmatch(a.UserAgent()); len(m) == 3 {
					if !strings.Contains(version, " "+m[2]+".") {
						t.Errorf("%s: version %s, the browser is %s", a.Request(), m[2], version)
					}
					if hint := a.Header.Get("Sec-Ch-Ua"); hint != "" && !strings.Contains(hint, `v="`+m[2]+`"`) {
						t.Errorf("%s: Sec-CH-UA %s beside version %s", a.Request(), hint, m[2])
					}
				}
			}
		})
	}
}
