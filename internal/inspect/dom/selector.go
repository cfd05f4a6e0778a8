package dom

import (
	"slices"
	"strconv"
	"strings"
)

// maxSelectorSteps bounds a selector's length; deeper elements are told by the
// last steps alone.
const maxSelectorSteps = 40

// maxIdentifier bounds an id or name used in a selector, in bytes.
const maxIdentifier = 60

// Selector is a CSS selector that leads to an element: names, places among
// siblings, and an id where it is unique and looks like an identifier, never
// another attribute. Empty for no element.
func (t *Tree) Selector(id ID) string {
	if id <= Root || int(id) >= len(t.Nodes) {
		return ""
	}
	var steps []string
	for n := id; n > Root && len(steps) < maxSelectorSteps; n = t.Nodes[n].Parent {
		if t.Nodes[n].Kind != Element {
			continue
		}
		if name, ok := t.uniqueID(n); ok {
			steps = append(steps, "#"+name)
			break
		}
		steps = append(steps, t.step(n))
	}
	slices.Reverse(steps)
	return strings.Join(steps, " > ")
}

func (t *Tree) uniqueID(n ID) (string, bool) {
	name, _ := t.Attr(n, "id")
	if !isIdentifier(name) {
		return "", false
	}
	if t.ids == nil {
		t.countIDs()
	}
	return name, t.ids[name] == 1
}

// HasID reports whether an element has that id.
func (t *Tree) HasID(id string) bool {
	if t.ids == nil {
		t.countIDs()
	}
	return t.ids[id] > 0
}

func (t *Tree) countIDs() {
	t.ids = map[string]int{}
	for i := range t.Nodes {
		if t.Nodes[i].nattrs == 0 {
			continue
		}
		if name, ok := t.Attr(ID(i), "id"); ok {
			t.ids[name]++
		}
	}
}

// step is one element among its siblings.
func (t *Tree) step(n ID) string {
	node := &t.Nodes[n]
	if node.nth == 0 {
		t.countSiblings(node.Parent)
	}
	if !isIdentifier(node.Data) {
		return ":nth-child(" + strconv.Itoa(t.childIndex(n)) + ")"
	}
	if node.sameType == 1 {
		return node.Data
	}
	return node.Data + ":nth-of-type(" + strconv.Itoa(int(node.nth)) + ")"
}

// countSiblings gives all children of a node their places at once, so that many
// findings in one long list cost no more than the list.
func (t *Tree) countSiblings(parent ID) {
	counts := map[string]int32{}
	for c := t.Nodes[parent].First; c != None; c = t.Nodes[c].Next {
		if n := &t.Nodes[c]; n.Kind == Element {
			counts[n.Data]++
			n.nth = counts[n.Data]
		}
	}
	for c := t.Nodes[parent].First; c != None; c = t.Nodes[c].Next {
		if n := &t.Nodes[c]; n.Kind == Element {
			n.sameType = counts[n.Data]
		}
	}
}

func (t *Tree) childIndex(n ID) int {
	index := 0
	for c := t.Nodes[t.Nodes[n].Parent].First; c != None; c = t.Nodes[c].Next {
		if t.Nodes[c].Kind == Element {
			index++
		}
		if c == n {
			break
		}
	}
	return index
}

// isIdentifier reports whether a name can stand in a selector as it is and is
// too short to be prose.
func isIdentifier(s string) bool {
	if s == "" || len(s) > maxIdentifier {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_'
		if !letter && (i == 0 || (c != '-' && (c < '0' || c > '9'))) {
			return false
		}
	}
	return true
}
