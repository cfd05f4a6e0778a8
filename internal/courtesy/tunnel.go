package courtesy

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// tunnelConn is what comes through a CONNECT: where it was meant to go, and
// whether TLS was spoken.
type tunnelConn struct {
	net.Conn
	scheme    string
	authority string
}

type tunnelKey struct{}

func withTunnel(ctx context.Context, c net.Conn) context.Context {
	t, _ := c.(*tunnelConn)
	return context.WithValue(ctx, tunnelKey{}, t)
}

// tunnelListener hands tunnels to the inner server.
type tunnelListener struct {
	addr  net.Addr
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func newTunnelListener(addr net.Addr) *tunnelListener {
	return &tunnelListener{addr: addr, conns: make(chan net.Conn), done: make(chan struct{})}
}

// Accept waits for the next tunnel.
func (l *tunnelListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Close ends Accept.
func (l *tunnelListener) Close() error { l.close(); return nil }

// Addr is the proxy's own.
func (l *tunnelListener) Addr() net.Addr { return l.addr }

func (l *tunnelListener) close() { l.once.Do(func() { close(l.done) }) }

func (l *tunnelListener) offer(c net.Conn) bool {
	select {
	case l.conns <- c:
		return true
	case <-l.done:
		return false
	}
}

// connect answers CONNECT and ends the tunnel here: nothing is connected to
// before a request in it has been judged.
func (r *run) connect(w http.ResponseWriter, req *http.Request) {
	authority := req.Host
	host, _, err := net.SplitHostPort(authority)
	if err != nil || host == "" || strings.ContainsAny(authority, "/@?#") {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	conn, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	_ = conn.SetDeadline(time.Now().Add(time.Minute)) // for the tunnel's beginning; the inner server sets its own
	if _, err := conn.Write([]byte("HTTP/1.1 200 Connection established\r\n\r\n")); err != nil {
		_ = conn.Close() // Chromium has gone
		return
	}
	t, err := r.openTunnel(conn, rw.Reader, host, authority)
	if err != nil || !r.tunnel.offer(t) {
		_ = conn.Close() // nothing was said, or the run is over
	}
}

// tlsHandshake is the first octet of a TLS connection (RFC 8446 section 5.1).
const tlsHandshake = 0x16

// openTunnel tells TLS from plain HTTP, which Chromium speaks in tunnels for
// ws:// addresses.
func (r *run) openTunnel(conn net.Conn, buffered *bufio.Reader, host, authority string) (*tunnelConn, error) {
	first, err := buffered.Peek(1)
	if err != nil {
		return nil, err
	}
	if err := conn.SetDeadline(time.Time{}); err != nil {
		return nil, err
	}
	plain := &bufferedConn{Conn: conn, reader: buffered}
	if first[0] != tlsHandshake {
		return &tunnelConn{Conn: plain, scheme: "http", authority: authority}, nil
	}
	secure := tls.Server(plain, r.door.identity.config(strings.Trim(host, "[]")))
	return &tunnelConn{Conn: secure, scheme: "https", authority: authority}, nil
}

// bufferedConn reads what was peeked at first.
type bufferedConn struct {
	net.Conn
	reader *bufio.Reader
}

// Read reads on from the buffer.
func (c *bufferedConn) Read(p []byte) (int, error) { return c.reader.Read(p) }

var errTunnelAddress = errors.New("not an address within the tunnel")

// tunnelled is the full address of a request inside a tunnel. It goes where the
// tunnel was asked for, whatever Host says.
func tunnelled(req *http.Request) (*url.URL, error) {
	t, _ := req.Context().Value(tunnelKey{}).(*tunnelConn)
	if t == nil || !strings.HasPrefix(req.RequestURI, "/") || !sameAuthority(t, req.Host) {
		return nil, errTunnelAddress
	}
	return url.Parse(t.scheme + "://" + t.authority + req.RequestURI)
}

func sameAuthority(t *tunnelConn, host string) bool {
	withPort := func(h string) string {
		if _, _, err := net.SplitHostPort(h); err == nil {
			return strings.ToLower(h)
		}
		port := map[string]string{"http": "80", "https": "443"}[t.scheme]
		return strings.ToLower(net.JoinHostPort(strings.Trim(h, "[]"), port))
	}
	return withPort(host) == withPort(t.authority)
}

func (r *run) serveInner(w http.ResponseWriter, req *http.Request) {
	u, err := tunnelled(req)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	// The tunnel's port is Chromium's way of saying "the scheme's own".
	if (u.Scheme == "https" && u.Port() == "443") || (u.Scheme == "http" && u.Port() == "80") {
		u.Host = strings.TrimSuffix(u.Host, ":"+u.Port())
	}
	r.serve(w, req, u)
}
