package seo

import (
	"strconv"
	"strings"

	"visite/internal/inspect/dom"
	"visite/internal/inspect/page"
	"visite/internal/inspect/rule"
	"visite/schema"
)

const googleScripts = "Google Search Central, Understand JavaScript SEO basics"

// renderedRules compare what was served with what scripts made of it. They need a
// browser.
func renderedRules() []rule.Rule {
	return []rule.Rule{
		asked(of("rendered-title", schema.SeverityInfo, "Scripts give the page another title than it was served with",
			"Send the title in the page's source; who does not run scripts reads only that one.", rule.SearchEngine, googleScripts, renderedTitle)),
		of("rendered-canonical", schema.SeverityModerate, "Scripts change the canonical address",
			"Send the right canonical link in the page's source and leave it alone; where the two differ, either may count.", rule.SearchEngine, googleScripts, renderedCanonical),
		of("rendered-robots", schema.SeveritySerious, "Scripts change whether the page may be listed",
			"Say noindex in the page's source or header, or nowhere: where it stands in the source, search engines may not run the script that takes it out.", rule.SearchEngine, googleScripts, renderedRobots),
		asked(of("rendered-lang", schema.SeverityInfo, "Scripts change the page's language marking",
			"Send the right lang in the html element.", rule.Standard, "HTML Standard, the lang attribute", renderedLang)),
		asked(of("rendered-content", schema.SeverityMinor, "Nearly all of the text is made by scripts",
			"Send the text in the page's source (server-side or static rendering): search engines list scripted pages later, and many other readers not at all.", rule.SearchEngine, googleScripts, renderedContent)),
	}
}

func renderedTitle(c *page.Content) []rule.Hit {
	s := c.Served()
	if s == nil || len(c.Titles) == 0 || c.Title == s.Title || c.Title == "" || s.Doc.Cut && s.Title == "" {
		return nil
	}
	return []rule.Hit{{Node: c.Titles[0], Detail: rule.Count(len([]rune(s.Title)), "character") + " served, " + strconv.Itoa(len([]rune(c.Title))) + " rendered"}}
}

// canonicalOf is the one canonical address in the head; empty where there are none
// or several, which other rules speak of.
func canonicalOf(c *page.Content) (address string, at dom.ID) {
	at = dom.None
	for _, k := range c.Canonicals {
		if !k.InHead || k.URL == "" {
			continue
		}
		if address != "" && address != k.URL {
			return "", dom.None
		}
		address, at = k.URL, k.Node
	}
	return address, at
}

// renderedCanonical lets pass what scripts add where nothing was served.
func renderedCanonical(c *page.Content) []rule.Hit {
	s := c.Served()
	if s == nil {
		return nil
	}
	before, _ := canonicalOf(s)
	after, at := canonicalOf(c)
	if before == "" || after == "" || schema.KeyOf(before) == schema.KeyOf(after) {
		return nil
	}
	return []rule.Hit{{Node: at, Detail: schema.RedactAddress(before) + " served, " + schema.RedactAddress(after) + " rendered"}}
}

func saysNoindex(c *page.Content) bool { return len(noindex(c)) > 0 }

func renderedRobots(c *page.Content) []rule.Hit {
	s := c.Served()
	if s == nil || s.Doc.Cut {
		return nil
	}
	switch before, after := saysNoindex(s), saysNoindex(c); {
	case before && !after:
		return rule.Page("noindex served, taken out by a script")
	case !before && after:
		return []rule.Hit{{Node: dom.None, Detail: "noindex put in by a script", Severity: schema.SeverityMinor, Outcome: schema.FindingNeedsReview}}
	}
	return nil
}

func renderedLang(c *page.Content) []rule.Hit {
	s := c.Served()
	if s == nil {
		return nil
	}
	before, _ := s.Tree.Attr(s.Tree.HTMLRoot, "lang")
	after, _ := c.Tree.Attr(c.Tree.HTMLRoot, "lang")
	before, after = strings.ToLower(strings.TrimSpace(before)), strings.ToLower(strings.TrimSpace(after))
	if after == "" || before == after {
		return nil
	}
	return []rule.Hit{{Node: c.Tree.HTMLRoot, Detail: languageShort(before) + " served, " + languageShort(after) + " rendered"}}
}

// languageShort is a language's code as it may be told, without its subtags.
func languageShort(code string) string {
	code, _, _ = strings.Cut(code, "-")
	switch {
	case code == "":
		return "none"
	case len(code) > 3 || strings.Trim(code, "abcdefghijklmnopqrstuvwxyz") != "":
		return "another"
	}
	return code
}

// From how many words on a page is judged, and which share of them, in percent,
// has to be served. From servedWords on a page has a text of its own, and what came
// to it may be a consent tool's or a chat's.
const (
	renderedWords = 100
	servedShare   = 20
	servedWords   = 50
)

func renderedContent(c *page.Content) []rule.Hit {
	s := c.Served()
	if s == nil || s.Doc.Cut || s.Tree.Cut || c.Words < renderedWords || s.Words >= servedWords || s.Words*100 >= c.Words*servedShare {
		return nil
	}
	return rule.Page(strconv.Itoa(s.Words) + " of " + rule.Count(c.Words, "word") + " served")
}
