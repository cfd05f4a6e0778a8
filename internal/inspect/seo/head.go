package seo

import (
	"strings"

	"golang.org/x/net/html/atom"

	"visite/internal/inspect/dom"
	"visite/internal/inspect/page"
	"visite/internal/inspect/rule"
	"visite/schema"
)

const googleMetadata = "Google Search Central, Use valid HTML for page metadata"

func headRules() []rule.Rule {
	return []rule.Rule{
		of("metadata-outside-head", schema.SeverityModerate, "What search engines read of the page stands outside its head",
			"Move title, description, robots directives and language versions into the head, and check that no element before them ends it early.",
			rule.SearchEngine, googleMetadata, metadataOutside),
	}
}

// metadataOutside tells once of everything that was lost. An element that does not
// belong into the head ends it, so that what follows stands in the body. Canonical
// links have a rule of their own.
func metadataOutside(c *page.Content) []rule.Hit {
	at := dom.None
	var lost []string
	add := func(id dom.ID, name string) {
		if at == dom.None || id < at {
			at = id
		}
		for _, known := range lost {
			if known == name {
				return
			}
		}
		lost = append(lost, name)
	}
	for _, id := range c.Titles {
		if !c.InHead(id) {
			add(id, "title")
		}
	}
	for _, m := range c.Metas {
		if !m.InHead && (m.Name == "description" || m.Name == "robots" || m.Name == "googlebot") {
			add(m.Node, m.Name)
		}
	}
	for id := range c.Tree.Below(dom.Root) {
		if c.Tree.Is(id, atom.Link) && !c.InHead(id) && c.Tree.Node(id).Flags&dom.Inert == 0 && c.Tree.Has(id, "hreflang") && hasToken(c, id, "alternate") {
			add(id, "hreflang")
		}
	}
	if len(lost) == 0 {
		return nil
	}
	return []rule.Hit{{Node: at, Detail: strings.Join(lost, ", ")}}
}

func hasToken(c *page.Content, id dom.ID, token string) bool {
	rel, _ := c.Tree.Attr(id, "rel")
	for t := range strings.FieldsSeq(rel) {
		if strings.EqualFold(t, token) {
			return true
		}
	}
	return false
}
