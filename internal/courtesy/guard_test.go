package courtesy_test

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"visite/internal/courtesy"
	"visite/internal/fixturesite"
	"visite/internal/pgtest"
	"visite/internal/postgres"
	"visite/schema"
)

// table resolves names to fixed addresses, or to the next of a list at each
// question.
type table struct {
	fixed map[string]string
	asked atomic.Int64
	turn  []string
}

func (r *table) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	text, ok := r.fixed[strings.TrimSuffix(host, ".")]
	if n := r.asked.Add(1); len(r.turn) > 0 {
		text, ok = r.turn[min(int(n)-1, len(r.turn)-1)], true
	}
	if !ok {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	var out []netip.Addr
	for a := range strings.SplitSeq(text, " ") {
		out = append(out, netip.MustParseAddr(a))
	}
	return out, nil
}

// guardedHosts are hosts that must never be visited from a public deployment.
var guardedHosts = []string{
	// IPv4, plain
	"0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.100.100.200", "100.127.255.254", "127.0.0.1", "127.1.2.3", "127.255.255.254",
	"169.254.0.1", "169.254.169.254", "169.254.170.2", "169.254.169.123", "172.16.0.1", "172.31.255.254", "192.0.0.1", "192.0.0.170", "192.0.0.192", "192.0.2.1",
	"192.88.99.1", "192.168.0.1", "192.168.255.254", "192.31.196.1", "192.52.193.1", "192.175.48.1", "198.18.0.1", "198.19.255.254", "198.51.100.7", "203.0.113.9",
	"224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255", "168.63.129.16",
	// IPv4, other spellings
	"2130706433", "017700000001", "0x7f000001", "0x7F.0.0.1", "0177.0.0.1", "127.1", "127.0.1", "0", "0x0", "00", "127.0.0.01", "127.0.0.1.", "0x7f.1", "0177.1",
	"2852039166", "0xa9fea9fe", "0xa9.0xfe.0xa9.0xfe", "0251.0376.0251.0376", "169.16689662", "3232235777", "10.1", "1.1.1.1.1", "256.256.256.256", "999", "0x", "1e3.1",
	"127.0.0.1%00.example.com", "127。0。0。1", "①②⑦.⓪.⓪.①",
	// IPv6
	"[::]", "[::1]", "[0:0:0:0:0:0:0:1]", "[::127.0.0.1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::ffff:10.0.0.1]", "[::ffff:169.254.169.254]", "[::ffff:8.8.8.8]",
	"[::ffff:0:127.0.0.1]", "[fe80::1]", "[fe80::1%25eth0]", "[fe80::a9fe:a9fe]", "[febf::1]", "[fc00::1]", "[fd00::1]", "[fd00:ec2::254]", "[fd00:ec2::23]", "[fd20:ce::254]",
	"[fec0::1]", "[ff02::1]", "[ff05::2]", "[ff0e::1]", "[64:ff9b::127.0.0.1]", "[64:ff9b::a9fe:a9fe]", "[64:ff9b::808:808]", "[64:ff9b:1::1]", "[64:ff9b:1:2::7f00:1]",
	"[100::1]", "[100:0:0:1::1]", "[2001::1]", "[2001:0:53aa:64c:0:7ffe:80ff:fffe]", "[2001:2::1]", "[2001:10::1]", "[2001:20::1]", "[2001:30::1]", "[2001:db8::1]", "[2002:7f00:1::1]",
	"[2002:a9fe:a9fe::1]", "[2002:808:808::1]", "[3fff::1]", "[3fff:fff::1]", "[5f00::1]", "[4000::1]", "[::2]", "[::10.0.0.1]", "[2620:4f:8000::1]", "[1::1]",
	// Names
	"localhost", "localhost.", "LOCALHOST", "a.localhost", "loop.example", "private.example", "metadata.example", "mapped.example", "mapped-private.example", "ula.example",
	"nat64.example", "zero.example", "only-private.example", "metadata.google.internal", "sixtofour.example", "teredo.example", "cgnat.example",
}

func guardTable() *table {
	return &table{fixed: map[string]string{
		"localhost": "127.0.0.1 ::1", "LOCALHOST": "127.0.0.1", "a.localhost": "127.0.0.1", "loop.example": "127.0.0.1", "private.example": "10.1.2.3", "metadata.example": "169.254.169.254",
		"mapped.example": "::ffff:127.0.0.1", "mapped-private.example": "::ffff:192.168.1.1", "ula.example": "fd12:3456::1", "nat64.example": "64:ff9b::7f00:1", "zero.example": "0.0.0.0",
		"only-private.example": "10.0.0.1 fd00::1", "metadata.google.internal": "169.254.169.254", "sixtofour.example": "2002:7f00:1::", "teredo.example": "2001:0:1::1", "cgnat.example": "100.64.3.4",
	}}
}

func TestGuardRefusesAddresses(t *testing.T) {
	if len(guardedHosts) < 120 {
		t.Fatalf("only %d payloads", len(guardedHosts))
	}
	pool := pgtest.DB(t)
	door := newDoor(t, courtesy.Options{Store: postgres.NewCourtesyStore(pool), Resolver: guardTable()})
	for _, host := range guardedHosts {
		for _, scheme := range []string{"http", "https"} {
			pass, a, err := door.Enter(within(t), visit2(scheme+"://"+host+"/", careful()))
			if err != nil || pass != nil || a.Kind != schema.AdmissionDenied || a.Reason != schema.ReasonGuarded {
				t.Errorf("%s://%s/: pass %v, %+v, %v", scheme, host, pass != nil, a, err)
			}
		}
	}
	var touched int
	if err := pool.QueryRow(within(t), `SELECT (SELECT count(*) FROM ledger) + (SELECT count(*) FROM courtesy_hosts)`).Scan(&touched); err != nil || touched != 0 {
		t.Errorf("%d traces of requests or turns (%v), want none", touched, err)
	}
}

// visit2 is visit for addresses that need not parse.
func visit2(address string, p schema.Profile) schema.Visit {
	v := visit("http://example.com/", p)
	v.URL, v.ScopeHost = address, ""
	return v
}

func TestGuardRefusesOtherSchemesAndPorts(t *testing.T) {
	door := newDoor(t, courtesy.Options{Store: postgres.NewCourtesyStore(pgtest.DB(t)), Resolver: &table{fixed: map[string]string{"site.example": "8.8.8.8"}}})
	for address, want := range map[string]schema.Reason{
		"ftp://site.example/":          schema.ReasonGuarded,
		"file:///etc/passwd":           schema.ReasonGuarded,
		"unix:///run/docker.sock":      schema.ReasonGuarded,
		"gopher://site.example/":       schema.ReasonGuarded,
		"javascript:alert(1)":          schema.ReasonGuarded,
		"http://":                      schema.ReasonGuarded,
		"//site.example/":              schema.ReasonGuarded,
		"http://site.example:22/":      schema.ReasonPort,
		"http://site.example:25/":      schema.ReasonPort,
		"http://site.example:5432/":    schema.ReasonPort,
		"https://site.example:6379/":   schema.ReasonPort,
		"http://site.example:11211/":   schema.ReasonPort,
		"http://site.example:65535/":   schema.ReasonPort,
		"http://unknown.example/":      schema.ReasonNameNotFound,
		"http://unknown.example:22/":   schema.ReasonNameNotFound,
		"http://user@127.0.0.1/":       schema.ReasonGuarded,
		"http://site.example@10.1/":    schema.ReasonGuarded,
		"http://site.example:80@[::1]": schema.ReasonGuarded,
	} {
		pass, a, err := door.Enter(within(t), visit2(address, careful()))
		if err != nil || pass != nil || a.Kind != schema.AdmissionDenied || a.Reason != want {
			t.Errorf("%s: %+v %v, want %s", address, a, err, want)
		}
	}
}

// A profile with a freer pace is for this machine only, whatever else the door
// may do.
func TestLoopbackOnlyProfileStaysHere(t *testing.T) {
	store := postgres.NewCourtesyStore(pgtest.DB(t))
	resolver := &table{fixed: map[string]string{"site.example": "8.8.8.8", "both.example": "127.0.0.1 8.8.8.8"}}
	public := newDoor(t, courtesy.Options{Store: store, Resolver: resolver})
	local := newDoor(t, courtesy.Options{Store: store, Resolver: resolver, AllowLoopback: true})
	for name, door := range map[string]*courtesy.Door{"public": public, "local": local} {
		if _, a, err := door.Enter(within(t), visit("http://site.example/", free())); err != nil || a.Reason != schema.ReasonGuarded {
			t.Errorf("%s door: %+v %v", name, a, err)
		}
	}
	if _, a, err := public.Enter(within(t), visit("http://127.0.0.1/", free())); err != nil || a.Reason != schema.ReasonGuarded {
		t.Errorf("public door to loopback: %+v %v", a, err)
	}
	for _, host := range []string{"10.0.0.1", "169.254.169.254", "[fd00::1]", "0.0.0.0", "[::ffff:127.0.0.1]", "2130706433"} {
		if _, a, err := local.Enter(within(t), visit2("http://"+host+"/", careful())); err != nil || a.Reason != schema.ReasonGuarded {
			t.Errorf("local door to %s: %+v %v", host, a, err)
		}
	}
}

// A redirect, a file of a page and a frame lead into this machine: nothing
// arrives there, through either engine.
func TestGuardHoldsForWhatAVisitLeadsTo(t *testing.T) {
	secret := fixturesite.Serve(t, small)
	u, _ := url.Parse(secret.URL("/"))
	resolver := &table{fixed: map[string]string{"evil.example": "127.0.0.1"}}
	h := newHarness(t, courtesy.Options{Resolver: resolver})
	site := fixturesite.Serve(t, small)
	site.Handle("/to-metadata", fixturesite.RedirectTo(302, "http://169.254.169.254/latest/"))
	v := visit(site.URL("/to-metadata"), free())
	v.ScopeHost = ""
	facts, _ := h.load(v)
	if facts.Outcome != schema.OutcomeNotAnalysed || facts.Reason != schema.ReasonGuarded || len(facts.Hops) != 1 {
		t.Errorf("redirect to a metadata address: %+v", facts)
	}
	pass := h.enter(inBrowser(visit(site.URL("/"), free())))
	client := proxied(t, h.Door, pass)
	for _, address := range []string{"http://169.254.169.254/latest/meta-data/", "http://10.0.0.1/", "http://[fd00:ec2::254]/", "http://0.0.0.0:" + u.Port() + "/", "https://192.168.1.1/", "http://[::ffff:127.0.0.1]:" + u.Port() + "/"} {
		resp, _, err := getWith(t, client, address)
		if err == nil && resp.StatusCode != http.StatusBadGateway {
			t.Errorf("%s through the browser's way: %d", address, resp.StatusCode)
		}
	}
	if n := len(secret.Arrivals()); n != 0 {
		t.Errorf("%d requests arrived", n)
	}
}

// Of two addresses the one that answers is used.
func TestOtherAddressWhereOneIsDead(t *testing.T) {
	site := fixturesite.Serve(t, small)
	u, _ := url.Parse(site.URL("/"))
	// Nothing listens on ::1 at this port, nor on 127.0.0.9.
	h := newHarness(t, courtesy.Options{Resolver: &table{fixed: map[string]string{"two.example": "::1 127.0.0.9 127.0.0.1"}}})
	facts, _ := h.load(visit("http://two.example:"+u.Port()+"/", free()))
	if facts.Outcome != schema.OutcomeAnalysed || facts.Status != 200 {
		t.Errorf("%+v", facts)
	}
	lines := h.lines()
	if last := lines[len(lines)-1]; last.IP != "127.0.0.1" {
		t.Errorf("the ledger names %s, want the address that answered", last.IP)
	}
}

// proxied is a client that goes the way Chromium goes: the run's proxy, and trust
// in the proxy's key alone.
func proxied(t testing.TB, door *courtesy.Door, pass *courtesy.Pass) *http.Client {
	t.Helper()
	proxy := &url.URL{Scheme: "http", Host: pass.ProxyAddr()}
	transport := &http.Transport{
		Proxy:              http.ProxyURL(proxy),
		DisableCompression: true,
		TLSClientConfig:    &tls.Config{InsecureSkipVerify: true, VerifyConnection: spkiIs(door.SPKI())},
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: patience, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}
