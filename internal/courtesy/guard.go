package courtesy

import (
	"net/netip"
	"strings"

	"visite/schema"
)

// reach is which addresses may be connected to.
type reach int

const (
	reachPublic   reach = iota // the internet, nothing of our own
	reachBoth                  // the internet and this machine: a run on a site of this machine
	reachLoopback              // this machine only: profiles with a freer pace
)

// forbidden are the ranges of IPv4, and of IPv6 within 2000::/3, that are no
// addresses of sites: the IANA special-purpose registries (RFC 6890 and its
// updates), and addresses of clouds' metadata services in public ranges.
var forbidden = prefixes(
	"0.0.0.0/8",         // this network, RFC 791
	"10.0.0.0/8",        // private, RFC 1918
	"100.64.0.0/10",     // carriers' NAT, RFC 6598
	"127.0.0.0/8",       // loopback
	"169.254.0.0/16",    // link-local, RFC 3927; metadata services
	"172.16.0.0/12",     // private
	"192.0.0.0/24",      // protocol assignments, RFC 6890
	"192.0.2.0/24",      // documentation, RFC 5737
	"192.31.196.0/24",   // AS112, RFC 7535
	"192.52.193.0/24",   // multicast tunnels, RFC 7450
	"192.88.99.0/24",    // 6to4 relays, RFC 7526
	"192.168.0.0/16",    // private
	"192.175.48.0/24",   // AS112, RFC 7534
	"198.18.0.0/15",     // benchmarks, RFC 2544
	"198.51.100.0/24",   // documentation
	"203.0.113.0/24",    // documentation
	"224.0.0.0/4",       // multicast
	"240.0.0.0/4",       // reserved, broadcast
	"168.63.129.16/32",  // a cloud's host agent
	"2001::/23",         // protocol assignments: Teredo, benchmarks, ORCHID
	"2001:db8::/32",     // documentation
	"2002::/16",         // 6to4: wraps any IPv4 address
	"2620:4f:8000::/48", // AS112
	"3fff::/20",         // documentation, RFC 9637
)

// globalUnicast is what IPv6 has given out for the internet so far. All else
// goes: loopback, unique local, link-local, multicast, mapped and compatible
// IPv4, NAT64 (64:ff9b::/96, 64:ff9b:1::/48), discard, segment routing.
var globalUnicast = netip.MustParsePrefix("2000::/3")

func prefixes(texts ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		out[i] = netip.MustParsePrefix(text)
	}
	return out
}

// public reports whether an address belongs to the internet at large.
func public(a netip.Addr) bool {
	if !a.IsValid() || a.Zone() != "" || a.Is4In6() || (a.Is6() && !globalUnicast.Contains(a)) {
		return false
	}
	for _, p := range forbidden {
		if p.Contains(a) {
			return false
		}
	}
	return true
}

// allows reports whether an address may be connected to.
func (r reach) allows(a netip.Addr) bool {
	loopback := a.IsValid() && a.IsLoopback() && !a.Is4In6() && a.Zone() == ""
	switch r {
	case reachPublic:
		return public(a)
	case reachBoth:
		return loopback || public(a)
	default:
		return loopback
	}
}

// webPorts are the ports a public site may be visited at.
var webPorts = map[string]bool{
	"80": true, "443": true, "591": true, "8000": true, "8008": true, "8080": true, "8081": true, "8088": true,
	"8443": true, "8880": true, "8888": true, "9443": true,
}

// literal reads a host that is an address, or is written so that a resolver
// might take it for one. A spelling other than the usual one (decimal, octal,
// hexadecimal, shortened, mapped, with a zone) is refused: nobody's site is
// named so.
func literal(host string) (addr netip.Addr, isAddr bool, err error) {
	host = strings.TrimSuffix(strings.Trim(host, "[]"), ".")
	if a, err := netip.ParseAddr(host); err == nil {
		if a.Zone() != "" || a.Is4In6() {
			return a, true, guarded("an address in an unusual spelling")
		}
		return a, true, nil
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	if host == "" || strings.ContainsFunc(host, notInName) || endsInNumber(last) {
		return netip.Addr{}, false, guarded("a host that is neither a name nor an address in its usual spelling")
	}
	return netip.Addr{}, false, nil
}

// notInName keeps what no resolver must see. Names of other scripts come here in
// their ASCII form; some digits of theirs would turn into an address.
func notInName(r rune) bool {
	return r <= ' ' || r > '~' || strings.ContainsRune(":%/\\@?#[]<>^|", r)
}

// endsInNumber is the URL Standard's sign that a host means an IPv4 address.
func endsInNumber(label string) bool {
	if label == "" {
		return true
	}
	if strings.Trim(label, "0123456789") == "" {
		return true
	}
	hex, found := strings.CutPrefix(strings.ToLower(label), "0x")
	return found && strings.Trim(hex, "0123456789abcdef") == ""
}

func guarded(words string) *Trouble {
	return &Trouble{Reason: schema.ReasonGuarded, Words: words}
}
