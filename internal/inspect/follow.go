package inspect

import (
	"visite/internal/inspect/page"
	"visite/schema"
)

// rank orders kinds: an address that stands in a page in several ways is kept as
// the one a person is most likely to follow.
var rank = map[schema.LinkKind]int{
	schema.LinkAnchor: 0, schema.LinkFrame: 1, schema.LinkRefresh: 2, schema.LinkAlternate: 3, schema.LinkCanonical: 4,
	schema.LinkScript: 5, schema.LinkStyle: 6, schema.LinkImage: 7, schema.LinkMedia: 8,
}

// follow makes the page's distinct links, and candidates for further visits.
func follow(c *page.Content) ([]schema.PageLink, []schema.Candidate) {
	own := schema.AddressKey(c.URL)
	at := make(map[string]int, len(c.Links))
	out := make([]schema.PageLink, 0, len(c.Links))
	var feeds map[string]bool
	for _, l := range c.Links {
		if l.Err != nil || (l.URL == own && l.Kind != schema.LinkAnchor) || mistaken(l) {
			continue
		}
		if l.Feed {
			if feeds == nil {
				feeds = map[string]bool{}
			}
			feeds[l.URL] = true
		}
		address := l.URL
		if !l.InScope { // what stands in a query elsewhere can be this page's words, as in links to share it (C-58)
			address = schema.RedactAddress(address)
		}
		i, known := at[address]
		if !known {
			at[address] = len(out)
			out = append(out, schema.PageLink{URL: address, Kind: l.Kind, InScope: l.InScope, NoFollow: l.NoFollow})
			continue
		}
		if rank[l.Kind] < rank[out[i].Kind] {
			out[i].Kind = l.Kind
		}
		out[i].NoFollow = out[i].NoFollow && l.NoFollow
	}
	var candidates []schema.Candidate
	for _, l := range out {
		if l.InScope && l.Kind.Navigable() && l.URL != own && !feeds[l.URL] && !schema.LooksLikeFile(l.URL) && !schema.IsTrap(l.URL) && !schema.CarriesSecret(l.URL) {
			candidates = append(candidates, schema.Candidate{URL: l.URL, Via: schema.ViaLink})
		}
	}
	return out, candidates
}

// mistaken: hosts and mail addresses without their scheme are read as paths. They
// are reported as such; following them would nest addresses without end.
func mistaken(l page.Link) bool {
	return l.Kind == schema.LinkAnchor && page.LacksScheme(l.Raw) != page.LacksNothing
}
