package seo

import (
	"net/url"
	"strconv"
	"strings"

	"visite/internal/inspect/dom"
	"visite/internal/inspect/page"
	"visite/internal/inspect/rule"
	"visite/schema"
)

func pictureRules() []rule.Rule {
	return []rule.Rule{
		asked(of("image-dimensions-missing", schema.SeverityInfo, "Images do not say how large they are",
			"Give img elements width and height, or reserve their place by style sheet, so that the page does not jump while it loads.",
			rule.SearchEngine, "web.dev, Optimize Cumulative Layout Shift", dimensionsMissing)),
		of("image-format-old", schema.SeverityMinor, "An image is in a format that is far too large",
			"Save it as WebP, AVIF, JPEG or PNG.", rule.SearchEngine, "web.dev, Choose the right image format", oldFormat),
		of("icon-small", schema.SeverityInfo, "The site's icon is said to be smaller than search results show it",
			"Offer a square icon of 48 pixels or more (96 is better), or one as SVG.",
			rule.SearchEngine, "Google Search Central, Define a favicon to show in search results", iconSmall),
		of("icon-missing", schema.SeverityMinor, "The site has no icon",
			"Add <link rel=\"icon\"> with a square picture of at least 48 pixels, or put one at /favicon.ico.",
			rule.SearchEngine, "Google Search Central, Define a favicon to show in search results", iconMissing),
	}
}

// dimensionsMissing asks only: a style sheet may have reserved the place.
func dimensionsMissing(c *page.Content) []rule.Hit {
	first, without := dom.None, 0
	for _, id := range c.Images {
		if c.Tree.Node(id).Flags&dom.Hidden != 0 || sized(c, id) {
			continue
		}
		if without++; first == dom.None {
			first = id
		}
	}
	if without == 0 {
		return nil
	}
	return []rule.Hit{{Node: first, Detail: strconv.Itoa(without) + " of " + rule.Count(len(c.Images), "image")}}
}

func sized(c *page.Content, id dom.ID) bool {
	src, _ := c.Tree.Attr(id, "src")
	if src = strings.ToLower(strings.TrimSpace(src)); src == "" || strings.HasPrefix(src, "data:") || strings.HasSuffix(src, ".svg") {
		return true // drawn in place, or not by the page's author
	}
	width, _ := c.Tree.Attr(id, "width")
	height, _ := c.Tree.Attr(id, "height")
	if isLength(width) && isLength(height) {
		return true
	}
	style, _ := c.Tree.Attr(id, "style")
	style = strings.ToLower(style)
	return strings.Contains(style, "aspect-ratio") || strings.Contains(style, "width") && strings.Contains(style, "height")
}

func isLength(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }

func oldFormat(c *page.Content) []rule.Hit {
	var hits []rule.Hit
	for _, id := range c.Images {
		src, _ := c.Tree.Attr(id, "src")
		u, err := url.Parse(strings.TrimSpace(src))
		if err != nil {
			continue
		}
		for _, ending := range [...]string{".bmp", ".tif", ".tiff"} {
			if strings.HasSuffix(strings.ToLower(u.Path), ending) {
				hits = append(hits, rule.Hit{Node: id, Detail: ending})
			}
		}
	}
	return hits
}

// iconMissing speaks where a browser looked for the default icon in vain and the
// page names no other. Browsers look once a visit of a site, on whatever page it
// begins at; it is told of the home page alone.
func iconMissing(c *page.Content) []rule.Hit {
	if !c.Complete() || (c.URL.Path != "" && c.URL.Path != "/") {
		return nil
	}
	for address, status := range c.Doc.Totals.FailedFiles {
		u, err := url.Parse(address)
		if err != nil || u.Path != "/favicon.ico" || status != 404 && status != 410 {
			continue
		}
		for id := range c.Tree.Below(dom.Root) {
			if c.Tree.Node(id).Kind == dom.Element && c.Tree.Has(id, "rel") && hasToken(c, id, "icon") {
				return nil
			}
		}
		return rule.Page(strconv.Itoa(status) + " " + schema.RedactAddress(address))
	}
	return nil
}

// iconLeast is the least size of an icon in search results, in pixels.
const iconLeast = 48

// iconSmall speaks of the home page, whose icon search engines take, where all icons
// state sizes and none is large enough. Search engines choose among all they know.
func iconSmall(c *page.Content) []rule.Hit {
	if !c.Complete() || (c.URL.Path != "" && c.URL.Path != "/") {
		return nil
	}
	at, largest := dom.None, 0
	for id := range c.Tree.Below(dom.Root) {
		if c.Tree.Node(id).Kind != dom.Element || !c.Tree.Has(id, "rel") || !hasToken(c, id, "icon") && !hasToken(c, id, "apple-touch-icon") {
			continue
		}
		said, _ := c.Tree.Attr(id, "sizes")
		sizes := strings.Fields(strings.ToLower(said))
		if len(sizes) == 0 {
			return nil
		}
		for _, s := range sizes {
			w, h, _ := strings.Cut(s, "x")
			width, err := strconv.Atoi(w)
			height, errH := strconv.Atoi(h)
			if err != nil || errH != nil { // "any"
				return nil
			}
			largest = max(largest, min(width, height))
		}
		if at == dom.None {
			at = id
		}
	}
	if at == dom.None || largest >= iconLeast {
		return nil
	}
	return []rule.Hit{{Node: at, Detail: strconv.Itoa(largest) + " × " + strconv.Itoa(largest) + " pixels"}}
}
