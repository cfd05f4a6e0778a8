package seo

import (
	"strings"

	"golang.org/x/net/html/atom"

	"visite/internal/inspect/dom"
	"visite/internal/inspect/page"
	"visite/internal/inspect/rule"
	"visite/schema"
)

func contentRules() []rule.Rule {
	return []rule.Rule{
		asked(of("content-empty", schema.SeverityModerate, "The page has no text",
			"Check that the page is not empty by mistake, and that its text is there without scripts having to fetch it first.",
			rule.SearchEngine, "Google Search Central, Understand the JavaScript SEO basics", contentEmpty)),
		asked(of("placeholder-text", schema.SeverityMinor, "The page contains placeholder text",
			"Put the real text in, or take the place out.", rule.Convention, "common audit rule", placeholderText)),
	}
}

// contentEmpty keeps quiet about pages that show something other than text.
func contentEmpty(c *page.Content) []rule.Hit {
	if c.Words > 0 || !c.Complete() || len(c.Images) > 0 || len(c.Frames) > 0 {
		return nil
	}
	scripts := false
	for id := range c.Tree.Below(dom.Root) {
		n := c.Tree.Node(id)
		if n.Kind != dom.Element || n.Flags&dom.Inert != 0 {
			continue
		}
		switch n.Atom {
		case atom.Canvas, atom.Svg, atom.Video, atom.Audio, atom.Object, atom.Embed, atom.Frameset:
			return nil
		case atom.Script:
			scripts = true
		}
	}
	if c.Static() && scripts {
		return rule.Page("before its scripts run")
	}
	return rule.Page("")
}

// placeholderText looks for the words that layouts are filled with. Samples of code
// and input may show them on purpose.
func placeholderText(c *page.Content) []rule.Hit {
	for id := range c.Tree.Below(dom.Root) {
		n := c.Tree.Node(id)
		if n.Kind != dom.Text || n.Flags&(dom.Inert|dom.Mute|dom.Hidden) != 0 || len(n.Data) < 21 {
			continue
		}
		if strings.Contains(strings.ToLower(page.Collapse(n.Data[:min(len(n.Data), 4096)])), "lorem ipsum dolor sit") &&
			c.Tree.Ancestor(id, atom.Pre) == dom.None && c.Tree.Ancestor(id, atom.Code) == dom.None {
			return []rule.Hit{{Node: n.Parent}}
		}
	}
	return nil
}
