package page

import (
	"iter"
	"strings"

	"visite/internal/inspect/dom"
	"visite/schema"
)

// readHeaders takes along what a page says of itself in its headers.
func (c *Content) readHeaders() {
	for _, value := range c.Doc.Header("X-Robots-Tag") {
		c.robotsHeader(value)
	}
	for _, value := range c.Doc.Header("Refresh") {
		c.refresh(dom.None, value)
	}
	for _, value := range c.Doc.Header("Link") {
		for target, params := range linkValues(value) {
			rel := params["rel"]
			switch {
			case hasToken(rel, "canonical"):
				c.Canonicals = append(c.Canonicals, Canonical{Node: dom.None, Raw: target, InHead: true})
				c.addLink(Link{Node: dom.None, Kind: schema.LinkCanonical, Raw: target})
			case hasToken(rel, "alternate") && params["hreflang"] != "":
				c.Hreflangs = append(c.Hreflangs, Hreflang{Node: dom.None, Code: params["hreflang"], Raw: target})
				c.addLink(Link{Node: dom.None, Kind: schema.LinkAlternate, Raw: target})
			}
		}
	}
}

// linkValues yields targets and parameters of a Link header field (RFC 8288
// section 3). A malformed rest is left out.
func linkValues(s string) iter.Seq2[string, map[string]string] {
	return func(yield func(string, map[string]string) bool) {
		for {
			s = strings.TrimLeft(s, " \t,")
			rest, ok := strings.CutPrefix(s, "<")
			if !ok {
				return
			}
			target, after, ok := strings.Cut(rest, ">")
			if !ok {
				return
			}
			params := map[string]string{}
			s = linkParams(after, params)
			if !yield(target, params) {
				return
			}
		}
	}
}

func linkParams(s string, into map[string]string) string {
	for {
		s = strings.TrimLeft(s, " \t")
		rest, ok := strings.CutPrefix(s, ";")
		if !ok {
			if i := strings.IndexByte(s, ','); i >= 0 {
				return s[i+1:]
			}
			return ""
		}
		end := strings.IndexAny(rest, "=;,")
		if end < 0 {
			return ""
		}
		name := strings.ToLower(strings.TrimSpace(rest[:end]))
		s = rest[end:]
		if s[0] != '=' {
			continue
		}
		var value string
		value, s = linkParamValue(strings.TrimLeft(s[1:], " \t"))
		if _, twice := into[name]; !twice {
			into[name] = value
		}
	}
}

func linkParamValue(s string) (value, rest string) {
	if quoted, ok := strings.CutPrefix(s, `"`); ok {
		value, rest, _ = strings.Cut(quoted, `"`)
		return value, rest
	}
	end := strings.IndexAny(s, ";,")
	if end < 0 {
		return strings.TrimSpace(s), ""
	}
	return strings.TrimSpace(s[:end]), s[end:]
}
