package schema

import "strings"

const upperHex = "0123456789ABCDEF"

// normalPath makes the path of an address normal: "/" for none, backslashes
// turned, dot segments removed (URL Standard "path state"), percent-encoding
// normal.
func normalPath(path string) string {
	if path == "" {
		return "/"
	}
	path = encode(path, pathSafe)
	if strings.IndexByte(path, '\\') >= 0 {
		path = strings.ReplaceAll(path, "\\", "/")
	}
	if path[0] != '/' {
		path = "/" + path
	}
	if strings.Contains(path, "/.") {
		path = withoutDotSegments(path)
	}
	return path
}

func withoutDotSegments(path string) string {
	segments := strings.Split(path[1:], "/")
	kept := segments[:0]
	for i, segment := range segments {
		last := i == len(segments)-1
		switch segment {
		case ".", "..":
			if segment == ".." && len(kept) > 0 {
				kept = kept[:len(kept)-1]
			}
			if last {
				kept = append(kept, "")
			}
		default:
			kept = append(kept, segment)
		}
	}
	return "/" + strings.Join(kept, "/")
}

func normalQuery(query string) string {
	if query == "" {
		return ""
	}
	return encode(query, querySafe)
}

// pathSafe and querySafe say which ASCII characters stand for themselves. The
// path set is a little smaller than the URL Standard's: what Go's net/url would
// encode anew (|, ^ and the like) is encoded here already, so that "%2F" beside
// it survives.
var pathSafe, querySafe = safeTables()

func safeTables() (path, query [128]bool) {
	for c := byte(0x21); c < 0x7f; c++ {
		path[c] = !strings.ContainsRune("\"#<>?^`{|}", rune(c))
		query[c] = !strings.ContainsRune("\"#<>'", rune(c))
	}
	return path, query
}

// encode percent-encodes what may not stand for itself, writes hexadecimal
// digits in upper case and decodes encoded unreserved characters (RFC 3986
// section 6.2.2): none of this changes what the address names. A "%" that
// starts no encoding becomes "%25": strict servers and net/url refuse it bare.
func encode(s string, safe [128]bool) string {
	if isNormal(s, &safe) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 12)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]):
			if v := unhex(s[i+1])<<4 | unhex(s[i+2]); isUnreserved(v) {
				b.WriteByte(v)
			} else {
				writeEncoded(&b, v)
			}
			i += 2
		case c == '%':
			b.WriteString("%25")
		case c < 0x80 && safe[c]:
			b.WriteByte(c)
		default:
			writeEncoded(&b, c)
		}
	}
	return b.String()
}

func isNormal(s string, safe *[128]bool) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= 0x80 || c == '%' || !safe[c] {
			return false
		}
	}
	return true
}

func writeEncoded(b *strings.Builder, c byte) {
	b.WriteByte('%')
	b.WriteByte(upperHex[c>>4])
	b.WriteByte(upperHex[c&15])
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

// isUnreserved is RFC 3986 section 2.3.
func isUnreserved(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '-' || c == '.' || c == '_' || c == '~'
}
