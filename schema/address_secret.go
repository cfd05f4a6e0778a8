package schema

import (
	"net/url"
	"slices"
	"strings"
)

// secretParams carry a credential, or a right to act once, whatever their value.
var secretParams = set("token", "auth_token", "authtoken", "access_token", "accesstoken", "id_token", "refresh_token", "session_token", "sessiontoken",
	"api_key", "apikey", "access_key", "accesskey", "authkey", "auth_key", "password", "passwd", "pwd", "passphrase", "secret", "client_secret",
	"sig", "signature", "hmac", "jwt", "otp", "samlrequest", "samlresponse", "id_token_hint", "client_assertion",
	"csrf", "csrftoken", "xsrf", "authenticity_token", "_token", "nonce", "_wpnonce")

// secretEndings make a name one of secretParams.
var secretEndings = []string{"_token", "-token", "_secret", "-secret", "password", "_signature", "-signature", "-credential", "_apikey", "_api_key", "-api-key"}

// guessedParams carry a credential where their value looks like one: short values
// under these names are countries, colours, steps of a form and the like.
var guessedParams = set("auth", "key", "code", "hash", "pass", "ticket", "sign", "state")

// pagingParams are opaque and long by nature, and no secret.
var pagingParams = set("page_token", "pagetoken", "next_token", "nexttoken", "continuation_token", "cursor", "after", "before")

// CarriesSecret reports whether an address has a parameter that carries a
// credential or a right to act once (a login, a confirmation, a signature), or
// names a person (S-24), or did so before Key masked it. Such an address is a link, but never visited:
// without the value it is another page, and the value is not ours to keep or use.
func CarriesSecret(address string) bool {
	before, query, _ := strings.Cut(address, "?")
	if _, rest, ok := strings.Cut(before, "://"); ok {
		_, before, _ = strings.Cut(rest, "/") // what stands before the host is no path
	}
	if pathNamesPerson(before) {
		return true
	}
	for part := range strings.SplitSeq(query, "&") {
		if name, value, _ := strings.Cut(part, "="); value == masked || name == masked || isSecret(name, value) || hasEmail(name) {
			return true
		}
	}
	return false
}

// RecordedAddress is an address as it may be recorded with a page of host, a
// HostKey: credentials and fragment dropped; on the host itself the values of
// secrets and sessions replaced by "*", elsewhere all values of the query.
func RecordedAddress(address, host string) string {
	a, err := ParseAddress(address, nil)
	if err != nil || a.HostKey() != host {
		return RedactAddress(address)
	}
	a.Path = withoutPathPersons(withoutPathSession(a.Path))
	a.Query = mapParams(a.Query, func(name, value string) (string, bool) {
		if isSecret(name, value) || isSession(strings.ToLower(name), value) {
			return masked, true
		}
		return value, true
	})
	return a.String()
}

// masked stands for a value that is not kept.
const masked = "*"

// mapParams rewrites the values of a query; what keep is false for is dropped.
// A query that stays as it is keeps its spelling.
func mapParams(query string, f func(name, value string) (to string, keep bool)) string {
	if query == "" {
		return ""
	}
	var out []string
	changed := false
	for part := range strings.SplitSeq(query, "&") {
		name, value, valued := strings.Cut(part, "=")
		to, keep := f(name, value)
		switch {
		case !keep:
			changed = true
			continue
		case to != value && valued:
			part, changed = name+"="+to, true
		case !valued && hasEmail(name):
			part, changed = masked, true
		}
		out = append(out, part)
	}
	if !changed {
		return query
	}
	return strings.Join(out, "&")
}

// isSecret judges a parameter as written in a query.
func isSecret(name, value string) bool {
	if value == "" {
		return false
	}
	name, value = plainName(name), unescaped(value)
	switch {
	case pagingParams[name]:
		return false
	case secretParams[name], slices.ContainsFunc(secretEndings, func(end string) bool { return strings.HasSuffix(name, end) }):
		return true
	case personParams[name], hasEmail(value), nestsSecret(value):
		return true
	case guessedParams[name] && isRandom(value, 16, 3):
		return true
	}
	return isJWT(value) || isRandom(value, 32, 4) && !isUUID(value)
}

// plainName is a parameter's name without what frameworks put around it:
// "user[password]" is a password.
func plainName(name string) string {
	name = strings.ToLower(unescaped(name))
	name = strings.TrimSuffix(strings.TrimSuffix(name, "[]"), "]")
	return name[strings.LastIndexAny(name, "[.")+1:]
}

// unescaped undoes percent-encoding where it is sound; a plus sign stays one.
func unescaped(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	if plain, err := url.PathUnescape(s); err == nil {
		return plain
	}
	return s
}

// isJWT recognises a JSON Web Token (RFC 7519 section 3): its first part is the
// base64url of a JSON object.
func isJWT(value string) bool {
	return len(value) >= 24 && strings.HasPrefix(value, "eyJ") && strings.Count(value, ".") >= 1 && isTokenText(value, ".")
}

// isRandom recognises hexadecimal and base64 of at least so many characters that
// no words make: in words, letters and digits seldom touch. UUIDs, with which
// many sites number their pages, are not told apart here.
func isRandom(value string, length, touches int) bool {
	if len(value) < length || !isTokenText(value, "") {
		return false
	}
	for i := 1; i < len(value); i++ {
		if isDigit(value[i]) && isLetter(value[i-1]) || isLetter(value[i]) && isDigit(value[i-1]) {
			touches--
		}
	}
	return touches <= 0
}

// isTokenText: letters, digits and the signs of base64 and base64url, and others.
func isTokenText(value, others string) bool {
	for i := 0; i < len(value); i++ {
		if c := value[i]; !isLetter(c) && !isDigit(c) && strings.IndexByte("-_+/="+others, c) < 0 {
			return false
		}
	}
	return true
}

// isUUID goes by the shape of RFC 9562 section 4.
func isUUID(value string) bool {
	if len(value) != 36 {
		return false
	}
	for i := 0; i < len(value); i++ {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if c := value[i] | 0x20; dash != (value[i] == '-') || !dash && !isDigit(value[i]) && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
