package inspect

import (
	"slices"
	"strings"
	"testing"

	"visite/schema"
)

// good is a page that no rule finds anything on, in the http engine.
const good = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page of the shop</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="What people find on this page of the shop, said in one sentence.">
<meta property="og:title" content="A page"></head><body><h1>Shop</h1><p>Words of the page.</p></body></html>`

// at builds a document as it comes over https from shop.example.
func at(html string, changes ...func(*Document)) Document {
	d := Document{Source: []byte(html), Engine: schema.EngineHTTP, Device: schema.DeviceDesktop}
	d.Facts = schema.DocumentFacts{
		Requested: "https://shop.example/a/page.html", Final: "https://shop.example/a/page.html", Status: 200, MediaType: "text/html",
		Encoding: "gzip", Header: map[string][]string{
			"Content-Type": {"text/html; charset=utf-8"}, "X-Content-Type-Options": {"nosniff"}, "Strict-Transport-Security": {"max-age=31536000; includeSubDomains"},
			"Content-Security-Policy": {"default-src 'self' https://cdn.example; object-src 'none'; frame-ancestors 'self'"},
		},
	}
	d.Registrable = func(host string) string { return strings.TrimPrefix(host, "static.") }
	for _, change := range changes {
		change(&d)
	}
	return d
}

func header(name string, values ...string) func(*Document) {
	return func(d *Document) { d.Facts.Header[name] = values }
}

func head(markup string) string { return strings.Replace(good, "</head>", markup+"</head>", 1) }
func body(markup string) string { return strings.Replace(good, "</body>", markup+"</body>", 1) }
func without(markup string) string {
	if !strings.Contains(good, markup) {
		panic("the good page does not contain " + markup)
	}
	return strings.Replace(good, markup, "", 1)
}
func instead(old, new string) string {
	if !strings.Contains(good, old) {
		panic("the good page does not contain " + old)
	}
	return strings.Replace(good, old, new, 1)
}

// found lists the rules with findings, each once, in order.
func found(p schema.Page) []string {
	var out []string
	for _, f := range p.Findings {
		if !slices.Contains(out, f.Rule) {
			out = append(out, f.Rule)
		}
	}
	return out
}

func findingOf(p schema.Page, id string) *schema.Finding {
	for i := range p.Findings {
		if p.Findings[i].Rule == id {
			return &p.Findings[i]
		}
	}
	return nil
}

type ruleCase struct {
	rule     string
	name     string
	doc      Document
	fails    bool
	selector string // where it fails
	detail   string
	outcome  schema.FindingOutcome // where not "failed"
}

const german = `<p>Wir verkaufen Brot, das am Morgen gebacken wird, und Sie können es bei uns im Laden für den Tag bestellen, wenn Sie es nicht backen.</p>`

// alone leaves out what stands before the body's last elements.
func alone(d *Document) {
	d.Source = []byte(strings.Replace(string(d.Source), "<h1>Shop</h1><p>Words of the page.</p>", "", 1))
}

func ruleCases() []ruleCase {
	const question = schema.FindingNeedsReview
	title := "<title>A page of the shop</title>"
	description := `<meta name="description" content="What people find on this page of the shop, said in one sentence.">`
	viewport := `<meta name="viewport" content="width=device-width, initial-scale=1">`
	withCanonical := func(hrefs ...string) Document {
		links := ""
		for _, h := range hrefs {
			links += `<link rel="canonical" href="` + h + `">`
		}
		return at(head(links))
	}
	plainHTTP := func(d *Document) {
		d.Facts.Requested, d.Facts.Final = "http://shop.example/a/page.html", "http://shop.example/a/page.html"
	}
	// untold is a rendered page whose title the accessibility engine did not judge.
	untold := func(html string) Document {
		return rendered(html, func(d *Document) { d.Axe = []byte(`{"engine":"axe-core 4.14.1"}`) })
	}
	large := body("<p>" + strings.Repeat("lorem ", 100_000) + "</p>")
	return []ruleCase{
		// Accessibility.
		{"document-title", "none", at(without(title)), true, "", "", ""},
		{"document-title", "in a picture only", at(strings.Replace(body("<svg><title>x</title></svg>"), title, "", 1)), true, "", "", ""},
		{"document-title", "there", at(good), false, "", "", ""},
		{"html-has-lang", "none", at(without(` lang="en"`)), true, "html", "", ""},
		{"html-has-lang", "blank", at(instead(`lang="en"`, `lang=" "`)), true, "html", "", ""},
		{"html-has-lang", "there", at(good), false, "", "", ""},
		{"html-lang-valid", "no such language", at(instead(`lang="en"`, `lang="english"`)), true, "html", "", ""},
		{"html-lang-valid", "country for language", at(instead(`lang="en"`, `lang="gb"`)), true, "html", "", ""},
		{"text-language", "another one", at(body(german)), true, "html", "said to be en, seems to be de", ""},
		{"text-language", "the one it says", at(strings.Replace(body(german), `lang="en"`, `lang="de-AT"`, 1)), false, "", "", ""},
		{"text-language", "another one that is marked", at(body(`<div lang="de">` + german + `</div>`)), false, "", "", ""},
		{"text-language", "code", at(body(`<pre>` + german + `</pre>`)), false, "", "", ""},
		{"part-language", "another one", at(body(`<q lang="fr">` + german + `</q>`)), true, "html > body > q", "said to be fr, seems to be de", ""},
		{"part-language", "the one it says", at(body(`<q lang="de">` + german + `</q>`)), false, "", "", ""},
		{"part-language", "few words", at(body(`<q lang="fr">Brot und Butter</q>`)), false, "", "", ""},
		{"link-not-descriptive", "alone", at(body(`<div></div><div><a href="/x">Read more…</a></div>`), alone), true, "html > body > div:nth-of-type(2) > a", "", ""},
		{"link-not-descriptive", "in a sentence", at(body(`<p>Bread, flour and salt: <a href="/x">more</a></p>`)), false, "", "", ""},
		{"link-not-descriptive", "with a label", at(body(`<p><a href="/x" aria-label="More about bread">more</a></p>`), alone), false, "", "", ""},
		{"link-same-name", "in one paragraph", at(body(`<p><a href="/x">Recipes</a> <b><a href="/y#z">recipes</a></b></p>`)), true, "html > body > p:nth-of-type(2) > b > a", "https://shop.example/x and https://shop.example/y", schema.FindingNeedsReview},
		{"link-same-name", "one address", at(body(`<p><a href="/x#a">Recipes</a> <a href="/a/../x">recipes</a></p>`)), false, "", "", ""},
		{"link-same-name", "in two paragraphs", at(body(`<p><a href="/x">Recipes</a></p><p><a href="/y">Recipes</a></p>`)), false, "", "", ""},
		{"link-same-name-alone", "in two paragraphs", at(body(`<p><a href="/x?a=secret">Recipes</a></p><p><a href="/y">Recipes</a></p>`)), true, "html > body > p:nth-of-type(3) > a", "https://shop.example/x?a=* and https://shop.example/y", schema.FindingNeedsReview},
		{"link-same-name-alone", "numbers", at(body(`<p><a href="/x">1</a></p><p><a href="/y">1</a></p>`)), false, "", "", ""},
		{"html-lang-valid", "region", at(instead(`lang="en"`, `lang="de-CH"`)), false, "", "", ""},
		{"image-alt", "none", at(body(`<img src="a.png">`)), true, "html > body > img", "", ""},
		{"image-alt", "counting pixel", at(body(`<img src="a.png" width="1" height="1">`)), true, "html > body > img", "", question},
		{"image-alt", "blank", at(body(`<img src="a.png" alt=" ">`)), true, "html > body > img", "", ""},
		{"image-alt", "empty is decoration", at(body(`<img src="a.png" alt="">`)), false, "", "", ""},
		{"image-alt", "hidden", at(body(`<div hidden><img src="a.png"></div><div aria-hidden="true"><img src="b.png"></div>`)), false, "", "", ""},
		{"image-alt", "in a template", at(body(`<template><img src="a.png"></template>`)), false, "", "", ""},
		{"image-alt", "presentation", at(body(`<img src="a.png" role="presentation">`)), false, "", "", ""},
		{"input-image-alt", "none", at(body(`<input type="image" src="go.png" id="go">`)), true, "#go", "", ""},
		{"input-image-alt", "there", at(body(`<input type="image" src="go.png" alt="Go">`)), false, "", "", ""},
		{"area-alt", "none", at(body(`<map><area href="/x"></map>`)), true, "html > body > map > area", "", ""},
		{"area-alt", "no link", at(body(`<map><area></map>`)), false, "", "", ""},
		{"link-name", "empty", at(body(`<a href="/x"></a>`)), true, "html > body > a", "", ""},
		{"link-name", "picture without words", at(body(`<a href="/x"><img src="a.png" alt=""></a>`)), true, "html > body > a", "", ""},
		{"link-name", "icon font", at(body(`<a href="/x"><i class="icon"></i></a>`)), true, "html > body > a", "", question},
		{"link-name", "picture with words", at(body(`<a href="/x"><img src="a.png" alt="Cart"></a>`)), false, "", "", ""},
		{"link-name", "labelled", at(body(`<a href="/x" aria-label="Cart"></a>`)), false, "", "", ""},
		{"link-name", "no link", at(body(`<a name="x"></a>`)), false, "", "", ""},
		{"button-name", "empty", at(body(`<button></button>`)), true, "html > body > button", "", ""},
		{"button-name", "text", at(body(`<button> <span>Send</span></button>`)), false, "", "", ""},
		{"button-name", "label around", at(body(`<label>Send <button></button></label>`)), false, "", "", ""},
		{"label", "none", at(body(`<input type="text" name="q">`)), true, "html > body > input", "", ""},
		{"label", "empty label", at(body(`<label for="q"></label><input id="q">`)), true, "#q", "", ""},
		{"label", "select", at(body(`<select><option>a</select>`)), true, "html > body > select", "", ""},
		{"label", "for", at(body(`<label for="q">Search</label><input id="q">`)), false, "", "", ""},
		{"label", "around", at(body(`<label>Search <input></label>`)), false, "", "", ""},
		{"label", "needs none", at(body(`<input type="hidden"><input type="submit"><input placeholder="Search">`)), false, "", "", ""},
		{"label", "trap for machines", at(body(`<input name="url" tabindex="-1">`)), false, "", "", ""},
		{"frame-title", "none", at(body(`<iframe src="/map"></iframe>`)), true, "html > body > iframe", "", ""},
		{"frame-title", "there", at(body(`<iframe src="/map" title="Map"></iframe>`)), false, "", "", ""},
		{"meta-viewport", "no zoom", at(instead("initial-scale=1", "initial-scale=1, user-scalable=no")), true, "html > head > meta:nth-of-type(2)", "user-scalable=no", ""},
		{"meta-viewport", "little zoom", at(instead("initial-scale=1", "maximum-scale=1.0")), true, "html > head > meta:nth-of-type(2)", "maximum-scale=1.0", ""},
		{"meta-viewport", "enough zoom", at(instead("initial-scale=1", "maximum-scale=5, user-scalable=yes")), false, "", "", ""},
		{"meta-refresh", "timed", at(head(`<meta http-equiv="refresh" content="30">`)), true, "html > head > meta:nth-of-type(5)", "30 s", ""},
		{"meta-refresh-late", "after a day", at(head(`<meta http-equiv="refresh" content="86400">`)), true, "html > head > meta:nth-of-type(5)", "86400 s", ""},
		{"meta-refresh-late", "another rule's", at(head(`<meta http-equiv="refresh" content="30">`)), false, "", "", ""},
		{"meta-refresh", "at once", at(head(`<meta http-equiv="refresh" content="0; url=/b">`)), false, "", "", ""},
		{"meta-refresh", "not a number", at(head(`<meta http-equiv="refresh" content="soon">`)), false, "", "", ""},
		{"heading-order", "skipped", at(body(`<h2>a</h2><h4>b</h4>`)), true, "html > body > h4", "h2 to h4", ""},
		{"heading-order", "upwards again", at(body(`<h2>a</h2><h3>b</h3><h2>c</h2>`)), false, "", "", ""},

		// Search engines.
		{"title-missing", "none", untold(without(title)), true, "", "", ""},
		{"title-missing", "empty", untold(instead(title, "<title> </title>")), true, "html > head > title", "empty", ""},
		{"title-missing", "empty, then another", untold(instead(title, "<title></title><title>b</title>")), true, "html > head > title:nth-of-type(1)", "empty", ""},
		{"title-missing", "beside document-title", at(without(title)), false, "", "", ""},
		{"title-missing", "there", at(good), false, "", "", ""},
		{"title-several", "two", at(head("<title>b</title>")), true, "html > head > title:nth-of-type(2)", "2 title elements", ""},
		{"title-several", "one and a picture's", at(body("<svg><title>x</title></svg>")), false, "", "", ""},
		{"title-long", "61", at(instead(title, "<title>"+strings.Repeat("x", 61)+"</title>")), true, "html > head > title", "61 characters", ""},
		{"title-long", "wide characters", at(instead(title, "<title>"+strings.Repeat("漢", 31)+"</title>")), true, "html > head > title", "62 characters", ""},
		{"title-long", "60", at(instead(title, "<title>"+strings.Repeat("ä", 60)+"</title>")), false, "", "", ""},
		{"title-short", "4", at(instead(title, "<title>Home</title>")), true, "html > head > title", "4 characters", ""},
		{"title-short", "enough", at(good), false, "", "", ""},
		{"description-missing", "none", at(without(description)), true, "", "", ""},
		{"description-missing", "empty", at(instead(description, `<meta name="Description" content=" ">`)), true, "html > head > meta:nth-of-type(3)", "empty", ""},
		{"description-missing", "there", at(good), false, "", "", ""},
		{"description-several", "two", at(head(`<meta name="description" content="b">`)), true, "html > head > meta:nth-of-type(5)", "2 descriptions", ""},
		{"description-several", "one", at(good), false, "", "", ""},
		{"description-long", "161", at(instead(description, `<meta name="description" content="`+strings.Repeat("x", 161)+`">`)), true, "html > head > meta:nth-of-type(3)", "161 characters", ""},
		{"description-long", "ordinary", at(good), false, "", "", ""},
		{"description-short", "3", at(instead(description, `<meta name="description" content="abc">`)), true, "html > head > meta:nth-of-type(3)", "3 characters", ""},
		{"description-short", "ordinary", at(good), false, "", "", ""},
		{"h1-missing", "none", at(without("<h1>Shop</h1>")), true, "", "", ""},
		{"h1-missing", "hidden", at(instead("<h1>Shop</h1>", "<h1 hidden>Shop</h1>")), true, "", "", ""},
		{"h1-missing", "no text at all", at(strings.Replace(without("<h1>Shop</h1>"), "<p>Words of the page.</p>", "<div id=app></div>", 1)), false, "", "", ""},
		{"h1-missing", "there", at(good), false, "", "", ""},
		{"h1-several", "two", at(body("<h1>b</h1>")), true, "html > body > h1:nth-of-type(2)", "2 h1 elements", ""},
		{"h1-several", "one", at(good), false, "", "", ""},
		{"canonical-several", "different", withCanonical("https://shop.example/a", "https://shop.example/b"), true, "html > head > link:nth-of-type(2)", "2 different addresses", ""},
		{"canonical-several", "header and head", at(head(`<link rel=canonical href="https://shop.example/a">`), header("Link", `<https://shop.example/b>; rel="canonical"`)), true, "", "2 different addresses", ""},
		{"canonical-several", "the same twice", withCanonical("https://shop.example/a", "https://shop.example/a"), false, "", "", ""},
		{"canonical-relative", "relative", withCanonical("/a"), true, "html > head > link", "", ""},
		{"canonical-relative", "absolute", withCanonical("https://shop.example/a"), false, "", "", ""},
		{"canonical-invalid", "empty", withCanonical(""), true, "html > head > link", "empty", ""},
		{"canonical-invalid", "broken", withCanonical("https://"), true, "html > head > link", "", ""},
		{"canonical-invalid", "in order", withCanonical("https://shop.example/a"), false, "", "", ""},
		{"canonical-outside-head", "in the body", at(body(`<link rel=canonical href="https://shop.example/a">`)), true, "html > body > link", "", ""},
		{"canonical-outside-head", "head ended early", at(head(`<div></div><link rel=canonical href="https://shop.example/a">`)), true, "html > body > link", "", ""},
		{"canonical-outside-head", "in the head", withCanonical("https://shop.example/a"), false, "", "", ""},
		{"canonical-other-host", "other", withCanonical("https://other.example/a?x=1"), true, "html > head > link", "https://other.example/a?x=*", question},
		{"canonical-other-host", "own", withCanonical("https://shop.example/b"), false, "", "", ""},
		{"canonical-insecure", "http", withCanonical("http://shop.example/a"), true, "html > head > link", "http://shop.example/a", ""},
		{"canonical-insecure", "https", withCanonical("https://shop.example/a"), false, "", "", ""},
		{"robots-noindex", "meta", at(head(`<meta name="robots" content="NOINDEX, follow">`)), true, "html > head > meta:nth-of-type(5)", "noindex", question},
		{"robots-noindex", "header for one robot", at(good, header("X-Robots-Tag", "googlebot: noindex")), true, "", "googlebot: noindex", question},
		{"robots-noindex", "index", at(head(`<meta name="robots" content="index, max-image-preview:large">`)), false, "", "", ""},
		{"robots-nofollow", "none", at(head(`<meta name="robots" content="none">`)), true, "html > head > meta:nth-of-type(5)", "none", question},
		{"robots-nofollow", "all", at(head(`<meta name="robots" content="all">`)), false, "", "", ""},
		{"robots-nosnippet", "zero", at(head(`<meta name="robots" content="max-snippet: 0">`)), true, "html > head > meta:nth-of-type(5)", "max-snippet:0", question},
		{"robots-nosnippet", "without limit", at(head(`<meta name="robots" content="max-snippet:-1">`)), false, "", "", ""},
		{"robots-conflict", "both", at(head(`<meta name="robots" content="index">`), header("X-Robots-Tag", "noindex")), true, "html > head > meta:nth-of-type(5)", "index", ""},
		{"robots-conflict", "different robots", at(head(`<meta name="robots" content="index"><meta name="bingbot" content="noindex">`)), false, "", "", ""},
		{"lang-region", "UK", at(instead(`lang="en"`, `lang="en-UK"`)), true, "html", "en-UK", ""},
		{"lang-region", "underscore", at(instead(`lang="en"`, `lang="de_AT"`)), true, "html", "de_AT", ""},
		{"lang-region", "words", at(instead(`lang="en"`, `lang="en-this is text"`)), true, "html", "", ""},
		{"lang-region", "in order", at(instead(`lang="en"`, `lang="es-419"`)), false, "", "", ""},
		{"lang-region", "lower case", at(instead(`lang="en"`, `lang="zh-hans-cn"`)), false, "", "", ""},
		{"hreflang-invalid", "UK", at(head(`<link rel=alternate hreflang="en-UK" href="https://shop.example/a/page.html">`)), true, "html > head > link", "en-UK", ""},
		{"hreflang-invalid", "region alone", at(head(`<link rel=alternate hreflang="gb" href="https://shop.example/a/page.html">`)), true, "html > head > link", "gb", ""},
		{"hreflang-invalid", "no country", at(head(`<link rel=alternate hreflang="es-419" href="https://shop.example/a/page.html">`)), true, "html > head > link", "es-419", ""},
		{"hreflang-invalid", "in order", at(head(`<link rel=alternate hreflang="X-Default" href="https://shop.example/a/page.html"><link rel=alternate hreflang="zh-Hant-tw" href="/tw">`)), false, "", "", ""},
		{"hreflang-address", "broken", at(head(`<link rel=alternate hreflang="de" href="https://">`)), true, "html > head > link", "de", ""},
		{"hreflang-address", "in order", at(head(`<link rel=alternate hreflang="de" href="/de">`)), false, "", "", ""},
		{"hreflang-conflict", "two", at(head(`<link rel=alternate hreflang="de" href="/de"><link rel=alternate hreflang="DE" href="/de2">`)), true, "html > head > link:nth-of-type(2)", "DE", ""},
		{"hreflang-conflict", "the same", at(head(`<link rel=alternate hreflang="de" href="/de"><link rel=alternate hreflang="de" href="/de">`)), false, "", "", ""},
		{"hreflang-self", "left out", at(head(`<link rel=alternate hreflang="de" href="/de">`)), true, "html > head > link", "", ""},
		{"hreflang-self", "by canonical", at(head(`<link rel=canonical href="https://shop.example/en"><link rel=alternate hreflang="en" href="/en">`)), false, "", "", ""},
		{"hreflang-self", "itself", at(head(`<link rel=alternate hreflang="en" href="page.html">`)), false, "", "", ""},
		{"meta-refresh-redirect", "elsewhere", at(head(`<meta http-equiv="Refresh" content="0; URL='/b?x=1'">`)), true, "html > head > meta:nth-of-type(5)", "after 0 s to https://shop.example/b?x=*", ""},
		{"meta-refresh-redirect", "header", at(good, header("Refresh", "5; url=https://other.example/")), true, "", "after 5 s to https://other.example/", ""},
		{"meta-refresh-redirect", "itself", at(head(`<meta http-equiv="refresh" content="180">`)), false, "", "", ""},
		{"viewport-missing", "none", at(without(viewport)), true, "", "", ""},
		{"viewport-missing", "there", at(good), false, "", "", ""},
		{"sharing-missing", "none", at(without(`<meta property="og:title" content="A page">`)), true, "", "", ""},
		{"sharing-missing", "there", at(good), false, "", "", ""},
		{"structured-data-invalid", "broken", at(head(`<script type="application/ld+json">{"@type": "Thing",}</script>`)), true, "html > head > script", "", ""},
		{"structured-data-invalid", "in order", at(head(`<script type="application/ld+json">{"@type": "Thing"}</script>`)), false, "", "", ""},

		// Technique.
		{"doctype-missing", "none", at(without("<!doctype html>")), true, "", "", ""},
		{"doctype-missing", "long one", at(instead("<!doctype html>", `<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN">`)), false, "", "", ""},
		{"charset-missing", "none", at(strings.Replace(body("ä"), `<meta charset="utf-8">`, "", 1), header("Content-Type", "text/html")), true, "", "", ""},
		{"charset-missing", "not needed", at(without(`<meta charset="utf-8">`), header("Content-Type", "text/html")), false, "", "", ""},
		{"charset-late", "far down", at(strings.Replace(head("<!--"+strings.Repeat("x", 1100)+"--><meta charset=utf-8>"), `<meta charset="utf-8">`, "", 1), header("Content-Type", "text/html")), true, "", "after 1411 bytes", ""},
		{"charset-late", "early", at(good, header("Content-Type", "text/html")), false, "", "", ""},
		{"charset-mixed", "differ", at(good, header("Content-Type", "text/html; charset=ISO-8859-1")), true, "", "windows-1252 in the header, utf-8 in the page", ""},
		{"charset-mixed", "other spelling", at(good, header("Content-Type", `text/html; charset="UTF8"`)), false, "", "", ""},
		{"charset-unknown", "no such", at(good, header("Content-Type", "text/html; charset=utf-9")), true, "", "", ""},
		{"charset-unknown", "known", at(good), false, "", "", ""},
		{"compression-missing", "plain", at(large, func(d *Document) { d.Facts.Encoding = "" }), true, "", "600 kB", ""},
		{"compression-missing", "small", at(good, func(d *Document) { d.Facts.Encoding = "" }), false, "", "", ""},
		{"compression-missing", "Brotli", at(large, func(d *Document) { d.Facts.Encoding = "br" }), false, "", "", ""},
		{"html-large", "3 MB", at(good, func(d *Document) { d.Facts.Bytes = 3_000_000 }), true, "", "3000 kB", ""},
		{"html-large", "small", at(good), false, "", "", ""},
		{"script-errors", "two", at(good, func(d *Document) { d.ConsoleErrors = 2 }), true, "", "2 errors", question},
		{"script-errors", "none", at(good), false, "", "", ""},

		// Security.
		{"mixed-content", "script", at(body(`<script src="http://cdn.example/a.js?k=1"></script>`)), true, "html > body > script", "http://cdn.example/a.js?k=*", ""},
		{"mixed-content", "srcset", at(body(`<img alt="" src="a.png" srcset="http://cdn.example/b.png 2x,">`)), true, "html > body > img", "http://cdn.example/b.png", ""},
		{"mixed-content", "names and links are none", at(body(`<svg xmlns="http://www.w3.org/2000/svg"></svg><a href="http://other.example/">x</a>`)), false, "", "", ""},
		{"mixed-content", "upgraded", at(body(`<script src="http://cdn.example/a.js"></script>`), header("Content-Security-Policy", "upgrade-insecure-requests")), false, "", "", ""},
		{"mixed-content", "page itself insecure", at(body(`<script src="http://cdn.example/a.js"></script>`), plainHTTP), false, "", "", ""},
		{"form-insecure", "http", at(body(`<form action="http://shop.example/send"></form>`)), true, "html > body > form", "http://shop.example/send", ""},
		{"form-insecure", "relative", at(body(`<form action="/send"></form><form></form>`)), false, "", "", ""},

		// Speed.
		{"slow-answer", "slow", at(good, func(d *Document) { d.Facts.Timing.TTFBMS = 801 }), true, "", "801 ms", ""},
		{"slow-answer", "quick", at(good, func(d *Document) { d.Facts.Timing.TTFBMS = 800 }), false, "", "", ""},
		{"document-large", "600 kB", at(large), true, "", "600 kB", ""},
		{"document-large", "small", at(good), false, "", "", ""},

		// Links.
		{"link-empty", "empty", at(body(`<a href=" ">x</a>`)), true, "html > body > a", "", question},
		{"link-empty", "top of the page", at(body(`<a href="#">x</a>`)), false, "", "", ""},
		{"link-script", "javascript", at(body(`<a href="JavaScript:void(0)">x</a>`)), true, "html > body > a", "", ""},
		{"link-script", "address", at(body(`<a href="/javascript:x">x</a>`)), false, "", "", ""},
		{"link-missing-scheme", "host", at(body(`<a href="www.other.example/x">x</a>`)), true, "html > body > a", "https:// is missing", ""},
		{"link-missing-scheme", "mail", at(body(`<a href="info@shop.example">x</a>`)), true, "html > body > a", "mailto: is missing", ""},
		{"link-missing-scheme", "files", at(body(`<a href="www.html">x</a><a href="/www.x.example">x</a><a href="@me/x.y">x</a><a href="mailto:info@shop.example">x</a>`)), false, "", "", ""},
		{"link-double-escaped", "twice", at(body(`<a href="/l?a=1&amp;amp;b=2">x</a>`)), true, "html > body > a", "", ""},
		{"link-double-escaped", "once", at(body(`<a href="/l?a=1&amp;b=2">x</a>`)), false, "", "", ""},
		{"link-invalid", "space in host", at(body(`<a href="https:// other.example/">x</a>`)), true, "html > body > a", "the host is not a valid name", ""},
		{"link-invalid", "no host", at(body(`<a href="http://">x</a>`)), true, "html > body > a", "no host", ""},
		{"link-invalid", "port", at(body(`<a href="http://other.example:99999/">x</a>`)), true, "html > body > a", "the port is not a valid number", ""},
		{"link-invalid", "other schemes", at(body(`<a href="mailto:a@b.example">x</a><a href="tel:+49">x</a><a href="data:,x">x</a>`)), false, "", "", ""},
		{"link-local", "localhost", at(body(`<a href="http://localhost:3000/x">x</a>`)), true, "html > body > a", "http://localhost:3000/x", ""},
		{"link-local", "private network", at(body(`<a href="http://192.168.1.4/">x</a>`)), true, "html > body > a", "http://192.168.1.4/", ""},
		{"link-local", "page is local itself", at(body(`<a href="http://localhost:3000/x">x</a>`), func(d *Document) {
			d.Facts.Requested, d.Facts.Final = "http://127.0.0.1:8080/", "http://127.0.0.1:8080/"
		}), false, "", "", ""},
		{"link-staging", "own", at(body(`<a href="https://staging.shop.example/">x</a>`)), true, "html > body > a", "https://staging.shop.example/", question},
		{"link-staging", "another's", at(body(`<a href="https://staging.other.example/">x</a>`)), false, "", "", ""},
		{"file-missing", "404", at(good, func(d *Document) { d.Totals.FailedFiles = map[string]int{"https://shop.example/a.css?v=1": 404} }), true, "", "404 https://shop.example/a.css?v=*", ""},
		{"file-missing", "default icon", at(good, func(d *Document) { d.Totals.FailedFiles = map[string]int{"https://shop.example/favicon.ico": 404} }), false, "", "", ""},
		{"file-missing", "refused", at(good, func(d *Document) { d.Totals.FailedFiles = map[string]int{"https://shop.example/a.css": 403} }), false, "", "", ""},
	}
}

func TestRules(t *testing.T) {
	tried := map[string][2]bool{}
	for _, c := range slices.Concat(ruleCases(), searchCases(), securityCases(), observedCases(), privacyCases(), renderedCases()) {
		t.Run(c.rule+"/"+c.name, func(t *testing.T) {
			scope := "shop.example"
			if strings.Contains(c.doc.Facts.Final, "127.0.0.1") {
				scope = "127.0.0.1:8080"
			}
			p, _ := Page(c.doc, scope)
			f := findingOf(p, c.rule)
			if !c.fails {
				if f != nil {
					t.Errorf("false alarm: %+v", *f)
				}
				return
			}
			if f == nil {
				t.Fatalf("not found; only %v", found(p))
			}
			outcome := c.outcome
			if outcome == "" {
				outcome = schema.FindingFailed
			}
			if f.Selector != c.selector || f.Detail != c.detail || f.Outcome != outcome || f.Engine != "visite" {
				t.Errorf("got %+v", *f)
			}
		})
		seen := tried[c.rule]
		if c.fails {
			seen[0] = true
		} else {
			seen[1] = true
		}
		tried[c.rule] = seen
	}
	for _, r := range pageRules {
		if tried[r.ID] != [2]bool{true, true} {
			t.Errorf("rule %s has no failing and passing case", r.ID)
		}
	}
}

func TestTheGoodPageHasNoFindings(t *testing.T) {
	p, _ := Page(at(good), "shop.example")
	if len(p.Findings) != 0 || len(p.Notes) != 0 {
		t.Errorf("findings %v, notes %v", found(p), p.Notes)
	}
}

func TestSeveritiesThatDepend(t *testing.T) {
	p, _ := Page(at(good, func(d *Document) { d.Facts.Timing.TTFBMS = 1801 }), "shop.example")
	if f := findingOf(p, "slow-answer"); f.Severity != schema.SeveritySerious {
		t.Errorf("very slow answer is %s", f.Severity)
	}
	p, _ = Page(at(body(`<img alt="" src="http://cdn.example/a.png">`)), "shop.example")
	if f := findingOf(p, "mixed-content"); f.Severity != schema.SeverityModerate {
		t.Errorf("insecure image is %s", f.Severity)
	}
}

// Contract S-01, C-03: the topics are a closed list.
//
// proves S-01, C-03
func TestRulesDescribeThemselves(t *testing.T) {
	topics := []schema.Category{schema.CategoryAccessibility, schema.CategorySEO, schema.CategoryTechnical, schema.CategoryLinks,
		schema.CategorySecurity, schema.CategoryPerformance, schema.CategoryPrivacy}
	ids := map[string]bool{}
	for _, r := range Rules() {
		if r.ID == "" || ids[r.ID] {
			t.Errorf("id %q is missing or taken", r.ID)
		}
		ids[r.ID] = true
		if r.Title == "" || r.Help == "" || r.Reference == "" || r.Source == "" || r.Severity.Rank() < 0 || !slices.Contains(topics, r.Category) {
			t.Errorf("rule %s does not describe itself: %+v", r.ID, r)
		}
		if r.Outcome != schema.FindingFailed && r.Outcome != schema.FindingNeedsReview {
			t.Errorf("rule %s has outcome %q", r.ID, r.Outcome)
		}
	}
}
