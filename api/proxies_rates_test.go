package api_test

import (
	"fmt"
	"net/netip"
	"testing"

	"visite/api"
)

// Behind a trusted proxy each asker has the rates for themselves; an IPv6 asker's
// addresses of one /64 are one asker. Where no proxy is trusted, or a stranger
// invents hops, nobody gets more by claiming to be others.
func TestRatesAreTheAskers(t *testing.T) {
	const most = 30 // identify, a minute
	ask := func(v *visitedEdge, header ...string) int {
		return v.call("POST", "/v1/requests:identify", "", map[string]any{}, header...).status
	}
	usedUp := func(v *visitedEdge, header func(i int) string) {
		t.Helper()
		for i := range most {
			if status := ask(v, "X-Forwarded-For", header(i)); status != 422 {
				t.Fatalf("question %d: %d", i, status)
			}
		}
		if status := ask(v, "X-Forwarded-For", header(most)); status != 429 {
			t.Errorf("one question more: %d", status)
		}
	}
	behind := func(o *api.Options) { o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} }

	v := newVisitedEdge(t, behind)
	usedUp(v, func(i int) string { return fmt.Sprintf("203.0.113.%d, 198.51.100.7", i) })
	if status := ask(v, "X-Forwarded-For", "198.51.100.8"); status != 422 {
		t.Errorf("another asker: %d", status)
	}
	usedUp(v, func(i int) string { return fmt.Sprintf("2001:db8:1:2::%x", i+1) })
	if status := ask(v, "Forwarded", `for="[2001:db8:1:3::1]"`); status != 422 {
		t.Errorf("another network: %d", status)
	}
	usedUp(newVisitedEdge(t), func(i int) string { return fmt.Sprintf("203.0.113.%d", i) })
}

// Wrong tokens are counted like questions.
func TestWrongTokensOfANetworkAreCountedTogether(t *testing.T) {
	e := newEdge(t, func(o *api.Options) { o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")} })
	for i := range 21 {
		a := e.call("GET", "/v1/scans", fmt.Sprintf("wrong-%d", i), nil, "X-Forwarded-For", fmt.Sprintf("2001:db8:1:2::%x", i+1))
		if want := 401; i == 20 {
			a.problem(429, "too-many-bad-tokens")
		} else {
			a.want(want, nil)
		}
	}
	e.call("GET", "/v1/scans", "wrong", nil, "X-Forwarded-For", "2001:db8:1:3::1").problem(401, "token-unknown")
}
