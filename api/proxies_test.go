package api

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
)

// Whoever asks is counted by an address that a trusted proxy vouches for, never
// by one that somebody else wrote.
func TestTheAskersAddress(t *testing.T) {
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8:ffff::/48")}
	const xff, rfc = "X-Forwarded-For", "Forwarded"
	for _, c := range []struct {
		name, peer string
		header     http.Header
		want       string
	}{
		{"nobody in between", "198.51.100.7:4000", nil, "198.51.100.7"},
		{"a stranger's claim", "198.51.100.7:4000", http.Header{xff: {"1.1.1.1"}, rfc: {"for=1.1.1.1"}}, "198.51.100.7"},
		{"a stranger who claims to be a proxy", "198.51.100.7:4000", http.Header{xff: {"1.1.1.1, 10.0.0.1"}}, "198.51.100.7"},
		{"through a proxy", "10.0.0.1:4000", http.Header{xff: {"198.51.100.7"}}, "198.51.100.7"},
		{"a claim before a proxy's word", "10.0.0.1:4000", http.Header{xff: {"1.1.1.1, 198.51.100.7"}}, "198.51.100.7"},
		{"a claim in a line of its own", "10.0.0.1:4000", http.Header{xff: {"1.1.1.1", "198.51.100.7"}}, "198.51.100.7"},
		{"a claim of a proxy's address", "10.0.0.1:4000", http.Header{xff: {"10.9.9.9, 198.51.100.7"}}, "198.51.100.7"},
		{"through two proxies", "10.0.0.1:4000", http.Header{xff: {"1.1.1.1, 198.51.100.7, 10.0.0.2"}}, "198.51.100.7"},
		{"through a proxy that is not trusted", "10.0.0.1:4000", http.Header{xff: {"198.51.100.7, 203.0.113.9, 10.0.0.2"}}, "203.0.113.9"},
		{"a proxy asks for itself", "10.0.0.1:4000", nil, "10.0.0.1"},
		{"from within", "10.0.0.1:4000", http.Header{xff: {"10.0.0.3, 10.0.0.2"}}, "10.0.0.3"},
		{"an empty header", "10.0.0.1:4000", http.Header{xff: {""}}, "10.0.0.1"},
		{"a hop that is no address", "10.0.0.1:4000", http.Header{xff: {"1.1.1.1, unknown"}}, "10.0.0.1"},
		{"a hop that is no address, further out", "10.0.0.1:4000", http.Header{xff: {"1.1.1.1, nonsense, 10.0.0.2"}}, "10.0.0.2"},
		{"with a port", "10.0.0.1:4000", http.Header{xff: {"198.51.100.7:5555"}}, "198.51.100.7"},
		{"IPv6", "[2001:db8:ffff::1]:4000", http.Header{xff: {"2001:db8:1::7"}}, "2001:db8:1::7"},
		{"IPv6 with a port", "[2001:db8:ffff::1]:4000", http.Header{xff: {"[2001:db8:1::7]:5555"}}, "2001:db8:1::7"},
		{"IPv4 written as IPv6", "[::ffff:10.0.0.1]:4000", http.Header{xff: {"::ffff:198.51.100.7"}}, "198.51.100.7"},
		{"a zone", "10.0.0.1:4000", http.Header{xff: {"fe80::1%eth0"}}, "10.0.0.1"},

		{"RFC 7239", "10.0.0.1:4000", http.Header{rfc: {"for=198.51.100.7"}}, "198.51.100.7"},
		{"RFC 7239, all there is", "10.0.0.1:4000", http.Header{rfc: {`for=1.1.1.1, For="[2001:db8:1::7]:4711";proto=https;by=10.0.0.1;host="a,b;c"`}}, "2001:db8:1::7"},
		{"RFC 7239, two proxies", "10.0.0.1:4000", http.Header{rfc: {"for=1.1.1.1", "for=198.51.100.7,for=10.0.0.2"}}, "198.51.100.7"},
		{"RFC 7239, hidden", "10.0.0.1:4000", http.Header{rfc: {"for=1.1.1.1, for=_secret"}}, "10.0.0.1"},
		{"RFC 7239, unknown", "10.0.0.1:4000", http.Header{rfc: {"for=1.1.1.1, for=unknown"}}, "10.0.0.1"},
		{"RFC 7239, none", "10.0.0.1:4000", http.Header{rfc: {"for=1.1.1.1, proto=https"}}, "10.0.0.1"},
		{"RFC 7239, twice", "10.0.0.1:4000", http.Header{rfc: {"for=1.1.1.1;for=198.51.100.7"}}, "10.0.0.1"},
		{"RFC 7239, a quote left open before the proxy's word", "10.0.0.1:4000", http.Header{rfc: {`for=1.1.1.1;host=", for=198.51.100.7`}}, "10.0.0.1"},
		{"RFC 7239, the same before a quoted one", "10.0.0.1:4000", http.Header{rfc: {`for=1.1.1.1;host=", for="[2001:db8:1::7]"`}}, "10.0.0.1"},
		{"RFC 7239, a backslash before the proxy's word", "10.0.0.1:4000", http.Header{rfc: {`for=1.1.1.1;host="\, for="198.51.100.7"`}}, "10.0.0.1"},

		{"both, agreed", "10.0.0.1:4000", http.Header{xff: {"198.51.100.7"}, rfc: {"for=198.51.100.7"}}, "198.51.100.7"},
		{"a claim in the header the proxy does not write", "10.0.0.1:4000", http.Header{xff: {"198.51.100.7"}, rfc: {"for=1.1.1.1"}}, "10.0.0.1"},
		{"the same the other way round", "10.0.0.1:4000", http.Header{xff: {"1.1.1.1"}, rfc: {"for=198.51.100.7"}}, "10.0.0.1"},
		{"many hops", "10.0.0.1:4000", http.Header{xff: {strings.Repeat("10.0.0.9,", 100000) + "198.51.100.7"}}, "198.51.100.7"},
		{"no address at all", "@", http.Header{xff: {"1.1.1.1"}}, "@"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := &API{Options: Options{TrustedProxies: trusted}}
			var got string
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.RemoteAddr = c.peer
			for name, values := range c.header {
				r.Header[name] = values
			}
			a.behindProxies(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = remoteHost(r) })).ServeHTTP(httptest.NewRecorder(), r)
			if got != c.want {
				t.Errorf("counted as %s, want %s", got, c.want)
			}
			if r.RemoteAddr != c.peer {
				t.Errorf("the caller's request was changed to %s", r.RemoteAddr)
			}
		})
	}
}

// Without trusted proxies no header counts, whoever it comes from.
func TestNoHeaderCountsWithoutTrustedProxies(t *testing.T) {
	a := New(Options{})
	for _, claim := range []string{"1.1.1.1", "1.1.1.2", "1.1.1.3"} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = "127.0.0.1:9"
		r.Header.Set("X-Forwarded-For", claim)
		r.Header.Set("Forwarded", "for="+claim)
		a.behindProxies(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			if got := remoteHost(r); got != "127.0.0.1" {
				t.Errorf("counted as %s", got)
			}
		})).ServeHTTP(httptest.NewRecorder(), r)
	}
}
