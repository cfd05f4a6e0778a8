package page

import "visite/schema"

// maxServed is how much of a served source is read beside its rendering, in bytes:
// heads are shorter, and it is read for each page.
const maxServed = 256 << 10

// Served is what a browser's page was before its scripts ran, as far as that was
// kept; nil in the http engine, which knows nothing else, and for XML.
func (c *Content) Served() *Content {
	if c.Doc.Rendered == "" || len(c.Doc.Source) == 0 || !isHTML(c.Doc.Facts.MediaType) {
		return nil
	}
	if c.served == nil {
		doc := Document{Facts: c.Doc.Facts, Source: c.Doc.Source, Engine: schema.EngineHTTP, Device: c.Doc.Device, Registrable: c.Doc.Registrable}
		if len(doc.Source) > maxServed {
			doc.Source, doc.Cut = doc.Source[:maxServed], true
		}
		c.served = Read(doc, c.Scope)
	}
	return c.served
}
