package courtesy

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"testing"
	"time"

	"pgregory.net/rapid"

	"visite/schema"
)

// changing answers each question with the next of its addresses.
type changing []string

func (c *changing) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	next := (*c)[0]
	if len(*c) > 1 {
		*c = (*c)[1:]
	}
	return []netip.Addr{netip.MustParseAddr(next)}, nil
}

// listen counts connections to a port of this machine.
func listen(t *testing.T) (hostport string, port string, connections chan net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	connections = make(chan net.Conn, 10)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			connections <- c
		}
	}()
	_, port, _ = net.SplitHostPort(l.Addr().String())
	return l.Addr().String(), port, connections
}

func wantGuarded(t *testing.T, conn net.Conn, err error) {
	t.Helper()
	var trouble *Trouble
	if conn != nil || !errors.As(err, &trouble) || trouble.Reason != schema.ReasonGuarded {
		t.Errorf("conn %v, error %v, want it guarded", conn != nil, err)
	}
}

// The name leads to a public address when the visit is judged, and to this
// machine when it connects (DNS rebinding).
func TestDialChecksWhatItDials(t *testing.T) {
	hostport, port, connections := listen(t)
	n := &names{resolver: &changing{"192.0.32.7", "127.0.0.1"}, known: map[string]found{}}
	if _, err := n.allowed(t.Context(), "rebind.example", reachPublic); err != nil {
		t.Fatalf("the public address: %v", err)
	}
	clear(n.known)
	d := &dialer{names: n, reach: reachPublic}
	conn, err := d.dial(t.Context(), "tcp", "rebind.example:"+port)
	wantGuarded(t, conn, err)
	// Even an address that got past the names is checked where the socket is made.
	conn, err = d.one(t.Context(), "tcp", hostport)
	wantGuarded(t, conn, err)
	conn, err = d.race(t.Context(), "tcp", []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("::1")}, port)
	wantGuarded(t, conn, err)
	select {
	case <-connections:
		t.Error("a connection arrived")
	case <-time.After(50 * time.Millisecond):
	}
	if conn, err = (&dialer{names: n, reach: reachLoopback}).dial(t.Context(), "tcp", hostport); err != nil {
		t.Fatalf("loopback where it is allowed: %v", err)
	}
	_ = conn.Close()
}

// A name with addresses in and out of reach is visited at those in reach.
func TestOnlyAddressesInReachRemain(t *testing.T) {
	for _, c := range []struct {
		r    reach
		in   string
		want bool
	}{
		{reachPublic, "192.0.32.7", true}, {reachPublic, "2606:4700::1111", true}, {reachPublic, "127.0.0.1", false}, {reachPublic, "10.0.0.1", false},
		{reachBoth, "192.0.32.7", true}, {reachBoth, "127.0.0.1", true}, {reachBoth, "::1", true}, {reachBoth, "10.0.0.1", false}, {reachBoth, "fd00::1", false},
		{reachLoopback, "127.9.9.9", true}, {reachLoopback, "192.0.32.7", false}, {reachLoopback, "::ffff:127.0.0.1", false}, {reachLoopback, "0.0.0.0", false},
	} {
		if got := c.r.allows(netip.MustParseAddr(c.in)); got != c.want {
			t.Errorf("reach %d, %s: %v, want %v", c.r, c.in, got, c.want)
		}
	}
	if (reachPublic).allows(netip.Addr{}) || (reachLoopback).allows(netip.MustParseAddr("fe80::1%eth0")) {
		t.Error("no address, or one with a zone, is allowed")
	}
}

// Whatever a browser would read as an IPv4 address in another spelling is
// refused, not looked up.
func TestUnusualSpellingsAreRefused(t *testing.T) {
	part := rapid.StringMatching(`(0[xX][0-9a-fA-F]{0,8}|0[0-7]{1,11}|[0-9]{1,10}|[a-z]{1,3})`)
	rapid.Check(t, func(t *rapid.T) {
		host := part.Draw(t, "first")
		for range rapid.IntRange(0, 3).Draw(t, "parts") {
			host += "." + part.Draw(t, "next")
		}
		_, isAddr, err := literal(host)
		normal, invalid := schema.NormalizeAddress("http://"+host+"/", nil)
		if invalid != nil {
			if err == nil && !isAddr {
				t.Fatalf("%s is no host to a browser, but would be looked up", host)
			}
			return
		}
		u, parseErr := url.Parse(normal)
		if parseErr != nil {
			t.Fatal(parseErr)
		}
		if _, addrErr := netip.ParseAddr(u.Hostname()); addrErr == nil && err == nil && !isAddr {
			t.Fatalf("%s means %s to a browser, but would be looked up", host, u.Hostname())
		}
	})
}
