// Package robotsfile looks at how a robots.txt is written. What it means for an
// address is decided at the door; here nothing depends on it.
package robotsfile

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"visite/schema"
)

// fields are what robots understand, by RFC 9309 or by custom.
var fields = map[string]bool{
	"user-agent": true, "allow": true, "disallow": true, "sitemap": true, "crawl-delay": true, "host": true, "clean-param": true, "request-rate": true,
	"visit-time": true, "content-signal": true, "content-usage": true, "noindex": true,
}

// Examine counts what is wrong in a file that is there.
func Examine(body []byte) schema.RobotsFile {
	body = bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))
	f := schema.RobotsFile{Bytes: len(body), NotUTF8: !utf8.Valid(body)}
	if start := strings.ToLower(string(bytes.TrimSpace(body[:min(len(body), 512)]))); strings.HasPrefix(start, "<!doctype") || strings.HasPrefix(start, "<html") {
		f.Markup = true
		return f
	}
	for line := range bytes.FieldsFuncSeq(body, func(r rune) bool { return r == '\n' || r == '\r' }) {
		line, _, _ = bytes.Cut(line, []byte("#"))
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		name, _, ok := bytes.Cut(line, []byte(":"))
		field := strings.ToLower(string(bytes.TrimSpace(name[:min(len(name), 40)])))
		switch {
		case !ok || !fields[field]:
			f.Unknown++
		case field == "noindex":
			f.Noindex++
		case field == "sitemap":
			f.Sitemaps++
		}
	}
	return f
}
