package seo

import (
	"visite/internal/inspect/page"
	"visite/internal/inspect/rule"
	"visite/schema"
)

func robotsRules() []rule.Rule {
	return []rule.Rule{
		asked(of("robots-noindex", schema.SeverityModerate, "The page asks search engines not to list it",
			"Check that this is meant; a noindex left over from building the site makes the page unfindable.", rule.SearchEngine, googleRobots, noindex)),
		asked(of("robots-nofollow", schema.SeverityMinor, "The page asks search engines not to follow its links",
			"Check that this is meant; pages linked only from here may not be found.", rule.SearchEngine, googleRobots, nofollow)),
		asked(of("robots-nosnippet", schema.SeverityInfo, "The page asks search engines to show no text of it",
			"Check that this is meant; results without text are chosen less often.", rule.SearchEngine, googleRobots, nosnippet)),
		of("noindex-hidden", schema.SeverityModerate, "robots.txt hides the page's noindex from search engines",
			"Let robots.txt allow the page: only what may be loaded can be read, and a noindex that is not read does not count.",
			rule.SearchEngine, "Google Search Central, Block Search indexing with noindex", noindexHidden),
		of("robots-conflict", schema.SeverityMinor, "The page gives robots contradicting directives",
			"Leave one of them; the stricter one counts.", rule.SearchEngine, googleRobots, robotsConflict),
	}
}

// first is a hit on the first directive that is one of the wanted.
func first(c *page.Content, wanted func(page.Directive) bool) []rule.Hit {
	for _, d := range c.Robots {
		if wanted(d) {
			return []rule.Hit{{Node: d.Node, Detail: d.String()}}
		}
	}
	return nil
}

func noindex(c *page.Content) []rule.Hit {
	return first(c, func(d page.Directive) bool { return d.Name == "noindex" || d.Name == "none" })
}

// noindexHidden can be told only where robots.txt allows us what it forbids to a
// search engine's robot.
func noindexHidden(c *page.Content) []rule.Hit {
	if !c.Doc.Facts.HiddenFromSearch {
		return nil
	}
	return noindex(c)
}

func nofollow(c *page.Content) []rule.Hit {
	return first(c, func(d page.Directive) bool { return d.Name == "nofollow" || d.Name == "none" })
}

func nosnippet(c *page.Content) []rule.Hit {
	return first(c, func(d page.Directive) bool {
		return d.Name == "nosnippet" || (d.Name == "max-snippet" && d.Value == "0")
	})
}

var opposites = map[string]string{"index": "noindex", "follow": "nofollow", "all": "none"}

func robotsConflict(c *page.Content) []rule.Hit {
	said := map[page.Directive]bool{}
	for _, d := range c.Robots {
		said[page.Directive{Agent: d.Agent, Name: d.Name}] = true
	}
	return first(c, func(d page.Directive) bool {
		opposite, ok := opposites[d.Name]
		return ok && said[page.Directive{Agent: d.Agent, Name: opposite}]
	})
}
