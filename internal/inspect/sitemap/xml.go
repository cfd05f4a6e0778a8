package sitemap

import (
	"bufio"
	"encoding/xml"
	"errors"
	"io"
	"strings"
)

const (
	maxDepth = 64      // of nested elements; a sitemap has 4 or 5
	maxToken = 1 << 20 // octets of one tag or one stretch of text
	maxLoc   = 8 << 10 // octets of an address with its surroundings
)

// grammar tells where a vocabulary keeps its addresses.
type grammar struct {
	kind     Kind
	depth    int             // of its entries; the root has 1
	entries  map[string]bool // entry element, true for those that name other sitemaps
	loc      string          // field with the address
	href     bool            // the address is the field's href attribute
	modified string          // field with the date
}

// sitemapEntries may stand in either root: some sites mix them.
var sitemapEntries = map[string]bool{"url": false, "sitemap": true}

var grammars = map[string]grammar{
	"urlset":       {kind: KindURLSet, depth: 2, entries: sitemapEntries, loc: "loc", modified: "lastmod"},
	"sitemapindex": {kind: KindIndex, depth: 2, entries: sitemapEntries, loc: "loc", modified: "lastmod"},
	"rss":          {kind: KindRSS, depth: 3, entries: map[string]bool{"item": false}, loc: "link", modified: "pubdate"},
	"feed":         {kind: KindAtom, depth: 2, entries: map[string]bool{"entry": false}, loc: "link", href: true, modified: "updated"},
}

// document is a sitemap in XML being read.
type document struct {
	*parser
	grammar
	space string // the root's namespace
	depth int    // of the element being read
	entry *entry
	field *strings.Builder // where the text goes; nil for none
}

type entry struct {
	child         bool
	loc, modified strings.Builder
	located       bool // loc is complete
}

// readXML takes entries until the document ends, well or not. Elements are known
// by their local names in the root's namespace, whatever it is: prefixes, a
// missing namespace and one spelt https are all met with. Foreign elements and
// what is in them are skipped, so that an image's loc is no page.
func (p *parser) readXML(in *bufio.Reader) {
	m := &meter{in: in}
	decoder := xml.NewDecoder(m)
	decoder.Strict = false
	decoder.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // undone before
	d := &document{parser: p}
	for {
		m.left = maxToken
		token, err := decoder.Token()
		if err == nil {
			err = d.take(token)
		}
		switch {
		case err == nil:
			continue
		case errors.Is(err, errEnough):
			return
		case errors.Is(err, io.EOF) && d.depth == 0:
		default:
			p.broken = true
		}
		if d.entry != nil && d.entry.located {
			_ = d.finish() // the break came after its address
		}
		return
	}
}

func (d *document) take(token xml.Token) error {
	switch t := token.(type) {
	case xml.StartElement:
		d.depth++
		if d.depth > maxDepth {
			d.note(ProblemTooDeep)
			return errEnough
		}
		return d.start(t)
	case xml.EndElement:
		d.depth--
		return d.end()
	case xml.CharData:
		d.text(t)
	}
	return nil
}

// text gathers a field's text, not that of elements within. An address beyond
// the limit is dropped whole, for a part of it would be another address.
func (d *document) text(t xml.CharData) {
	switch {
	case d.field == nil || d.depth != d.grammar.depth+1:
	case d.field.Len()+len(t) <= maxLoc:
		d.field.Write(t)
	case d.field == &d.entry.loc:
		d.note(ProblemLocUnusable)
		d.entry, d.field = nil, nil
	}
}

func (d *document) start(t xml.StartElement) error {
	name := strings.ToLower(t.Name.Local)
	if d.depth == 1 {
		g, ok := grammars[name]
		if !ok {
			d.note(ProblemNotSitemap)
			return errEnough
		}
		d.grammar, d.space, d.result.Kind = g, t.Name.Space, g.kind
		return nil
	}
	if !d.own(t.Name.Space) {
		return nil
	}
	switch d.depth {
	case d.grammar.depth:
		if child, ok := d.entries[name]; ok {
			d.entry = &entry{child: child}
		}
	case d.grammar.depth + 1:
		if d.entry != nil {
			d.startField(name, t.Attr)
		}
	}
	return nil
}

func (d *document) startField(name string, attributes []xml.Attr) {
	switch {
	case name == d.modified && d.entry.modified.Len() == 0:
		d.field = &d.entry.modified
	case name != d.loc || d.entry.located:
	case d.href:
		d.entry.takeHref(attributes)
	default:
		d.entry.loc.Reset()
		d.field = &d.entry.loc
	}
}

// takeHref reads an Atom link (RFC 4287 section 4.2.7): the alternate one is the
// page, and a link without a rel is alternate.
func (e *entry) takeHref(attributes []xml.Attr) {
	rel, href := "alternate", ""
	for _, a := range attributes {
		switch strings.ToLower(a.Name.Local) {
		case "rel":
			rel = a.Value
		case "href":
			href = a.Value
		}
	}
	if strings.EqualFold(rel, "alternate") && href != "" && len(href) <= maxLoc {
		e.loc.WriteString(href)
		e.located = true
	}
}

func (d *document) end() error {
	switch d.depth + 1 {
	case d.grammar.depth + 1:
		if d.field != nil && d.field == &d.entry.loc {
			d.entry.located = strings.TrimSpace(d.entry.loc.String()) != ""
		}
		d.field = nil
	case d.grammar.depth:
		if d.entry != nil {
			return d.finish()
		}
	}
	return nil
}

func (d *document) finish() error {
	e := d.entry
	d.entry, d.field = nil, nil
	return d.add(e.loc.String(), e.modified.String(), e.child)
}

// own reports whether a namespace is the sitemap's: the root's, or none.
func (d *document) own(space string) bool {
	return space == d.space || space == "" || strings.Contains(space, "/schemas/sitemap/0.")
}

// meter bounds what the decoder may hold for one token.
type meter struct {
	in   *bufio.Reader
	left int
}

// ReadByte makes the decoder read through the meter.
func (m *meter) ReadByte() (byte, error) {
	if m.left--; m.left < 0 {
		return 0, errTokenTooLong
	}
	return m.in.ReadByte()
}

// Read is never used by the decoder, which prefers ReadByte.
func (m *meter) Read(b []byte) (int, error) {
	if m.left < 0 {
		return 0, errTokenTooLong
	}
	n, err := m.in.Read(b[:min(len(b), m.left+1)])
	m.left -= n
	return n, err
}

var errTokenTooLong = errors.New("sitemap: token beyond the limit")
