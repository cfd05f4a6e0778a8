package dom

import "golang.org/x/net/html/atom"

func (b *builder) endTag(a atom.Atom, raw []byte) {
	if len(b.stack) > 0 && b.t.Nodes[b.top()].Space != HTML && b.endForeign(a, raw) {
		return
	}
	if b.mode != inBody && b.endOutsideBody(a, raw) {
		return
	}
	switch a {
	case atom.Html, atom.Body:
		return // what follows still belongs to the body
	case atom.P:
		if i := b.find(scopeButton, atom.P); i >= 0 {
			b.popTo(i)
		} else {
			b.leafBare(atom.P, "p")
		}
	case atom.Br:
		b.leafBare(atom.Br, "br")
	case atom.Form:
		b.endForm()
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		b.popFound(b.find(scopeDefault, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6))
	case atom.Li:
		b.popFound(b.find(scopeList, atom.Li))
	case atom.Table, atom.Tbody, atom.Thead, atom.Tfoot, atom.Tr, atom.Td, atom.Th, atom.Caption, atom.Colgroup:
		b.popFound(b.find(scopeTable, a))
	case atom.Template, atom.Select:
		b.popFound(b.find(scopeAll, a))
	case atom.A, atom.B, atom.Big, atom.Code, atom.Em, atom.Font, atom.I, atom.Nobr, atom.S, atom.Small, atom.Strike, atom.Strong, atom.Tt, atom.U:
		if i := b.find(scopeFormat, a); i >= 0 {
			b.endFormatting(i)
		}
	default:
		if a != 0 && isSpecial(a) {
			b.popFound(b.find(scopeDefault, a))
			return
		}
		b.endOther(a, raw)
	}
}

// endOutsideBody deals with an end tag before the body; false means that it has
// opened the body.
func (b *builder) endOutsideBody(a atom.Atom, raw []byte) bool {
	if len(b.stack) > 0 && b.top() != b.t.Head && b.top() != b.t.HTMLRoot {
		if b.insideTemplate() && a != atom.Template {
			return false
		}
		if b.named(b.top(), a, raw) || a == atom.Template {
			b.popFound(b.find(scopeAll, a))
		}
		return true
	}
	switch a {
	case atom.Head:
		b.openHead()
		if b.top() == b.t.Head {
			b.pop()
		}
		b.mode = afterHead
		return true
	case atom.Body, atom.Html, atom.Br:
		b.openBody()
		return false
	}
	return true
}

func (b *builder) insideTemplate() bool { return b.find(scopeAll, atom.Template) >= 0 }

func (b *builder) named(id ID, a atom.Atom, raw []byte) bool {
	n := &b.t.Nodes[id]
	return n.Atom == a && (a != 0 || n.Data == string(raw))
}

func (b *builder) leafBare(a atom.Atom, name string) {
	b.readAttrs(b.add(b.parentFor(a, HTML), a, name, HTML), false)
}

func (b *builder) popFound(i int) {
	if i > 0 {
		b.popTo(i)
	}
}

// endForm closes a form but not what was opened in it and is still open.
func (b *builder) endForm() {
	form := b.form
	b.form = None
	if i := b.find(scopeDefault, atom.Form); i > 0 && (form == None || b.stack[i] == form) {
		b.remove(i)
	}
}

// endFormatting closes a formatting element. Blocks opened in it stay open, as
// the standard's adoption agency would have them.
func (b *builder) endFormatting(i int) {
	for _, id := range b.stack[i+1:] {
		if n := &b.t.Nodes[id]; n.Space == HTML && isSpecial(n.Atom) {
			b.remove(i)
			return
		}
	}
	b.popTo(i)
}

// remove takes one element off the stack; with nothing open above it, it is
// closed together with elements whose end tags may be left out.
func (b *builder) remove(i int) {
	for len(b.stack)-1 > i && hasImpliedEnd(b.t, b.top()) {
		b.pop()
	}
	if i == len(b.stack)-1 {
		b.pop()
		return
	}
	if b.t.Is(b.stack[i], atom.P) {
		b.openP--
	}
	b.stack = append(b.stack[:i], b.stack[i+1:]...)
}

// endOther closes an ordinary element: the nearest of that name, unless a
// special element lies between.
func (b *builder) endOther(a atom.Atom, raw []byte) {
	for i, steps := len(b.stack)-1, 0; i > 0 && steps < maxScopeSteps; i, steps = i-1, steps+1 {
		if b.named(b.stack[i], a, raw) {
			b.popTo(i)
			return
		}
		if n := &b.t.Nodes[b.stack[i]]; n.Space == HTML && isSpecial(n.Atom) {
			return
		}
	}
}
