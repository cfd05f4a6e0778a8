package endtoend_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"visite/internal/fixturesite"
)

// doc is a sound page with a title of its own and links.
func doc(title string, links ...string) http.Handler {
	var b strings.Builder
	for _, l := range links {
		fmt.Fprintf(&b, "<p><a href=\"%s\">to %s</a></p>\n", l, strings.Trim(l, "/"))
	}
	return fixturesite.HTML("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + title +
		"</title><meta name=\"viewport\" content=\"width=device-width\"><meta name=\"description\" content=\"About " + title +
		"\"></head><body><main><h1>" + title + "</h1><p>Words about " + title + ".</p>\n" + b.String() + "</main></body></html>\n")
}

// crawlSite has everything that leads crawlers astray.
func crawlSite(t *testing.T, elsewhere string) *fixturesite.Site {
	s := fixturesite.New()
	s.SetText("/robots.txt", "User-agent: *\nDisallow: /intern\nSitemap: {{base}}/maps/index.xml\n")
	s.Handle("/", doc("Start", "/", "#top", "/a?utm_source=mail", "/a?PHPSESSID=0123456789abcdef0123456789abcdef", "/a", "/a#part", "/b//c",
		"/moved", "/moved-away", "/faq", "/faq/", "/intern/plans", "/deep/1/", "/same/1/", "/calendar?month=1", "tel:+4912345", "mailto:a@example.com",
		"data:text/plain,hi", "javascript:void(0)", "/cookie", "/rendered"))
	s.Handle("/a", doc("Page A", "/b//c"))
	s.Handle("/b//c", doc("Two slashes"))
	s.Handle("/b/c", doc("One slash"))
	s.Handle("/moved", fixturesite.RedirectTo(http.StatusMovedPermanently, "/target"))
	s.Handle("/target", doc("Target"))
	s.Handle("/moved-away", fixturesite.RedirectTo(http.StatusFound, elsewhere))
	s.Handle("/faq", doc("FAQ"))
	s.Handle("/faq/", doc("FAQ with slash"))
	s.Handle("/intern/plans", doc("Plans"))
	s.Handle("/cookie", fixturesite.CookieWall(doc("Behind a cookie")))
	// Every page of the trap links one folder deeper, each with words of its own.
	s.Handle("/deep/*", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := strings.Count(r.URL.Path, "/")
		doc(fmt.Sprintf("Level %d", n), r.URL.Path+fmt.Sprint(n)+"/").ServeHTTP(w, r)
	}))
	// The same page under ever longer addresses.
	s.Handle("/same/*", doc("Always the same", "1/", "2/"))
	// A calendar without end, one document an address.
	s.Handle("/calendar", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var n int
		fmt.Sscan(r.URL.Query().Get("month"), &n)
		doc(fmt.Sprintf("Month %d", n), fmt.Sprintf("/calendar?month=%d", n+1)).ServeHTTP(w, r)
	}))
	s.Handle("/rendered", fixturesite.HTML(`<!doctype html><html lang="en"><title>By script</title><main><h1>By script</h1><div id="x"></div>
<script>document.write("<a href='gho" + "st'>x</a>"); document.getElementById('x').innerHTML = '<a href="/by-script">seen when rendered</a>';</script></main></html>`))
	s.Handle("/by-script", doc("Linked by script alone"))
	s.Handle("/ghost", doc("Written by script"))
	s.SetText("/maps/index.xml", `<?xml version="1.0"?><sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<sitemap><loc>{{base}}/maps/plain.xml.gz</loc></sitemap><sitemap><loc>{{base}}/maps/packed.xml</loc></sitemap></sitemapindex>`)
	s.SetText("/maps/plain.xml.gz", `<?xml version="1.0"?><sm:urlset xmlns:sm="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
<sm:url><sm:loc>{{base}}/only-in-sitemap</sm:loc><image:image><image:loc>{{base}}/picture</image:loc></image:image></sm:url></sm:urlset>`)
	s.Handle("/maps/packed.xml", fixturesite.Encoded("application/xml", packed(t, `<urlset><url><loc>/only-in-packed-sitemap</loc></url></urlset>`)))
	s.Handle("/only-in-sitemap", doc("Only in the sitemap"))
	s.Handle("/only-in-packed-sitemap", doc("Only in the packed sitemap"))
	s.Handle("/picture", doc("No page of the sitemap"))
	return s.Start(t)
}

// L14, L16, L19, L32, L33, L38: slashes, other schemes, cookies of a redirect, foreign
// pages and words of scripts lead nobody astray.
//
// W08: pages that are told are distinct ones; addresses a site makes without end are
// capped, and each that counts is listed.
//
// proves S-50, S-47, C-04, C-63
func TestCrawlFindsWhatIsThereAndNothingElse(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"browser", "http"} {
		t.Run(engine, func(t *testing.T) {
			other := fixturesite.New()
			other.Handle("/", doc("Somebody else", "/about"))
			other.Start(t)
			site := crawlSite(t, other.URL("/"))
			d := deployPatient(t)
			s := d.scan(order{"url": strings.TrimSuffix(site.URL("/"), "/"), "engine": engine, "profile": "patient", "max_pages": 90})
			if s = d.finish(s.ID, 4*time.Minute); s.State != "finished" {
				t.Fatalf("ended %s (%s)", s.State, s.StateReason)
			}
			outcomes := map[string]string{}
			for _, p := range d.report(s.ID).Pages {
				path := strings.TrimPrefix(p.URL, strings.TrimSuffix(site.URL("/"), "/"))
				if _, twice := outcomes[path]; twice {
					t.Errorf("%s stands twice", path)
				}
				outcomes[path] = p.Outcome
			}
			want := map[string]string{
				"/": "analysed", "/a": "analysed", "/b//c": "analysed", "/moved": "redirected_in_scope", "/target": "analysed",
				"/moved-away": "redirected_out_of_scope", "/faq": "analysed", "/faq/": "analysed", "/intern/plans": "robots_disallowed",
				"/cookie": "analysed", "/rendered": "analysed", "/only-in-sitemap": "analysed", "/only-in-packed-sitemap": "analysed",
			}
			if engine == "browser" {
				want["/by-script"], want["/ghost"] = "analysed", "analysed"
			}
			for path, outcome := range want {
				if outcomes[path] != outcome {
					t.Errorf("%s is %q, want %q", path, outcomes[path], outcome)
				}
			}
			never := []string{"/b/c", "/picture", "/about"}
			if engine == "http" {
				never = append(never, "/by-script", "/ghost")
			}
			for path := range outcomes {
				if slices.Contains(never, path) || strings.Contains(path, "utm_") || strings.Contains(path, "PHPSESSID") || strings.Contains(path, "#") {
					t.Errorf("%s is no page of this site", path)
				}
			}
			if n := countPrefix(outcomes, "/deep/"); n < 3 || n > 25 {
				t.Errorf("%d pages of the folder trap", n)
			}
			if n := countPrefix(outcomes, "/same/"); n > 6 {
				t.Errorf("%d addresses of the page that is always the same", n)
			}
			arrivals := site.Arrivals()
			arrivals.RobotsFirst(t)
			for _, path := range []string{"/a", "/target", "/faq", "/b//c"} {
				if n := arrivals.Count(path); n != 1 {
					t.Errorf("%s was asked for %d times", path, n)
				}
			}
			if n := arrivals.Count("/intern/plans"); n != 0 {
				t.Errorf("a forbidden page was asked for %d times", n)
			}
			if n := len(other.Arrivals()); n != 0 {
				t.Errorf("the foreign site was asked %d times", n)
			}
		})
	}
}

// packed is a file that is gzip by itself, whatever its name says.
func packed(t *testing.T, text string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func countPrefix(outcomes map[string]string, prefix string) (n int) {
	for path := range outcomes {
		if strings.HasPrefix(path, prefix) {
			n++
		}
	}
	return n
}
