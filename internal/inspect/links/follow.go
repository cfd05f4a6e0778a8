package links

import (
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/html/atom"

	"visite/internal/inspect/dom"
	"visite/internal/inspect/page"
	"visite/internal/inspect/rule"
	"visite/schema"
)

// linksMany is how many links a page may have by convention.
const linksMany = 1000

// noAddress finds anchors that are made to be clicked and lead nowhere by
// themselves.
func noAddress(c *page.Content) []rule.Hit {
	var hits []rule.Hit
	for id := range c.Tree.Below(dom.Root) {
		if !c.Tree.Is(id, atom.A) || c.Tree.Node(id).Flags&dom.Inert != 0 || c.Tree.Has(id, "href") || !c.Tree.Has(id, "onclick") {
			continue
		}
		if role, _ := c.Tree.Attr(id, "role"); strings.EqualFold(strings.TrimSpace(role), "button") {
			continue
		}
		hits = append(hits, rule.Hit{Node: id})
	}
	return hits
}

// insecure finds links of a secure page to insecure addresses of its own host.
func insecure(c *page.Content) []rule.Hit {
	if !c.Secure() {
		return nil
	}
	own := schema.HostKey(c.URL)
	return each(c, func(l page.Link) (string, bool) {
		if l.Err != nil || l.Scheme != "http" || l.HostKey != own {
			return "", false
		}
		return schema.RedactAddress(l.URL), true
	})
}

// sessionNames are parameters in which servers keep a session, in lower case.
var sessionNames = []string{"phpsessid", "jsessionid", "sessionid", "session_id", "aspsessionid", "cfid", "cftoken"}

// session tells once of own addresses that carry a session.
func session(c *page.Content) []rule.Hit {
	first, count := dom.None, 0
	for _, l := range c.Links {
		if l.Kind != schema.LinkAnchor || l.Err != nil || !l.InScope || !namesSession(l.Raw) {
			continue
		}
		if count++; first == dom.None {
			first = l.Node
		}
	}
	if count == 0 {
		return nil
	}
	return []rule.Hit{{Node: first, Detail: rule.Count(count, "link")}}
}

func namesSession(raw string) bool {
	raw, _, _ = strings.Cut(strings.ToLower(raw), "#")
	for _, name := range sessionNames {
		for _, before := range [...]string{"?", "&", ";"} {
			if strings.Contains(raw, before+name+"=") {
				return true
			}
		}
	}
	return false
}

func tooMany(c *page.Content) []rule.Hit {
	if len(c.Anchors) <= linksMany {
		return nil
	}
	return rule.Page(strconv.Itoa(len(c.Anchors)) + " links")
}

// fragmentMissing finds links within the page to a place that is not there. Links
// that a script acts on, and fragments that are routes of an application, are
// left alone; where scripts could make the place, somebody has to look.
func fragmentMissing(c *page.Content) []rule.Hit {
	if !c.Complete() {
		return nil
	}
	var places map[string]bool
	scripts := false
	var hits []rule.Hit
	for _, l := range c.Links {
		fragment := fragmentOf(c, l)
		if fragment == "" || actedOn(c, l.Node) {
			continue
		}
		if places == nil {
			places, scripts = placesOf(c)
		}
		if decoded, err := url.PathUnescape(fragment); places[fragment] || err == nil && places[decoded] {
			continue
		}
		h := rule.Hit{Node: l.Node}
		if scripts && c.Static() {
			h.Outcome = schema.FindingNeedsReview
		}
		hits = append(hits, h)
	}
	return hits
}

// fragmentOf is the fragment of a link to a place of the page itself, without a
// text directive; empty where there is none, or it always works.
func fragmentOf(c *page.Content, l page.Link) string {
	before, fragment, _ := strings.Cut(strings.TrimSpace(l.Raw), "#")
	if l.Kind != schema.LinkAnchor || l.Err != nil || l.Node == dom.None || fragment == "" {
		return ""
	}
	if before != "" && l.URL != schema.AddressKey(c.URL) || before == "" && c.Base != c.URL {
		return ""
	}
	fragment, _, _ = strings.Cut(fragment, ":~:")
	if strings.EqualFold(fragment, "top") || strings.ContainsAny(fragment, "/!=?&") {
		return ""
	}
	return fragment
}

// actedOn reports whether a link looks as if a script handled it.
func actedOn(c *page.Content, id dom.ID) bool {
	for _, a := range c.Tree.Attrs(id) {
		switch {
		case a.Name == "onclick", a.Name == "role", a.Name == "aria-controls", a.Name == "aria-expanded", a.Name == "aria-haspopup", a.Name == "target":
			return true
		case strings.HasPrefix(a.Name, "data-"), strings.HasPrefix(a.Name, "@"), strings.HasPrefix(a.Name, "x-on:"), strings.HasPrefix(a.Name, "v-on:"):
			return true
		}
	}
	return false
}

// placesOf lists what fragments can lead to, and says whether there are scripts.
func placesOf(c *page.Content) (places map[string]bool, scripts bool) {
	places = map[string]bool{}
	for id := range c.Tree.Below(dom.Root) {
		if c.Tree.Node(id).Kind != dom.Element {
			continue
		}
		if v, ok := c.Tree.Attr(id, "id"); ok {
			places[v] = true
		}
		if c.Tree.Is(id, atom.A) {
			if v, ok := c.Tree.Attr(id, "name"); ok {
				places[v] = true
			}
		}
		scripts = scripts || c.Tree.Is(id, atom.Script)
	}
	return places, scripts
}
