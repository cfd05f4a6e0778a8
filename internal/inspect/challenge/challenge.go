// Package challenge tells a page that checks who is asking from a page of the
// site. Such a page is left alone: it is named, never answered (contract S-21, S-23).
//
// It asks three things in turn: does the answer carry a header that only a
// challenge has; does the document carry a mark of a known product, and is it
// otherwise empty; is it built like a challenge whoever made it. An ordinary page
// with a widget in one of its forms, or with the script of a bot filter in it, is
// an ordinary page.
package challenge

import (
	"strings"

	"visite/internal/inspect/page"
)

// maxLooked bounds how much of a document is looked at, in bytes. Challenges are
// short, and what is long is a page.
const maxLooked = 256 << 10

// Detect tells whether a document is a challenge, and whose: "Cloudflare". The
// product is empty where the challenge names none that is known.
func Detect(c *page.Content) (product string, blocked bool) {
	header := c.Doc.Facts.Header
	if product, blocked = ByHeader(header); blocked {
		return product, true
	}
	if c.Doc.Facts.Status == 404 || c.Doc.Facts.Status == 410 {
		return "", false
	}
	f := read(c)
	if f.ordinary(wordyChallenge) {
		return "", false
	}
	a := answer{status: c.Doc.Facts.Status, header: header, html: strings.ToLower(head(c))}
	if product = marked(a); product != "" {
		return product, true
	}
	if f.ordinary(plainWords) {
		return "", false
	}
	known := hints(a)
	if f.likely(known.inMarkup) {
		return known.product, true
	}
	return "", false
}

// ByHeader recognises answers whose headers alone say that they are challenges;
// what they were sent with does not matter.
func ByHeader(header map[string][]string) (product string, blocked bool) {
	get := func(name string) string { return first(header, name) }
	switch {
	case isOneOf(get("Cf-Mitigated"), "challenge"):
		return "Cloudflare", true
	case isOneOf(get("X-Vercel-Mitigated"), "challenge", "deny"):
		return "Vercel", true
	case isOneOf(get("X-Amzn-Waf-Action"), "challenge", "captcha"):
		return "AWS WAF", true
	case get("X-Kasada-Challenge") != "":
		return "Kasada", true
	}
	return "", false
}

// first is a header's first value, empty where it is missing. Names come in any case.
func first(header map[string][]string, name string) string {
	for have, values := range header {
		if len(values) > 0 && strings.EqualFold(have, name) {
			return values[0]
		}
	}
	return ""
}

func isOneOf(value string, of ...string) bool {
	value = strings.TrimSpace(value)
	for _, o := range of {
		if strings.EqualFold(value, o) {
			return true
		}
	}
	return false
}

// head is the beginning of the document's markup.
func head(c *page.Content) string {
	if c.Doc.Rendered != "" {
		return c.Doc.Rendered[:min(len(c.Doc.Rendered), maxLooked)]
	}
	return string(c.Doc.Source[:min(len(c.Doc.Source), maxLooked)])
}
