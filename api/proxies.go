package api

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// maxHops bounds how many hops of a forwarding header are looked at.
const maxHops = 32

// behindProxies makes a request's RemoteAddr the address of whoever asked, where
// it came through proxies that the deployment trusts. What a client claims of
// itself counts for nothing: the headers are read from the right, one hop for
// each trusted proxy and no further.
func (a *API) behindProxies(next http.Handler) http.Handler {
	if len(a.TrustedProxies) == 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if peer, err := netip.ParseAddr(remoteHost(r)); err == nil {
			if asker := a.asker(peer.Unmap(), r.Header); asker != peer.Unmap() {
				copied := *r
				copied.RemoteAddr = netip.AddrPortFrom(asker, 0).String()
				r = &copied
			}
		}
		next.ServeHTTP(w, r)
	})
}

// asker is the address a request came from, judged by X-Forwarded-For and
// Forwarded (RFC 7239). A proxy writes one of them and lets the other through as
// the client sent it; where they lead to different addresses, neither is
// believed and the proxy itself is the asker.
func (a *API) asker(peer netip.Addr, h http.Header) netip.Addr {
	if !a.trusts(peer) {
		return peer
	}
	plain, hasPlain := h["X-Forwarded-For"]
	standard, hasStandard := h["Forwarded"]
	first := a.walk(peer, forwardedFor(plain))
	second := a.walk(peer, forwarded(standard))
	switch {
	case !hasStandard:
		return first
	case !hasPlain, first == second:
		return second
	}
	return peer
}

func (a *API) trusts(ip netip.Addr) bool {
	return slices.ContainsFunc(a.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(ip) })
}

// walk goes from the nearest hop outwards as long as each is a trusted proxy. One
// that names no address ends it: from there on nobody vouches for anything.
func (a *API) walk(peer netip.Addr, hops []string) netip.Addr {
	at := peer
	for _, hop := range slices.Backward(hops[max(0, len(hops)-maxHops):]) {
		ip, ok := addressOf(hop)
		if !ok {
			return at
		}
		if at = ip; !a.trusts(at) {
			return at
		}
	}
	return at
}

// addressOf reads a hop: an address, with or without a port, an IPv6 one with or
// without brackets.
func addressOf(hop string) (netip.Addr, bool) {
	if host, _, err := net.SplitHostPort(hop); err == nil {
		hop = host
	}
	ip, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(hop, "["), "]"))
	if err != nil || ip.Zone() != "" {
		return netip.Addr{}, false
	}
	return ip.Unmap(), true
}

// forwardedFor lists the hops of X-Forwarded-For, the client's end first.
func forwardedFor(lines []string) []string {
	var hops []string
	for _, line := range lines {
		for hop := range strings.SplitSeq(line, ",") {
			hops = append(hops, strings.TrimSpace(hop))
		}
	}
	return hops
}

// forwarded lists the "for" of each element of Forwarded (RFC 7239 section 4),
// the client's end first. An element without it, or that cannot be read, is a
// hop that names nobody.
func forwarded(lines []string) []string {
	var hops []string
	for _, line := range lines {
		elements, whole := outsideQuotes(line, ',')
		if !whole { // a client's open quote would hide what the proxy added behind it
			elements = []string{""}
		}
		for _, element := range elements {
			hops = append(hops, hopOf(element))
		}
	}
	return hops
}

// hopOf is the value of an element's "for"; empty where it is there twice, which
// section 4 forbids, or not at all.
func hopOf(element string) string {
	hop, found := "", 0
	pairs, _ := outsideQuotes(element, ';')
	for _, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		if strings.EqualFold(strings.TrimSpace(name), "for") {
			hop, found = unquoted(strings.TrimSpace(value)), found+1
		}
	}
	if found != 1 {
		return ""
	}
	return hop
}

// outsideQuotes splits at a separator that does not stand in a quoted string (RFC
// 9110 section 5.6.4); whole is false where one is not closed.
func outsideQuotes(s string, separator byte) (parts []string, whole bool) {
	begin, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case c == separator && !quoted:
			parts = append(parts, s[begin:i])
			begin = i + 1
		}
	}
	return append(parts, s[begin:]), !quoted
}

// unquoted is the text of a quoted string, or of a token as it is. An address has
// nothing to escape: one with escapes names nobody.
func unquoted(s string) string {
	if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' {
		return s[1 : len(s)-1]
	}
	return s
}
