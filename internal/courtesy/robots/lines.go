package robots

import (
	"bytes"
	"encoding/binary"
	"iter"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

type key int

const (
	keyNone key = iota
	keyAgent
	keyAllow
	keyDisallow
	keyDelay
	keySitemap
)

// keys are the keywords in lower case, with the misspellings that are so common
// that obeying them is what the site's people meant.
var keys = map[string]key{
	"user-agent":  keyAgent,
	"useragent":   keyAgent,
	"user agent":  keyAgent,
	"allow":       keyAllow,
	"disallow":    keyDisallow,
	"dissallow":   keyDisallow,
	"dissalow":    keyDisallow,
	"disalow":     keyDisallow,
	"diasllow":    keyDisallow,
	"disallaw":    keyDisallow,
	"crawl-delay": keyDelay,
	"crawldelay":  keyDelay,
	"crawl delay": keyDelay,
	"sitemap":     keySitemap,
	"site-map":    keySitemap,
}

const longestKey = len("crawl-delay")

// cutBody takes what counts of a body. A line the limit cuts in two is dropped:
// the head of "Disallow: /x" would forbid everything.
func cutBody(body []byte) []byte {
	if len(body) <= MaxBody {
		return body
	}
	if next := body[MaxBody]; next == '\n' || next == '\r' {
		return body[:MaxBody]
	}
	return body[:bytes.LastIndexAny(body[:MaxBody], "\r\n")+1]
}

// decodeText undoes UTF-16 where a mark says so and drops a UTF-8 mark, whole
// or the part of it that is left. Other octets stay as they are: rules are
// compared octet by octet.
func decodeText(body []byte) string {
	switch {
	case bytes.HasPrefix(body, []byte{0xFF, 0xFE}):
		return decodeUTF16(body[2:], binary.LittleEndian)
	case bytes.HasPrefix(body, []byte{0xFE, 0xFF}):
		return decodeUTF16(body[2:], binary.BigEndian)
	}
	for _, c := range []byte{0xEF, 0xBB, 0xBF} {
		if len(body) == 0 || body[0] != c {
			break
		}
		body = body[1:]
	}
	return string(body)
}

func decodeUTF16(body []byte, order binary.ByteOrder) string {
	units := make([]uint16, 0, len(body)/2)
	for ; len(body) >= 2; body = body[2:] {
		units = append(units, order.Uint16(body))
	}
	return string(utf16.Decode(units))
}

// lines yields the lines with their numbers from 1. CR, LF and CR LF end a line
// (RFC 9309 section 2.2, EOL); no other octets do.
func lines(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for number := 1; text != ""; number++ {
			end := strings.IndexAny(text, "\r\n")
			if end < 0 {
				yield(number, text)
				return
			}
			if !yield(number, text[:end]) {
				return
			}
			if strings.HasPrefix(text[end:], "\r\n") {
				end++
			}
			text = text[end+1:]
		}
	}
}

// record takes a line apart. Comments, NUL octets and blanks at either end are
// no part of it.
func record(text string) (key, string) {
	text, _, _ = strings.Cut(text, "#")
	if strings.IndexByte(text, 0) >= 0 {
		text = strings.ReplaceAll(text, "\x00", "")
	}
	text = trim(text)
	if name, value, ok := strings.Cut(text, ":"); ok {
		if k := keyOf(trim(name)); k != keyNone {
			return k, trim(value)
		}
	}
	return recordWithoutColon(text)
}

// recordWithoutColon reads "Disallow /x": a keyword and one word. More words
// are prose, a bare keyword is junk.
func recordWithoutColon(text string) (key, string) {
	end := strings.IndexFunc(text, isBlank)
	if end < 0 || end > longestKey {
		return keyNone, ""
	}
	value := trim(text[end:])
	if strings.IndexFunc(value, isBlank) >= 0 {
		return keyNone, ""
	}
	return keyOf(text[:end]), value
}

func keyOf(name string) key {
	if len(name) > longestKey {
		return keyNone
	}
	return keys[strings.ToLower(name)]
}

// trim drops blanks at both ends, a no-break space from an editor included,
// also as a single Latin-1 octet; but never half of a UTF-8 character.
func trim(s string) string {
	s = strings.TrimFunc(s, isBlank)
	for strings.HasSuffix(s, "\xA0") {
		if r, size := utf8.DecodeLastRuneInString(s); r != utf8.RuneError || size != 1 {
			break
		}
		s = strings.TrimRightFunc(s[:len(s)-1], isBlank)
	}
	return s
}

// isBlank also knows the byte order mark and the zero-width space, which
// editors leave where files were joined.
func isBlank(r rune) bool { return unicode.IsSpace(r) || r == 0xFEFF || r == 0x200B }

// newAgent reads a user-agent value: a lone star, or a product token that ends
// at the first character no token may have (RFC 9309 section 2.2.1).
func newAgent(value string) agent {
	if rest, ok := strings.CutPrefix(value, "*"); ok {
		end := strings.IndexFunc(rest, isBlank)
		return agent{value: value, star: rest == "" || end == 0}
	}
	return agent{value: value, token: productToken(value)}
}

// productToken cuts a value at the first octet outside "a"-"z", "A"-"Z", "_"
// and "-" and makes it lower case.
func productToken(value string) string {
	for i := range len(value) {
		c := value[i]
		if c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c == '-' {
			continue
		}
		value = value[:i]
		break
	}
	return strings.ToLower(value)
}
