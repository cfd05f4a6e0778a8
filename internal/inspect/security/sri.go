package security

import (
	"net/url"
	"strings"

	"golang.org/x/net/html/atom"

	"visite/internal/inspect/dom"
	"visite/internal/inspect/page"
	"visite/internal/inspect/rule"
	"visite/schema"
)

// loadedCode is a script or style sheet that a page loads from an address.
type loadedCode struct {
	node      dom.ID
	script    bool
	address   *url.URL
	secure    bool
	sameSite  bool // of the page's registrable domain
	ownOrigin bool
	integrity string
	cors      bool
}

// code lists what a page loads and runs, scripts before styles of the same place.
func code(c *page.Content) []loadedCode {
	var out []loadedCode
	for _, l := range c.Links {
		if (l.Kind != schema.LinkScript && l.Kind != schema.LinkStyle) || l.Node == dom.None {
			continue
		}
		a, err := url.Parse(l.URL)
		if err != nil || (a.Scheme != "http" && a.Scheme != "https") {
			continue
		}
		tag := c.Tree.Node(l.Node).Atom
		if tag != atom.Script && tag != atom.Link {
			continue
		}
		k := loadedCode{node: l.Node, script: tag == atom.Script, address: a, secure: a.Scheme == "https", sameSite: sameSite(c, a.Hostname(), c.URL.Hostname())}
		k.ownOrigin = a.Scheme == c.URL.Scheme && strings.EqualFold(a.Host, c.URL.Host)
		k.integrity, _ = c.Tree.Attr(l.Node, "integrity")
		k.integrity = strings.TrimSpace(k.integrity)
		_, k.cors = c.Tree.Attr(l.Node, "crossorigin")
		out = append(out, k)
	}
	return out
}

// sameSite compares registrable domains; addresses by themselves.
func sameSite(c *page.Content, a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	return a == b || (!IsAddress(a) && !IsAddress(b) && c.Doc.RegistrableOf(a) == c.Doc.RegistrableOf(b))
}

// integrityKnown reports whether a browser finds a hash it can compare with
// (Subresource Integrity section 3.3).
func integrityKnown(value string) bool {
	for w := range strings.FieldsSeq(value) {
		algorithm, digest, ok := strings.Cut(w, "-")
		digest, _, _ = strings.Cut(digest, "?")
		size := map[string]int{"sha256": 44, "sha384": 64, "sha512": 88}[strings.ToLower(algorithm)]
		if ok && size > 0 && len(digest) == size && strings.Trim(digest, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_=") == "" {
			return true
		}
	}
	return false
}

// sriMissing: a file that may change at any time can have no digest; one whose
// address names a version can.
func sriMissing(c *page.Content) []rule.Hit {
	var hits []rule.Hit
	for _, k := range code(c) {
		if k.sameSite || k.integrity != "" {
			continue
		}
		hit := rule.Hit{Node: k.node, Detail: schema.RedactAddress(k.address.String())}
		if !hasVersion(k.address.Path) {
			hit.Outcome = schema.FindingNeedsReview
		}
		hits = append(hits, hit)
	}
	return hits
}

func sriInvalid(c *page.Content) []rule.Hit {
	return eachCode(c, func(k loadedCode) bool { return k.integrity != "" && !integrityKnown(k.integrity) })
}

// sriBlocked: without CORS a browser cannot compare a file of another origin and
// does not use it.
func sriBlocked(c *page.Content) []rule.Hit {
	return eachCode(c, func(k loadedCode) bool { return !k.ownOrigin && integrityKnown(k.integrity) && !k.cors })
}

func eachCode(c *page.Content, fault func(loadedCode) bool) []rule.Hit {
	var hits []rule.Hit
	for _, k := range code(c) {
		if fault(k) {
			hits = append(hits, rule.Hit{Node: k.node, Detail: schema.RedactAddress(k.address.String())})
		}
	}
	return hits
}
