package page

import (
	"net/url"
	"strings"

	"golang.org/x/net/html/atom"

	"visite/internal/inspect/dom"
	"visite/schema"
)

// MaxLinks bounds the links read from one page.
const MaxLinks = 5000

// Content is a page taken apart: what the rules judge by.
type Content struct {
	Doc   Document
	Tree  *dom.Tree
	URL   *url.URL // where the page was found
	Base  *url.URL // what its relative addresses start from
	Scope string   // HostKey of the scan

	Charset Charset

	Titles     []dom.ID // of the HTML, not of pictures in it
	Metas      []Meta
	Canonicals []Canonical
	Hreflangs  []Hreflang
	Robots     []Directive
	Refreshes  []Refresh
	Links      []Link
	LinksCut   bool

	Headings []dom.ID
	Images   []dom.ID // img
	Frames   []dom.ID // iframe and frame
	Controls []dom.ID // input, select, textarea
	Buttons  []dom.ID
	Anchors  []dom.ID // a and area with href
	Labels   []dom.ID
	Forms    []dom.ID
	LDJSON   []dom.ID // script elements with structured data
	Policies []string // Content-Security-Policy in the head

	Title       string   // white space collapsed, complete
	Description string   // of the first description with content
	served      *Content // see Served
	Words       int
	Hash        uint64 // of running text and title; 0 where there is no text
}

// Meta is a meta element with a name or property.
type Meta struct {
	Node    dom.ID
	Name    string // lower case
	Content string
	InHead  bool
}

// Read takes a document apart. scope is the HostKey that pages of the scan have.
func Read(doc Document, scope string) *Content {
	c := &Content{Doc: doc, URL: doc.url(), Scope: scope}
	source := []byte(doc.Rendered)
	if doc.Rendered == "" {
		source, c.Charset = decode(doc.Source, doc.Header("Content-Type"))
	} else if len(doc.Source) == 0 {
		c.Charset.Header = headerCharset(doc.Header("Content-Type"))
		c.Charset.Name = CharsetName(c.Charset.Header)
	} else {
		_, c.Charset = decode(doc.Source, doc.Header("Content-Type"))
	}
	c.Tree = dom.Parse(source)
	c.walk()
	c.readHeaders()
	c.resolve()
	return c
}

// Complete reports whether all of the page was seen: only then can something be
// said to be missing.
func (c *Content) Complete() bool { return !c.Tree.Cut && !c.Doc.Cut }

// Secure reports whether the page came over https.
func (c *Content) Secure() bool { return c.URL.Scheme == "https" }

// Static reports whether there was no rendering and no accessibility engine.
func (c *Content) Static() bool { return c.Doc.Engine != schema.EngineBrowser }

// walk goes through the tree once.
func (c *Content) walk() {
	w := newWords()
	c.Tree.Visit(func(id dom.ID) bool {
		n := c.Tree.Node(id)
		if n.Kind == dom.Text {
			if n.Flags&(dom.Mute|dom.Hidden) == 0 {
				w.text(n.Data)
			}
			return true
		}
		if n.Flags&dom.Inert != 0 {
			return false
		}
		if isBlock(n.Atom) {
			w.boundary()
		}
		c.element(id, n)
		return true
	}, func(id dom.ID) {
		if isBlock(c.Tree.Node(id).Atom) {
			w.boundary()
		}
	})
	if len(c.Titles) > 0 { // the first counts, even if it is empty
		c.Title = Collapse(c.Tree.InnerText(c.Titles[0], 4096))
	}
	c.Words, c.Hash = w.done(c.Title)
}

// element gathers one element.
func (c *Content) element(id dom.ID, n *dom.Node) {
	if n.Space != dom.HTML {
		c.foreignLink(id, n)
		return
	}
	switch n.Atom {
	case atom.Title:
		c.Titles = append(c.Titles, id)
	case atom.Meta:
		c.meta(id)
	case atom.Base:
		c.base(id)
	case atom.Link:
		c.linkElement(id)
	case atom.A, atom.Area:
		if c.anchor(id) {
			c.Anchors = append(c.Anchors, id)
		}
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		c.Headings = append(c.Headings, id)
	case atom.Img:
		c.Images = append(c.Images, id)
		c.attrLink(id, "src", schema.LinkImage)
		c.srcset(id)
	case atom.Iframe, atom.Frame:
		c.Frames = append(c.Frames, id)
		c.attrLink(id, "src", schema.LinkFrame)
	case atom.Input, atom.Select, atom.Textarea:
		c.Controls = append(c.Controls, id)
		if kind, _ := c.Tree.Attr(id, "type"); strings.EqualFold(kind, "image") {
			c.attrLink(id, "src", schema.LinkImage)
		}
	case atom.Button:
		c.Buttons = append(c.Buttons, id)
	case atom.Label:
		c.Labels = append(c.Labels, id)
	case atom.Form:
		c.Forms = append(c.Forms, id)
	case atom.Script:
		c.attrLink(id, "src", schema.LinkScript)
		if kind, _ := c.Tree.Attr(id, "type"); strings.EqualFold(strings.TrimSpace(kind), "application/ld+json") {
			c.LDJSON = append(c.LDJSON, id)
		}
	case atom.Source, atom.Video, atom.Audio, atom.Track, atom.Embed:
		c.attrLink(id, "src", schema.LinkMedia)
		c.attrLink(id, "poster", schema.LinkImage)
		c.srcset(id)
	case atom.Object:
		c.attrLink(id, "data", schema.LinkMedia)
	}
}

// meta gathers a meta element under its name or property.
func (c *Content) meta(id dom.ID) {
	content, has := c.Tree.Attr(id, "content")
	if !has {
		return
	}
	equiv, _ := c.Tree.Attr(id, "http-equiv")
	switch strings.ToLower(strings.TrimSpace(equiv)) {
	case "refresh":
		c.refresh(id, content)
		return
	case "content-security-policy":
		if c.InHead(id) { // elsewhere browsers do not look (HTML Standard, pragma directives)
			c.Policies = append(c.Policies, content)
		}
		return
	}
	for _, attr := range [...]string{"name", "property"} {
		if name, ok := c.Tree.Attr(id, attr); ok {
			m := Meta{Node: id, Name: strings.ToLower(strings.TrimSpace(name)), Content: content, InHead: c.InHead(id)}
			c.Metas = append(c.Metas, m)
			if m.Name == "description" && c.Description == "" {
				c.Description = Collapse(content)
			}
			if isRobotsName(m.Name) {
				c.robotsMeta(m)
			}
		}
	}
}

// InHead reports whether an element stands in the head.
func (c *Content) InHead(id dom.ID) bool { return c.Tree.Node(id).Parent == c.Tree.Head }

// MetasNamed lists the meta elements of one name.
func (c *Content) MetasNamed(name string) []Meta {
	var out []Meta
	for _, m := range c.Metas {
		if m.Name == name {
			out = append(out, m)
		}
	}
	return out
}

func isBlock(a atom.Atom) bool {
	switch a {
	case 0, atom.A, atom.Abbr, atom.B, atom.Bdi, atom.Bdo, atom.Big, atom.Cite, atom.Code, atom.Data, atom.Del, atom.Dfn, atom.Em, atom.Font, atom.I,
		atom.Ins, atom.Kbd, atom.Label, atom.Mark, atom.Nobr, atom.Output, atom.Q, atom.S, atom.Samp, atom.Small, atom.Span, atom.Strike,
		atom.Strong, atom.Sub, atom.Sup, atom.Time, atom.Tt, atom.U, atom.Var, atom.Wbr, atom.Slot:
		return false
	}
	return true
}
