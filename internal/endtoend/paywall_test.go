package endtoend_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"visite/internal/fixturesite"
)

const wallMarkup = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>An article</title>
<link rel="amphtml" href="/amp/article"><link rel="alternate" media="print" href="/print/article"><link rel="alternate" type="application/json" href="/api/article">
<script type="application/ld+json">{"@context":"https://schema.org","@type":"NewsArticle","isAccessibleForFree":false,"hasPart":{"@type":"WebPageElement","isAccessibleForFree":false,"cssSelector":".rest"}}</script>
<style>body{overflow:hidden}.rest{display:none}.wall{position:fixed;inset:20% 0 0;background:#fff}</style></head>
<body><main><h1>An article</h1><p>The first lines are for everybody.</p><p class="rest">The rest.</p></main>
<div class="wall" role="dialog" aria-label="Subscribe"><p>Subscribe to read on.</p><button id="close" aria-label="Close">x</button> <button id="trial">Start free trial</button> <a id="login" href="/login">Log in</a></div>
<script>for (const kind of ["click", "keydown", "submit"]) addEventListener(kind, () => fetch("/touched?" + kind), true);
new MutationObserver(() => { if (!document.querySelector(".wall")) fetch("/touched?removed") }).observe(document.body, {childList: true, subtree: true})</script></body></html>`

const openArticle = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Open</title></head><body><h1>Open</h1><p>All of it.</p></body></html>`

// meteredSite lets two articles pass and walls the others off; whoever comes as
// a search engine, from one, or as a subscriber reads them all. One article is
// refused with 402 outright.
func meteredSite() *fixturesite.Site {
	links := `<a href="/paid">paid</a>`
	for i := range 5 {
		links += fmt.Sprintf(` <a href="/article-%d">article</a>`, i)
	}
	site := fixturesite.New(plain("/", links), plain("/login", `<form method="post" action="/session"><label>Name <input name="n"></label><label>Password <input type="password" name="p"></label><button>Log in</button></form>`))
	site.HandleFunc("/paid", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusPaymentRequired)
		fmt.Fprint(w, wallMarkup)
	})
	for i := range 5 {
		site.HandleFunc(fmt.Sprintf("/article-%d", i), func(w http.ResponseWriter, r *http.Request) {
			read := 0
			if c, err := r.Cookie("read"); err == nil {
				read, _ = strconv.Atoi(c.Value)
			}
			agent, from := strings.ToLower(r.UserAgent()), r.Referer()
			_, member := r.Cookie("subscriber")
			open := strings.Contains(agent, "googlebot") || strings.Contains(from, "google.") || member == nil
			http.SetCookie(w, &http.Cookie{Name: "read", Value: strconv.Itoa(read + 1), Path: "/"})
			w.Header().Set("Content-Type", "text/html")
			if open || read < 2 {
				fmt.Fprint(w, openArticle)
				return
			}
			fmt.Fprint(w, wallMarkup)
		})
	}
	return site
}

// A wall is met as any visitor meets it: every article is asked for once, as
// ourselves, from nowhere else, with the cookies the site gave; nothing of the
// wall is touched, and no other way to the article is tried, here or elsewhere.
//
// proves S-20, S-22
func TestPaywallsAreLeftAlone(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"browser", "http"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			site := meteredSite().Start(t)
			d := deployWith(t, map[string]string{"patient": strings.Replace(patient, "pages_at_once: 2", "pages_at_once: 1", 1)})
			s := d.scan(order{"url": site.URL("/"), "engine": engine, "profile": "patient"})
			if s = d.finish(s.ID, 2*time.Minute); s.State != "finished" {
				t.Fatalf("ended %s (%s)", s.State, s.StateReason)
			}
			r := d.report(s.ID)
			loaded := []string{"/", "/article-0", "/article-1", "/article-2", "/article-3", "/article-4", "/paid"}
			if engine == "browser" {
				loaded = append(loaded, "/login") // linked from the wall, which the other engine, without cookies, never meets
			}
			arrivals := site.Arrivals()
			for _, path := range loaded {
				outcome := "analysed"
				if path == "/paid" {
					outcome = "error_answer"
				}
				if p := r.page(t, site.URL(path)); p.Outcome != outcome {
					t.Errorf("%s: %s (%s), want %s", path, p.Outcome, p.Reason, outcome)
				}
				if n := arrivals.Count(path); n != 1 {
					t.Errorf("%s was loaded %d times, want once", path, n)
				}
			}
			walled := 0
			for i, last := 0, 0; i < len(arrivals); i++ {
				a := arrivals[i]
				if !slices.Contains(append(loaded, "/robots.txt", "/sitemap.xml", "/favicon.ico"), a.Path) || a.Query != "" {
					t.Errorf("%s was asked for", a.Request())
				}
				if ref := a.Header.Get("Referer"); ref != "" && !strings.HasPrefix(ref, site.URL("/")) {
					t.Errorf("%s came with Referer %s", a.Request(), ref)
				}
				if agent := a.UserAgent(); !strings.Contains(agent, "Visite/1.0") {
					t.Errorf("%s came as %s", a.Request(), agent)
				}
				for _, name := range []string{"Authorization", "X-Forwarded-For", "Forwarded", "From"} {
					if a.Header.Get(name) != "" {
						t.Errorf("%s came with %s", a.Request(), name)
					}
				}
				if !strings.HasPrefix(a.Path, "/article-") {
					continue
				}
				// Chromium keeps the meter running as for anybody; the plain client keeps no cookies at all.
				want := ""
				if engine == "browser" && last > 0 {
					want = fmt.Sprintf("read=%d", last)
				}
				if got := a.Header.Get("Cookie"); got != want {
					t.Errorf("%s came with cookies %q, want %q", a.Request(), got, want)
				}
				last++
				if r.page(t, site.URL(a.Path)).Title == "An article" {
					walled++
				}
			}
			if engine == "browser" && walled != 3 {
				t.Errorf("%d articles were seen walled off, want 3 of 5", walled)
			}
			arrivals.NoMethodsBut(t, "GET", "HEAD", "OPTIONS")
			if host := strings.TrimSuffix(strings.TrimPrefix(site.URL("/"), "http://"), "/"); len(r.Requests) != 1 || r.Requests[host].Count == 0 {
				t.Errorf("the ledger has requests to %v, want %s alone", r.Requests, host)
			}
		})
	}
}
