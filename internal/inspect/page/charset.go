package page

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/text/encoding/htmlindex"

	"visite/schema"
)

// Charset is how a source's characters are written, and what said so.
type Charset struct {
	Name    string // canonical, lower case: what a source was read with, or a rendered page's header says
	BOM     string // by a byte order mark
	Header  string // label in Content-Type, as sent, lower case
	Meta    string // label in the markup, as written, lower case
	MetaEnd int    // bytes up to the end of that meta tag
	Unknown bool   // a label stands there that no browser knows
}

// Declared reports whether anything says what the encoding is.
func (c Charset) Declared() bool { return c.BOM != "" || c.Header != "" || c.Meta != "" }

// decode turns a source into UTF-8 as browsers do: byte order mark, then
// Content-Type, then the markup (HTML Standard, "determining the character
// encoding"), then by looks: UTF-8 where it is valid, else windows-1252. What
// cannot be decoded becomes U+FFFD; nothing fails.
func decode(source []byte, contentType []string) ([]byte, Charset) {
	c := Charset{Header: headerCharset(contentType)}
	c.Meta, c.MetaEnd = metaCharset(source)
	switch {
	case bytes.HasPrefix(source, []byte{0xef, 0xbb, 0xbf}):
		c.BOM, source = "utf-8", source[3:]
	case bytes.HasPrefix(source, []byte{0xfe, 0xff}):
		c.BOM, source = "utf-16be", source[2:]
	case bytes.HasPrefix(source, []byte{0xff, 0xfe}):
		c.BOM, source = "utf-16le", source[2:]
	}
	for _, label := range [...]string{c.BOM, c.Header, metaLabel(c.Meta)} {
		if label == "" {
			continue
		}
		if name := CharsetName(label); name != "" {
			c.Name = name
			return recode(source, name), c
		}
		c.Unknown = true
	}
	if utf8.Valid(withoutPartialRune(source)) {
		c.Name = "utf-8"
		return source, c
	}
	c.Name = "windows-1252"
	return recode(source, c.Name), c
}

// metaLabel: markup that can be read cannot be UTF-16.
func metaLabel(label string) string {
	switch {
	case strings.HasPrefix(label, "utf-16"):
		return "utf-8"
	case label == "x-user-defined":
		return "windows-1252"
	}
	return label
}

// CharsetName is the canonical name of a label, empty for labels no browser knows.
func CharsetName(label string) string {
	e, err := htmlindex.Get(label)
	if err != nil {
		return ""
	}
	name, err := htmlindex.Name(e)
	if err != nil {
		return ""
	}
	return name
}

// Text is a served document of HTML in UTF-8, read as browsers read it; nil for
// anything else.
func Text(source []byte, facts schema.DocumentFacts) []byte {
	if !isHTML(facts.MediaType) {
		return nil
	}
	d := Document{Facts: facts}
	text, _ := decode(source, d.Header("Content-Type"))
	return text
}

func isHTML(mediaType string) bool {
	mediaType, _, _ = strings.Cut(mediaType, ";")
	return strings.EqualFold(strings.TrimSpace(mediaType), "text/html")
}

func recode(source []byte, name string) []byte {
	if name == "utf-8" {
		return source
	}
	e, err := htmlindex.Get(name)
	if err != nil {
		return source
	}
	out, err := e.NewDecoder().Bytes(source)
	if err != nil {
		return bytes.ToValidUTF8(source, []byte("\uFFFD"))
	}
	return out
}

// withoutPartialRune drops a rune that a cut went through.
func withoutPartialRune(b []byte) []byte {
	for i := len(b) - 1; i >= 0 && i > len(b)-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				return b[:i]
			}
			break
		}
	}
	return b
}

func headerCharset(contentType []string) string {
	for _, value := range contentType {
		if label := charsetParam(value); label != "" {
			return label
		}
	}
	return ""
}

// charsetParam finds the charset of a media type or of a meta content, leniently
// ("algorithm for extracting a character encoding from a meta element").
func charsetParam(s string) string {
	s = strings.ToLower(s)
	for {
		i := strings.Index(s, "charset")
		if i < 0 {
			return ""
		}
		s = strings.TrimLeft(s[i+len("charset"):], " \t\n\f\r")
		rest, ok := strings.CutPrefix(s, "=")
		if !ok {
			continue
		}
		rest = strings.TrimLeft(rest, " \t\n\f\r")
		if rest != "" && (rest[0] == '"' || rest[0] == '\'') {
			label, _, closed := strings.Cut(rest[1:], rest[:1])
			if !closed {
				return ""
			}
			return strings.TrimSpace(label)
		}
		if end := strings.IndexAny(rest, "; \t\n\f\r,"); end >= 0 {
			rest = rest[:end]
		}
		return rest
	}
}

// maxPrescan bounds the search for a late declaration, in bytes.
const maxPrescan = 32 << 10

// metaCharset finds the first declaration in the markup before the body.
func metaCharset(source []byte) (label string, end int) {
	z := html.NewTokenizer(bytes.NewReader(source[:min(len(source), maxPrescan)]))
	offset := 0
	for {
		kind := z.Next()
		offset += len(z.Raw())
		switch kind {
		case html.ErrorToken:
			return "", 0
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			if string(name) == "body" {
				return "", 0
			}
			if string(name) != "meta" {
				continue
			}
			if label := labelOfMeta(z, more); label != "" {
				return label, offset
			}
		}
	}
}

func labelOfMeta(z *html.Tokenizer, more bool) string {
	var label, content string
	pragma := false
	for more {
		var key, value []byte
		key, value, more = z.TagAttr()
		switch string(key) {
		case "charset":
			label = strings.ToLower(strings.TrimSpace(string(value)))
		case "content":
			content = string(value)
		case "http-equiv":
			pragma = strings.EqualFold(strings.TrimSpace(string(value)), "content-type")
		}
	}
	if label == "" && pragma {
		label = charsetParam(content)
	}
	return label
}
