package dom

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Bounds of a tree.
const (
	// MaxNodes bounds elements and pieces of text together.
	MaxNodes = 300_000
	// MaxDepth bounds nesting: what is deeper hangs at this depth, as in browsers.
	MaxDepth = 512

	maxTokens     = 1_500_000
	maxAttrs      = 100     // of one element
	maxAttrValue  = 1 << 16 // bytes; longer values are cut (pictures in data addresses)
	maxScopeSteps = MaxDepth
)

type mode uint8

const (
	beforeHead mode = iota
	inHead
	afterHead
	inBody
)

// builder makes a tree from tokens. stack holds the open elements.
type builder struct {
	t     *Tree
	z     *html.Tokenizer
	stack []ID
	mode  mode
	form  ID
	openP int // open p elements, to spare searches
}

// Parse builds the tree of a page in UTF-8. It never fails: all markup means
// something.
func Parse(source []byte) *Tree {
	guess := min(len(source)/24+32, MaxNodes+1)
	t := &Tree{Nodes: make([]Node, 1, guess), attrs: make([]Attr, 0, guess/2), Head: None, Body: None, HTMLRoot: None}
	t.Nodes[Root] = Node{Parent: None, First: None, Last: None, Next: None, Kind: Document}
	b := &builder{t: t, z: html.NewTokenizer(bytes.NewReader(source)), form: None}
	b.run()
	return t
}

func (b *builder) run() {
	for tokens := 0; ; tokens++ {
		b.z.AllowCDATA(len(b.stack) > 0 && b.t.Nodes[b.top()].Space != HTML)
		switch b.z.Next() {
		case html.ErrorToken:
			b.finish()
			return
		case html.TextToken:
			b.text(b.z.Text())
		case html.StartTagToken:
			b.startTag(false)
		case html.SelfClosingTagToken:
			b.startTag(true)
		case html.EndTagToken:
			name, _ := b.z.TagName()
			b.endTag(atom.Lookup(name), name)
		case html.DoctypeToken:
			if len(b.t.Nodes) == 1 {
				b.t.Doctype = bytes.HasPrefix(bytes.ToLower(bytes.TrimSpace(b.z.Text())), []byte("html"))
			}
		}
		if len(b.t.Nodes) >= MaxNodes || tokens >= maxTokens {
			b.t.Cut = true
			b.finish()
			return
		}
	}
}

// finish opens what every page has.
func (b *builder) finish() {
	b.openHead()
	if b.t.Body == None {
		b.openBody()
	}
}

func (b *builder) openHTML() {
	if b.t.HTMLRoot == None {
		b.t.HTMLRoot = b.add(Root, atom.Html, "html", HTML)
		b.stack = append(b.stack[:0], b.t.HTMLRoot)
	}
}

func (b *builder) openHead() {
	b.openHTML()
	if b.t.Head == None {
		b.t.Head = b.add(b.t.HTMLRoot, atom.Head, "head", HTML)
		b.stack = append(b.stack, b.t.Head)
		b.mode = inHead
	}
}

func (b *builder) openBody() {
	b.openHead()
	b.t.Body = b.add(b.t.HTMLRoot, atom.Body, "body", HTML)
	b.stack = append(b.stack[:0], b.t.HTMLRoot, b.t.Body)
	b.mode, b.openP = inBody, 0
}

func (b *builder) top() ID { return b.stack[len(b.stack)-1] }

// parent is where the next node hangs: the innermost open element that is not
// too deep.
func (b *builder) parent() ID {
	i := min(len(b.stack), MaxDepth) - 1
	for i > 0 && b.t.Nodes[b.stack[i]].depth >= MaxDepth {
		i--
	}
	return b.stack[i]
}

// add puts a new element below parent. Attributes are those read last.
func (b *builder) add(parent ID, a atom.Atom, name string, space Space) ID {
	id := b.link(parent, Node{Atom: a, Data: name, Kind: Element, Space: space})
	b.t.Elements++
	return id
}

func (b *builder) link(parent ID, n Node) ID {
	id := ID(len(b.t.Nodes))
	n.Parent, n.First, n.Last, n.Next = parent, None, None, None
	p := &b.t.Nodes[parent]
	n.Flags, n.depth = p.Flags, p.depth+1
	n.attrs = int32(len(b.t.attrs))
	if p.Last == None {
		p.First = id
	} else {
		b.t.Nodes[p.Last].Next = id
	}
	p.Last = id
	b.t.Nodes = append(b.t.Nodes, n)
	return id
}

// readAttrs reads the current tag's attributes into the tree, for the element
// just added.
func (b *builder) readAttrs(id ID, more bool) {
	n := &b.t.Nodes[id]
	if n.nattrs == 0 {
		n.attrs = int32(len(b.t.attrs))
	}
	for more {
		var key, value []byte
		key, value, more = b.z.TagAttr()
		if len(key) == 0 || n.nattrs >= maxAttrs {
			continue
		}
		name := atom.String(key)
		if b.t.Has(id, name) {
			continue // the first of equal names counts
		}
		if len(value) > maxAttrValue {
			value = value[:maxAttrValue]
		}
		b.t.attrs = append(b.t.attrs, Attr{name, string(value)})
		n.nattrs++
	}
	b.flag(n, id)
}

// flag sets what an element's own kind and attributes say of all below it.
func (b *builder) flag(n *Node, id ID) {
	if n.Space == HTML {
		switch n.Atom {
		case atom.Template:
			if !b.t.Has(id, "shadowrootmode") {
				n.Flags |= Inert | Mute
			}
		case atom.Head, atom.Script, atom.Style, atom.Noscript, atom.Noframes, atom.Noembed, atom.Iframe, atom.Textarea, atom.Select,
			atom.Datalist, atom.Title, atom.Object, atom.Audio, atom.Video, atom.Canvas:
			n.Flags |= Mute
		}
	} else if n.Data == "title" || n.Data == "desc" || n.Data == "style" || n.Data == "script" || n.Data == "metadata" {
		n.Flags |= Mute
	}
	for _, a := range b.t.Attrs(id) {
		switch {
		case a.Name == "hidden", a.Name == "style" && hidesByStyle(a.Value):
			n.Flags |= Hidden
		case a.Name == "aria-hidden" && strings.EqualFold(a.Value, "true"):
			n.Flags |= Unspoken
		}
	}
}

// hidesByStyle finds "display: none" and "visibility: hidden" in a style attribute.
func hidesByStyle(style string) bool {
	for declaration := range strings.SplitSeq(style, ";") {
		name, value, ok := strings.Cut(declaration, ":")
		if !ok {
			continue
		}
		value, _, _ = strings.Cut(value, "!")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if (strings.EqualFold(name, "display") && strings.EqualFold(value, "none")) ||
			(strings.EqualFold(name, "visibility") && strings.EqualFold(value, "hidden")) {
			return true
		}
	}
	return false
}

// push opens an element: add, read attributes, and put on the stack.
func (b *builder) push(a atom.Atom, name string, space Space, more bool) {
	id := b.add(b.parentFor(a, space), a, name, space)
	b.readAttrs(id, more)
	b.stack = append(b.stack, id)
	if a == atom.P && space == HTML {
		b.openP++
	}
}

// leaf adds an element that holds nothing.
func (b *builder) leaf(a atom.Atom, name string, space Space, more bool) {
	b.readAttrs(b.add(b.parentFor(a, space), a, name, space), more)
}

// popTo closes open elements down to length n.
func (b *builder) popTo(n int) {
	for len(b.stack) > n {
		if b.t.Is(b.top(), atom.P) {
			b.openP--
		}
		b.stack = b.stack[:len(b.stack)-1]
	}
}

func (b *builder) pop() { b.popTo(len(b.stack) - 1) }

// text adds a piece of text where it belongs.
func (b *builder) text(raw []byte) {
	blank := len(bytes.TrimLeft(raw, " \t\n\f\r")) == 0
	if b.mode != inBody {
		inHeadItself := len(b.stack) == 0 || b.top() == b.t.Head || b.top() == b.t.HTMLRoot
		if inHeadItself && blank {
			return
		}
		if inHeadItself {
			b.openBody()
		}
	}
	parent := b.parent()
	n := &b.t.Nodes[parent]
	if n.Space == HTML && !keepsText(b.t, parent, n.Atom) {
		return
	}
	data := " "
	if !blank {
		data = string(raw)
	}
	b.link(parent, Node{Data: data, Kind: Text})
}

// keepsText: code is of no use to any check but structured data.
func keepsText(t *Tree, id ID, a atom.Atom) bool {
	switch a {
	case atom.Style, atom.Noscript, atom.Iframe, atom.Noframes, atom.Noembed, atom.Textarea:
		return false
	case atom.Script:
		kind, _ := t.Attr(id, "type")
		return strings.EqualFold(strings.TrimSpace(kind), "application/ld+json")
	}
	return true
}
