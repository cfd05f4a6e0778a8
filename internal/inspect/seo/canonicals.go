package seo

import (
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"visite/internal/inspect/page"
	"visite/internal/inspect/rule"
	"visite/schema"
)

func canonicalRules() []rule.Rule {
	return []rule.Rule{
		of("canonical-several", schema.SeverityModerate, "The page names more than one canonical address",
			"Leave one canonical link; with several that differ, search engines ignore all of them.", rule.SearchEngine, googleCanonical, canonicalSeveral),
		of("canonical-relative", schema.SeverityInfo, "The canonical address is relative",
			"Write the canonical link with scheme and host, so that a copy elsewhere cannot change its meaning.", rule.SearchEngine, googleCanonical, canonicalRelative),
		of("canonical-invalid", schema.SeverityModerate, "The canonical link holds no usable address",
			"Put the page's full address into the href of the canonical link.", rule.Standard, "RFC 6596", canonicalInvalid),
		of("canonical-outside-head", schema.SeverityModerate, "The canonical link stands outside the head",
			"Move it into the head, and check that nothing before it ends the head early; elsewhere it is ignored.", rule.SearchEngine, googleCanonical, canonicalOutside),
		asked(of("canonical-other-host", schema.SeverityMinor, "The canonical address is on another host",
			"Check that the page is meant to be found under the other host; this one will drop out of search results.", rule.SearchEngine, googleCanonical, canonicalElsewhere)),
		of("canonical-insecure", schema.SeverityMinor, "The canonical address of a secure page is not secure",
			"Write the canonical address with https.", rule.SearchEngine, googleCanonical, canonicalInsecure),
		of("canonical-fragment", schema.SeverityMinor, "The canonical address has a fragment",
			"Leave out # and what follows; search engines do not tell pages apart by it.", rule.SearchEngine, googleCanonical, canonicalFragment),
		asked(of("canonical-pagination", schema.SeverityMinor, "A page of a series calls another page of it canonical",
			"Let each page of a series name itself; what only later pages list is not found otherwise.",
			rule.SearchEngine, "Google Search Central, Pagination, incremental page loading, and their impact on Google Search", canonicalPagination)),
		asked(of("canonical-with-noindex", schema.SeverityMinor, "A page that is not to be listed calls another one canonical",
			"Decide for one: a canonical link if the pages are the same, noindex if this one is not to be found.", rule.SearchEngine, googleCanonical, canonicalWithNoindex)),
	}
}

// counting are the canonical links that search engines read.
func counting(c *page.Content) []page.Canonical {
	var out []page.Canonical
	for _, k := range c.Canonicals {
		if k.InHead {
			out = append(out, k)
		}
	}
	return out
}

func canonicalSeveral(c *page.Content) []rule.Hit {
	distinct := map[string]bool{}
	var hits []rule.Hit
	for _, k := range counting(c) {
		if k.URL == "" || distinct[k.URL] {
			continue
		}
		distinct[k.URL] = true
		if len(distinct) == 2 {
			hits = append(hits, rule.Hit{Node: k.Node})
		}
	}
	if len(hits) > 0 {
		hits[0].Detail = strconv.Itoa(len(distinct)) + " different addresses"
	}
	return hits
}

func canonicalRelative(c *page.Content) []rule.Hit {
	var hits []rule.Hit
	for _, k := range counting(c) {
		if k.URL == "" || strings.TrimSpace(k.Raw) == "" {
			continue
		}
		if _, err := schema.NormalizeAddress(k.Raw, nil); errors.Is(err, schema.ErrAddressRelative) {
			hits = append(hits, rule.Hit{Node: k.Node})
		}
	}
	return hits
}

func canonicalInvalid(c *page.Content) []rule.Hit {
	var hits []rule.Hit
	for _, k := range counting(c) {
		switch {
		case strings.TrimSpace(k.Raw) == "":
			hits = append(hits, rule.Hit{Node: k.Node, Detail: "empty"})
		case k.Err != nil:
			hits = append(hits, rule.Hit{Node: k.Node})
		}
	}
	return hits
}

func canonicalOutside(c *page.Content) []rule.Hit {
	var hits []rule.Hit
	for _, k := range c.Canonicals {
		if !k.InHead {
			hits = append(hits, rule.Hit{Node: k.Node})
		}
	}
	return hits
}

// canonicalElsewhere and canonicalInsecure look at a single canonical address;
// several that differ are a fault of their own.
func canonicalElsewhere(c *page.Content) []rule.Hit {
	u, at := only(c)
	if u == nil || schema.HostKey(u) == schema.HostKey(c.URL) {
		return nil
	}
	return []rule.Hit{{Node: at.Node, Detail: schema.RedactAddress(at.URL)}}
}

func canonicalInsecure(c *page.Content) []rule.Hit {
	u, at := only(c)
	if u == nil || !c.Secure() || u.Scheme == "https" || schema.HostKey(u) != schema.HostKey(c.URL) {
		return nil
	}
	return []rule.Hit{{Node: at.Node, Detail: schema.RedactAddress(at.URL)}}
}

func only(c *page.Content) (*url.URL, page.Canonical) {
	var one page.Canonical
	for _, k := range counting(c) {
		if k.URL == "" || (one.URL != "" && one.URL != k.URL) {
			return nil, page.Canonical{}
		}
		one = k
	}
	if one.URL == "" {
		return nil, one
	}
	u, err := url.Parse(one.URL)
	if err != nil {
		return nil, one
	}
	return u, one
}

func canonicalFragment(c *page.Content) []rule.Hit {
	for _, k := range counting(c) {
		if _, fragment, _ := strings.Cut(k.Raw, "#"); k.URL != "" && fragment != "" {
			return []rule.Hit{{Node: k.Node}}
		}
	}
	return nil
}

// canonicalPagination speaks of pages from the second on that name the series
// without its number.
func canonicalPagination(c *page.Content) []rule.Hit {
	u, at := only(c)
	if u == nil || schema.HostKey(u) != schema.HostKey(c.URL) {
		return nil
	}
	series, number := seriesOf(c.URL)
	if other, n := seriesOf(u); number < 2 || n >= 2 || other != series {
		return nil
	}
	return []rule.Hit{{Node: at.Node, Detail: schema.RedactAddress(at.URL)}}
}

// pageWords name a page's number in a query or path. Not among them is "p", which
// names articles in some systems.
var pageWords = []string{"page", "paged", "seite", "pagina"}

// seriesOf is the path of a series and the number of a page in it, 0 for none.
func seriesOf(u *url.URL) (series string, number int) {
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	if n := len(parts); n >= 2 && slices.Contains(pageWords, strings.ToLower(parts[n-2])) {
		if number, err := strconv.Atoi(parts[n-1]); err == nil {
			return strings.Join(parts[:n-2], "/"), number
		}
	}
	for _, word := range pageWords {
		if number, err := strconv.Atoi(u.Query().Get(word)); err == nil {
			return strings.Join(parts, "/"), number
		}
	}
	return strings.Join(parts, "/"), 0
}

func canonicalWithNoindex(c *page.Content) []rule.Hit {
	u, at := only(c)
	if u == nil || len(noindex(c)) == 0 || u.EscapedPath() == c.URL.EscapedPath() {
		return nil
	}
	return []rule.Hit{{Node: at.Node, Detail: schema.RedactAddress(at.URL)}}
}
