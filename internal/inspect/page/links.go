package page

import (
	"net/url"
	"strings"

	"visite/internal/inspect/dom"
	"visite/schema"
)

// Link is one reference from the page to another address.
type Link struct {
	Node     dom.ID // dom.None for one from a header
	Kind     schema.LinkKind
	Raw      string // as written, entities decoded once
	URL      string // normal; empty where Err is set
	Err      error
	Scheme   string // of URL
	HostKey  string // of URL
	InScope  bool
	NoFollow bool
	Feed     bool // alternate that is no page of its own: a feed, data, the same page for print or another medium
}

// Hreflang is one language version the page names.
type Hreflang struct {
	Node dom.ID
	Code string
	Raw  string
	URL  string
	Err  error
}

// Canonical is one address the page calls its own.
type Canonical struct {
	Node   dom.ID // dom.None for one from a header
	Raw    string
	URL    string
	Err    error
	InHead bool // counts: stands in the head, or in a header
}

func (c *Content) addLink(l Link) {
	if len(c.Links) >= MaxLinks {
		c.LinksCut = true
		return
	}
	c.Links = append(c.Links, l)
}

func (c *Content) attrLink(id dom.ID, attr string, kind schema.LinkKind) {
	if raw, ok := c.Tree.Attr(id, attr); ok && strings.TrimSpace(raw) != "" {
		c.addLink(Link{Node: id, Kind: kind, Raw: raw})
	}
}

func (c *Content) anchor(id dom.ID) bool {
	raw, ok := c.Tree.Attr(id, "href")
	if !ok {
		return false
	}
	rel, _ := c.Tree.Attr(id, "rel")
	c.addLink(Link{Node: id, Kind: schema.LinkAnchor, Raw: raw, NoFollow: hasToken(rel, "nofollow")})
	return true
}

// foreignLink takes links of SVG along.
func (c *Content) foreignLink(id dom.ID, n *dom.Node) {
	if n.Space != dom.SVG {
		return
	}
	kind := schema.LinkAnchor
	switch n.Data {
	case "a":
	case "image":
		kind = schema.LinkImage
	default:
		return
	}
	for _, attr := range [...]string{"href", "xlink:href"} {
		if raw, ok := c.Tree.Attr(id, attr); ok && strings.TrimSpace(raw) != "" {
			c.addLink(Link{Node: id, Kind: kind, Raw: raw})
			return
		}
	}
}

// linkElement sorts a link element by its rel. Hints to connect or look up a name
// (preconnect, dns-prefetch) name no document and are no links.
func (c *Content) linkElement(id dom.ID) {
	raw, ok := c.Tree.Attr(id, "href")
	rel, _ := c.Tree.Attr(id, "rel")
	if !ok {
		return
	}
	for token := range strings.FieldsSeq(strings.ToLower(rel)) {
		switch token {
		case "canonical":
			c.Canonicals = append(c.Canonicals, Canonical{Node: id, Raw: raw, InHead: c.InHead(id)})
			c.addLink(Link{Node: id, Kind: schema.LinkCanonical, Raw: raw})
		case "alternate":
			if !hasToken(rel, "stylesheet") {
				c.alternate(id, raw)
			}
		case "stylesheet":
			c.addLink(Link{Node: id, Kind: schema.LinkStyle, Raw: raw})
		case "icon", "apple-touch-icon", "apple-touch-icon-precomposed", "mask-icon", "image_src":
			c.addLink(Link{Node: id, Kind: schema.LinkImage, Raw: raw})
		case "modulepreload":
			c.addLink(Link{Node: id, Kind: schema.LinkScript, Raw: raw})
		}
	}
}

func (c *Content) alternate(id dom.ID, raw string) {
	kind, _ := c.Tree.Attr(id, "type")
	kind = strings.ToLower(strings.TrimSpace(kind))
	code, coded := c.Tree.Attr(id, "hreflang")
	if coded && c.InHead(id) {
		c.Hreflangs = append(c.Hreflangs, Hreflang{Node: id, Code: strings.TrimSpace(code), Raw: raw})
	}
	medium, _ := c.Tree.Attr(id, "media")
	page := kind == "" || kind == "text/html" || kind == "application/xhtml+xml"
	c.addLink(Link{Node: id, Kind: schema.LinkAlternate, Raw: raw, Feed: !page || strings.TrimSpace(medium) != ""})
}

func (c *Content) srcset(id dom.ID) {
	set, ok := c.Tree.Attr(id, "srcset")
	if !ok {
		return
	}
	for raw := range candidates(set) {
		c.addLink(Link{Node: id, Kind: schema.LinkImage, Raw: raw})
	}
}

// base keeps the first base element that gives an address (HTML Standard,
// "document base URL").
func (c *Content) base(id dom.ID) {
	raw, ok := c.Tree.Attr(id, "href")
	if !ok || c.Base != nil {
		return
	}
	c.Base = c.URL
	if address, err := schema.NormalizeAddress(raw, c.URL); err == nil {
		if u, err := url.Parse(address); err == nil {
			c.Base = u
		}
	}
}

// resolve makes addresses of what was written, once the base is known.
func (c *Content) resolve() {
	if c.Base == nil {
		c.Base = c.URL
	}
	for i := range c.Links {
		l := &c.Links[i]
		a, err := schema.ParseAddress(l.Raw, c.Base)
		if err != nil {
			l.Err = err
			continue
		}
		l.Scheme, l.HostKey = a.Scheme, a.HostKey()
		l.InScope = l.HostKey == c.Scope
		if l.InScope {
			a = a.Key()
		}
		l.URL = a.String()
	}
	for i := range c.Canonicals {
		k := &c.Canonicals[i]
		k.URL, k.Err = schema.NormalizeAddress(k.Raw, c.Base)
	}
	for i := range c.Hreflangs {
		h := &c.Hreflangs[i]
		h.URL, h.Err = schema.NormalizeAddress(h.Raw, c.Base)
	}
	for i := range c.Refreshes {
		r := &c.Refreshes[i]
		if r.Raw != "" {
			r.URL, r.Err = schema.NormalizeAddress(r.Raw, c.Base)
		}
	}
}

// Lack is what an address without scheme should have begun with.
type Lack int

const (
	LacksNothing Lack = iota
	LacksHTTPS
	LacksMailto
)

// LacksScheme recognises hosts and mail addresses that were written without their
// scheme and are therefore read as paths: only the certain cases, names that begin
// with "www." and single words with an @ before a domain name.
func LacksScheme(raw string) Lack {
	raw = strings.TrimSpace(raw)
	host := raw
	if i := strings.IndexAny(raw, "/?#"); i >= 0 {
		host = raw[:i]
	}
	host = strings.ToLower(host)
	switch local, domain, at := strings.Cut(host, "@"); {
	case at && host == strings.ToLower(raw) && local != "" && !strings.ContainsAny(local, ": ") && isDomain(domain) && strings.Contains(domain, "."):
		return LacksMailto
	case !at && strings.HasPrefix(host, "www.") && isDomain(host) && strings.Count(host, ".") >= 2:
		return LacksHTTPS
	}
	return LacksNothing
}

func isDomain(s string) bool {
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			return false
		}
	}
	return true
}

func hasToken(list, token string) bool {
	for t := range strings.FieldsSeq(list) {
		if strings.EqualFold(t, token) {
			return true
		}
	}
	return false
}
