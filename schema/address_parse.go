package schema

import (
	"errors"
	"net/url"
	"strings"
)

// MaxAddressLength bounds a normalised address, in bytes. Longer ones are traps
// or data in disguise; no search engine's or sitemap's limit is lower.
const MaxAddressLength = 2000

// Why an address cannot be used. None of these carries the address itself.
var (
	ErrAddressNotWeb   = errors.New("address: the scheme is not http or https")
	ErrAddressRelative = errors.New("address: relative, and there is nothing to resolve it against")
	ErrAddressNoHost   = errors.New("address: no host")
	ErrAddressHost     = errors.New("address: the host is not a valid name or number")
	ErrAddressPort     = errors.New("address: the port is not a number from 0 to 65535")
	ErrAddressTooLong  = errors.New("address: longer than 2000 bytes")
)

// Address is a web address in its normal form, fragment and credentials dropped.
type Address struct {
	Scheme   string // "http" or "https"
	Host     string // lower case, A-labels; IPv6 in brackets; with the port where it is not the scheme's own
	Path     string // starts with "/", percent-encoded
	Query    string // without "?"
	HasQuery bool   // tells "/?" from "/"
}

// String is the address as written in links and requests.
func (a Address) String() string {
	var b strings.Builder
	b.Grow(len(a.Scheme) + len(a.Host) + len(a.Path) + len(a.Query) + 4)
	b.WriteString(a.Scheme)
	b.WriteString("://")
	b.WriteString(a.Host)
	b.WriteString(a.Path)
	if a.HasQuery {
		b.WriteByte('?')
		b.WriteString(a.Query)
	}
	return b.String()
}

// HostKey is HostKey of the address without parsing it again.
func (a Address) HostKey() string {
	if i := strings.LastIndexByte(a.Host, ':'); i > 0 && !strings.HasSuffix(a.Host, "]") {
		return strings.TrimSuffix(a.Host[:i], ".") + a.Host[i:]
	}
	return strings.TrimSuffix(a.Host, ".")
}

// NormalizeAddress brings an address into the form that browsers request (URL
// Standard, "URL parsing" with an http or https result): surrounding spaces and
// inner tabs and line ends dropped, backslashes read as slashes, resolved
// against base, dot segments removed, an empty path made "/", the scheme's own
// port dropped, the host in lower case and A-labels, credentials and fragment
// (fragment directives included) dropped. Empty path segments stay: they are
// significant. base may be nil for absolute addresses.
func NormalizeAddress(raw string, base *url.URL) (string, error) {
	a, err := ParseAddress(raw, base)
	if err != nil {
		return "", err
	}
	return a.String(), nil
}

// ParseAddress is NormalizeAddress that keeps the parts.
func ParseAddress(raw string, base *url.URL) (Address, error) {
	raw = strings.TrimFunc(raw, func(r rune) bool { return r <= ' ' })
	if strings.ContainsAny(raw, "\t\n\r") {
		raw = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(raw)
	}
	scheme, rest := cutScheme(raw)
	if scheme != "" && scheme != "http" && scheme != "https" {
		return Address{}, ErrAddressNotWeb
	}
	if len(rest) > 4*MaxAddressLength {
		return Address{}, ErrAddressTooLong
	}
	rest, _, _ = strings.Cut(rest, "#")
	a, err := resolve(scheme, rest, base)
	if err != nil {
		return Address{}, err
	}
	if len(a.Scheme)+len(a.Host)+len(a.Path)+len(a.Query)+4 > MaxAddressLength {
		return Address{}, ErrAddressTooLong
	}
	return a, nil
}

// cutScheme splits off a scheme in lower case; without one it is empty.
func cutScheme(s string) (scheme, rest string) {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c|0x20 >= 'a' && c|0x20 <= 'z':
		case i > 0 && (c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.'):
		case i > 0 && c == ':':
			return strings.ToLower(s[:i]), s[i+1:]
		default:
			return "", s
		}
	}
	return "", s
}

func resolve(scheme, rest string, base *url.URL) (Address, error) {
	slashes := len(rest) >= 2 && isSlash(rest[0]) && isSlash(rest[1])
	switch {
	case scheme != "" && (base == nil || base.Scheme != scheme || slashes):
		return absolute(scheme, rest)
	case base == nil || (base.Scheme != "http" && base.Scheme != "https"):
		return Address{}, ErrAddressRelative
	case slashes:
		return absolute(base.Scheme, rest)
	}
	return relative(rest, base)
}

// absolute parses what follows the scheme's colon; browsers skip any number of
// slashes before the host.
func absolute(scheme, rest string) (Address, error) {
	for rest != "" && isSlash(rest[0]) {
		rest = rest[1:]
	}
	authority, tail := rest, ""
	if i := strings.IndexAny(rest, "/\\?"); i >= 0 {
		authority, tail = rest[:i], rest[i:]
	}
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		authority = authority[i+1:] // we never log in (S-20), and keep no credentials
	}
	host, err := normalHost(scheme, authority)
	if err != nil {
		return Address{}, err
	}
	a := Address{Scheme: scheme, Host: host}
	a.setTail(tail)
	return a, nil
}

func relative(rest string, base *url.URL) (Address, error) {
	host, err := normalHost(base.Scheme, base.Host)
	if err != nil {
		return Address{}, err
	}
	a := Address{Scheme: base.Scheme, Host: host}
	if rest == "" {
		a.setTail(base.EscapedPath())
		a.Query, a.HasQuery = normalQuery(base.RawQuery), base.RawQuery != "" || base.ForceQuery
		return a, nil
	}
	switch {
	case rest[0] == '?':
		rest = base.EscapedPath() + rest
	case !isSlash(rest[0]):
		folder := base.EscapedPath()
		rest = folder[:strings.LastIndexByte(folder, '/')+1] + rest
	}
	a.setTail(rest)
	return a, nil
}

func (a *Address) setTail(tail string) {
	path, query, has := strings.Cut(tail, "?")
	a.Path, a.Query, a.HasQuery = normalPath(path), normalQuery(query), has
}

func isSlash(c byte) bool { return c == '/' || c == '\\' }
