package faultsite

import "strings"

// markup: what HTML does not allow, in the source as it is served.
func markup() []change {
	of := func(rule, body string) change { return change{faults: []string{rule}, body: body + "\n"} }
	return []change{
		of("html-nesting", `<span><div>A block within a line</div></span>`),
		of("html-tags", `<p>Closed twice</p></p>`),
		of("html-attribute-value", `<p><label for="tide">Tide</label> <input id="tide" type="tide"></p>`),
		of("html-attribute-missing", `<p><map></map></p>`),
		of("html-attribute-misplaced", `<p><label for="aboard">Aboard</label> <input id="aboard" type="checkbox" placeholder="yes"></p>`),
		of("html-attribute-obsolete", `<p align="center">In the middle.</p>`),
		of("html-characters", `<p>High &water; at ten.</p>`),
		of("html-element-unknown", `<p><harbour>Said in an element of our own.</harbour></p>`),
		{faults: []string{"html-doctype-old"}, replace: []string{"<!doctype html>", `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">`}},
	}
}

// layout: what shows where a page is laid out, and what its scripts change.
func layout() []change {
	return []change{
		{faults: []string{"image-oversized"}, body: `<p><img src="/images/map.png" alt="The map of the harbour" width="200" height="150"></p>` + "\n"},
		{faults: []string{"page-too-wide"}, body: `<p class="wide">Wider than any screen.</p>` + "\n"},
		{faults: []string{"text-small"}, body: `<p class="fine">` + strings.Repeat("Small print of the club about boats and tides. ", 40) + "</p>\n"},
		{faults: []string{"sharing-image-small"}, replace: []string{`<meta property="og:image:width" content="1200"><meta property="og:image:height" content="630">`, `<meta property="og:image:width" content="300"><meta property="og:image:height" content="200">`}},
		{faults: []string{"rendered-robots"}, head: `<meta name="robots" content="noindex">` + "\n", end: `<script src="/js/robots.js"></script>` + "\n"},
		{faults: []string{"rendered-title"}, end: `<script src="/js/title.js"></script>` + "\n"},
		{faults: []string{"files-uncompressed", "files-uncached"}, body: `<p><img src="/images/crew.png" alt="The crew" width="40" height="30"></p>` + "\n", end: `<script src="/js/long.js"></script>` + "\n"},
		{faults: []string{"microdata-incomplete"}, body: `<div itemscope itemtype="https://schema.org/Product"><p itemprop="name">A skiff</p></div>` + "\n"},
	}
}
