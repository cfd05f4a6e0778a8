package courtesy

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"syscall"
	"time"

	"visite/schema"
)

// handshakeLimit bounds a handshake, its connection included.
const handshakeLimit = 15 * time.Second

// enterHandshake takes the turn for a visit that asks nothing of the site.
// robots.txt is about what is asked, so it is not read; a Crawl-delay that is
// known already holds.
func (d *Door) enterHandshake(ctx context.Context, v schema.Visit, u *url.URL, r reach, deadline time.Time) (*Pass, schema.Admission, error) {
	book, err := d.stored(ctx, schema.Origin(u))
	if err != nil {
		return nil, schema.Admission{}, err
	}
	var delay time.Duration
	if book != nil {
		delay, _ = book.file.CrawlDelay(v.Profile.Tokens)
	}
	began := time.Now()
	p := d.newPass(v, u, r)
	_, admission, err := p.takeTurn(ctx, u, delay, deadline)
	if err != nil || admission.Kind != schema.AdmissionGranted {
		return nil, admission, err
	}
	p.waited = time.Since(began)
	return p, admission, nil
}

// Handshake connects to the visit's host, shakes hands and hangs up: nothing is
// asked. Whatever certificate is shown is taken down, not judged. The site's
// trouble is in the result; the error is ours. The site's own port is taken from
// the visit's address.
func (p *Pass) Handshake(ctx context.Context, ask schema.HandshakeAsk) (schema.Handshake, error) {
	host := schema.HostKey(p.url)
	first, err := p.start(ctx, host)
	if err != nil {
		return schema.Handshake{}, err
	}
	if err := p.begin(); err != nil {
		return schema.Handshake{}, err
	}
	line := p.line(outgoing{method: schema.MethodHandshake, url: p.url, purpose: p.visit.Purpose, waited: p.waitedOnce()})
	x := &exchange{pass: p, phases: &phases{}, endBusy: func() {}, line: line}
	if err := p.beginLine(&x.line); err != nil {
		p.end()
		var site interface{ SiteReason() schema.Reason }
		if errors.As(err, &site) {
			return schema.Handshake{Reason: site.SiteReason()}, nil
		}
		return schema.Handshake{}, err
	}
	if err := p.startNow(ctx, first); err != nil {
		x.finish(schema.ReasonCancelled, 0)
		return schema.Handshake{}, err
	}
	if clock := p.clock(host); clock != nil {
		x.endBusy = clock.begin()
	}
	p.countRequest()
	defer p.noteSent(first) // once it is over: whoever waits for it waits no less
	ctx, cancel := context.WithTimeout(ctx, handshakeLimit)
	defer cancel()
	defer context.AfterFunc(p.ctx, cancel)()
	result, bytes, err := p.shakeHands(ctx, x, ask)
	if err != nil {
		result.Reason, result.Refused = reasonOf(err, x.phases.handshake), errors.Is(err, syscall.ECONNREFUSED)
		if p.isClosed() || errors.Is(context.Cause(ctx), context.Canceled) {
			x.finish(schema.ReasonCancelled, bytes)
			return schema.Handshake{}, context.Cause(ctx)
		}
	}
	x.finish(result.Reason, bytes)
	return result, nil
}

func (p *Pass) shakeHands(ctx context.Context, x *exchange, ask schema.HandshakeAsk) (schema.Handshake, int64, error) {
	port := p.url.Port()
	if port == "" {
		port = "443"
	}
	network := "tcp"
	if ask.IPv6 {
		network = "tcp6"
	}
	conn, err := p.door.transport(p.reach, p.visit.Purpose).DialContext(ctx, network, net.JoinHostPort(p.url.Hostname(), port))
	if err != nil {
		return schema.Handshake{}, 0, err
	}
	metered := &meteredConn{Conn: conn}
	defer func() { _ = metered.Close() }() // nothing more is said
	if ap, err := netip.ParseAddrPort(conn.RemoteAddr().String()); err == nil {
		x.phases.ip = ap.Addr().Unmap().String()
	}
	x.phases.handshake = true
	secure := tls.Client(metered, handshakeConfig(p.url.Hostname(), ask))
	if err := secure.HandshakeContext(ctx); err != nil {
		return schema.Handshake{}, metered.bytes, err
	}
	state := secure.ConnectionState()
	result := schema.Handshake{Version: state.Version, ALPN: state.NegotiatedProtocol}
	for _, c := range state.PeerCertificates {
		result.Certificates = append(result.Certificates, c.Raw)
	}
	return result, metered.bytes, nil
}

// handshakeConfig offers all we can speak, old suites included: the question is
// what the server takes. Nothing is ever sent over such a connection.
func handshakeConfig(host string, ask schema.HandshakeAsk) *tls.Config {
	c := &tls.Config{
		ServerName: host, MinVersion: max(ask.MinVersion, tls.VersionTLS10), MaxVersion: ask.MaxVersion, NextProtos: []string{"h2", "http/1.1"},
		InsecureSkipVerify: true, // the chain is judged afterwards, by fault
	}
	for _, suite := range append(tls.CipherSuites(), tls.InsecureCipherSuites()...) {
		c.CipherSuites = append(c.CipherSuites, suite.ID)
	}
	return c
}

// meteredConn counts what comes in.
type meteredConn struct {
	net.Conn
	bytes int64
}

func (c *meteredConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.bytes += int64(n)
	return n, err
}
