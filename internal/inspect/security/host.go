package security

import (
	"net/netip"
	"strings"

	"visite/internal/inspect/page"
)

// hostKind tells hosts apart by what can be asked of them.
type hostKind int

const (
	publicName  hostKind = iota // a name of the internet
	bareAddress                 // an IP address
	localHost                   // this machine, or a name no public server has
)

// kindOf sorts a host name without port. Names that RFC 6761 and its like keep
// out of the public tree, and names without a dot, are local.
func kindOf(host string) hostKind {
	host = strings.TrimSuffix(strings.ToLower(strings.Trim(host, "[]")), ".")
	if a, err := netip.ParseAddr(host); err == nil {
		if a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast() {
			return localHost
		}
		return bareAddress
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	switch last {
	case "localhost", "local", "internal", host:
		return localHost
	}
	return publicName
}

// IsLocal reports whether a host is of this machine or of a private network or
// name: nothing can be said of its security from here.
func IsLocal(host string) bool { return kindOf(host) == localHost }

// IsAddress reports whether a host is an IP address.
func IsAddress(host string) bool {
	_, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil
}

func kind(c *page.Content) hostKind { return kindOf(c.URL.Hostname()) }

// deployed reports whether a page stands where its visitors find it: what is
// missing on a developer's machine is often added by the public server.
func deployed(c *page.Content) bool { return kind(c) != localHost }

// field is the values of a response header, bounded in number and length.
func field(c *page.Content, name string) []string {
	values := c.Doc.Header(name)
	values = values[:min(len(values), maxValues)]
	out := make([]string, 0, len(values))
	for _, v := range values {
		if v = strings.TrimSpace(v); v != "" {
			out = append(out, v[:min(len(v), maxValue)])
		}
	}
	return out
}

// Bounds of what is read of one header field.
const (
	maxValues = 100
	maxValue  = 64 << 10
)

// word is a name of the site's as it may stand in a finding: of a closed
// alphabet, short.
func word(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == '.' || (r >= '0' && r <= '9') || (r >= 'a' && r <= 'z') || (r >= 'A' && r <= 'Z') {
			return r
		}
		return '?'
	}, s)
	return s[:min(len(s), 60)]
}
