package seo

import (
	"errors"
	"strconv"
	"strings"

	"visite/internal/inspect/page"
	"visite/internal/inspect/rule"
	"visite/schema"
)

const openGraph = "The Open Graph protocol, basic metadata"

func sharingRules() []rule.Rule {
	return []rule.Rule{
		of("sharing-missing", schema.SeverityInfo, "The page has no data for sharing",
			"Add og:title, og:description and og:image, so that shared links show what they lead to.", rule.Convention, "The Open Graph protocol", sharingMissing),
		of("sharing-incomplete", schema.SeverityInfo, "The page's data for sharing is incomplete",
			"Give og:title, og:type, og:image and og:url together.", rule.Convention, openGraph, sharingIncomplete),
		of("sharing-image-address", schema.SeverityMinor, "The image for sharing cannot be found everywhere",
			"Write og:image as a full address that begins with https://.", rule.Convention, openGraph, sharingImage),
		of("sharing-image-small", schema.SeverityInfo, "The image for sharing is said to be small",
			"Offer a picture of 1200 × 630 pixels or more, and say so in og:image:width and og:image:height.", rule.Convention, "Meta for Developers, Images in link shares", sharingSmall),
		of("sharing-card-invalid", schema.SeverityMinor, "The kind of card for sharing does not exist",
			"Set twitter:card to summary, summary_large_image, app or player.", rule.Convention, "X developer documentation, Cards markup", sharingCard),
	}
}

func sharingMissing(c *page.Content) []rule.Hit {
	if !c.Complete() {
		return nil
	}
	for _, m := range c.Metas {
		if m.Name == "og:title" || m.Name == "og:image" || m.Name == "twitter:card" || m.Name == "twitter:title" {
			return nil
		}
	}
	return rule.Page("")
}

// basicSharing are the properties the protocol asks of every page.
var basicSharing = []string{"og:title", "og:type", "og:image", "og:url"}

// sharingIncomplete speaks where the protocol is used in earnest: a title alone is
// what some systems write by themselves.
func sharingIncomplete(c *page.Content) []rule.Hit {
	if !c.Complete() {
		return nil
	}
	var lacking []string
	for _, name := range basicSharing {
		if !hasContent(c.MetasNamed(name)) && !(name == "og:image" && hasContent(c.MetasNamed("og:image:url"))) {
			lacking = append(lacking, name)
		}
	}
	if len(lacking) == 0 || len(lacking) > 2 {
		return nil
	}
	return rule.Page(strings.Join(lacking, ", "))
}

func hasContent(metas []page.Meta) bool {
	for _, m := range metas {
		if strings.TrimSpace(m.Content) != "" {
			return true
		}
	}
	return false
}

func sharingImage(c *page.Content) []rule.Hit {
	var hits []rule.Hit
	for _, m := range c.MetasNamed("og:image") {
		raw := strings.TrimSpace(m.Content)
		if raw == "" {
			continue
		}
		_, err := schema.NormalizeAddress(raw, nil)
		switch {
		case errors.Is(err, schema.ErrAddressRelative):
			hits = append(hits, rule.Hit{Node: m.Node, Detail: "relative"})
		case c.Secure() && len(raw) > 7 && strings.EqualFold(raw[:7], "http://"):
			hits = append(hits, rule.Hit{Node: m.Node, Detail: "not secure"})
		}
	}
	return hits
}

// The least size, in pixels, of a picture that comes with a link as more than a
// thumbnail; what the rule advises is the size that is sharp on all screens.
const (
	sharingWidth  = 600
	sharingHeight = 315
)

// sharingSmall goes by what the page says of its picture; it is not loaded for it.
func sharingSmall(c *page.Content) []rule.Hit {
	if !hasContent(c.MetasNamed("og:image")) && !hasContent(c.MetasNamed("og:image:url")) {
		return nil
	}
	width, w := sizeSaid(c, "og:image:width")
	height, h := sizeSaid(c, "og:image:height")
	if !w || !h || width >= sharingWidth && height >= sharingHeight {
		return nil
	}
	return []rule.Hit{{Node: c.MetasNamed("og:image:width")[0].Node, Detail: strconv.Itoa(width) + " × " + strconv.Itoa(height) + " pixels"}}
}

// sizeSaid is the one figure of a name; with several pictures nobody knows whose it is.
func sizeSaid(c *page.Content, name string) (int, bool) {
	all := c.MetasNamed(name)
	if len(all) != 1 {
		return 0, false
	}
	n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(all[0].Content), "px"))
	return n, err == nil && n > 0 && n < 100_000
}

func sharingCard(c *page.Content) []rule.Hit {
	for _, m := range c.MetasNamed("twitter:card") {
		switch strings.ToLower(strings.TrimSpace(m.Content)) {
		case "summary", "summary_large_image", "app", "player", "":
		default:
			return []rule.Hit{{Node: m.Node, Detail: rule.Count(len(m.Content), "character")}}
		}
	}
	return nil
}
