package dom

import "golang.org/x/net/html/atom"

// scope is how far up the open elements a search may look (HTML Standard, "has
// an element in scope").
type scope uint8

const (
	scopeDefault scope = iota
	scopeButton
	scopeList
	scopeTable
	scopeFormat // down to the last marker of the formatting elements
	scopeAll
)

// find is the stack index of the nearest open element of one of the names within
// the scope, or -1.
func (b *builder) find(s scope, names ...atom.Atom) int {
	for i, steps := len(b.stack)-1, 0; i > 0 && steps < maxScopeSteps; i, steps = i-1, steps+1 {
		n := &b.t.Nodes[b.stack[i]]
		if n.Space == HTML {
			for _, a := range names {
				if n.Atom == a {
					return i
				}
			}
			if s.ends(n.Atom) {
				return -1
			}
		} else if s != scopeAll && s != scopeTable && b.integrates(b.stack[i]) {
			return -1
		}
	}
	return -1
}

// findAbove is the stack index of the nearest of the names above index i, or -1.
func (b *builder) findAbove(i int, names ...atom.Atom) int {
	for j, steps := len(b.stack)-1, 0; j > i && steps < maxScopeSteps; j, steps = j-1, steps+1 {
		for _, a := range names {
			if b.t.Is(b.stack[j], a) {
				return j
			}
		}
	}
	return -1
}

func (s scope) ends(a atom.Atom) bool {
	switch a {
	case atom.Template:
		return s != scopeAll
	case atom.Table:
		return s != scopeAll && s != scopeFormat
	case atom.Applet, atom.Caption, atom.Td, atom.Th, atom.Marquee, atom.Object:
		return s != scopeAll && s != scopeTable
	case atom.Button:
		return s == scopeButton
	case atom.Ol, atom.Ul:
		return s == scopeList
	}
	return false
}

// closesP lists the start tags that end an open paragraph.
func closesP(a atom.Atom) bool {
	switch a {
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Center, atom.Details, atom.Dialog, atom.Dir, atom.Div, atom.Dl,
		atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer, atom.Header, atom.Hgroup, atom.Main, atom.Menu, atom.Nav, atom.Ol, atom.P,
		atom.Search, atom.Section, atom.Summary, atom.Ul, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Pre, atom.Listing,
		atom.Plaintext, atom.Xmp, atom.Table:
		return true
	}
	return false
}

func isVoid(a atom.Atom) bool {
	switch a {
	case atom.Area, atom.Base, atom.Basefont, atom.Bgsound, atom.Br, atom.Col, atom.Embed, atom.Frame, atom.Hr, atom.Img, atom.Input, atom.Keygen,
		atom.Link, atom.Meta, atom.Param, atom.Source, atom.Track, atom.Wbr:
		return true
	}
	return false
}

// isSpecial is the HTML Standard's "special" category.
func isSpecial(a atom.Atom) bool {
	switch a {
	case atom.Applet, atom.Area, atom.Base, atom.Basefont, atom.Bgsound, atom.Body, atom.Br, atom.Button, atom.Caption, atom.Col, atom.Colgroup,
		atom.Dd, atom.Dt, atom.Embed, atom.Form, atom.Frame, atom.Frameset, atom.Head, atom.Hr, atom.Html, atom.Iframe, atom.Img, atom.Input,
		atom.Keygen, atom.Li, atom.Link, atom.Marquee, atom.Meta, atom.Noembed, atom.Noframes, atom.Noscript, atom.Object, atom.Param, atom.Script,
		atom.Select, atom.Source, atom.Style, atom.Tbody, atom.Td, atom.Template, atom.Textarea, atom.Tfoot, atom.Th, atom.Thead, atom.Title,
		atom.Tr, atom.Track, atom.Wbr:
		return true
	}
	return closesP(a)
}

func isHeading(t *Tree, id ID) bool {
	n := &t.Nodes[id]
	return n.Space == HTML && HeadingLevel(n.Atom) > 0
}

// HeadingLevel is 1 to 6 for h1 to h6, 0 otherwise.
func HeadingLevel(a atom.Atom) int {
	switch a {
	case atom.H1:
		return 1
	case atom.H2:
		return 2
	case atom.H3:
		return 3
	case atom.H4:
		return 4
	case atom.H5:
		return 5
	case atom.H6:
		return 6
	}
	return 0
}

// hasImpliedEnd: elements whose end tags may be left out.
func hasImpliedEnd(t *Tree, id ID) bool {
	n := &t.Nodes[id]
	if n.Space != HTML {
		return false
	}
	switch n.Atom {
	case atom.Dd, atom.Dt, atom.Li, atom.Optgroup, atom.Option, atom.P, atom.Rb, atom.Rp, atom.Rt, atom.Rtc:
		return true
	}
	return false
}

func inTableItself(t *Tree, id ID) bool {
	n := &t.Nodes[id]
	if n.Space != HTML {
		return false
	}
	switch n.Atom {
	case atom.Table, atom.Tbody, atom.Thead, atom.Tfoot, atom.Tr:
		return true
	}
	return false
}

func belongsInTable(a atom.Atom) bool {
	switch a {
	case atom.Caption, atom.Colgroup, atom.Col, atom.Tbody, atom.Thead, atom.Tfoot, atom.Tr, atom.Td, atom.Th, atom.Style, atom.Script,
		atom.Template, atom.Form, atom.Input:
		return true
	}
	return false
}
