package page

import (
	"strconv"
	"strings"

	"visite/internal/inspect/dom"
	"visite/schema"
)

// Refresh is a page that loads itself, or another, after a while.
type Refresh struct {
	Node    dom.ID // dom.None for one from a header
	Seconds int
	Raw     string // empty: the page itself
	URL     string
	Err     error
}

func (c *Content) refresh(id dom.ID, content string) {
	seconds, raw, ok := parseRefresh(content)
	if !ok {
		return
	}
	c.Refreshes = append(c.Refreshes, Refresh{Node: id, Seconds: seconds, Raw: raw})
	if raw != "" {
		c.addLink(Link{Node: id, Kind: schema.LinkRefresh, Raw: raw})
	}
}

// parseRefresh follows the HTML Standard's "shared declarative refresh steps":
// a number, an optional ";" or ",", an optional "url=", optional quotes.
func parseRefresh(s string) (seconds int, address string, ok bool) {
	s = strings.TrimLeft(s, htmlSpace)
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	if digits == 0 && (s == "" || s[0] != '.') {
		return 0, "", false
	}
	seconds, err := strconv.Atoi(s[:digits])
	if err != nil && digits > 0 {
		seconds = 1 << 30
	}
	s = strings.TrimLeft(s[digits:], "0123456789.")
	if s == "" {
		return seconds, "", true
	}
	if !strings.ContainsRune(";, \t\n\f\r", rune(s[0])) {
		return 0, "", false
	}
	s = strings.TrimLeft(s, htmlSpace)
	if s != "" && (s[0] == ';' || s[0] == ',') {
		s = s[1:]
	}
	s = strings.TrimLeft(s, htmlSpace)
	return seconds, refreshAddress(s), true
}

func refreshAddress(s string) string {
	if len(s) >= 3 && strings.EqualFold(s[:3], "url") {
		if rest, ok := strings.CutPrefix(strings.TrimLeft(s[3:], htmlSpace), "="); ok {
			s = strings.TrimLeft(rest, htmlSpace)
		}
	}
	if s != "" && (s[0] == '"' || s[0] == '\'') {
		s, _, _ = strings.Cut(s[1:], s[:1])
	}
	return strings.TrimSpace(s)
}
