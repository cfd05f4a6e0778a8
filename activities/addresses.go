package activities

import (
	"net"
	"net/url"
	"strings"

	"golang.org/x/net/publicsuffix"

	"visite/schema"
)

// sameSite reports whether two addresses belong to one registrable domain, or,
// where there is none (addresses, localhost), to one host and port.
func sameSite(a, b *url.URL) bool {
	if schema.HostKey(a) == schema.HostKey(b) {
		return true
	}
	ha, hb := strings.ToLower(a.Hostname()), strings.ToLower(b.Hostname())
	if net.ParseIP(ha) != nil || net.ParseIP(hb) != nil || a.Port() != b.Port() {
		return false
	}
	da, errA := publicsuffix.EffectiveTLDPlusOne(ha)
	db, errB := publicsuffix.EffectiveTLDPlusOne(hb)
	return errA == nil && errB == nil && da == db
}

// registrable is a host's registrable domain, the host itself where it has none.
func registrable(host string) string {
	domain, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil {
		return host
	}
	return domain
}

// candidate makes a page candidate of an address found outside a page's links;
// false where it is none, or carries a secret.
func candidate(raw string, base *url.URL, scope string, via schema.Via) (schema.Candidate, bool) {
	address, err := schema.NormalizeAddress(raw, base)
	if err != nil {
		return schema.Candidate{}, false
	}
	u, err := url.Parse(address)
	if err != nil || schema.HostKey(u) != scope || schema.IsTrap(address) || schema.CarriesSecret(address) {
		return schema.Candidate{}, false
	}
	return schema.Candidate{URL: address, Depth: 1, Via: via}, true
}

// reasonOf is why a document cannot be used.
func reasonOf(facts schema.DocumentFacts) schema.Reason {
	switch {
	case facts.Reason != schema.ReasonNone:
		return facts.Reason
	case facts.RetryAfter != nil:
		return schema.ReasonRefusedForNow
	case facts.Status == 0:
		return schema.ReasonConnection
	default:
		return schema.ReasonErrorStatus
	}
}
