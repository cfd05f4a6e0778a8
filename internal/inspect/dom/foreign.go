package dom

import (
	"bytes"
	"strings"

	"golang.org/x/net/html/atom"
)

// inForeign reports whether a start tag below node is SVG or MathML.
func (b *builder) inForeign(top ID, a atom.Atom) bool {
	n := &b.t.Nodes[top]
	if n.Space == HTML {
		return false
	}
	if n.Space == Math && (a == atom.Mglyph || a == atom.Malignmark) {
		return true
	}
	return !b.integrates(top) || (n.Data == "annotation-xml" && a == atom.Svg)
}

// integrates reports whether HTML may stand inside a foreign element.
func (b *builder) integrates(id ID) bool {
	n := &b.t.Nodes[id]
	if n.Space == SVG {
		return n.Data == "foreignobject" || n.Data == "desc" || n.Data == "title"
	}
	if n.Space == Math && n.Data == "annotation-xml" {
		encoding, _ := b.t.Attr(id, "encoding")
		return strings.EqualFold(encoding, "text/html") || strings.EqualFold(encoding, "application/xhtml+xml")
	}
	return n.Space == Math && (n.Data == "mi" || n.Data == "mo" || n.Data == "mn" || n.Data == "ms" || n.Data == "mtext")
}

// foreign adds a foreign element. Its text is never raw, whatever its name.
func (b *builder) foreign(a atom.Atom, name string, more, selfClosing bool) {
	space := b.t.Nodes[b.top()].Space
	if selfClosing {
		b.leaf(a, name, space, more)
	} else {
		b.push(a, name, space, more)
	}
	b.z.NextIsNotRawText()
}

// endForeign closes a foreign element; false where the end tag is meant for HTML
// around it.
func (b *builder) endForeign(a atom.Atom, raw []byte) bool {
	if a == atom.P || a == atom.Br {
		for b.t.Nodes[b.top()].Space != HTML && !b.integrates(b.top()) {
			b.pop()
		}
		return false
	}
	for i, steps := len(b.stack)-1, 0; i > 0 && steps < maxScopeSteps; i, steps = i-1, steps+1 {
		n := &b.t.Nodes[b.stack[i]]
		if n.Space == HTML {
			return false
		}
		if bytes.EqualFold([]byte(n.Data), raw) {
			b.popTo(i)
			return true
		}
	}
	return true
}

// breaksOut lists the HTML start tags that end foreign content.
func breaksOut(a atom.Atom) bool {
	switch a {
	case atom.B, atom.Big, atom.Blockquote, atom.Body, atom.Br, atom.Center, atom.Code, atom.Dd, atom.Div, atom.Dl, atom.Dt, atom.Em, atom.Embed,
		atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Head, atom.Hr, atom.I, atom.Img, atom.Li, atom.Listing, atom.Menu, atom.Meta,
		atom.Nobr, atom.Ol, atom.P, atom.Pre, atom.Ruby, atom.S, atom.Small, atom.Span, atom.Strong, atom.Strike, atom.Sub, atom.Sup, atom.Table,
		atom.Tt, atom.U, atom.Ul, atom.Var:
		return true
	}
	return false
}
