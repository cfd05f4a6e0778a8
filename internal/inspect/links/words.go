package links

import (
	"strings"
	"unicode"

	"visite/internal/inspect/dom"
	"visite/internal/inspect/page"
	"visite/internal/inspect/rule"
)

// vagueWords say nothing of where a link leads, in the languages of our reports.
var vagueWords = wordSet(
	"click here", "click this", "click", "here", "right here", "this", "link", "this link", "go", "more", "read more", "see more", "learn more", "more info",
	"more information", "read on", "continue reading", "details", "start",
	"click me", "this page", "page", "find out more", "more details", "view more", "continue",
	"hier", "hier klicken", "klicken sie hier", "klick hier", "klicken", "mehr", "mehr lesen", "mehr erfahren", "mehr dazu", "mehr infos", "mehr informationen",
	"weiterlesen", "weiter lesen", "weitere informationen", "weitere infos", "dieser link",
	"aquí", "aqui", "haga clic aquí", "haz clic aquí", "clic aquí", "pulse aquí", "pincha aquí", "más", "leer más", "ver más", "saber más", "más información",
	"más info", "seguir leyendo", "enlace", "este enlace", "detalles",
)

func wordSet(words ...string) map[string]bool {
	out := make(map[string]bool, len(words))
	for _, w := range words {
		out[w] = true
	}
	return out
}

// IsVague reports whether a link's name, in lower case, fits any target.
func IsVague(name string) bool { return vagueWords[name] }

// vague finds links whose text alone says nothing. A name by another way (label,
// picture) is left to the accessibility rules.
func vague(c *page.Content) []rule.Hit {
	var hits []rule.Hit
	for _, id := range c.Anchors {
		if c.Tree.Node(id).Flags&(dom.Hidden|dom.Unspoken) != 0 || c.Tree.Has(id, "aria-label") || c.Tree.Has(id, "aria-labelledby") || c.Tree.Has(id, "title") {
			continue
		}
		if href, _ := c.Tree.Attr(id, "href"); strings.HasPrefix(strings.TrimSpace(href), "#") {
			continue
		}
		text := page.Collapse(c.Tree.InnerText(id, 100))
		text = strings.ToLower(strings.TrimFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }))
		if vagueWords[text] {
			hits = append(hits, rule.Hit{Node: id})
		}
	}
	return hits
}
