package courtesy

import (
	"crypto/tls"
	"net/http/httptrace"
	"net/netip"
	"sync"
	"time"

	"visite/schema"
)

// busyClock adds up the time in which at least one request to a host is under way.
type busyClock struct {
	mu    sync.Mutex
	under int
	since time.Time
	total time.Duration
	used  bool
}

// begin starts a span and gives what ends it; ending twice is once.
func (b *busyClock) begin() (end func()) {
	b.mu.Lock()
	if b.under == 0 {
		b.since = time.Now()
	}
	b.under++
	b.used = true
	b.mu.Unlock()
	return sync.OnceFunc(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.under--
		if b.under == 0 {
			b.total += time.Since(b.since)
		}
	})
}

// elapsed is the sum so far: at least a microsecond where anything was sent.
func (b *busyClock) elapsed() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	total := b.total
	if b.under > 0 {
		total += time.Since(b.since)
	}
	if b.used {
		return max(total, time.Microsecond)
	}
	return 0
}

// phases is the timing of one request, gathered by trace hooks, which may run
// at any time and in any goroutine.
type phases struct {
	mu        sync.Mutex
	start     map[string]time.Time
	timing    schema.Timing
	handshake bool // TLS begun and not ended well
	wrote     bool // the request's head went out on some connection
	wroteAt   time.Time
	firstByte time.Time
	ip        string
}

func (p *phases) begin(phase string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.start == nil {
		p.start = map[string]time.Time{}
	}
	p.start[phase] = time.Now()
}

func (p *phases) end(phase string, ms *float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if at, ok := p.start[phase]; ok {
		*ms += milliseconds(time.Since(at))
		delete(p.start, phase)
	}
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// trace hooks into a request. again is called before the request is written a
// second time, on another connection; sent when it has left, each time.
func (p *phases) trace(again, sent func()) *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		DNSStart:     func(httptrace.DNSStartInfo) { p.begin("dns") },
		DNSDone:      func(httptrace.DNSDoneInfo) { p.end("dns", &p.timing.DNSMS) },
		ConnectStart: func(_, _ string) { p.begin("connect") },
		ConnectDone:  func(_, _ string, _ error) { p.end("connect", &p.timing.ConnectMS) },
		TLSHandshakeStart: func() {
			p.begin("tls")
			p.mu.Lock()
			p.handshake = true
			p.mu.Unlock()
		},
		TLSHandshakeDone: func(_ tls.ConnectionState, err error) {
			p.end("tls", &p.timing.TLSMS)
			p.mu.Lock()
			p.handshake = err != nil
			p.mu.Unlock()
		},
		GotConn: func(info httptrace.GotConnInfo) {
			p.mu.Lock()
			if ap, err := netip.ParseAddrPort(info.Conn.RemoteAddr().String()); err == nil {
				p.ip = ap.Addr().Unmap().String()
			}
			wrote := p.wrote
			p.wrote = false
			p.mu.Unlock()
			if wrote {
				again()
			}
		},
		WroteHeaders: func() {
			p.mu.Lock()
			p.wrote, p.wroteAt = true, time.Now()
			p.mu.Unlock()
			sent()
		},
		GotFirstResponseByte: func() {
			p.mu.Lock()
			p.firstByte = time.Now()
			p.mu.Unlock()
		},
	}
}

// read gives what is known by now.
func (p *phases) read() (t schema.Timing, ip string, handshake bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t = p.timing
	if !p.firstByte.IsZero() && !p.wroteAt.IsZero() {
		t.TTFBMS = max(milliseconds(p.firstByte.Sub(p.wroteAt)), 0)
	}
	return t, p.ip, p.handshake
}
