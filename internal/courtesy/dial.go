package courtesy

import (
	"context"
	"fmt"
	"net"
	"net/http/httptrace"
	"net/netip"
	"slices"
	"sync"
	"syscall"
	"time"

	"visite/schema"
)

// Resolver finds the addresses of a name; *net.Resolver is one.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

const (
	namesKept    = 30 * time.Second // how long found addresses are used again
	namesMost    = 4096
	resolveLimit = 10 * time.Second
	dialLimit    = 10 * time.Second       // for one address
	dialStagger  = 250 * time.Millisecond // RFC 8305 section 5: then the next address is tried beside it
)

// names resolves and keeps addresses for a short while. What it finds is
// checked at each use, so keeping them opens no way round the guard.
type names struct {
	resolver Resolver
	mu       sync.Mutex
	known    map[string]found
}

type found struct {
	addrs []netip.Addr
	until time.Time
}

// lookup finds all addresses of a host, IPv4-mapped ones unwrapped.
func (n *names) lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	addr, isAddr, err := literal(host)
	if err != nil {
		return nil, err
	}
	if isAddr {
		return []netip.Addr{addr}, nil
	}
	n.mu.Lock()
	f, ok := n.known[host]
	n.mu.Unlock()
	if ok && time.Now().Before(f.until) {
		return f.addrs, nil
	}
	ctx, cancel := context.WithTimeout(ctx, resolveLimit)
	defer cancel()
	addrs, err := n.resolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, fmt.Errorf("resolve %s: %w", host, err)
	}
	for i := range addrs {
		addrs[i] = addrs[i].Unmap()
	}
	if len(addrs) == 0 {
		return nil, &Trouble{Reason: schema.ReasonNameNotFound}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.known) >= namesMost {
		clear(n.known)
	}
	n.known[host] = found{addrs, time.Now().Add(namesKept)}
	return addrs, nil
}

// allowed finds the addresses of a host that may be connected to, both families
// in turn, the resolver's first or the one that answered last time first. The
// rest is left out; where nothing remains, the host is refused.
func (n *names) allowed(ctx context.Context, host string, r reach) ([]netip.Addr, error) {
	addrs, err := n.lookup(ctx, host)
	if err != nil {
		return nil, err
	}
	var fit []netip.Addr
	for _, a := range addrs {
		if r.allows(a) {
			fit = append(fit, a)
		}
	}
	if len(fit) == 0 {
		return nil, guarded("the name leads to addresses that are not visited")
	}
	return interleave(fit), nil
}

// prefer puts the address that answered first, so that the next visit is
// counted for it and does not try a dead one again.
func (n *names) prefer(host string, answered netip.Addr) {
	n.mu.Lock()
	defer n.mu.Unlock()
	f, ok := n.known[host]
	if !ok || f.addrs[0] == answered {
		return
	}
	addrs := []netip.Addr{answered}
	for _, a := range f.addrs {
		if a != answered {
			addrs = append(addrs, a)
		}
	}
	n.known[host] = found{addrs, f.until}
}

// interleave alternates the address families (RFC 8305 section 4).
func interleave(addrs []netip.Addr) []netip.Addr {
	var same, other []netip.Addr
	for _, a := range addrs {
		if a.Is4() == addrs[0].Is4() {
			same = append(same, a)
		} else {
			other = append(other, a)
		}
	}
	out := make([]netip.Addr, 0, len(addrs))
	for i := range max(len(same), len(other)) {
		if i < len(same) {
			out = append(out, same[i])
		}
		if i < len(other) {
			out = append(out, other[i])
		}
	}
	return out
}

// dialer connects to checked addresses only. The address dialled is the address
// checked: no name reaches the operating system.
type dialer struct {
	names *names
	reach reach
}

// dial is an http.Transport's DialContext.
func (d *dialer) dial(ctx context.Context, network, hostport string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(hostport)
	if err != nil {
		return nil, guarded("not a host and port")
	}
	trace := httptrace.ContextClientTrace(ctx)
	if trace != nil && trace.DNSStart != nil {
		trace.DNSStart(httptrace.DNSStartInfo{Host: host})
	}
	addrs, err := d.names.allowed(ctx, host, d.reach)
	if trace != nil && trace.DNSDone != nil {
		trace.DNSDone(httptrace.DNSDoneInfo{Err: err})
	}
	if err != nil {
		return nil, err
	}
	if network == "tcp6" {
		addrs = slices.DeleteFunc(addrs, netip.Addr.Is4)
		if len(addrs) == 0 {
			return nil, &Trouble{Reason: schema.ReasonNameNotFound}
		}
	}
	for _, a := range addrs {
		if !webPorts[port] && !a.IsLoopback() {
			return nil, &Trouble{Reason: schema.ReasonPort, Words: "port " + port}
		}
	}
	conn, err := d.race(ctx, network, addrs, port)
	if err == nil {
		if ap, err := netip.ParseAddrPort(conn.RemoteAddr().String()); err == nil {
			d.names.prefer(host, ap.Addr().Unmap())
		}
	}
	return conn, err
}

// race tries the addresses in order, each a little after the one before or as
// soon as that one failed; the first connection wins.
func (d *dialer) race(ctx context.Context, network string, addrs []netip.Addr, port string) (net.Conn, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type attempt struct {
		conn net.Conn
		err  error
	}
	results := make(chan attempt)
	start := func(a netip.Addr) {
		conn, err := d.one(ctx, network, net.JoinHostPort(a.String(), port))
		select {
		case results <- attempt{conn, err}:
		case <-ctx.Done():
			if conn != nil {
				_ = conn.Close() // came too late, nobody reads it
			}
		}
	}
	var first error
	next, under := 0, 0
	for {
		if next < len(addrs) {
			go start(addrs[next])
			next, under = next+1, under+1
		}
		var stagger <-chan time.Time
		if next < len(addrs) {
			stagger = time.After(dialStagger)
		}
		select {
		case r := <-results:
			if r.err == nil {
				return r.conn, nil
			}
			under--
			if first == nil {
				first = r.err
			}
			if under == 0 && next == len(addrs) {
				return nil, first
			}
		case <-stagger:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// one connects to one address, checked once more where the socket is made.
func (d *dialer) one(ctx context.Context, network, address string) (net.Conn, error) {
	nd := net.Dialer{Timeout: dialLimit, KeepAlive: 30 * time.Second, ControlContext: d.control}
	return nd.DialContext(ctx, network, address)
}

func (d *dialer) control(_ context.Context, network, address string, _ syscall.RawConn) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil || (network != "tcp4" && network != "tcp6") || !d.reach.allows(ap.Addr().Unmap()) {
		return guarded("an address that is not visited")
	}
	return nil
}
