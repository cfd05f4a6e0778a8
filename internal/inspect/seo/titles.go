package seo

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"

	"visite/internal/inspect/dom"
	"visite/internal/inspect/page"
	"visite/internal/inspect/rule"
	"visite/schema"
)

// Lengths by convention, in half-width characters: what fits into a result list.
const (
	titleLong        = 60
	titleShort       = 10
	descriptionLong  = 160
	descriptionShort = 50
)

func titleRules() []rule.Rule {
	return []rule.Rule{
		of("title-missing", schema.SeveritySerious, "The page has no title",
			"Give the page a title element in its head, with words of its own.", rule.SearchEngine, googleTitles, titleMissing),
		of("title-several", schema.SeverityMinor, "The page has more than one title",
			"Leave one title element in the head; only the first counts.", rule.Standard, "HTML Standard, the title element", titleSeveral),
		of("title-long", schema.SeverityInfo, "The title is longer than search results show",
			"Put what matters into the first 60 characters.", rule.Convention, "common audit threshold of 60 characters", titleTooLong),
		of("title-short", schema.SeverityInfo, "The title is very short",
			"Say what the page is about and whose it is.", rule.Convention, "common audit threshold", titleTooShort),
		of("title-placeholder", schema.SeverityModerate, "The title is one that an editor or framework puts in",
			"Say what the page is about and whose it is.", rule.SearchEngine, googleTitles, titlePlaceholder),
		of("title-repeats", schema.SeverityMinor, "The title says the same word again and again",
			"Say it once; search engines may write another title otherwise.", rule.SearchEngine, googleTitles, titleRepeats),
		of("description-missing", schema.SeverityMinor, "The page has no description",
			"Add a meta element named description that sums the page up in a sentence or two.", rule.SearchEngine, googleSnippets, descriptionMissing),
		of("description-several", schema.SeverityMinor, "The page has more than one description",
			"Leave one meta element named description.", rule.Standard, "HTML Standard, standard metadata names: description", descriptionSeveral),
		of("description-long", schema.SeverityInfo, "The description is longer than search results show",
			"Put what matters into the first 160 characters.", rule.Convention, "common audit threshold of 160 characters", descriptionTooLong),
		of("description-short", schema.SeverityInfo, "The description is very short",
			"Say in a sentence or two what people find on the page.", rule.Convention, "common audit threshold of 50 characters", descriptionTooShort),
		of("description-is-title", schema.SeverityInfo, "The description says nothing but the title",
			"Say in a sentence or two what people find on the page.", rule.SearchEngine, googleSnippets, descriptionIsTitle),
	}
}

func titleMissing(c *page.Content) []rule.Hit {
	if c.Title != "" || !c.Complete() {
		return nil
	}
	if len(c.Titles) > 0 {
		return []rule.Hit{{Node: c.Titles[0], Detail: "empty"}}
	}
	return rule.Page("")
}

func titleSeveral(c *page.Content) []rule.Hit {
	if len(c.Titles) < 2 {
		return nil
	}
	return []rule.Hit{{Node: c.Titles[1], Detail: strconv.Itoa(len(c.Titles)) + " title elements"}}
}

func titleTooLong(c *page.Content) []rule.Hit {
	return tooLong(c.Title, titleLong, firstOf(c.Titles))
}

func titleTooShort(c *page.Content) []rule.Hit {
	return tooShort(c.Title, titleShort, firstOf(c.Titles))
}

func firstOf(ids []dom.ID) dom.ID {
	if len(ids) == 0 {
		return dom.None
	}
	return ids[0]
}

func tooLong(s string, limit int, at dom.ID) []rule.Hit {
	if n := columns(s); n > limit {
		return []rule.Hit{{Node: at, Detail: rule.Count(n, "character")}}
	}
	return nil
}

func tooShort(s string, limit int, at dom.ID) []rule.Hit {
	if n := columns(s); n > 0 && n < limit {
		return []rule.Hit{{Node: at, Detail: rule.Count(n, "character")}}
	}
	return nil
}

// columns counts characters, wide ones of East Asian scripts twice.
func columns(s string) int {
	n := 0
	for _, r := range s {
		n++
		if k := width.LookupRune(r).Kind(); k == width.EastAsianWide || k == width.EastAsianFullwidth {
			n++
		}
	}
	return n
}

func descriptionMissing(c *page.Content) []rule.Hit {
	if c.Description != "" || !c.Complete() {
		return nil
	}
	if all := c.MetasNamed("description"); len(all) > 0 {
		return []rule.Hit{{Node: all[0].Node, Detail: "empty"}}
	}
	return rule.Page("")
}

func descriptionSeveral(c *page.Content) []rule.Hit {
	all := c.MetasNamed("description")
	if len(all) < 2 {
		return nil
	}
	return []rule.Hit{{Node: all[1].Node, Detail: strconv.Itoa(len(all)) + " descriptions"}}
}

func descriptionTooLong(c *page.Content) []rule.Hit {
	return tooLong(c.Description, descriptionLong, descriptionNode(c))
}

func descriptionTooShort(c *page.Content) []rule.Hit {
	return tooShort(c.Description, descriptionShort, descriptionNode(c))
}

func descriptionNode(c *page.Content) dom.ID {
	for _, m := range c.Metas {
		if m.Name == "description" && page.Collapse(m.Content) != "" {
			return m.Node
		}
	}
	return dom.None
}

// placeholders are titles that editors and frameworks begin with.
var placeholders = map[string]bool{
	"untitled": true, "untitled document": true, "untitled page": true, "document": true, "new page": true, "new page 1": true, "page title": true, "title": true,
	"your title here": true, "insert title here": true, "react app": true, "vite app": true, "vite + react": true, "vite + react + ts": true, "vite + vue": true,
	"vue app": true, "nuxt app": true, "next app": true, "create next app": true, "angular app": true, "unbenannt": true, "unbenanntes dokument": true,
	"unbenannte seite": true, "neue seite": true, "seitentitel": true, "sin título": true, "documento sin título": true, "página sin título": true,
	"nueva página": true, "título de la página": true,
}

func titlePlaceholder(c *page.Content) []rule.Hit {
	if !placeholders[strings.ToLower(c.Title)] {
		return nil
	}
	return []rule.Hit{{Node: firstOf(c.Titles)}}
}

// titleRepeats counts words of four letters and more, so that "of" may come often.
func titleRepeats(c *page.Content) []rule.Hit {
	count, most := map[string]int{}, 0
	for word := range strings.FieldsFuncSeq(strings.ToLower(c.Title), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if utf8.RuneCountInString(word) >= 4 {
			count[word]++
			most = max(most, count[word])
		}
	}
	if most < 3 {
		return nil
	}
	return []rule.Hit{{Node: firstOf(c.Titles), Detail: "one word " + strconv.Itoa(most) + " times"}}
}

func descriptionIsTitle(c *page.Content) []rule.Hit {
	if c.Title == "" || !strings.EqualFold(c.Title, c.Description) {
		return nil
	}
	return []rule.Hit{{Node: descriptionNode(c)}}
}
