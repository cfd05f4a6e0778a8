package seo

import (
	"strconv"

	"golang.org/x/net/html/atom"

	"visite/internal/inspect/dom"
	"visite/internal/inspect/page"
	"visite/internal/inspect/rule"
	"visite/schema"
)

func headingRules() []rule.Rule {
	return []rule.Rule{
		of("h1-missing", schema.SeverityMinor, "The page has no main heading",
			"Give the page one h1 element that says what it is about.", rule.Convention, "common audit rule; helps readers and screen readers", h1Missing),
		of("h1-several", schema.SeverityInfo, "The page has more than one main heading",
			"Consider one h1 for the page and h2 for its parts; search engines cope with several.", rule.Convention, "common audit rule", h1Several),
	}
}

func h1s(c *page.Content) []dom.ID {
	var out []dom.ID
	for _, id := range c.Headings {
		if c.Tree.Is(id, atom.H1) && c.Tree.Node(id).Flags&dom.Hidden == 0 {
			out = append(out, id)
		}
	}
	return out
}

// h1Missing keeps quiet about pages without text: they are drawn by scripts or
// are no reading matter.
func h1Missing(c *page.Content) []rule.Hit {
	if len(h1s(c)) > 0 || c.Words == 0 || !c.Complete() {
		return nil
	}
	return rule.Page("")
}

func h1Several(c *page.Content) []rule.Hit {
	all := h1s(c)
	if len(all) < 2 {
		return nil
	}
	return []rule.Hit{{Node: all[1], Detail: strconv.Itoa(len(all)) + " h1 elements"}}
}
