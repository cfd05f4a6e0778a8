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
		if value, ok := values["user-scalable"]; ok && !scalable(value) {
			hits = append(hits, rule.Hit{Node: m.Node, Detail: "user-scalable=" + shown(value)})
		} else if value, ok := values["maximum-scale"]; ok && value != "" && scaleOf(value) < enoughZoom {
			hits = append(hits, rule.Hit{Node: m.Node, Detail: "maximum-scale=" + shown(value)})
		}
	}
	return hits
}

// enoughZoom is 200 percent, what WCAG 1.4.4 asks for.
const enoughZoom = 2

// viewport splits a viewport's content; the last of equal names counts.
func viewport(content string) map[string]string {
	values := map[string]string{}
	for part := range strings.FieldsFuncSeq(strings.ToLower(content), func(r rune) bool { return r == ',' || r == ';' }) {
		name, value, _ := strings.Cut(part, "=")
		values[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	return values
}

// scalable reads user-scalable as browsers do (CSS Device Adaptation, section
// "viewport META element"): words they do not know mean no.
func scalable(value string) bool {
	switch value {
	case "yes", "device-width", "device-height", "":
		return true
	}
	n := leadingNumber(value)
	return n >= 1 || n <= -1
}

// scaleOf reads a scale likewise: "yes" is 1, a device measure 10, a word 0; a
// negative number means nothing, which leaves people free.
func scaleOf(value string) float64 {
	switch value {
	case "yes":
		return 1
	case "device-width", "device-height":
		return 10
	}
	if n := leadingNumber(value); n >= 0 {
		return n
	}
	return 10
}

// leadingNumber is the number a value begins with, 0 for none.
func leadingNumber(s string) float64 {
	end := len(s) - len(strings.TrimLeft(s, "+-.0123456789"))
	n, err := strconv.ParseFloat(s[:end], 64)
	if err != nil {
		return 0
	}
	return n
}

// shown is a value as it may be recorded: a number or a known word.
func shown(value string) string {
	if value == "no" || value == "yes" || (len(value) <= 8 && strings.Trim(value, "+-.0123456789") == "") {
		return value
	}
	return "(not a number)"
}

// longestDelay is beyond what the success criterion counts as a time limit.
const longestDelay = 20 * 60 * 60

func metaRefresh(c *page.Content) []rule.Hit {
	if len(c.Refreshes) == 0 {
		return nil
	}
	r := c.Refreshes[0] // browsers follow the first
	if r.Node == dom.None || r.Seconds <= 0 || r.Seconds > longestDelay {
		return nil
	}
	return []rule.Hit{{Node: r.Node, Detail: strconv.Itoa(r.Seconds) + " s"}}
}

// refreshLate is what the success criterion of level AAA counts in addition: any
// delay, however long.
func refreshLate(c *page.Content) []rule.Hit {
	if len(c.Refreshes) == 0 || c.Refreshes[0].Node == dom.None || c.Refreshes[0].Seconds <= longestDelay {
		return nil
	}
	return []rule.Hit{{Node: c.Refreshes[0].Node, Detail: strconv.Itoa(c.Refreshes[0].Seconds) + " s"}}
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
