package technical

import (
	"bytes"
	"slices"

	"golang.org/x/net/html"

	"visite/internal/inspect/page"
	"visite/internal/inspect/rule"
)

// maxAttributes bounds the attributes of one tag that are compared.
const maxAttributes = 64

// attributeTwice reads the source as it was sent: the parsed page has each
// attribute once, whatever was written.
func attributeTwice(c *page.Content) []rule.Hit {
	if !served(c) {
		return nil
	}
	tags := 0
	z := html.NewTokenizer(bytes.NewReader(c.Doc.Source))
	for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
		if (kind == html.StartTagToken || kind == html.SelfClosingTagToken) && twice(z.Raw()) {
			tags++
		}
	}
	if tags == 0 {
		return nil
	}
	return rule.Page(rule.Count(tags, "tag"))
}

// twice reports whether a tag as written has an attribute twice. The tokenizer
// drops the second one, so the names are read here (HTML Standard, the states
// from "before attribute name" on).
func twice(tag []byte) bool {
	const blank = " \t\n\f\r"
	var room [16][]byte
	names := room[:0]
	rest := tag[min(len(tag), 1):]
	rest = rest[length(rest, blank+"/>"):]
	for len(names) < maxAttributes {
		if rest = bytes.TrimLeft(rest, blank+"/"); len(rest) == 0 || rest[0] == '>' {
			return false
		}
		n := 1 + length(rest[1:], blank+"/>=") // an equals sign may begin a name
		name := rest[:n]
		if slices.ContainsFunc(names, func(other []byte) bool { return bytes.EqualFold(other, name) }) {
			return true
		}
		names = append(names, name)
		rest = bytes.TrimLeft(rest[n:], blank)
		if len(rest) > 0 && rest[0] == '=' {
			rest = afterValue(bytes.TrimLeft(rest[1:], blank))
		}
	}
	return false
}

// length is up to where none of the characters stands.
func length(b []byte, characters string) int {
	if i := bytes.IndexAny(b, characters); i >= 0 {
		return i
	}
	return len(b)
}

func afterValue(b []byte) []byte {
	if len(b) > 0 && (b[0] == '"' || b[0] == '\'') {
		if end := bytes.IndexByte(b[1:], b[0]); end >= 0 {
			return b[end+2:]
		}
		return nil
	}
	return b[length(b, " \t\n\f\r>"):]
}
