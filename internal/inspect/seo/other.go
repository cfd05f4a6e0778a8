package seo

import (
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
		of("viewport-fixed", schema.SeverityModerate, "The page has the same width on every screen",
			"Write width=device-width in place of a number in the viewport meta element.", rule.SearchEngine, googleMobile, viewportFixed),
		asked(of("files-disallowed", schema.SeverityModerate, "robots.txt keeps files of the page from being loaded",
			"Allow styles, scripts and images, to search engines too; without them they cannot see what the page looks like.",
			rule.SearchEngine, "Google Search Central, Introduction to robots.txt", filesDisallowed)),
		of("address-underscores", schema.SeverityInfo, "The page's address joins words by underscores",
			"Use hyphens in new addresses; old ones that work are better left as they are.", rule.SearchEngine, googleAddresses, underscores),
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

// viewportFixed looks at the last element, which browsers go by.
func viewportFixed(c *page.Content) []rule.Hit {
	all := c.MetasNamed("viewport")
	if len(all) == 0 {
		return nil
	}
	m := all[len(all)-1]
	for part := range strings.FieldsFuncSeq(strings.ToLower(m.Content), func(r rune) bool { return r == ',' || r == ';' }) {
		name, value, _ := strings.Cut(part, "=")
		if strings.TrimSpace(name) != "width" {
			continue
		}
		if n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(value), "px")); err == nil && n > 0 {
			return []rule.Hit{{Node: m.Node, Detail: "width=" + strconv.Itoa(n)}}
		}
	}
	return nil
}

func underscores(c *page.Content) []rule.Hit {
	for part := range strings.SplitSeq(strings.Trim(c.URL.Path, "/"), "/") {
		if words := strings.Split(strings.Trim(part, "_"), "_"); len(words) > 1 {
			return rule.Page("")
		}
	}
	return nil
}

// filesDisallowed asks only: what is forbidden to us may be allowed to others.
func filesDisallowed(c *page.Content) []rule.Hit {
	if n := c.Doc.Totals.DisallowedFiles; n > 0 {
		return rule.Page(rule.Count(n, "file"))
	}
	return nil
}
