// Package dom keeps the markup of a page as a flat tree: one slice of nodes and
// one of attributes, in document order, built from x/net/html's tokens.
//
// It follows the tree construction of the HTML Standard where that decides what
// belongs to what: the implied html, head and body, where a head ends, implied
// end tags, tables, lists, foreign content, templates. It leaves out what only
// concerns looks: unclosed formatting elements are not opened again, and
// misplaced table content follows its table instead of preceding it. In return
// a page costs time and memory in proportion to its length, whatever it is made
// of: neither deep nesting nor unclosed formatting can multiply nodes.
package dom

import (
	"iter"

	"golang.org/x/net/html/atom"
)

// ID names a node of a tree; Root is the document, None no node.
type ID int32

const (
	Root ID = 0
	None ID = -1
)

// Kind of a node.
type Kind uint8

const (
	Document Kind = iota
	Element
	Text
)

// Space is an element's namespace.
type Space uint8

const (
	HTML Space = iota
	SVG
	Math
)

// Flags tell how a node takes part in the page; each holds for all below it.
type Flags uint8

const (
	// Inert marks what is no part of the page: in a template.
	Inert Flags = 1 << iota
	// Hidden marks what is not shown, by the hidden attribute or an inline style.
	// Style sheets are not looked at.
	Hidden
	// Unspoken marks what assistive technology does not meet: aria-hidden.
	Unspoken
	// Mute marks what holds no running text: head, scripts, styles, form values.
	Mute
)

// Node is an element or a piece of text.
type Node struct {
	Parent, First, Last, Next ID
	Atom                      atom.Atom // 0 for names HTML does not know
	Data                      string    // name in lower case, or text
	Kind                      Kind
	Space                     Space
	Flags                     Flags
	depth                     uint16
	attrs                     int32
	nattrs                    int32
	nth, sameType             int32 // place among siblings of the same name, see selector.go
}

// Attr is one attribute, name in lower case, entities of the value decoded.
type Attr struct{ Name, Value string }

// Tree is a page's markup. Nodes stand in document order, parents before
// children.
type Tree struct {
	Nodes    []Node
	Head     ID
	Body     ID // frameset where the page has one
	HTMLRoot ID
	Doctype  bool
	Elements int  // counted even where Cut
	Cut      bool // not all markup is in the tree
	attrs    []Attr
	ids      map[string]int
}

// Node gives a node for reading.
func (t *Tree) Node(id ID) *Node { return &t.Nodes[id] }

// Attrs are an element's attributes in order, each name once.
func (t *Tree) Attrs(id ID) []Attr {
	n := &t.Nodes[id]
	return t.attrs[n.attrs : n.attrs+n.nattrs]
}

// Attr gives an attribute's value and whether it is there.
func (t *Tree) Attr(id ID, name string) (string, bool) {
	for _, a := range t.Attrs(id) {
		if a.Name == name {
			return a.Value, true
		}
	}
	return "", false
}

// Has reports whether an attribute is there.
func (t *Tree) Has(id ID, name string) bool {
	_, ok := t.Attr(id, name)
	return ok
}

// Is reports whether a node is the HTML element of that name.
func (t *Tree) Is(id ID, a atom.Atom) bool {
	n := &t.Nodes[id]
	return n.Kind == Element && n.Space == HTML && n.Atom == a
}

// Ancestor is the nearest HTML element of that name around a node, or None.
func (t *Tree) Ancestor(id ID, a atom.Atom) ID {
	for p := t.Nodes[id].Parent; p > Root; p = t.Nodes[p].Parent {
		if t.Is(p, a) {
			return p
		}
	}
	return None
}

// Below yields the nodes below id in document order.
func (t *Tree) Below(id ID) iter.Seq[ID] {
	return func(yield func(ID) bool) {
		for n := t.following(id, id); n != None; n = t.following(n, id) {
			if !yield(n) {
				return
			}
		}
	}
}

// following is the node after n in document order within top, or None.
func (t *Tree) following(n, top ID) ID {
	if first := t.Nodes[n].First; first != None {
		return first
	}
	for n != top {
		if next := t.Nodes[n].Next; next != None {
			return next
		}
		n = t.Nodes[n].Parent
	}
	return None
}

// Visit walks the tree below the root in document order, telling of each node
// when it is entered and, for elements, when it is left. enter returns false to
// pass over what is inside.
func (t *Tree) Visit(enter func(ID) bool, leave func(ID)) {
	n := t.Nodes[Root].First
	for n != None {
		if enter(n) && t.Nodes[n].First != None {
			n = t.Nodes[n].First
			continue
		}
		for {
			if t.Nodes[n].Kind == Element {
				leave(n)
			}
			if t.Nodes[n].Next != None {
				n = t.Nodes[n].Next
				break
			}
			n = t.Nodes[n].Parent
			if n == Root {
				return
			}
		}
	}
}

// InnerText joins the text below an element, at most about max bytes.
func (t *Tree) InnerText(id ID, max int) string {
	var out []byte
	for n := range t.Below(id) {
		if t.Nodes[n].Kind != Text {
			continue
		}
		if len(out) == 0 && t.Nodes[n].Next == None && t.Nodes[n].Parent == id {
			return cut(t.Nodes[n].Data, max) // the usual case: one piece
		}
		out = append(out, t.Nodes[n].Data...)
		if len(out) > max {
			break
		}
	}
	return cut(string(out), max)
}

func cut(s string, max int) string {
	if len(s) <= max {
		return s
	}
	for max > 0 && s[max]&0xc0 == 0x80 {
		max--
	}
	return s[:max]
}
