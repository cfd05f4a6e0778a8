package security

import (
	"strings"

	"visite/internal/inspect/dom"
	"visite/internal/inspect/page"
	"visite/internal/inspect/rule"
	"visite/schema"
)

// mixed goes by what the browser really requested; without one, by the addresses
// of what every browser would request. Plain links and names of namespaces are
// no content.
func mixed(c *page.Content) []rule.Hit {
	if !c.Secure() || upgrades(c) {
		return nil
	}
	var hits []rule.Hit
	if !c.Static() {
		for _, address := range c.Doc.Totals.Insecure {
			hits = append(hits, rule.Hit{Node: dom.None, Detail: schema.RedactAddress(address)})
		}
		return hits
	}
	seen := map[string]bool{}
	for _, l := range c.Links {
		if l.Scheme != "http" || l.Node == dom.None || seen[l.URL] || !fetched(l.Kind) {
			continue
		}
		seen[l.URL] = true
		hit := rule.Hit{Node: l.Node, Detail: schema.RedactAddress(l.URL)}
		if l.Kind == schema.LinkImage || l.Kind == schema.LinkMedia {
			hit.Severity = schema.SeverityModerate // shown, or upgraded by the browser, not run
		}
		hits = append(hits, hit)
	}
	return hits
}

func fetched(k schema.LinkKind) bool {
	switch k {
	case schema.LinkImage, schema.LinkScript, schema.LinkStyle, schema.LinkMedia, schema.LinkFrame:
		return true
	}
	return false
}

// upgrades reports whether the page tells browsers to ask for https instead
// (Upgrade Insecure Requests).
func upgrades(c *page.Content) bool {
	_, strong, _ := weak(c)
	return strong.Upgrade
}

func insecureForms(c *page.Content) []rule.Hit {
	if !c.Secure() || upgrades(c) {
		return nil
	}
	var hits []rule.Hit
	for _, id := range c.Forms {
		action, ok := c.Tree.Attr(id, "action")
		if !ok || strings.TrimSpace(action) == "" {
			continue
		}
		a, err := schema.ParseAddress(action, c.Base)
		if err == nil && a.Scheme == "http" {
			hits = append(hits, rule.Hit{Node: id, Detail: schema.RedactAddress(a.String())})
		}
	}
	return hits
}
