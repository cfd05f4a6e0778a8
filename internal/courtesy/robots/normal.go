package robots

import "strings"

const upperHex = "0123456789ABCDEF"

// Octet classes of the normal form. RFC 9309 section 2.2.2 compares octets
// after percent-encoding is made alike.
const (
	octetEscaped = iota // only ever written as %XX
	octetPlain          // stands as it is; its escape is another thing ("/" and "%2F")
	octetEither         // its escape means the same and is undone
	octetSpecial        // "*" and "$": escaped where they stand for themselves
)

var octets = func() (table [256]byte) {
	for c := range 256 {
		if c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' {
			table[c] = octetEither
		}
	}
	// Unreserved marks, and those reserved ones that Go's net/url escapes or
	// leaves depending on what else stands in the path.
	for _, c := range "-._~!'()[]" {
		table[c] = octetEither
	}
	for _, c := range "/?:@&=+,;#" {
		table[c] = octetPlain
	}
	table['*'], table['$'] = octetSpecial, octetSpecial
	return table
}()

// normalURL is what of an address rules are matched against: path and query in
// normal form. Scheme, user info, host, port and fragment play no part.
func normalURL(raw string) string {
	raw, _, _ = strings.Cut(strings.TrimSpace(raw), "#")
	if scheme, rest, ok := strings.Cut(raw, "://"); ok && !strings.ContainsAny(scheme, "/?") {
		raw = ""
		if start := strings.IndexAny(rest, "/?"); start >= 0 {
			raw = rest[start:]
		}
	}
	if !strings.HasPrefix(raw, "/") {
		raw = "/" + raw
	}
	return escape(raw, "")
}

// normalRule brings a rule's value into normal form. Stars that remain in it
// are wildcards. anchored tells of a final "$", which is cut. A value that
// begins with neither slash nor star gets a slash.
func normalRule(value string) (text string, anchored bool) {
	if !strings.HasPrefix(value, "*") && !strings.HasPrefix(value, "/") {
		value = "/" + value
	}
	value, anchored = strings.CutSuffix(value, "$")
	return escape(value, "*"), anchored
}

// escape writes s in normal form; octets in wild keep their special meaning. A
// percent sign that begins no escape stays as it is.
func escape(s, wild string) string {
	if isNormal(s, wild) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + len(s)/2)
	for i := 0; i < len(s); i++ {
		c := s[i]
		escaped := false
		if c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]) {
			c, escaped = unhex(s[i+1])<<4|unhex(s[i+2]), true
			i += 2
		}
		if plain(c, escaped, wild) {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(upperHex[c>>4])
		b.WriteByte(upperHex[c&15])
	}
	return b.String()
}

// plain reports whether an octet is written as itself in normal form.
func plain(c byte, escaped bool, wild string) bool {
	switch octets[c] {
	case octetEither:
		return true
	case octetPlain:
		return !escaped
	case octetSpecial:
		return !escaped && strings.IndexByte(wild, c) >= 0
	}
	return c == '%' && !escaped
}

// isNormal spares most addresses the rewriting.
func isNormal(s, wild string) bool {
	for i := range len(s) {
		if s[i] == '%' || !plain(s[i], false, wild) {
			return false
		}
	}
	return true
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f'
}

func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}

// withoutDots resolves dot segments of a normal path (RFC 3986 section 5.2.4);
// false where there are none.
func withoutDots(normal string) (string, bool) {
	path, query, hasQuery := strings.Cut(normal, "?")
	if !strings.Contains(path, "/.") {
		return "", false
	}
	segments := strings.Split(path, "/")[1:]
	var kept []string
	for i, segment := range segments {
		last := i == len(segments)-1
		switch segment {
		case ".":
		case "..":
			kept = kept[:max(0, len(kept)-1)]
		default:
			kept = append(kept, segment)
			continue
		}
		if last {
			kept = append(kept, "")
		}
	}
	resolved := "/" + strings.Join(kept, "/")
	if hasQuery {
		resolved += "?" + query
	}
	return resolved, resolved != normal
}
