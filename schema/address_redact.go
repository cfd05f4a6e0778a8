package schema

import "strings"

// RedactAddress is an address as it may be written down: query values replaced
// by "*", credentials and fragment dropped. Names of parameters stay
// where they look like names.
func RedactAddress(address string) string {
	address, _, _ = strings.Cut(address, "#")
	address, query, has := strings.Cut(address, "?")
	if scheme, rest, ok := strings.Cut(address, "://"); ok {
		authority, path, slash := strings.Cut(rest, "/")
		authority = authority[strings.LastIndexByte(authority, '@')+1:]
		address = scheme + "://" + authority
		if slash {
			address += "/" + withoutPathPersons(path)
		}
	}
	if !has || query == "" {
		return address
	}
	var b strings.Builder
	b.WriteString(address)
	separator := byte('?')
	for part := range strings.SplitSeq(query, "&") {
		name, _, valued := strings.Cut(part, "=")
		b.WriteByte(separator)
		separator = '&'
		if valued && isParamName(name) {
			b.WriteString(name)
			b.WriteByte('=')
		}
		b.WriteByte('*')
	}
	return b.String()
}

func isParamName(name string) bool {
	if name == "" || len(name) > 40 {
		return false
	}
	for i := 0; i < len(name); i++ {
		if c := name[i]; !isUnreserved(c) && c != '[' && c != ']' && c != ';' && c != ':' {
			return false
		}
	}
	return true
}
