package schema

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// lookupNames maps names as browsers do (UTS 46, non-transitional, hyphens and
// underscores let through).
var lookupNames = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.StrictDomainName(false), idna.CheckHyphens(false))

// normalHost is host and port of an authority without credentials.
func normalHost(scheme, authority string) (string, error) {
	host, port := authority, ""
	if i := strings.LastIndexByte(authority, ':'); i >= 0 && !strings.Contains(authority[i:], "]") {
		host, port = authority[:i], authority[i+1:]
	}
	if host == "" {
		return "", ErrAddressNoHost
	}
	host, err := normalName(host)
	if err != nil {
		return "", err
	}
	if port == "" {
		return host, nil
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil || port[0] == '+' {
		return "", ErrAddressPort
	}
	if (scheme == "http" && number == 80) || (scheme == "https" && number == 443) {
		return host, nil
	}
	return host + ":" + strconv.FormatUint(number, 10), nil
}

// normalName is URL Standard "host parsing".
func normalName(host string) (string, error) {
	if host[0] == '[' {
		addr, err := netip.ParseAddr(strings.TrimSuffix(host[1:], "]"))
		if err != nil || !addr.Is6() || addr.Zone() != "" || host[len(host)-1] != ']' {
			return "", ErrAddressHost
		}
		return "[" + addr.String() + "]", nil
	}
	if strings.IndexByte(host, '%') >= 0 {
		decoded, err := url.PathUnescape(host)
		if err != nil {
			return "", ErrAddressHost
		}
		host = decoded
	}
	host, err := asciiName(host)
	if err != nil || host == "" || strings.ContainsFunc(host, forbiddenInHost) || hasEmptyLabel(host) {
		return "", ErrAddressHost
	}
	if !endsInNumber(host) {
		if len(strings.TrimSuffix(host, ".")) > 253 {
			return "", ErrAddressHost
		}
		return host, nil
	}
	addr, ok := parseIPv4(host)
	if !ok {
		return "", ErrAddressHost
	}
	return addr.String(), nil
}

// asciiName brings each label into lower-case ASCII. A label that already is
// ASCII stays as typed, even an A-label that does not decode or decodes to
// something else: whether the name exists is for the name service to say.
func asciiName(host string) (string, error) {
	if isASCII(host) {
		return strings.ToLower(host), nil
	}
	if !utf8.ValidString(host) {
		return "", ErrAddressHost
	}
	host = strings.NewReplacer("。", ".", "．", ".", "｡", ".").Replace(host)
	labels := strings.Split(host, ".")
	for i, label := range labels {
		if isASCII(label) {
			labels[i] = strings.ToLower(label)
			continue
		}
		ascii, err := lookupNames.ToASCII(label)
		if err != nil {
			return "", ErrAddressHost
		}
		labels[i] = ascii
	}
	return strings.Join(labels, "."), nil
}

// hasEmptyLabel: browsers parse such names, no name service has them.
func hasEmptyLabel(host string) bool {
	return host[0] == '.' || strings.Contains(host, "..")
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// forbiddenInHost are the URL Standard's forbidden domain code points, and the
// few more that net/url takes in no host.
func forbiddenInHost(r rune) bool {
	return r <= ' ' || r >= 0x7f || strings.ContainsRune("#/:<>?@[\\]^|%\"`{}", r)
}

// endsInNumber is the URL Standard's "ends in a number" check: such a host is an
// IPv4 address or nothing.
func endsInNumber(host string) bool {
	last := strings.TrimSuffix(host, ".")
	last = last[strings.LastIndexByte(last, '.')+1:]
	if last == "" {
		return false
	}
	if strings.Trim(last, "0123456789") == "" {
		return true
	}
	_, ok := ipv4Part(last)
	return ok
}

// parseIPv4 is the URL Standard's "IPv4 parser": one to four parts, decimal,
// octal or hexadecimal, the last filling what is left.
func parseIPv4(host string) (netip.Addr, bool) {
	parts := strings.Split(strings.TrimSuffix(host, "."), ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var value uint64
	for i, part := range parts {
		n, ok := ipv4Part(part)
		last := i == len(parts)-1
		switch {
		case !ok, !last && n > 255, last && n >= 1<<(8*(5-len(parts))):
			return netip.Addr{}, false
		case last:
			value |= n
		default:
			value |= n << (8 * (3 - i))
		}
	}
	return netip.AddrFrom4([4]byte{byte(value >> 24), byte(value >> 16), byte(value >> 8), byte(value)}), true
}

func ipv4Part(s string) (uint64, bool) {
	if s == "" {
		return 0, false
	}
	base := 10
	switch {
	case strings.HasPrefix(s, "0x") || strings.HasPrefix(s, "0X"):
		s, base = s[2:], 16
	case len(s) > 1 && s[0] == '0':
		s, base = s[1:], 8
	}
	if s == "" {
		return 0, true
	}
	if s[0] == '+' || s[0] == '-' || strings.IndexByte(s, '_') >= 0 {
		return 0, false
	}
	n, err := strconv.ParseUint(s, base, 34)
	return n, err == nil
}
