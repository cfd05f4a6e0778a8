package schema

import "strings"

// personParams name people, whatever their value: the addresses that carry them
// are links, never visited, and kept without the value (S-24).
var personParams = set("email", "e-mail", "mail", "phone", "tel", "telephone", "mobile", "username", "user_name", "firstname", "first_name",
	"lastname", "last_name", "surname", "fullname", "full_name", "birthday", "birthdate", "iban")

// hasEmail reports whether a text, percent-encoded or not, has the shape of an
// e-mail address in it: something, an @, a host name with a top-level domain.
func hasEmail(text string) bool {
	text = unescaped(text)
	for {
		local, rest, found := strings.Cut(text, "@")
		if !found {
			return false
		}
		if local != "" && isTokenText(local[len(local)-1:], ".") && startsWithDomain(rest) {
			return true
		}
		text = rest
	}
}

// startsWithDomain: labels joined by dots, the last of at least two letters.
func startsWithDomain(text string) bool {
	end := 0
	for end < len(text) && (isLetter(text[end]) || isDigit(text[end]) || text[end] == '-' || text[end] == '.') {
		end++
	}
	host, last, found := cutLast(strings.Trim(text[:end], "."), '.')
	if !found || host == "" || len(last) < 2 {
		return false
	}
	for i := range len(last) {
		if !isLetter(last[i]) {
			return false
		}
	}
	return true
}

func cutLast(s string, sep byte) (before, after string, found bool) {
	i := strings.LastIndexByte(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

// withoutPathPersons replaces the parts of a path that hold an e-mail address.
func withoutPathPersons(path string) string {
	if !strings.Contains(path, "@") && !strings.Contains(path, "%40") {
		return path
	}
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if hasEmail(part) {
			parts[i] = masked
		}
	}
	return strings.Join(parts, "/")
}

// pathNamesPerson reports whether a path holds an e-mail address, or held one
// before it was masked.
func pathNamesPerson(path string) bool {
	for part := range strings.SplitSeq(path, "/") {
		if part == masked || hasEmail(part) {
			return true
		}
	}
	return false
}

// nestsSecret reports whether a value is an address that carries a secret itself.
func nestsSecret(value string) bool {
	return strings.Contains(value, "?") && strings.Contains(value, "/") && CarriesSecret(value)
}
