package courtesy

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"fmt"
	"math/big"
	"net"
	"sync"
	"time"
)

// certificates makes what the proxy shows to Chromium: one key a process, in
// memory only, and a certificate for each name. Chromium knows the key by its
// hash and trusts it for nothing else; no other program is told of it.
type certificates struct {
	key  *ecdsa.PrivateKey
	spki string

	mu   sync.Mutex
	made map[string]*tls.Certificate
}

const (
	certificatesMost = 2048
	certificateLife  = 30 * 24 * time.Hour
)

func newCertificates() (*certificates, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make the proxy's key: %w", err)
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return nil, fmt.Errorf("hash the proxy's key: %w", err)
	}
	hash := sha256.Sum256(public)
	return &certificates{key: key, spki: base64.StdEncoding.EncodeToString(hash[:]), made: map[string]*tls.Certificate{}}, nil
}

// forHost gives a certificate for a host name or address.
func (c *certificates) forHost(host string) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if made := c.made[host]; made != nil && time.Until(made.Leaf.NotAfter) > time.Hour {
		return made, nil
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, fmt.Errorf("make a serial number: %w", err)
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "courtesy proxy"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(certificateLife),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	if ip := net.ParseIP(host); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else {
		template.DNSNames = []string{host}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &c.key.PublicKey, c.key)
	if err != nil {
		return nil, fmt.Errorf("make a certificate: %w", err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("read a certificate back: %w", err)
	}
	if len(c.made) >= certificatesMost {
		clear(c.made)
	}
	made := &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: c.key, Leaf: leaf}
	c.made[host] = made
	return made, nil
}

// config is the TLS side towards Chromium for one host. HTTP/1.1 is enough on
// loopback.
func (c *certificates) config(host string) *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		NextProtos: []string{"http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			return c.forHost(host)
		},
	}
}
