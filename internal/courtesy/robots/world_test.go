package robots

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"visite/schema"
)

// world is a small internet on loopback: every host name leads to one handler,
// by http and by https, save for the hosts that are broken.
type world struct {
	handler http.HandlerFunc
	broken  map[string]string // host to kind of trouble while connecting

	mu   sync.Mutex
	seen []http.Request // as they arrived

	plain, secure *httptest.Server
	transport     *http.Transport
	done          chan struct{}
}

func newWorld(t *testing.T, handler http.HandlerFunc) *world {
	t.Helper()
	w := &world{handler: handler, broken: map[string]string{}, done: make(chan struct{})}
	w.plain = httptest.NewUnstartedServer(w)
	w.secure = httptest.NewUnstartedServer(w)
	pool := x509.NewCertPool()
	good := certificate(t, pool, time.Now().Add(time.Hour), "a.test", "b.test", "www.a.test")
	expired := certificate(t, pool, time.Now().Add(-time.Hour), "a.test")
	foreign := certificate(t, pool, time.Now().Add(time.Hour), "elsewhere.test")
	w.secure.TLS = &tls.Config{GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
		switch w.broken[hello.ServerName] {
		case "tls_cert_expired":
			return &expired, nil
		case "tls_wrong_host":
			return &foreign, nil
		}
		return &good, nil
	}}
	quiet := log.New(io.Discard, "", 0)
	w.plain.Config.ErrorLog, w.secure.Config.ErrorLog = quiet, quiet
	w.plain.Start()
	w.secure.StartTLS()
	w.transport = &http.Transport{DialContext: w.dial, TLSClientConfig: &tls.Config{RootCAs: pool}, DisableKeepAlives: true}
	t.Cleanup(func() {
		close(w.done)
		w.transport.CloseIdleConnections()
		w.plain.CloseClientConnections() // Close waits for handlers, one of which writes without end
		w.secure.CloseClientConnections()
		w.plain.Close()
		w.secure.Close()
	})
	return w
}

func certificate(t *testing.T, pool *x509.CertPool, until time.Time, names ...string) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: names, NotBefore: until.Add(-2 * time.Hour), NotAfter: until,
		IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func (w *world) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	switch w.broken[host] {
	case "connect_timeout":
		<-ctx.Done()
		return nil, &net.OpError{Op: "dial", Net: network, Err: ctx.Err()}
	case "refused":
		return nil, &net.OpError{Op: "dial", Net: network, Err: errors.New("connection refused")}
	case "dns_nxdomain":
		return nil, &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}}
	case "dns_servfail":
		return nil, &net.OpError{Op: "dial", Err: &net.DNSError{Err: "server misbehaving", Name: host, IsTemporary: true}}
	}
	server := w.plain
	if port == "443" && w.broken[host] != "tls_none" {
		server = w.secure
	}
	var d net.Dialer
	return d.DialContext(ctx, network, server.Listener.Addr().String())
}

// ServeHTTP notes the request and answers it.
func (w *world) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	w.seen = append(w.seen, *r)
	w.mu.Unlock()
	w.handler(rw, r)
}

func (w *world) requests() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.seen)
}

// send is the door's place: identity, one request, no redirects.
func (w *world) send(r *http.Request) (*http.Response, error) {
	r.Header.Set("User-Agent", "Mozilla/5.0 (compatible; our token/1.0)")
	return w.transport.RoundTrip(r)
}

func (w *world) read(t *testing.T, r *Reader, origin string, previous *schema.RobotsCopy) Reading {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // whatever hangs fails its own test
	defer cancel()
	got, err := r.Read(ctx, w.send, mustURL(t, origin), previous)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func mustURL(t *testing.T, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// trouble plays a fault of the answering server.
func (w *world) trouble(rw http.ResponseWriter, kind, body string) {
	switch kind {
	case "response_timeout":
		<-w.done
	case "reset":
		conn, _, err := http.NewResponseController(rw).Hijack()
		if err != nil {
			panic(err)
		}
		if secure, ok := conn.(*tls.Conn); ok {
			conn = secure.NetConn()
		}
		_ = conn.(*net.TCPConn).SetLinger(0)
		_ = conn.Close()
	case "body_stall", "truncated":
		rw.Header().Set("Content-Length", "5000")
		_, _ = io.WriteString(rw, body)
		_ = http.NewResponseController(rw).Flush()
		if kind == "truncated" {
			panic(http.ErrAbortHandler)
		}
		<-w.done
	case "corrupt_gzip":
		rw.Header().Set("Content-Encoding", "gzip")
		packed := gzipped("User-agent: *\nDisallow: /geheim\n")
		_, _ = rw.Write(append(packed[:12], "this is no deflate stream at all"...))
	case "endless_body":
		_, _ = io.WriteString(rw, body)
		for line := []byte(strings.Repeat("# on and on\n", 1000)); ; {
			if _, err := rw.Write(line); err != nil {
				return
			}
		}
	default:
		panic("unknown trouble " + kind)
	}
}

func gzipped(s string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = io.WriteString(z, s)
	_ = z.Close()
	return b.Bytes()
}
