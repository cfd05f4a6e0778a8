package dom

import (
	"golang.org/x/net/html/atom"
)

func (b *builder) startTag(selfClosing bool) {
	raw, more := b.z.TagName()
	a := atom.Lookup(raw)
	name := ""
	if a != 0 {
		name = a.String()
	} else {
		name = string(raw)
	}
	if len(b.stack) > 0 && b.inForeign(b.top(), a) {
		if !breaksOut(a) {
			b.foreign(a, name, more, selfClosing)
			return
		}
		for b.t.Nodes[b.top()].Space != HTML && !b.integrates(b.top()) {
			b.pop()
		}
	}
	if b.mode != inBody && b.outsideBody(a, name, more) {
		return
	}
	b.inBody(a, name, more, selfClosing)
}

// outsideBody deals with a start tag before the body; false means that the tag
// has opened the body, or stands in a template, and body rules hold.
func (b *builder) outsideBody(a atom.Atom, name string, more bool) bool {
	switch a {
	case atom.Html:
		b.openHTML()
		if !b.insideTemplate() {
			b.readMissing(b.t.HTMLRoot, more)
		}
		return true
	case atom.Head:
		first := b.t.Head == None
		b.openHead()
		if first {
			b.readAttrs(b.t.Head, more)
		}
		return true
	}
	b.openHead()
	if top := b.top(); top != b.t.Head && top != b.t.HTMLRoot {
		return b.t.Is(top, atom.Noscript) // only a template lets body content in here
	}
	switch a {
	case atom.Base, atom.Basefont, atom.Bgsound, atom.Link, atom.Meta:
		b.readAttrs(b.add(b.t.Head, a, name, HTML), more)
		return true
	case atom.Title, atom.Style, atom.Script, atom.Noscript, atom.Noframes, atom.Template:
		id := b.add(b.t.Head, a, name, HTML)
		b.readAttrs(id, more)
		b.stack = append(b.stack, id)
		return true
	case atom.Body:
		b.openBody()
		b.readAttrs(b.t.Body, more)
		return true
	case atom.Frameset:
		b.t.Body = b.add(b.t.HTMLRoot, a, name, HTML)
		b.readAttrs(b.t.Body, more)
		b.stack = append(b.stack[:0], b.t.HTMLRoot, b.t.Body)
		b.mode = inBody
		return true
	}
	b.openBody()
	return false
}

// readMissing takes the attributes of a late html or body tag where the element
// has none yet.
func (b *builder) readMissing(id ID, more bool) {
	if id != None && b.t.Nodes[id].nattrs == 0 {
		b.readAttrs(id, more)
	}
}

// inBody is the HTML Standard's "in body" and the table modes, start tags.
func (b *builder) inBody(a atom.Atom, name string, more, selfClosing bool) {
	switch a {
	case atom.Html:
		b.readMissing(b.t.HTMLRoot, more)
		return
	case atom.Body:
		b.readMissing(b.t.Body, more)
		return
	case atom.Head:
		return
	case atom.Math, atom.Svg:
		space := SVG
		if a == atom.Math {
			space = Math
		}
		if selfClosing {
			b.leaf(a, name, space, more)
		} else {
			b.push(a, name, space, more)
		}
		return
	case atom.Caption, atom.Colgroup, atom.Col, atom.Tbody, atom.Thead, atom.Tfoot, atom.Tr, atom.Td, atom.Th:
		b.tablePart(a, name, more)
		return
	case atom.Form:
		if b.form != None && b.find(scopeAll, atom.Template) < 0 {
			return
		}
		b.closeP()
		b.push(a, name, HTML, more)
		b.form = b.top()
		return
	}
	b.prepare(a)
	if a == atom.Image {
		a, name = atom.Img, "img"
	}
	if isVoid(a) {
		b.leaf(a, name, HTML, more)
		return
	}
	b.push(a, name, HTML, more)
}

// prepare closes what a start tag implies to be closed.
func (b *builder) prepare(a atom.Atom) {
	switch {
	case closesP(a):
		b.closeP()
	case a == atom.Hr:
		b.closeP()
		b.closeOptions(true)
	}
	switch a {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		if isHeading(b.t, b.top()) {
			b.pop()
		}
	case atom.Li:
		b.closeItem(atom.Li, atom.Li)
		b.closeP()
	case atom.Dd, atom.Dt:
		b.closeItem(atom.Dd, atom.Dt)
		b.closeP()
	case atom.A:
		if i := b.find(scopeFormat, atom.A); i >= 0 {
			b.endFormatting(i)
		}
	case atom.Button:
		if i := b.find(scopeDefault, atom.Button); i >= 0 {
			b.popTo(i)
		}
	case atom.Option:
		b.closeOptions(false)
	case atom.Optgroup:
		b.closeOptions(true)
	case atom.Select, atom.Input, atom.Textarea, atom.Keygen:
		if i := b.find(scopeDefault, atom.Select); i >= 0 {
			b.popTo(i)
		}
	case atom.Rb, atom.Rtc, atom.Rt, atom.Rp:
		for b.t.Is(b.top(), atom.Rb) || b.t.Is(b.top(), atom.Rt) || b.t.Is(b.top(), atom.Rp) {
			b.pop()
		}
	case atom.Table:
		if inTableItself(b.t, b.top()) {
			b.popTo(b.find(scopeTable, atom.Table))
		}
	}
}

func (b *builder) closeOptions(groups bool) {
	if b.t.Is(b.top(), atom.Option) {
		b.pop()
	}
	if groups && b.t.Is(b.top(), atom.Optgroup) {
		b.pop()
	}
}

// closeItem closes an open item of a list before the next one.
func (b *builder) closeItem(one, other atom.Atom) {
	for i, steps := len(b.stack)-1, 0; i > 0 && steps < maxScopeSteps; i, steps = i-1, steps+1 {
		n := &b.t.Nodes[b.stack[i]]
		if n.Space == HTML && (n.Atom == one || n.Atom == other) {
			b.popTo(i)
			return
		}
		if n.Space != HTML || (isSpecial(n.Atom) && n.Atom != atom.Address && n.Atom != atom.Div && n.Atom != atom.P) {
			return
		}
	}
}

// closeP closes an open paragraph that block content ends.
func (b *builder) closeP() {
	if b.openP == 0 {
		return
	}
	if i := b.find(scopeButton, atom.P); i >= 0 {
		b.popTo(i)
	}
}

// tablePart opens a part of a table, with the parts around it that may be left
// out; outside a table the tag means nothing.
func (b *builder) tablePart(a atom.Atom, name string, more bool) {
	table := b.find(scopeTable, atom.Table)
	if table < 0 {
		if b.find(scopeAll, atom.Template) >= 0 {
			b.push(a, name, HTML, more)
		}
		return
	}
	row, group := b.findAbove(table, atom.Tr), b.findAbove(table, atom.Tbody, atom.Thead, atom.Tfoot)
	switch a {
	case atom.Td, atom.Th:
		switch {
		case row > 0:
			b.popTo(row + 1)
		case group > 0:
			b.popTo(group + 1)
			b.push(atom.Tr, "tr", HTML, false)
		default:
			b.popTo(table + 1)
			b.push(atom.Tbody, "tbody", HTML, false)
			b.push(atom.Tr, "tr", HTML, false)
		}
	case atom.Tr:
		if group > 0 {
			b.popTo(group + 1)
		} else {
			b.popTo(table + 1)
			b.push(atom.Tbody, "tbody", HTML, false)
		}
	case atom.Col:
		if !b.t.Is(b.top(), atom.Colgroup) {
			b.popTo(table + 1)
			b.push(atom.Colgroup, "colgroup", HTML, false)
		}
		b.leaf(a, name, HTML, more)
		return
	default:
		b.popTo(table + 1)
	}
	b.push(a, name, HTML, more)
}

// parentFor is where an element hangs: beside the table where it stands in a
// table but in no cell ("foster parenting").
func (b *builder) parentFor(a atom.Atom, space Space) ID {
	p := b.parent()
	if space != HTML || !inTableItself(b.t, p) || belongsInTable(a) {
		return p
	}
	if table := b.find(scopeTable, atom.Table); table > 0 && table < MaxDepth {
		return b.stack[table-1]
	}
	return p
}
