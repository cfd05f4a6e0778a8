// Package page reads what there is to know of one page: its markup, links, what
// it says of itself and of how it wants to be found. It judges nothing; the
// rules do. All of it stays in memory.
package page

import (
	"net/url"
	"strings"

	"visite/schema"
)

// Document is a page as it came back, in memory only.
type Document struct {
	Facts         schema.DocumentFacts // what the network saw
	Totals        schema.VisitTotals   // what the visit cost
	Source        []byte               // as served, decoded from its content coding; nil in the browser engine where it was not kept
	Rendered      string               // serialised DOM; empty in the http engine
	Cut           bool                 // source or DOM is not complete
	Engine        schema.Engine
	Device        schema.Device
	Axe           []byte                  // cleaned results of the accessibility engine, JSON; nil where it did not run
	Checks        []byte                  // cleaned results of our own checks in the browser, JSON; nil where they did not run
	QualWeb       []byte                  // likewise, of the second engine
	Validity      *schema.ValidityResults // of the served source; nil where it was not validated
	Observed      *schema.Observed        // what the browser saw besides; nil in the http engine
	ConsoleErrors int
	Notes         []string // of the browser
	// Registrable gives a host's registrable domain (Public Suffix List); nil: the
	// host itself. The list's package reaches the network's, so it is handed in.
	Registrable func(host string) string
}

// RegistrableOf is the registrable domain of a host in lower case.
func (d *Document) RegistrableOf(host string) string {
	if d.Registrable == nil {
		return host
	}
	return d.Registrable(host)
}

// ThirdParty tells whether a host (lower case) is of another site than the page:
// its registrable domain differs.
func (c *Content) ThirdParty(host string) bool {
	return c.Doc.RegistrableOf(host) != c.Doc.RegistrableOf(strings.ToLower(c.URL.Hostname()))
}

// Address is where the document was found in the end.
func (d *Document) Address() string {
	if d.Facts.Final != "" {
		return d.Facts.Final
	}
	return d.Facts.Requested
}

// Header is the values of a response header.
func (d *Document) Header(name string) []string {
	if v, ok := d.Facts.Header[name]; ok {
		return v
	}
	for k, v := range d.Facts.Header {
		if strings.EqualFold(k, name) {
			return v
		}
	}
	return nil
}

// Bytes is the size of the served document, decoded.
func (d *Document) Bytes() int64 {
	if d.Facts.Bytes > 0 {
		return d.Facts.Bytes
	}
	return int64(len(d.Source))
}

func (d *Document) url() *url.URL {
	u, err := url.Parse(d.Address())
	if err != nil || u.Host == "" {
		return &url.URL{Scheme: "http", Host: "invalid.invalid", Path: "/"}
	}
	return u
}
