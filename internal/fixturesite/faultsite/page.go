package faultsite

import (
	"compress/gzip"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// change is one alteration of a sound page.
type change struct {
	faults []string // the rules that are to speak of it

	head string // before the head ends
	body string // in main, after the paragraph
	end  string // before the body ends

	unlisted bool              // left out of the sitemap
	header   map[string]string // replaces header fields; empty: taken out
	replace  []string          // old, new: in the shell, before {name} and {path} are put in
}

// page is a sound page with some changes to it, which do not touch each other.
type page struct {
	path    string
	name    string // its heading and the start of its title; unlike any other's
	changes []change
	plain   bool // sent uncompressed
}

func (p page) faults() []string {
	var all []string
	if p.plain {
		all = append(all, "compression-missing")
	}
	for _, c := range p.changes {
		all = append(all, c.faults...)
	}
	return all
}

const shell = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{name} - Harbour Rowing Club</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="{name}: what members and guests of the rowing club at the harbour should know of it.">
<link rel="canonical" href="{{base}}{path}"><link rel="icon" href="/favicon.png" sizes="96x96" type="image/png">
<meta property="og:title" content="{name}"><meta property="og:type" content="website"><meta property="og:url" content="{{base}}{path}">
<meta property="og:description" content="{name} at the harbour"><meta property="og:image" content="{{base}}/images/club.png">
<meta property="og:image:width" content="1200"><meta property="og:image:height" content="630"><meta name="twitter:card" content="summary_large_image">
<link rel="stylesheet" href="/site.css">
</head><body>
<header><nav aria-label="Main"><ul><li><a href="/">Start page</a></li>
<li><a href="/pages">All pages of the club</a></li></ul></nav></header>
<main><h1>{name}</h1>
<p>The page about {name} is kept by the club's office. {words}</p>
</main>
<footer><p><a href="/privacy">Privacy policy</a></p><p><a href="/imprint">Imprint</a></p></footer>
</body></html>
`

var sound = map[string]string{
	"Content-Type":            "text/html; charset=utf-8",
	"Cache-Control":           "max-age=600",
	"X-Content-Type-Options":  "nosniff",
	"Referrer-Policy":         "strict-origin-when-cross-origin",
	"Content-Security-Policy": "default-src 'self'; style-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'self'",
}

// listed reports whether the page is in the sitemap.
func (p page) listed() bool {
	return !slices.ContainsFunc(p.changes, func(c change) bool { return c.unlisted })
}

// handler answers with the page, compressed as servers do.
func (p page) handler() http.Handler {
	markup, fields := shell, maps.Clone(sound)
	for _, c := range p.changes {
		maps.Copy(fields, c.header)
		for pair := range slices.Chunk(slices.Concat(c.replace, []string{"</head>", c.head + "</head>", "</main>", c.body + "</main>", "</body>", c.end + "</body>"}), 2) {
			if !strings.Contains(markup, pair[0]) {
				panic("the page " + p.path + " does not contain " + pair[0])
			}
			markup = strings.ReplaceAll(markup, pair[0], pair[1])
		}
	}
	h := http.Header{}
	for name, value := range fields {
		if value != "" {
			h.Set(name, value)
		}
	}
	markup = strings.NewReplacer("{name}", p.name, "{path}", p.path, "{words}", p.words()).Replace(markup)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		maps.Copy(w.Header(), h)
		to := io.Writer(w)
		if !p.plain {
			w.Header().Set("Content-Encoding", "gzip")
			packed := gzip.NewWriter(w)
			defer packed.Close()
			to = packed
		}
		io.WriteString(to, strings.ReplaceAll(markup, "{{base}}", "http://"+r.Host)) // a visitor who has gone shows in the log
	})
}

var nouns = strings.Fields(`anchor berth buoy canvas chain chart clamp clock coast compass crew deck dock engine ferry flag float galley
gauge harbour helm hull jetty keel knot ladder lamp ledger lock map mast mooring net oar paddle pier pilot pump quay rail raft rope
rudder sail shed shore signal skiff slip spar stern storm tide tiller tow trailer varnish wake wharf winch yard`)

// words are a few sentences unlike those of any other page.
func (p page) words() string {
	var b strings.Builder
	seed := uint32(2166136261)
	for i := 0; i < len(p.path); i++ {
		seed = (seed ^ uint32(p.path[i])) * 16777619
	}
	for range 6 {
		b.WriteString("We keep")
		for i := range 4 {
			seed = seed*1664525 + 1013904223
			b.WriteString([]string{" the ", " by the ", " and the ", " near the "}[i] + nouns[(seed>>8)%uint32(len(nouns))])
		}
		b.WriteString(". ")
	}
	return strings.TrimSpace(b.String())
}
