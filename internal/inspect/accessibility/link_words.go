package accessibility

import (
	"strings"
	"unicode"

	"golang.org/x/net/html/atom"

	"visite/internal/inspect/dom"
	"visite/internal/inspect/links"
	"visite/internal/inspect/page"
	"visite/internal/inspect/rule"
	"visite/schema"
)

// namedLink is a link as people meet it by ear.
type namedLink struct {
	node    dom.ID
	name    string // lower case, white space collapsed
	context dom.ID // what WCAG takes for the link's context: paragraph, item, cell, or the block it stands in
	link    page.Link
}

// maxLinkName bounds the names that are compared, in bytes.
const maxLinkName = 200

// maxLinkNodes bounds what is looked at of a link for its name.
const maxLinkNodes = 200

// namedLinks are the links whose names the markup alone tells for sure.
func namedLinks(c *page.Content) []namedLink {
	var out []namedLink
	for _, l := range c.Links {
		if l.Kind != schema.LinkAnchor || l.Err != nil || l.Node == dom.None || !c.Tree.Is(l.Node, atom.A) {
			continue
		}
		role, _ := c.Tree.Attr(l.Node, "role")
		if c.Tree.Node(l.Node).Flags&(dom.Hidden|dom.Unspoken|dom.Inert) != 0 || (role != "" && !strings.EqualFold(strings.TrimSpace(role), "link")) || c.Tree.Has(l.Node, "aria-labelledby") {
			continue
		}
		if name := nameOfLink(c, l.Node); name != "" && len(name) <= maxLinkName {
			out = append(out, namedLink{l.Node, name, linkContext(c, l.Node), l})
		}
	}
	return out
}

// nameOfLink is a link's name by its label, its contents or its title.
func nameOfLink(c *page.Content, id dom.ID) string {
	if label, _ := c.Tree.Attr(id, "aria-label"); strings.TrimSpace(label) != "" {
		return plainName(label)
	}
	var b strings.Builder
	nodes := 0
	for n := range c.Tree.Below(id) {
		if nodes++; nodes > maxLinkNodes { // links in links would be walked again and again
			return ""
		}
		node := c.Tree.Node(n)
		switch {
		case node.Flags&(dom.Hidden|dom.Unspoken|dom.Inert) != 0:
		case node.Kind == dom.Text:
			b.WriteString(node.Data)
		case node.Space != dom.HTML || c.Tree.Has(n, "aria-label") || c.Tree.Has(n, "aria-labelledby") || strings.Contains(node.Data, "-"):
			return "" // only a rendering tells
		case node.Atom == atom.Img:
			alt, _ := c.Tree.Attr(n, "alt")
			b.WriteString(" " + alt + " ")
		}
		if b.Len() > maxLinkName {
			return ""
		}
	}
	if name := plainName(b.String()); name != "" {
		return name
	}
	title, _ := c.Tree.Attr(id, "title")
	return plainName(title)
}

// plainName leaves out what is not spoken: case, white space, arrows and dots around.
func plainName(s string) string {
	s = strings.ToLower(page.Collapse(s))
	return strings.TrimFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
}

func linkContext(c *page.Content, id dom.ID) dom.ID {
	for at := c.Tree.Node(id).Parent; at > dom.Root; at = c.Tree.Node(at).Parent {
		switch c.Tree.Node(at).Atom {
		case atom.Span, atom.B, atom.I, atom.Em, atom.Strong, atom.Small, atom.Font, atom.U:
			continue
		}
		return at
	}
	return dom.Root
}

var linkRules = []rule.Rule{
	{Info: check("link-not-descriptive", schema.SeveritySerious, "2.4.4", []string{"5effbb", "aizyf1"},
		"A link does not say where it leads, and nothing around it does",
		"Let the link's text name its target, or put the link into the sentence or list item that does.",
		words("Ein Link sagt nicht, wohin er führt, und auch nichts um ihn herum",
			"Den Linktext das Ziel nennen lassen, oder den Link in den Satz oder Listenpunkt setzen, der es nennt.",
			"Un enlace no dice adónde lleva, y tampoco lo que lo rodea",
			"Haga que el texto del enlace nombre su destino, o ponga el enlace en la frase o el elemento de lista que lo nombra.")),
		Run: nothingTold},
	{Info: asked(check(schema.RuleLinkSameName, schema.SeverityModerate, "2.4.4", []string{"fd3a94", "b20e66"},
		"Links with the same name side by side have different addresses",
		"Give each link a text that tells it from the others, unless both lead to the same content.",
		words("Links gleichen Namens nebeneinander haben verschiedene Adressen",
			"Jedem Link einen Text geben, der ihn von den anderen unterscheidet, es sei denn, beide führen zum selben Inhalt.",
			"Enlaces con el mismo nombre, uno junto a otro, tienen direcciones distintas",
			"Dé a cada enlace un texto que lo distinga de los demás, salvo que ambos lleven al mismo contenido."))),
		Run: func(c *page.Content) []rule.Hit { return sameNames(c, true) }},
	{Info: asked(beyond(schema.RuleLinkSameNameAlone, "2.4.9", []string{"b20e66"},
		"Links with the same name have different addresses",
		"Give each link a text that tells it from the others, unless both lead to the same content. Level AAA.",
		words("Links gleichen Namens haben verschiedene Adressen",
			"Jedem Link einen Text geben, der ihn von den anderen unterscheidet, es sei denn, beide führen zum selben Inhalt. Stufe AAA.",
			"Enlaces con el mismo nombre tienen direcciones distintas",
			"Dé a cada enlace un texto que lo distinga de los demás, salvo que ambos lleven al mismo contenido. Nivel AAA."))),
		Run: func(c *page.Content) []rule.Hit { return sameNames(c, false) }},
}

// beyond is a rule on a criterion of level AAA, which no law asks for.
func beyond(id, criterion string, act []string, title, help string, in map[string]rule.Words) rule.Info {
	return check(id, schema.SeverityInfo, criterion, act, title, help, in)
}

// asked makes a rule's hits questions for a person.
func asked(info rule.Info) rule.Info {
	info.Outcome = schema.FindingNeedsReview
	return info
}

// nothingTold finds links with words that fit any target and nothing around them
// that may tell more. Links with such words and more around are another rule's.
func nothingTold(c *page.Content) []rule.Hit {
	var hits []rule.Hit
	for _, l := range namedLinks(c) {
		if links.IsVague(l.name) && !toldAround(c, l) {
			hits = append(hits, rule.Hit{Node: l.node})
		}
	}
	return hits
}

// toldAround reports whether something else may say where a link leads: a
// description, a heading before it in the same part, words in its block.
func toldAround(c *page.Content, l namedLink) bool {
	if title, _ := c.Tree.Attr(l.node, "title"); c.Tree.Has(l.node, "aria-describedby") || (title != "" && plainName(title) != l.name) {
		return true
	}
	at := l.context
	for up := 0; up < 4 && at > dom.Root; up++ {
		n := c.Tree.Node(at)
		switch n.Atom {
		case atom.Body, atom.Main, atom.Html:
			return len(c.Headings) > 0 && c.Headings[0] < l.node
		case atom.Td, atom.Th:
			return true // its header cells may
		}
		if words := plainName(c.Tree.InnerText(at, 4*maxLinkName)); len(words) > len(l.name)+2 {
			return true
		}
		at = n.Parent
	}
	return true
}

// maxSameNames bounds the names told of on one page.
const maxSameNames = 20

// sameNames are links with the name of an earlier one and another address: one a
// name, in one context or in different ones.
func sameNames(c *page.Content, together bool) []rule.Hit {
	type key struct {
		name    string
		context dom.ID
	}
	first, told := map[key]namedLink{}, map[string]bool{}
	var hits []rule.Hit
	for _, l := range namedLinks(c) {
		k := key{l.name, 0}
		if together {
			k.context = l.context
		}
		if strings.IndexFunc(l.name, unicode.IsLetter) < 0 {
			continue // numbers of pages and notes
		}
		before, known := first[k]
		if !known {
			first[k] = l
			continue
		}
		if before.link.URL == l.link.URL || told[l.name] || (!together && before.context == l.context) || len(hits) >= maxSameNames {
			continue
		}
		told[l.name] = true
		hits = append(hits, rule.Hit{Node: l.node, Detail: schema.RedactAddress(before.link.URL) + schema.BetweenAddresses + schema.RedactAddress(l.link.URL)})
	}
	return hits
}
