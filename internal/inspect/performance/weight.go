package performance

import (
	"maps"

	"visite/internal/inspect/page"
	"visite/schema"
)

// Weigh sums up what a page made the browser load; nil where it was not seen.
func Weigh(c *page.Content) *schema.Weight {
	o := c.Doc.Observed
	if o == nil || len(o.Contacts) == 0 {
		return nil
	}
	w := &schema.Weight{Files: map[schema.FileKind]schema.FileSum{}}
	for _, contact := range o.Contacts {
		third := c.ThirdParty(contact.Host)
		if third {
			w.Hosts++
		}
		for kind, sum := range maps.All(contact.Files) {
			w.Requests, w.Bytes = w.Requests+sum.Requests, w.Bytes+sum.Bytes
			w.Files[kind] = add(w.Files[kind], sum)
			if third {
				w.ThirdParty = add(w.ThirdParty, sum)
			}
		}
	}
	return w
}

func add(a, b schema.FileSum) schema.FileSum {
	return schema.FileSum{Requests: a.Requests + b.Requests, Bytes: a.Bytes + b.Bytes}
}
