package inspect

import (
	"strings"

	"visite/schema"
)

// renderedCases are those of the rules that need a browser to look at the page: what
// a validator found in the source, how the page is laid out, and what scripts made
// of what was served; and of some rules on what a page says of its pictures.
func renderedCases() []ruleCase {
	const question = schema.FindingNeedsReview
	both := func(served, rendered string) Document {
		return at(served, func(d *Document) { d.Engine, d.Rendered = schema.EngineBrowser, rendered })
	}
	laid := func(l schema.Layout) Document {
		return at(good, func(d *Document) {
			d.Engine, d.Rendered, d.Observed = schema.EngineBrowser, good, &schema.Observed{Layout: &l}
		})
	}
	title := "<title>A page of the shop</title>"
	canonical := func(href string) string { return head(`<link rel="canonical" href="` + href + `">`) }
	noindex := head(`<meta name="robots" content="noindex">`)
	consented := body("<p>" + strings.Repeat("words of bread ", 20) + "</p><div>" + strings.Repeat("We and our partners ask you. ", 80) + "</div>")
	long := body("<p>" + strings.Repeat("many words of bread ", 40) + "</p>")
	home := func(d *Document) { d.Facts.Requested, d.Facts.Final = "https://shop.example/", "https://shop.example/" }
	sharing := func(w, h string) string {
		return head(`<meta property="og:image" content="https://shop.example/a.png"><meta property="og:image:width" content="` + w + `"><meta property="og:image:height" content="` + h + `">`)
	}
	item := func(inner string) Document {
		return at(body(`<div itemscope itemtype="https://schema.org/Product">` + inner + `</div>`))
	}
	div := "html > body > div"
	cases := []ruleCase{
		{"noindex-hidden", "both", at(noindex, func(d *Document) { d.Facts.HiddenFromSearch = true }), true, "html > head > meta:nth-of-type(5)", "noindex", ""},
		{"noindex-hidden", "to be read", at(noindex), false, "", "", ""},
		{"noindex-hidden", "hidden alone", at(good, func(d *Document) { d.Facts.HiddenFromSearch = true }), false, "", "", ""},
		{"files-uncompressed", "two", at(good, func(d *Document) {
			d.Totals.Uncompressed = map[string]int64{"https://shop.example/a.css": 5000, "https://shop.example/b.js?v=1": 95_000}
		}), true, "", "2 files, 100 kB, the largest is https://shop.example/b.js?v=*", ""},
		{"files-uncompressed", "none", at(good), false, "", "", ""},
		{"files-uncached", "one", at(good, func(d *Document) {
			d.Totals.Uncached = []string{"https://shop.example/a.png", "https://shop.example/a.png"}
		}), true, "", "1 file, among them https://shop.example/a.png", question},
		{"files-uncached", "none", at(good), false, "", "", ""},

		{"image-oversized", "large", laid(schema.Layout{Pictures: 3, Oversized: 2, OversizedAt: "html > body > img", Natural: [2]int{4000, 3000}, Shown: [2]int{400, 300}}), true, "html > body > img", "2 of 3 images; this one has 4000 × 3000 pixels and is shown with 400 × 300", ""},
		{"image-oversized", "none", laid(schema.Layout{Pictures: 3}), false, "", "", ""},
		{"lcp-lazy", "lazy", laid(schema.Layout{LargestLazy: true, LargestAt: "html > body > img"}), true, "html > body > img", "", ""},
		{"lcp-lazy", "not seen", at(good), false, "", "", ""},
		{"page-too-wide", "wide", laid(schema.Layout{Screen: 390, Beyond: 120}), true, "", "by 120 pixels on a screen of 390", ""},
		{"page-too-wide", "a shadow", laid(schema.Layout{Screen: 390, Beyond: 8}), false, "", "", ""},
		{"text-small", "most", laid(schema.Layout{Text: 1000, Small: 500}), true, "", "50 percent of the text below 12 pixels", question},
		{"text-small", "much", laid(schema.Layout{Text: 1000, Small: 410}), true, "", "41 percent of the text below 12 pixels", question},
		{"text-small", "little text, a footer", laid(schema.Layout{Text: 1000, Small: 400}), false, "", "", ""},

		{"rendered-title", "another", both(instead(title, "<title>Loading</title>"), good), true, "html > head > title", "7 characters served, 18 rendered", question},
		{"rendered-title", "the same", both(instead(title, "<title> A page\nof the shop</title>"), good), false, "", "", ""},
		{"rendered-canonical", "another", both(canonical("/a"), canonical("/b?x=1")), true, "html > head > link", "https://shop.example/a served, https://shop.example/b?x=* rendered", ""},
		{"rendered-canonical", "put in", both(good, canonical("/b")), false, "", "", ""},
		{"rendered-robots", "taken out", both(noindex, good), true, "", "noindex served, taken out by a script", ""},
		{"rendered-robots", "put in", both(good, noindex), true, "", "noindex put in by a script", question},
		{"rendered-robots", "in both", both(noindex, noindex), false, "", "", ""},
		{"rendered-lang", "another", both(instead(`lang="en"`, `lang="de-AT"`), good), true, "html", "de served, en rendered", question},
		{"rendered-lang", "words in its place", both(instead(`lang="en"`, `lang="kein Wort"`), good), true, "html", "another served, en rendered", question},
		{"rendered-lang", "the same", both(instead(`lang="en"`, `lang="EN"`), good), false, "", "", ""},
		{"rendered-content", "an empty shell", both(without("<p>Words of the page.</p>"), long), true, "", "1 of 165 words served", question},
		{"rendered-content", "a page of its own, and a large consent tool", both(body("<p>"+strings.Repeat("words of bread ", 20)+"</p>"), consented), false, "", "", ""},
		{"rendered-content", "served", both(long, long), false, "", "", ""},

		{"sharing-image-small", "small", at(sharing("600", "314")), true, "html > head > meta:nth-of-type(6)", "600 × 314 pixels", ""},
		{"sharing-image-small", "large", at(sharing("1200", "630")), false, "", "", ""},
		{"sharing-image-small", "as many networks ask for it", at(sharing("1200", "628")), false, "", "", ""},
		{"sharing-image-small", "square", at(sharing("1080", "1080")), false, "", "", ""},
		{"sharing-image-small", "no figure", at(sharing("wide", "315")), false, "", "", ""},
		{"icon-small", "small", at(head(`<link rel="icon" sizes="16x16 32x32" href="/a.png">`), home), true, "html > head > link", "32 × 32 pixels", ""},
		{"icon-small", "one is large", at(head(`<link rel="icon" sizes="16x16" href="/a.png"><link rel="apple-touch-icon" sizes="180x180" href="/b.png">`), home), false, "", "", ""},
		{"icon-small", "any, or unknown", at(head(`<link rel="icon" sizes="16x16" href="/a.png"><link rel="icon" sizes="any" href="/b.svg">`), home), false, "", "", ""},
		{"icon-small", "not the home page", at(head(`<link rel="icon" sizes="16x16" href="/a.png">`)), false, "", "", ""},
		{"microdata-incomplete", "no offer", item(`<b itemprop="name">Bread</b>`), true, div, "Product: offers or review or aggregateRating", ""},
		{"microdata-incomplete", "empty name", item(`<b itemprop="name"> </b><i itemprop="offers" itemscope itemtype="https://schema.org/Offer"></i>`), true, div, "Product: name", ""},
		{"microdata-incomplete", "whole", item(`<b itemprop="name">Bread</b><i itemprop="offers" itemscope itemtype="https://schema.org/Offer"><b itemprop="price">2</b></i>`), false, "", "", ""},
		{"microdata-incomplete", "crumbs without a place", at(body(`<ol itemscope itemtype="https://schema.org/BreadcrumbList"><li itemprop="itemListElement" itemscope itemtype="https://schema.org/ListItem"><a itemprop="item" href="/"><b itemprop="name">Shop</b></a></li></ol>`)), true, "html > body > ol", "BreadcrumbList: position and name of each element", ""},
		{"microdata-incomplete", "crumbs that are items", at(body(`<ol itemscope itemtype="https://schema.org/BreadcrumbList"><li itemprop="itemListElement" itemscope itemtype="https://schema.org/ListItem"><a itemprop="item" itemscope itemtype="https://schema.org/WebPage" itemid="/" href="/"><b itemprop="name">Shop</b></a><meta itemprop="position" content="1"></li></ol>`)), false, "", "", ""},
		{"microdata-incomplete", "crumbs", at(body(`<ol itemscope itemtype="https://schema.org/BreadcrumbList"><li itemprop="itemListElement" itemscope itemtype="https://schema.org/ListItem"><a itemprop="item" href="/"><b itemprop="name">Shop</b></a><meta itemprop="position" content="1"></li></ol>`)), false, "", "", ""},
	}
	for id, rule := range map[string]string{
		"html-nesting": "element-permitted-content", "html-tags": "close-order", "html-attribute-value": "attribute-allowed-values", "html-attribute-missing": "element-required-attributes",
		"html-attribute-misplaced": "input-attributes", "html-attribute-obsolete": "no-deprecated-attr", "html-characters": "unrecognized-char-ref",
		"html-element-unknown": "element-name", "html-doctype-old": "doctype-html",
	} {
		cases = append(cases,
			ruleCase{id, "found", at(good, validated(schema.ValidityRule{Rule: rule, Count: 1})), true, "", rule + " 1 ×", ""},
			ruleCase{id, "nothing found", at(good, validated()), false, "", "", ""},
			ruleCase{id, "something else found", at(good, validated(schema.ValidityRule{Rule: "a-later-rule", Count: 1})), false, "", "", ""})
	}
	return cases
}
