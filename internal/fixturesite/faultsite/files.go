package faultsite

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"strings"
	"time"

	"visite/internal/fixturesite"
)

// files are all addresses that are no pages of their own.
func files() []fixturesite.File {
	var sitemap strings.Builder
	sitemap.WriteString(`<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
	for _, p := range pages() {
		if p.listed() {
			sitemap.WriteString("<url><loc>{{base}}" + p.path + "</loc></url>")
		}
	}
	sitemap.WriteString("</urlset>")
	all := []fixturesite.File{
		text("/robots.txt", "text/plain; charset=utf-8", "User-agent: *\nAllow: /\n\nUser-agent: Googlebot\nDisallow: /faulty/13$\n\nSitemap: {{base}}/sitemap.xml\n"),
		text("/sitemap.xml", "application/xml", sitemap.String()),
		text("/.well-known/security.txt", "text/plain; charset=utf-8", "Contact: mailto:security@harbour.example\nExpires: "+time.Now().AddDate(0, 6, 0).UTC().Format(time.RFC3339)+"\n"),
		text("/site.css", "text/css; charset=utf-8", css),
		picture("/favicon.png", 96, 96), picture("/images/club.png", 1200, 630), picture("/images/boat.png", 40, 30),
		noisy("/images/map.png", 1000, 750), fleeting("/images/crew.png"),
	}
	for name, source := range scripts {
		all = append(all, text(name, "text/javascript; charset=utf-8", source))
	}
	return all
}

func text(path, mediaType, body string) fixturesite.File {
	return fixturesite.File{Path: path, Status: http.StatusOK, Text: true, Body: []byte(body), Header: http.Header{
		"Content-Type": {mediaType}, "Cache-Control": {"max-age=604800"}, "X-Content-Type-Options": {"nosniff"},
	}}
}

func picture(path string, w, h int) fixturesite.File {
	return packed(path, image.NewPaletted(image.Rect(0, 0, w, h), color.Palette{color.RGBA{40, 90, 130, 255}, color.White}))
}

// fleeting is a picture that no cache may keep.
func fleeting(path string) fixturesite.File {
	f := picture(path, 40, 30)
	f.Header.Set("Cache-Control", "no-store")
	return f
}

// noisy is a picture that stays large when it is packed.
func noisy(path string, w, h int) fixturesite.File {
	img := image.NewPaletted(image.Rect(0, 0, w, h), color.Palette{color.RGBA{40, 90, 130, 255}, color.White})
	seed := uint32(1)
	for i := range img.Pix {
		seed = seed*1664525 + 1013904223
		img.Pix[i] = uint8(seed >> 31)
	}
	return packed(path, img)
}

func packed(path string, img image.Image) fixturesite.File {
	var out bytes.Buffer
	png.Encode(&out, img) // a bytes.Buffer does not fail
	return fixturesite.File{Path: path, Status: http.StatusOK, Body: out.Bytes(), Header: http.Header{"Content-Type": {"image/png"}, "Cache-Control": {"max-age=604800"}}}
}

const css = `body { font: 1rem/1.5 sans-serif; color: #111; background: #fff; margin: 1rem }
a { color: #0b3d91; text-decoration: underline }
:focus-visible { outline: 3px solid #0b3d91 }
footer p { margin: 1.5rem 0 }
nav li { margin: 1rem 0 }
.pale { color: #bbb }
.clipped { height: 1.6em; overflow: hidden }
.wide { width: 2000px }
.fine { font-size: 9px }
.bare:focus { outline: none }
.scroller { height: 3em; width: 10em; overflow: auto }
@media (orientation: portrait) { .turned { transform: rotate(90deg) } }
`
