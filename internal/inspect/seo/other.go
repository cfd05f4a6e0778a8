package seo

import (
	"encoding/json"
	"strconv"
	"strings"

	"visite/internal/inspect/page"
	"visite/internal/inspect/rule"
	"visite/schema"
)

func otherRules() []rule.Rule {
	return []rule.Rule{
		of("meta-refresh-redirect", schema.SeverityModerate, "The page sends visitors on by a refresh",
			"Redirect on the server with status 301 or 308 instead.", rule.SearchEngine, googleRedirects, refreshRedirect),
		of("viewport-missing", schema.SeverityModerate, "The page does not adapt to small screens",
			"Add <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"> to the head.", rule.SearchEngine, googleMobile, viewportMissing),
		of("sharing-missing", schema.SeverityInfo, "The page has no data for sharing",
			"Add og:title, og:description and og:image, so that shared links show what they lead to.", rule.Convention, "The Open Graph protocol", sharingMissing),
		of("structured-data-invalid", schema.SeverityMinor, "Structured data of the page is not valid JSON",
			"Correct the JSON-LD; as it stands, search engines ignore it.", rule.Standard, "JSON-LD 1.1; RFC 8259", structuredDataInvalid),
	}
}

func refreshRedirect(c *page.Content) []rule.Hit {
	if len(c.Refreshes) == 0 {
		return nil
	}
	r := c.Refreshes[0] // browsers follow the first
	if r.URL == "" || schema.KeyOf(r.URL) == schema.AddressKey(c.URL) {
		return nil
	}
	return []rule.Hit{{Node: r.Node, Detail: "after " + strconv.Itoa(r.Seconds) + " s to " + schema.RedactAddress(r.URL)}}
}

func viewportMissing(c *page.Content) []rule.Hit {
	if len(c.MetasNamed("viewport")) > 0 || !c.Complete() {
		return nil
	}
	return rule.Page("")
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

// structuredDataInvalid checks the syntax alone. Some systems wrap the data in
// comment marks, which search engines take.
func structuredDataInvalid(c *page.Content) []rule.Hit {
	var hits []rule.Hit
	for _, id := range c.LDJSON {
		text := strings.TrimSpace(c.Tree.InnerText(id, 1<<20))
		if text == "" || len(text) >= 1<<20 || strings.HasPrefix(text, "<!--") || strings.HasPrefix(text, "//") || strings.HasPrefix(text, "/*") {
			continue
		}
		if !json.Valid([]byte(text)) {
			hits = append(hits, rule.Hit{Node: id})
		}
	}
	return hits
}
