package technical

import (
	"strconv"
	"strings"

	"golang.org/x/net/html/atom"

	"visite/internal/inspect/dom"
	"visite/internal/inspect/page"
	"visite/internal/inspect/rule"
)

// charsetLegacy takes what header or page declare; nothing is guessed.
func charsetLegacy(c *page.Content) []rule.Hit {
	if !c.Charset.Declared() || c.Charset.Name == "" || c.Charset.Name == "utf-8" {
		return nil
	}
	return rule.Page(c.Charset.Name)
}

// gone are elements the HTML Standard lists as entirely obsolete, but for plug-ins
// and for frame, which comes with its frameset.
var gone = map[atom.Atom]bool{
	atom.Acronym: true, atom.Bgsound: true, atom.Dir: true, atom.Noframes: true, atom.Isindex: true, atom.Keygen: true, atom.Listing: true, atom.Menuitem: true,
	atom.Noembed: true, atom.Plaintext: true, atom.Rb: true, atom.Rtc: true, atom.Strike: true, atom.Xmp: true, atom.Basefont: true,
	atom.Big: true, atom.Blink: true, atom.Center: true, atom.Font: true, atom.Marquee: true, atom.Nobr: true, atom.Spacer: true, atom.Tt: true, atom.Frameset: true,
}

// obsolete tells once of each element, with its number.
func obsolete(c *page.Content) []rule.Hit {
	var hits []rule.Hit
	count, at := map[atom.Atom]int{}, map[atom.Atom]int{}
	for id := range c.Tree.Below(dom.Root) {
		n := c.Tree.Node(id)
		if n.Kind != dom.Element || n.Space != dom.HTML || n.Flags&dom.Inert != 0 || !gone[n.Atom] {
			continue
		}
		if count[n.Atom]++; count[n.Atom] == 1 {
			at[n.Atom] = len(hits)
			hits = append(hits, rule.Hit{Node: id})
		}
	}
	for name, i := range at {
		hits[i].Detail = strconv.Itoa(count[name]) + " × " + name.String()
	}
	return hits
}

func plugins(c *page.Content) []rule.Hit {
	var hits []rule.Hit
	for id := range c.Tree.Below(dom.Root) {
		n := c.Tree.Node(id)
		if n.Kind != dom.Element || n.Space != dom.HTML || n.Flags&dom.Inert != 0 {
			continue
		}
		switch n.Atom {
		case atom.Applet:
			hits = append(hits, rule.Hit{Node: id, Detail: "Java"})
		case atom.Object, atom.Embed:
			if what := pluginOf(c, id); what != "" && !c.Tree.Is(n.Parent, atom.Object) {
				hits = append(hits, rule.Hit{Node: id, Detail: what})
			}
		}
	}
	return hits
}

func pluginOf(c *page.Content, id dom.ID) string {
	kind, _ := c.Tree.Attr(id, "type")
	data, _ := c.Tree.Attr(id, "data")
	src, _ := c.Tree.Attr(id, "src")
	file, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(data+src)), "?")
	kind = strings.ToLower(kind)
	switch {
	case strings.Contains(kind, "shockwave-flash"), strings.HasSuffix(file, ".swf"):
		return "Flash"
	case strings.Contains(kind, "silverlight"), strings.HasSuffix(file, ".xap"):
		return "Silverlight"
	case strings.Contains(kind, "java-applet"), strings.HasSuffix(file, ".class"):
		return "Java"
	}
	return ""
}

// idTwice tells once of a page. Drawings are left out: their parts are often
// copied with their ids, and nothing refers to those.
func idTwice(c *page.Content) []rule.Hit {
	seen, twice := map[string]int{}, dom.None
	several := 0
	for id := range c.Tree.Below(dom.Root) {
		n := c.Tree.Node(id)
		if n.Kind != dom.Element || n.Space != dom.HTML || n.Flags&dom.Inert != 0 {
			continue
		}
		v, ok := c.Tree.Attr(id, "id")
		if !ok || v == "" {
			continue
		}
		if seen[v]++; seen[v] == 2 {
			if several++; twice == dom.None {
				twice = id
			}
		}
	}
	if several == 0 {
		return nil
	}
	return []rule.Hit{{Node: twice, Detail: rule.Count(several, "id")}}
}

// baseMisplaced: what has an address before the base element, or a second base
// element, is read otherwise than it is written.
func baseMisplaced(c *page.Content) []rule.Hit {
	addressed, bases := false, 0
	for id := range c.Tree.Below(dom.Root) {
		n := c.Tree.Node(id)
		if n.Kind != dom.Element || n.Space != dom.HTML || n.Flags&dom.Inert != 0 {
			continue
		}
		if n.Atom != atom.Base {
			addressed = addressed || relative(c, id, "href") || relative(c, id, "src")
			continue
		}
		if !c.Tree.Has(id, "href") {
			continue
		}
		switch bases++; {
		case bases > 1:
			return []rule.Hit{{Node: id, Detail: "a second one"}}
		case addressed:
			return []rule.Hit{{Node: id, Detail: "after an address"}}
		}
	}
	return nil
}

// relative reports whether an attribute holds an address that a base changes.
func relative(c *page.Content, id dom.ID, attr string) bool {
	v, ok := c.Tree.Attr(id, attr)
	v = strings.TrimSpace(v)
	return ok && v != "" && !strings.Contains(v, ":") && !strings.HasPrefix(v, "//")
}

// cacheControl reads the response's directives. An age of nothing beside no-store
// is a common way of saying it twice.
func cacheControl(c *page.Content) []rule.Hit {
	said := map[string]bool{}
	aged := false
	for _, value := range c.Doc.Header("Cache-Control") {
		for part := range strings.SplitSeq(value, ",") {
			name, age, has := strings.Cut(strings.ToLower(strings.TrimSpace(part)), "=")
			name = strings.TrimSpace(name)
			said[name] = true
			if name != "max-age" && name != "s-maxage" {
				continue
			}
			n, err := strconv.ParseUint(strings.Trim(strings.TrimSpace(age), `"`), 10, 64)
			if !has || err != nil {
				return rule.Page("the age is no number")
			}
			aged = aged || n > 0
		}
	}
	switch {
	case said["public"] && said["private"]:
		return rule.Page("public and private")
	case said["no-store"] && aged:
		return rule.Page("no-store and an age")
	}
	return nil
}
