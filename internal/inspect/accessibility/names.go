package accessibility

import (
	"strings"

	"golang.org/x/net/html/atom"

	"visite/internal/inspect/dom"
	"visite/internal/inspect/page"
	"visite/internal/inspect/rule"
	"visite/schema"
)

// ignored reports whether assistive technology may not meet an element at all:
// hidden, or with a role of its own, which changes what it must have.
func ignored(c *page.Content, id dom.ID) bool {
	return c.Tree.Node(id).Flags&(dom.Hidden|dom.Unspoken) != 0 || c.Tree.Has(id, "role")
}

// named reports whether attributes give an element a name. A reference to another
// element counts where that exists; what it says, only a rendering tells.
func named(c *page.Content, id dom.ID, more string) bool {
	for _, a := range c.Tree.Attrs(id) {
		switch a.Name {
		case "aria-label", "title", more:
			if strings.TrimSpace(a.Value) != "" {
				return true
			}
		case "aria-labelledby":
			for ref := range strings.FieldsSeq(a.Value) {
				if c.Tree.HasID(ref) {
					return true
				}
			}
		}
	}
	return false
}

func imageAlt(c *page.Content) []rule.Hit {
	var hits []rule.Hit
	for _, id := range c.Images {
		alt, has := c.Tree.Attr(id, "alt")
		blank := has && alt != "" && strings.TrimSpace(alt) == "" // neither words nor decoration
		if (has && !blank) || ignored(c, id) || named(c, id, "") {
			continue
		}
		hit := rule.Hit{Node: id}
		if tiny(c, id) {
			hit.Outcome = schema.FindingNeedsReview // most likely a counting pixel
		}
		hits = append(hits, hit)
	}
	return hits
}

func tiny(c *page.Content, id dom.ID) bool {
	for _, attr := range [...]string{"width", "height"} {
		if v, ok := c.Tree.Attr(id, attr); ok && (v == "0" || v == "1") {
			return true
		}
	}
	return false
}

func inputImageAlt(c *page.Content) []rule.Hit {
	var hits []rule.Hit
	for _, id := range c.Controls {
		if inputType(c, id) != "image" || ignored(c, id) || named(c, id, "alt") {
			continue
		}
		hits = append(hits, rule.Hit{Node: id})
	}
	return hits
}

func inputType(c *page.Content, id dom.ID) string {
	if !c.Tree.Is(id, atom.Input) {
		return ""
	}
	kind, _ := c.Tree.Attr(id, "type")
	return strings.ToLower(strings.TrimSpace(kind))
}

func areaAlt(c *page.Content) []rule.Hit {
	var hits []rule.Hit
	for _, id := range c.Anchors {
		if c.Tree.Is(id, atom.Area) && !ignored(c, id) && !named(c, id, "alt") {
			hits = append(hits, rule.Hit{Node: id})
		}
	}
	return hits
}

func linkName(c *page.Content) []rule.Hit {
	return nameless(c, c.Anchors, atom.A)
}

func buttonName(c *page.Content) []rule.Hit {
	return nameless(c, c.Buttons, atom.Button)
}

// nameless finds elements that get their name from what is in them and have
// nothing in them that could be one.
func nameless(c *page.Content, ids []dom.ID, a atom.Atom) []rule.Hit {
	var hits []rule.Hit
	labels := labelsOf(c)
	for _, id := range ids {
		if !c.Tree.Is(id, a) || ignored(c, id) || named(c, id, "") || (a == atom.Button && labels.has(c, id)) {
			continue
		}
		if what := inside(c, id); what != somethingNamed {
			hit := rule.Hit{Node: id}
			if what == somethingUnknown {
				hit.Outcome = schema.FindingNeedsReview
			}
			hits = append(hits, hit)
		}
	}
	return hits
}

type insideKind int

const (
	nothing          insideKind = iota
	somethingUnknown            // elements that may show something only a rendering tells
	somethingNamed
)

// maxInside bounds the search for a name; who needs more has one.
const maxInside = 500

// inside looks for a name in an element's content.
func inside(c *page.Content, id dom.ID) insideKind {
	found, steps := nothing, 0
	for n := range c.Tree.Below(id) {
		if steps++; steps > maxInside {
			return somethingNamed
		}
		node := c.Tree.Node(n)
		switch {
		case node.Flags&(dom.Hidden|dom.Inert) != 0:
		case node.Kind == dom.Text:
			if strings.TrimSpace(node.Data) != "" {
				return somethingNamed // text in a style or script is not kept in the tree
			}
		case node.Space != dom.HTML:
			if found == nothing && node.Data != "svg" && node.Data != "path" && node.Data != "g" {
				found = somethingUnknown
			}
			if named(c, n, "") {
				return somethingNamed
			}
		case named(c, n, "alt"):
			return somethingNamed
		case node.Atom != atom.Img && node.Atom != atom.Br && node.Atom != atom.Span && node.Atom != atom.Div:
			found = somethingUnknown // icon fonts, slots, objects
		case node.Atom != atom.Img && c.Tree.Has(n, "class"):
			found = somethingUnknown
		}
	}
	return found
}

func fieldLabel(c *page.Content) []rule.Hit {
	var hits []rule.Hit
	labels := labelsOf(c)
	for _, id := range c.Controls {
		switch inputType(c, id) {
		case "hidden", "submit", "reset", "button", "image":
			continue
		}
		if ignored(c, id) || named(c, id, "placeholder") || labels.has(c, id) || isTrapField(c, id) {
			continue
		}
		hits = append(hits, rule.Hit{Node: id})
	}
	return hits
}

// isTrapField: fields out of reach of the keyboard are there to catch machines.
func isTrapField(c *page.Content, id dom.ID) bool {
	index, _ := c.Tree.Attr(id, "tabindex")
	return strings.HasPrefix(strings.TrimSpace(index), "-")
}

// labels are the label elements that have anything in them.
type labels struct {
	around map[dom.ID]bool
	named  map[string]bool // ids they refer to
}

func labelsOf(c *page.Content) labels {
	l := labels{around: map[dom.ID]bool{}, named: map[string]bool{}}
	for _, id := range c.Labels {
		if inside(c, id) == nothing {
			continue
		}
		l.around[id] = true
		if target, _ := c.Tree.Attr(id, "for"); target != "" {
			l.named[target] = true
		}
	}
	return l
}

// has reports whether a label belongs to a field, by reference or around it.
func (l labels) has(c *page.Content, id dom.ID) bool {
	if l.around[c.Tree.Ancestor(id, atom.Label)] {
		return true
	}
	own, _ := c.Tree.Attr(id, "id")
	return own != "" && l.named[own]
}

func frameTitle(c *page.Content) []rule.Hit {
	var hits []rule.Hit
	for _, id := range c.Frames {
		if ignored(c, id) || named(c, id, "") || tiny(c, id) || isTrapField(c, id) {
			continue
		}
		hits = append(hits, rule.Hit{Node: id})
	}
	return hits
}
