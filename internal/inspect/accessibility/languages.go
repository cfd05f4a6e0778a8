package accessibility

import (
	"strings"

	"golang.org/x/net/html/atom"
	xlanguage "golang.org/x/text/language"

	"visite/internal/inspect/dom"
	"visite/internal/inspect/language"
	"visite/internal/inspect/page"
	"visite/internal/inspect/rule"
	"visite/schema"
)

// languageRules hold the text against what the markup says its language is.
var languageRules = []rule.Rule{
	{Info: check("text-language", schema.SeveritySerious, "3.1.1", []string{"ucwvc8"},
		"The page's text is in another language than it says",
		"Name the language the text is in with the lang attribute of the html element; programs that read aloud go by it.",
		words("Der Text der Seite ist in einer anderen Sprache, als sie angibt",
			"Im lang-Attribut des html-Elements die Sprache nennen, in der der Text steht; Vorleseprogramme richten sich danach.",
			"El texto de la página está en un idioma distinto del que indica",
			"Indique en el atributo lang del elemento html el idioma del texto; los programas que leen en voz alta se guían por él.")), Run: textLanguage},
	{Info: check("part-language", schema.SeverityModerate, "3.1.2", []string{"off6ek"},
		"A part is in another language than its markup says",
		"Correct the lang attribute of the part, or take it away where the part is in the page's language.",
		words("Ein Teil ist in einer anderen Sprache, als sein Markup angibt",
			"Das lang-Attribut des Teils berichtigen, oder es weglassen, wo der Teil in der Sprache der Seite steht.",
			"Una parte está en un idioma distinto del que indica su marcado",
			"Corrija el atributo lang de la parte, o quítelo si la parte está en el idioma de la página.")), Run: partLanguage},
}

// maxParts bounds the parts with a language of their own that are read.
const maxParts = 200

// spoken reads a page's text apart by the elements whose lang attribute holds for it.
func spoken(c *page.Content) map[dom.ID]*language.Reader {
	readers := map[dom.ID]*language.Reader{}
	stack := []dom.ID{dom.None}
	reader := func(text string) {
		at := stack[len(stack)-1]
		if readers[at] == nil {
			if len(readers) > maxParts {
				return
			}
			readers[at] = &language.Reader{}
		}
		readers[at].Add(text)
	}
	c.Tree.Visit(func(id dom.ID) bool {
		n := c.Tree.Node(id)
		if n.Kind == dom.Text {
			if n.Flags&(dom.Mute|dom.Hidden) == 0 {
				reader(n.Data)
			}
			return true
		}
		at := stack[len(stack)-1]
		if c.Tree.Has(id, "lang") {
			at = id
		}
		stack = append(stack, at)
		if n.Atom == atom.Img && n.Flags&dom.Hidden == 0 {
			alt, _ := c.Tree.Attr(id, "alt")
			reader(alt)
		}
		return !foreignWords(c, id, n)
	}, func(dom.ID) { stack = stack[:len(stack)-1] })
	return readers
}

// foreignWords tells of text that is in no language, or in one on purpose.
func foreignWords(c *page.Content, id dom.ID, n *dom.Node) bool {
	switch n.Atom {
	case atom.Code, atom.Pre, atom.Kbd, atom.Samp, atom.Var, atom.Math:
		return true
	}
	translate, _ := c.Tree.Attr(id, "translate")
	return n.Flags&dom.Inert != 0 || strings.EqualFold(strings.TrimSpace(translate), "no")
}

func textLanguage(c *page.Content) []rule.Hit {
	r := spoken(c)[c.Tree.HTMLRoot]
	return inAnother(c, c.Tree.HTMLRoot, r)
}

func partLanguage(c *page.Content) []rule.Hit {
	var hits []rule.Hit
	readers := spoken(c)
	for id := range dom.ID(len(c.Tree.Nodes)) { // in the order of the document
		if r := readers[id]; r != nil && id != c.Tree.HTMLRoot {
			hits = append(hits, inAnother(c, id, r)...)
		}
	}
	return hits
}

// inAnother is a hit where a text is plainly not in the language its element names.
func inAnother(c *page.Content, id dom.ID, r *language.Reader) []rule.Hit {
	if r == nil {
		return nil
	}
	lang, _ := c.Tree.Attr(id, "lang")
	primary, _, _ := strings.Cut(strings.TrimSpace(lang), "-")
	base, err := xlanguage.ParseBase(primary)
	if err != nil {
		return nil // no language at all: another rule's concern
	}
	verdict, found := r.Judge(lang)
	if verdict != language.Other {
		return nil
	}
	if found == "" {
		found = "a language in other letters"
	}
	return []rule.Hit{{Node: id, Detail: "said to be " + base.String() + ", seems to be " + found}}
}
