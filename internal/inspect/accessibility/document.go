package accessibility

import (
	"strconv"
	"strings"

	"golang.org/x/net/html/atom"
	"golang.org/x/text/language"

	"visite/internal/inspect/dom"
	"visite/internal/inspect/page"
	"visite/internal/inspect/rule"
)

func documentTitle(c *page.Content) []rule.Hit {
	if c.Title != "" || !c.Complete() {
		return nil
	}
	return rule.Page("")
}

func htmlHasLang(c *page.Content) []rule.Hit {
	if lang, _ := c.Tree.Attr(c.Tree.HTMLRoot, "lang"); strings.TrimSpace(lang) != "" || isFrameset(c) {
		return nil
	}
	return []rule.Hit{{Node: c.Tree.HTMLRoot}}
}

func isFrameset(c *page.Content) bool { return c.Tree.Is(c.Tree.Body, atom.Frameset) }

// htmlLangValid looks at the primary language alone, as the ACT rule does;
// regions are the search engines' concern.
func htmlLangValid(c *page.Content) []rule.Hit {
	lang, _ := c.Tree.Attr(c.Tree.HTMLRoot, "lang")
	if strings.TrimSpace(lang) == "" {
		return nil
	}
	primary, _, _ := strings.Cut(strings.TrimSpace(lang), "-")
	if _, err := language.ParseBase(primary); err == nil {
		return nil
	}
	return []rule.Hit{{Node: c.Tree.HTMLRoot}}
}

func metaViewport(c *page.Content) []rule.Hit {
	var hits []rule.Hit
	for _, m := range c.MetasNamed("viewport") {
		values := viewport(m.Content)
		if scalable, ok := values["user-scalable"]; ok && (scalable == "no" || scalable == "0") {
			hits = append(hits, rule.Hit{Node: m.Node, Detail: "user-scalable=" + scalable})
			continue
		}
		if scale, err := strconv.ParseFloat(values["maximum-scale"], 64); err == nil && scale >= 0 && scale < 2 {
			hits = append(hits, rule.Hit{Node: m.Node, Detail: "maximum-scale=" + strconv.FormatFloat(scale, 'f', -1, 64)})
		}
	}
	return hits
}

// viewport splits a viewport's content; the last of equal names counts.
func viewport(content string) map[string]string {
	values := map[string]string{}
	for part := range strings.FieldsFuncSeq(strings.ToLower(content), func(r rune) bool { return r == ',' || r == ';' }) {
		name, value, _ := strings.Cut(part, "=")
		values[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	return values
}

// longestDelay is beyond what the success criterion counts as a time limit.
const longestDelay = 20 * 60 * 60

func metaRefresh(c *page.Content) []rule.Hit {
	var hits []rule.Hit
	for _, r := range c.Refreshes {
		if r.Node != dom.None && r.Seconds > 0 && r.Seconds <= longestDelay {
			hits = append(hits, rule.Hit{Node: r.Node, Detail: strconv.Itoa(r.Seconds) + " s"})
		}
		break // browsers follow the first
	}
	return hits
}

func headingOrder(c *page.Content) []rule.Hit {
	var hits []rule.Hit
	last := 0
	for _, id := range c.Headings {
		n := c.Tree.Node(id)
		if n.Flags&dom.Hidden != 0 || c.Tree.Has(id, "role") || c.Tree.Has(id, "aria-level") {
			continue
		}
		level := dom.HeadingLevel(n.Atom)
		if last > 0 && level > last+1 {
			hits = append(hits, rule.Hit{Node: id, Detail: "h" + strconv.Itoa(last) + " to h" + strconv.Itoa(level)})
		}
		last = level
	}
	return hits
}
