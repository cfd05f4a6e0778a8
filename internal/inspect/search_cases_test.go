package inspect

import (
	"fmt"
	"strings"

	"visite/schema"
)

// searchCases are those of the rules on search engines, technique and links that
// look closer than at single elements.
func searchCases() []ruleCase {
	const question = schema.FindingNeedsReview
	title := "<title>A page of the shop</title>"
	titled := func(s string) Document { return at(instead(title, "<title>"+s+"</title>")) }
	described := func(s string) Document {
		return at(instead(`content="What people find on this page of the shop, said in one sentence."`, `content="`+s+`"`))
	}
	viewport := func(s string) Document { return at(instead("width=device-width, initial-scale=1", s)) }
	found := func(address string) func(*Document) {
		return func(d *Document) { d.Facts.Requested, d.Facts.Final = address, address }
	}
	canonical := func(href string) string { return head(`<link rel="canonical" href="` + href + `">`) }
	ld := func(json string) Document {
		return at(head(`<script type="application/ld+json">` + json + `</script>`))
	}
	thing := func(json string) Document { return ld(`{"@context":"https://schema.org",` + json + `}`) }
	script := "html > head > script"
	many := func(n int) Document {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `<a href="/%d">Item %d</a> `, i, i)
		}
		return at(body(b.String()))
	}
	home := func(d *Document) { d.Facts.Requested, d.Facts.Final = "https://shop.example/", "https://shop.example/" }
	favicon := func(d *Document) { d.Totals.FailedFiles = map[string]int{"https://shop.example/favicon.ico": 404} }
	return []ruleCase{
		{"metadata-outside-head", "head ended early", at(instead(title, "<div></div>"+title)), true, "html > body > title", "title, description", ""},
		{"metadata-outside-head", "directives in the body", at(body(`<meta name="robots" content="noindex">`)), true, "html > body > meta", "robots", ""},
		{"metadata-outside-head", "language version in the body", at(body(`<link rel="alternate" hreflang="de" href="https://shop.example/de">`)), true, "html > body > link", "hreflang", ""},
		{"metadata-outside-head", "styles and properties may", at(body(`<link rel="stylesheet" href="/a.css"><div itemscope><meta itemprop="price" content="1"></div><svg><title>x</title></svg>`)), false, "", "", ""},
		{"hreflang-relative", "path", at(head(`<link rel=alternate hreflang="de" href="/de">`)), true, "html > head > link", "de", ""},
		{"hreflang-relative", "absolute", at(head(`<link rel=alternate hreflang="de" href="https://shop.example/de">`)), false, "", "", ""},
		{"hreflang-canonical", "another language's", at(head(`<link rel=canonical href="https://shop.example/en"><link rel=alternate hreflang="en" href="https://shop.example/en"><link rel=alternate hreflang="de" href="https://shop.example/a/page.html">`)), true, "html > head > link:nth-of-type(1)", "https://shop.example/en", ""},
		{"hreflang-canonical", "a copy under another path", at(head(`<link rel=canonical href="https://shop.example/page"><link rel=alternate hreflang="en" href="https://shop.example/page"><link rel=alternate hreflang="de" href="https://shop.example/de/page">`)), false, "", "", ""},
		{"hreflang-canonical", "with and without a slash", at(head(`<link rel=canonical href="https://shop.example/a/page.html/"><link rel=alternate hreflang="en" href="https://shop.example/a/page.html/">`)), false, "", "", ""},
		{"hreflang-canonical", "without parameters", at(head(`<link rel=canonical href="https://shop.example/a/page.html"><link rel=alternate hreflang="en" href="https://shop.example/a/page.html">`), found("https://shop.example/a/page.html?from=mail")), false, "", "", ""},
		{"canonical-fragment", "with", at(canonical("https://shop.example/a/page.html#top")), true, "html > head > link", "", ""},
		{"canonical-fragment", "without", at(canonical("https://shop.example/a/page.html#")), false, "", "", ""},
		{"canonical-pagination", "by query", at(canonical("https://shop.example/list"), found("https://shop.example/list?page=3")), true, "html > head > link", "https://shop.example/list", question},
		{"canonical-pagination", "by path", at(canonical("https://shop.example/list/"), found("https://shop.example/list/page/2/")), true, "html > head > link", "https://shop.example/list/", question},
		{"canonical-pagination", "itself", at(canonical("https://shop.example/list?page=3"), found("https://shop.example/list?page=3")), false, "", "", ""},
		{"canonical-pagination", "first page", at(canonical("https://shop.example/list"), found("https://shop.example/list?page=1")), false, "", "", ""},
		{"canonical-with-noindex", "both", at(strings.Replace(canonical("https://shop.example/b"), "</head>", `<meta name="robots" content="noindex"></head>`, 1)), true, "html > head > link", "https://shop.example/b", question},
		{"canonical-with-noindex", "its own", at(strings.Replace(canonical("https://shop.example/a/page.html"), "</head>", `<meta name="robots" content="noindex"></head>`, 1)), false, "", "", ""},
		{"title-placeholder", "editor's", titled("Untitled Document"), true, "html > head > title", "", ""},
		{"title-placeholder", "a word of it", titled("The untitled document by Ada"), false, "", "", ""},
		{"title-repeats", "three times", titled("Shoes, cheap shoes, red shoes"), true, "html > head > title", "one word 3 times", ""},
		{"title-repeats", "short words", titled("Day by day by day by the sea"), false, "", "", ""},
		{"description-is-title", "the same", described("a page of the SHOP"), true, "html > head > meta:nth-of-type(3)", "", ""},
		{"description-is-title", "more", at(good), false, "", "", ""},
		{"viewport-fixed", "a number", viewport("width=1024"), true, "html > head > meta:nth-of-type(2)", "width=1024", ""},
		{"viewport-fixed", "of the device", viewport("initial-scale=1, width=device-width"), false, "", "", ""},
		{"address-underscores", "two words", at(good, found("https://shop.example/red_shoes")), true, "", "", ""},
		{"address-underscores", "hidden name", at(good, found("https://shop.example/_next/red-shoes")), false, "", "", ""},
		{"files-disallowed", "two", at(good, func(d *Document) { d.Totals.DisallowedFiles = 2 }), true, "", "2 files", question},
		{"files-disallowed", "none", at(good), false, "", "", ""},
		{"content-empty", "before scripts", at(strings.Replace(without("<h1>Shop</h1>"), "<p>Words of the page.</p>", "<div id=app></div><script>x</script>", 1)), true, "", "before its scripts run", question},
		{"content-empty", "pictures", at(strings.Replace(without("<h1>Shop</h1>"), "<p>Words of the page.</p>", `<img src="a.png" alt="A map">`, 1)), false, "", "", ""},
		{"placeholder-text", "there", at(body("<p>Lorem  ipsum dolor\nsit amet, consectetur</p>")), true, "html > body > p:nth-of-type(2)", "", question},
		{"placeholder-text", "in a script", at(body("<script>'lorem ipsum dolor sit amet'</script><pre><b>Lorem ipsum dolor sit amet</b></pre><p>Lorem</p>")), false, "", "", ""},
		{"sharing-incomplete", "two of four", at(head(`<meta property="og:image" content="https://shop.example/a.png">`)), true, "", "og:type, og:url", ""},
		{"sharing-incomplete", "a title alone", at(good), false, "", "", ""},
		{"sharing-incomplete", "all", at(head(`<meta property="og:image:url" content="https://shop.example/a.png"><meta property="og:type" content="article"><meta property="og:url" content="https://shop.example/">`)), false, "", "", ""},
		{"sharing-image-address", "relative", at(head(`<meta property="og:image" content="/a.png">`)), true, "html > head > meta:nth-of-type(5)", "relative", ""},
		{"sharing-image-address", "insecure", at(head(`<meta property="og:image" content="http://shop.example/a.png">`)), true, "html > head > meta:nth-of-type(5)", "not secure", ""},
		{"sharing-image-address", "full", at(head(`<meta property="og:image" content="https://shop.example/a.png">`)), false, "", "", ""},
		{"sharing-card-invalid", "misspelt", at(head(`<meta name="twitter:card" content="summary_large">`)), true, "html > head > meta:nth-of-type(5)", "13 characters", ""},
		{"sharing-card-invalid", "known", at(head(`<meta name="twitter:card" content="Summary_Large_Image">`)), false, "", "", ""},
		{"structured-data-untyped", "no context", ld(`{"@type":"Product"}`), true, script, "@context is missing", ""},
		{"structured-data-untyped", "no type", thing(`"name":"x"`), true, script, "@type is missing", ""},
		{"structured-data-untyped", "a graph", ld(`{"@context":{"@vocab":"http://schema.org/"},"@graph":[{"@type":"WebPage","@id":"#a"},{"@id":"#b"}]}`), false, "", "", ""},
		{"structured-data-untyped", "another vocabulary", ld(`[{"@context":"https://example.org/terms","x":1}]`), false, "", "", ""},
		{"structured-data-incomplete", "product", thing(`"@type":"Product","name":"x"`), true, script, "Product: offers or review or aggregateRating", ""},
		{"structured-data-incomplete", "event in a list of types", thing(`"@type":["Thing","schema:MusicEvent"],"name":"x","startDate":" "`), true, script, "MusicEvent: startDate, location", ""},
		{"structured-data-incomplete", "crumbs", thing(`"@type":"BreadcrumbList","itemListElement":[{"@type":"ListItem","position":1,"item":"https://shop.example/"}]`), true, script, "BreadcrumbList: position and name of each element", ""},
		{"structured-data-incomplete", "questions", thing(`"@type":"FAQPage","mainEntity":[{"@type":"Question","name":"x"}]`), true, script, "FAQPage: name and acceptedAnswer of each question", ""},
		{"structured-data-incomplete", "told in two places", ld(`[{"@context":"https://schema.org","@type":"Recipe","@id":"#r","name":"x"},{"@context":"https://schema.org","@type":"Recipe","@id":"#r","image":["a.png"]}]`), false, "", "", ""},
		{"structured-data-incomplete", "nothing required", thing(`"@type":"Article","author":{"@type":"Person"},"about":{"@type":"Product"}`), false, "", "", ""},
		{"structured-data-incomplete", "complete", thing(`"@type":"JobPosting","title":"x","description":"x","datePosted":"2026-01-01","hiringOrganization":{"@id":"#o"},"jobLocationType":"TELECOMMUTE"`), false, "", "", ""},
		{"microdata-invalid", "no item", at(body(`<div><span itemprop="name">x</span></div>`)), true, "html > body > div > span", "itemprop outside an item", ""},
		{"microdata-invalid", "no scope", at(body(`<div itemtype="https://schema.org/Thing">x</div>`)), true, "html > body > div", "itemtype without itemscope", ""},
		{"microdata-invalid", "in order", at(body(`<div itemscope itemtype="https://schema.org/Thing"><p><span itemprop="name">x</span></p></div>`)), false, "", "", ""},
		{"microdata-invalid", "taken in from elsewhere", at(body(`<p itemprop="name" id="n">x</p><div itemscope itemref="n"></div>`)), false, "", "", ""},
		{"image-dimensions-missing", "one of two", at(body(`<img src="a.png" alt="" width="10"><img src="b.png" alt="" width="10" height="10">`)), true, "html > body > img:nth-of-type(1)", "1 of 2 images", question},
		{"image-dimensions-missing", "told otherwise", at(body(`<img src="a.png" alt="" style="aspect-ratio: 1"><img src="b.svg" alt=""><img src="data:,x" alt="">`)), false, "", "", ""},
		{"image-format-old", "bitmap", at(body(`<img src="/a.BMP?x=1" alt="">`)), true, "html > body > img", ".bmp", ""},
		{"image-format-old", "others", at(body(`<img src="/a.bmp.webp" alt="">`)), false, "", "", ""},
		{"icon-missing", "looked for in vain", at(good, home, favicon), true, "", "404 https://shop.example/favicon.ico", ""},
		{"icon-missing", "named", at(head(`<link rel="shortcut icon" href="/i.png">`), home, favicon), false, "", "", ""},
		{"icon-missing", "looked for from another page", at(good, favicon), false, "", "", ""},

		{"charset-legacy", "by the header", at(good, header("Content-Type", "text/html; charset=ISO-8859-1")), true, "", "windows-1252", ""},
		{"charset-legacy", "utf-8", at(good), false, "", "", ""},
		{"element-obsolete", "two", at(body(`<center>a</center><font>b</font><font>c</font>`)), true, "html > body > center", "1 × center", ""},
		{"element-obsolete", "in a drawing", at(body(`<svg><font></font></svg>`)), false, "", "", ""},
		{"plugin-content", "Flash", at(body(`<object data="/intro.swf?x=1"><embed src="/intro.swf"></object>`)), true, "html > body > object", "Flash", ""},
		{"plugin-content", "a PDF", at(body(`<object type="application/pdf" data="/a.pdf"></object>`)), false, "", "", ""},
		{"id-duplicate", "two", at(body(`<p id="a">x</p><p id="a">y</p><p id="a">z</p>`)), true, "html > body > p:nth-of-type(3)", "1 id", ""},
		{"id-duplicate", "in drawings and templates", at(body(`<svg><g id="a"></g></svg><svg><g id="a"></g></svg><p id="b">x</p><template><p id="b"></p></template>`)), false, "", "", ""},
		{"attribute-twice", "two tags", at(body(`<p class="a" CLASS="b">x</p><br id=a id=a/><b title="class class">y</b>`)), true, "", "2 tags", ""},
		{"attribute-twice", "in scripts and comments", at(body(`<script>"<p id=a id=a>"</script><!-- <p id=a id=a> --><svg xlink:href="#a" href="#a"></svg><textarea><p id=a id=a></textarea>`)), false, "", "", ""},
		{"base-misplaced", "after a file", at(head(`<link rel="stylesheet" href="a.css"><base href="/x/">`)), true, "html > head > base", "after an address", ""},
		{"base-misplaced", "first", at(head(`<base target="_top"><base href="/x/"><link rel="stylesheet" href="a.css">`)), false, "", "", ""},
		{"cache-control-invalid", "both", at(good, header("Cache-Control", "public, max-age=60", "private")), true, "", "public and private", ""},
		{"cache-control-invalid", "no number", at(good, header("Cache-Control", "max-age=1d")), true, "", "the age is no number", ""},
		{"cache-control-invalid", "said twice", at(good, header("Cache-Control", "no-store, no-cache, must-revalidate, max-age=0")), false, "", "", ""},

		{"link-no-address", "clicked", at(body(`<a onclick="go()">Next page</a>`)), true, "html > body > a", "", ""},
		{"link-no-address", "a place", at(body(`<a name="x">Place</a><a role="button" onclick="go()">Go</a>`)), false, "", "", ""},
		{"link-text-vague", "English", at(body(`<a href="/x">Read more »</a>`)), true, "html > body > a", "", ""},
		{"link-text-vague", "German", at(body(`<a href="/x"> <b>HIER</b> </a>`)), true, "html > body > a", "", ""},
		{"link-text-vague", "named otherwise", at(body(`<a href="/x" aria-label="More on shoes">More</a><a href="#x" id="x">More</a><a href="/y">More shoes</a><a href="/z"><img src="a.svg" alt="Shoes"></a>`)), false, "", "", ""},
		{"link-fragment-missing", "no such id", at(body(`<a href="#nowhere">x</a>`)), true, "html > body > a", "", ""},
		{"link-fragment-missing", "scripts may make it", at(body(`<script></script><a href="page.html#nowhere">x</a>`)), true, "html > body > a", "", question},
		{"link-fragment-missing", "text directives, encodings, routes", at(body(`<a href="#creating:~:text=On%20Windows,current">x</a><a href="#:~:text=x">x</a><h2 id="creating">C</h2><a href="#%C3%BCber">x</a><a name="über"></a><a href="#/route">x</a><a href="#top">x</a><a href="/other#x">x</a><a href="#tab" data-toggle="tab">x</a>`)), false, "", "", ""},
		{"link-insecure", "own", at(body(`<a href="http://shop.example/b?x=1">x</a>`)), true, "html > body > a", "http://shop.example/b?x=*", ""},
		{"link-insecure", "another's", at(body(`<a href="http://other.example/">x</a><a href="/b">x</a>`)), false, "", "", ""},
		{"link-session", "two", at(body(`<a href="/b;jsessionid=1">x</a><a href="/c?a=1&amp;PHPSESSID=2">x</a>`)), true, "html > body > a:nth-of-type(1)", "2 links", ""},
		{"link-session", "no parameter", at(body(`<a href="/phpsessid=1">x</a><a href="/b#;jsessionid=1">x</a>`)), false, "", "", ""},
		{"links-many", "1001", many(1001), true, "", "1001 links", ""},
		{"links-many", "1000", many(1000), false, "", "", ""},
	}
}
