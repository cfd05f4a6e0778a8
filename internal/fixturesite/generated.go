package fixturesite

import (
	"fmt"
	"net/http"
	"strings"
)

// Plan says what a generated site looks like.
type Plan struct {
	Pages   int  // at least 1
	Links   int  // a page to the pages that follow it in the ring, at most Pages-1; 0: 3
	Sitemap bool // robots.txt names a sitemap of all pages
	Faults  bool // some pages have planted faults, see Plan.Planted
	Canary  bool // every page carries the canaries
}

// Generated makes a site of n pages that link on in a ring, three links each,
// with a sitemap and planted faults.
func Generated(n int) *Site { return Plan{Pages: n, Sitemap: true, Faults: true}.Site() }

// Site makes the site. The same plan gives the same bytes every time.
func (p Plan) Site() *Site {
	if p.Links == 0 {
		p.Links = 3
	}
	p.Links = min(p.Links, p.Pages-1)
	s := New()
	s.Handle("/*", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if i, ok := p.index(r.URL.Path); ok {
			HTML(p.page(i)).ServeHTTP(w, r)
			return
		}
		notFound(w, r)
	}))
	s.SetText("/pages.css", generatedCSS)
	s.Set(File{Path: "/sheet.png", Status: http.StatusOK, Body: sunrise(), Header: http.Header{"Content-Type": {"image/png"}}})
	robots := "User-agent: *\nDisallow: /private/\n"
	if p.Sitemap {
		robots += "Sitemap: {{base}}/sitemap.xml\n"
		s.SetText("/sitemap.xml", p.sitemap())
	}
	s.SetText("/robots.txt", robots)
	return s
}

// Path is the address of page i, counted from 0; page 0 is the home page.
func (p Plan) Path(i int) string {
	if i == 0 {
		return "/"
	}
	return fmt.Sprintf("/p/%05d", i)
}

func (p Plan) index(path string) (int, bool) {
	if path == "/" {
		return 0, true
	}
	var i int
	if _, err := fmt.Sscanf(path, "/p/%05d", &i); err != nil || i < 1 || i >= p.Pages || path != p.Path(i) {
		return 0, false
	}
	return i, true
}

// Title is the title of page i.
func (p Plan) Title(i int) string {
	return fmt.Sprintf("%s %s, sheet %d", quality[i%len(quality)], thing[i/len(quality)%len(thing)], i)
}

// Planted lists the faults of page i: every fifth page has an image without
// alternative text, every seventh no language, every eleventh no description.
// Page 0 has none.
func (p Plan) Planted(i int) []Fault {
	var out []Fault
	if !p.Faults || i == 0 {
		return out
	}
	if i%5 == 0 {
		out = append(out, FaultImageAlt)
	}
	if i%7 == 0 {
		out = append(out, FaultNoLang)
	}
	if i%11 == 0 {
		out = append(out, FaultNoDescription)
	}
	return out
}

func (p Plan) page(i int) string {
	has := map[Fault]bool{}
	for _, f := range p.Planted(i) {
		has[f] = true
	}
	var b strings.Builder
	lang := ` lang="en"`
	if has[FaultNoLang] {
		lang = ""
	}
	fmt.Fprintf(&b, "<!doctype html>\n<html%s>\n<head>\n<meta charset=\"utf-8\">\n<title>%s</title>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n", lang, p.Title(i))
	if !has[FaultNoDescription] {
		fmt.Fprintf(&b, "<meta name=\"description\" content=\"Sheet %d of the collection: %s, described in a few plain words.\">\n", i, strings.ToLower(p.Title(i)))
	}
	fmt.Fprintf(&b, "<meta property=\"og:title\" content=\"%s\">\n<meta property=\"og:description\" content=\"Sheet %d of the collection.\">\n<meta property=\"og:type\" content=\"website\">\n<meta property=\"og:url\" content=\"{{base}}%s\">\n<meta property=\"og:image\" content=\"{{base}}/sheet.png\">\n", p.Title(i), i, p.Path(i))
	b.WriteString("<link rel=\"stylesheet\" href=\"/pages.css\">\n</head>\n<body>\n<main>\n")
	fmt.Fprintf(&b, "<h1>%s</h1>\n", p.Title(i))
	fmt.Fprintf(&b, "<p>This sheet shows the %s %s that was drawn on day %d and put away in drawer %d.</p>\n", strings.ToLower(quality[i%len(quality)]), thing[i/len(quality)%len(thing)], i, i%17)
	if has[FaultImageAlt] {
		fmt.Fprintf(&b, "<img src=\"data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=\" width=\"40\" height=\"40\">\n")
	}
	if p.Canary {
		b.WriteString(CanaryMarkup)
	}
	b.WriteString("<h2>More sheets</h2>\n<ul>\n")
	for k := 1; k <= p.Links; k++ {
		next := (i + k) % p.Pages
		fmt.Fprintf(&b, "<li><a href=\"%s\">Sheet %d</a></li>\n", p.Path(next), next)
	}
	b.WriteString("</ul>\n</main>\n</body>\n</html>\n")
	return b.String()
}

func (p Plan) sitemap() string {
	var b strings.Builder
	b.WriteString("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n")
	for i := range p.Pages {
		fmt.Fprintf(&b, "<url><loc>{{base}}%s</loc></url>\n", p.Path(i))
	}
	b.WriteString("</urlset>\n")
	return b.String()
}

const generatedCSS = "body{margin:0;font:1rem/1.6 system-ui,sans-serif;color:#1b1b1b;background:#fff}main{max-width:42rem;margin:2rem auto;padding:0 1rem}a{color:#0b4f8a}\n"

var quality = []string{"Small", "Quiet", "Amber", "Northern", "Folded", "Early", "Woven", "Plain", "Narrow", "Copper"}
var thing = []string{"harbour", "orchard", "lantern", "meadow", "bridge", "kettle", "compass", "window", "quarry"}
