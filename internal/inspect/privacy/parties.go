package privacy

import (
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html/atom"

	"visite/internal/inspect/dom"
	"visite/internal/inspect/page"
	"visite/schema"
)

// party is a third party of one page: everything below one registrable domain
// that one owner runs.
type party struct {
	entity
	domain  string
	before  int // requests before anybody refused consent
	refused int // and after
	full    int // told the page's whole address

	// Of a party that is not known by name: requests that a list of trackers names.
	list                        schema.TrackerList
	listedBefore, listedRefused int
}

// is tells whether the party was contacted as one of a class before anybody
// refused consent. One not known by name is what the lists say of its files.
func (p party) is(of class) bool {
	switch {
	case p.listedBefore > 0:
		return of == classTracker
	case p.class == of:
		return p.before > 0
	}
	return false
}

// afterRefusal tells whether the party tracks after consent was refused.
func (p party) afterRefusal() bool {
	return p.listedRefused > 0 || (p.refused > 0 && (p.class == classTracker || p.class == classTags))
}

// tracked is label, with the list that names the party where no name of ours does.
func (p party) tracked() string {
	if p.list == "" {
		return p.label()
	}
	return p.label() + ", " + string(p.list)
}

// label names a party with words of closed lists and its registrable domain.
func (p party) label() string {
	if p.name == "" {
		return p.domain
	}
	return p.domain + " (" + p.name + ")"
}

// parties are the third parties of a page in the order of their names: of what the
// browser asked for, or, where there was none, of what every browser would.
func parties(c *page.Content) []party {
	own := strings.ToLower(c.URL.Hostname())
	ownDomain, ownEntity := c.Doc.RegistrableOf(own), entityOf(own)
	by := map[string]*party{}
	for _, contact := range contacts(c) {
		domain, e := c.Doc.RegistrableOf(contact.Host), entityOf(contact.Host)
		if domain == ownDomain || e.sameOwner(ownEntity) || local(contact.Host) {
			continue // the same site, or another of the same owner
		}
		key := domain + "\x00" + e.name
		p := by[key]
		if p == nil {
			p = &party{entity: e, domain: shown(domain)}
			by[key] = p
		}
		p.before += contact.Requests - contact.Refused
		p.refused += contact.Refused
		p.full += contact.FullReferrer
		if e.class == classOther && !e.ours {
			p.listed(contact)
		}
	}
	out := make([]party, 0, len(by))
	for _, p := range by {
		out = append(out, *p)
	}
	slices.SortFunc(out, func(a, b party) int { return strings.Compare(a.label(), b.label()) })
	return out
}

// listed adds what lists say of a host.
func (p *party) listed(c schema.Contact) {
	p.listedBefore += c.Listed - c.ListedRefused
	p.listedRefused += c.ListedRefused
	if c.Listed > 0 && p.list != schema.ListEasyPrivacy {
		p.list = c.List
	}
}

// ToldBy is how trackers were told on a page; empty where it contacts nobody.
func ToldBy(c *page.Content) schema.TrackersBy {
	if o := c.Doc.Observed; o != nil {
		return o.TrackersBy
	}
	if len(parties(c)) > 0 {
		return schema.TrackersByNames
	}
	return ""
}

// local tells whether a host is this machine: nobody else is contacted there.
func local(host string) bool {
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || strings.HasPrefix(host, "127.") || host == "::1"
}

// shown is a domain as a detail may have it.
func shown(domain string) string {
	if len(domain) > 80 || strings.Trim(domain, "abcdefghijklmnopqrstuvwxyz0123456789.-:") != "" {
		return "a host with an unusual name"
	}
	return domain
}

func contacts(c *page.Content) []schema.Contact {
	if c.Doc.Observed != nil {
		return c.Doc.Observed.Contacts
	}
	if !c.Static() {
		return nil
	}
	var out []schema.Contact
	for _, l := range c.Links {
		if l.Err != nil || (l.Scheme != "http" && l.Scheme != "https") || !loads(c, l) {
			continue
		}
		if u, err := url.Parse(l.URL); err == nil {
			out = append(out, schema.Contact{Host: strings.ToLower(u.Hostname()), Requests: 1})
		}
	}
	return out
}

// loads tells whether every browser asks for a link's address while the page is
// loaded. Scripts of another type wait for somebody to enable them, often for
// consent; what is meant for browsers without scripts, hardly any browser loads.
func loads(c *page.Content, l page.Link) bool {
	switch l.Kind {
	case schema.LinkImage, schema.LinkStyle, schema.LinkFrame, schema.LinkScript:
	default:
		return false
	}
	if l.Node == dom.None {
		return false
	}
	if l.Kind == schema.LinkScript && !runs(c, l.Node) {
		return false
	}
	if rel, _ := c.Tree.Attr(l.Node, "rel"); l.Kind == schema.LinkImage && strings.Contains(strings.ToLower(rel), "image_src") {
		return false
	}
	return c.Tree.Ancestor(l.Node, atom.Noscript) == dom.None
}

// runs tells whether a script element holds a script (HTML Standard, the script
// element's type).
func runs(c *page.Content, id dom.ID) bool {
	kind, ok := c.Tree.Attr(id, "type")
	kind = strings.ToLower(strings.TrimSpace(kind))
	return !ok || kind == "" || kind == "module" || strings.HasSuffix(kind, "javascript") || strings.HasSuffix(kind, "ecmascript")
}
