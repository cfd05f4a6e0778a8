package fixturesite

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"io"
	stdlog "log"
	"math/big"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// listeners holds what a site listens with.
type listeners struct {
	serveMu     sync.Mutex
	servers     []*http.Server
	base        string
	roots       *x509.CertPool
	connections atomic.Int64
}

// Start serves the site at a free port of 127.0.0.1 until the test ends.
func (s *Site) Start(t TB) *Site {
	t.Helper()
	return s.StartOn(t, "127.0.0.1:0")
}

// StartOn serves the site at a loopback address, port 0 for a free one, until
// the test ends. Called again it adds a second address to the same site; URL
// keeps to the first.
func (s *Site) StartOn(t TB, address string) *Site {
	t.Helper()
	if _, err := s.Listen(address); err != nil {
		t.Fatalf("fixture site: %v", err)
	}
	t.Cleanup(s.Close)
	return s
}

// StartTLS serves the site over https at a free port of 127.0.0.1, with a
// certificate that only Roots vouches for, valid for 127.0.0.1, ::1, localhost and *.test.
func (s *Site) StartTLS(t TB) *Site {
	t.Helper()
	cert, roots, err := newCertificate(time.Now().Add(24 * time.Hour))
	if err == nil {
		s.roots = roots
		_, err = s.listen("127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{"h2", "http/1.1"}})
	}
	if err != nil {
		t.Fatalf("fixture site: %v", err)
	}
	t.Cleanup(s.Close)
	return s
}

// Roots vouches for the certificate of StartTLS; nil otherwise.
func (s *Site) Roots() *x509.CertPool { return s.roots }

// Listen serves the site at a loopback address (port 0 for a free one) until
// Close and returns its base, "http://127.0.0.1:4711".
func (s *Site) Listen(address string) (string, error) { return s.listen(address, nil) }

func (s *Site) listen(address string, config *tls.Config) (string, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return "", fmt.Errorf("listen on %s: %w", address, err)
	}
	if tcp, ok := l.Addr().(*net.TCPAddr); !ok || !tcp.IP.IsLoopback() {
		return "", errors.Join(fmt.Errorf("%s is not a loopback address", address), l.Close())
	}
	base := "http://" + l.Addr().String()
	server := &http.Server{
		Handler:           s.Handler(),
		TLSConfig:         config,
		ReadHeaderTimeout: 10 * time.Second,
		ConnState:         s.count,
		ErrorLog:          stdlog.New(io.Discard, "", 0), // refused handshakes are what some tests are about
	}
	s.serveMu.Lock()
	defer s.serveMu.Unlock()
	if config != nil {
		base = "https://" + l.Addr().String()
		go server.ServeTLS(l, "", "") // ends with Close
	} else {
		go server.Serve(l) // ends with Close
	}
	s.servers = append(s.servers, server)
	if s.base == "" {
		s.base = base
	}
	return base, nil
}

func (s *Site) count(_ net.Conn, state http.ConnState) {
	if state == http.StateNew {
		s.connections.Add(1)
	}
}

// Connections is how many TCP connections were opened to the site, those
// without a request included.
func (s *Site) Connections() int { return int(s.connections.Load()) }

// Close stops serving and cuts what is under way. Safe to call twice.
func (s *Site) Close() {
	s.serveMu.Lock()
	defer s.serveMu.Unlock()
	for _, server := range s.servers {
		server.Close() // only ever complains of sockets closed already
	}
	s.servers = nil
}

// URL is the absolute address of a path on the site's first listener.
func (s *Site) URL(path string) string {
	s.serveMu.Lock()
	defer s.serveMu.Unlock()
	return s.base + path
}

// newCertificate makes a self-signed certificate; one that ends in the past is
// an expired one.
func newCertificate(notAfter time.Time) (tls.Certificate, *x509.CertPool, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, nil, fmt.Errorf("make a key: %w", err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(notAfter.UnixNano()),
		Subject:      pkix.Name{CommonName: "fixture site"},
		NotBefore:    notAfter.Add(-48 * time.Hour),
		NotAfter:     notAfter,
		KeyUsage:     x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IsCA:         true, BasicConstraintsValid: true,
		DNSNames:    []string{"localhost", "*.test"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return tls.Certificate{}, nil, fmt.Errorf("make a certificate: %w", err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		return tls.Certificate{}, nil, fmt.Errorf("read the certificate back: %w", err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(leaf)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}, roots, nil
}
