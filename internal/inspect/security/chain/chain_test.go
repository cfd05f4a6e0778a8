package chain

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"testing"
	"time"

	"visite/schema"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// authority is an issuer of the test's own.
type authority struct {
	cert *x509.Certificate
	key  crypto.Signer
}

var serial int64

func newKey(t *testing.T) crypto.Signer {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func issue(t *testing.T, by *authority, name string, key crypto.Signer, change ...func(*x509.Certificate)) *authority {
	t.Helper()
	serial++
	c := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: name}, NotBefore: now.AddDate(-1, 0, 0), NotAfter: now.AddDate(1, 0, 0),
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, BasicConstraintsValid: true, IsCA: true,
	}
	for _, f := range change {
		f(c)
	}
	parent, signer := c, key
	if by != nil {
		parent, signer = by.cert, by.key
	}
	der, err := x509.CreateCertificate(rand.Reader, c, parent, key.Public(), signer)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return &authority{parsed, key}
}

func server(c *x509.Certificate) {
	c.IsCA, c.KeyUsage, c.ExtKeyUsage, c.DNSNames = false, x509.KeyUsageDigitalSignature, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, []string{"shop.example", "*.shop.example"}
}

func publicly(c *x509.Certificate) {
	c.IssuingCertificateURL = []string{"http://ca.example/i.crt"}
	domainValidated, err := x509.OIDFromInts([]uint64{2, 23, 140, 1, 2, 1})
	if err != nil {
		panic(err)
	}
	c.Policies = []x509.OID{domainValidated}
}

func until(at time.Time) func(*x509.Certificate) {
	return func(c *x509.Certificate) { c.NotAfter = at }
}

func ders(list ...*authority) [][]byte {
	var out [][]byte
	for _, a := range list {
		out = append(out, a.cert.Raw)
	}
	return out
}

func TestChains(t *testing.T) {
	rootKey := newKey(t)
	root := issue(t, nil, "Root", rootKey)
	middle := issue(t, root, "Middle", newKey(t))
	leaf := issue(t, middle, "leaf", newKey(t), server, publicly)
	stranger := issue(t, nil, "Stranger", newKey(t))
	oldMiddle := issue(t, root, "Old middle", newKey(t), until(now.AddDate(0, -1, 0)))
	// S11 xmpp-observatory/xmppoke#10: a cross-signature of the root's key by an
	// authority that has run out is sent along.
	oldRoot := issue(t, nil, "Old root", newKey(t), until(now.AddDate(0, -1, 0)))
	cross := issue(t, oldRoot, "Root", rootKey, until(now.AddDate(0, -1, 0)))
	roots := x509.NewCertPool()
	roots.AddCert(root.cert)
	expired := issue(t, middle, "leaf", newKey(t), server, until(now.AddDate(0, 0, -1)))
	for name, c := range map[string]struct {
		sent  [][]byte
		host  string
		chain schema.ChainState
		fits  bool
	}{
		"complete":                            {ders(leaf, middle), "shop.example", schema.ChainTrusted, true},
		"wildcard":                            {ders(leaf, middle), "www.shop.example", schema.ChainTrusted, true},
		"another host":                        {ders(leaf, middle), "other.example", schema.ChainTrusted, false},
		"a superfluous expired cross-sign":    {ders(leaf, middle, cross), "shop.example", schema.ChainTrusted, true},
		"in any order":                        {ders(leaf, cross, root, middle), "shop.example", schema.ChainTrusted, true},
		"the issuer's is missing":             {ders(leaf), "shop.example", schema.ChainIncomplete, true},
		"and another one is there instead":    {ders(leaf, stranger), "shop.example", schema.ChainIncomplete, true},
		"private issuer, its own missing":     {ders(issue(t, stranger, "leaf", newKey(t), server)), "shop.example", schema.ChainUnknownIssuer, true},
		"private issuer":                      {ders(issue(t, stranger, "leaf", newKey(t), server), stranger), "shop.example", schema.ChainUnknownIssuer, true},
		"private issuer that imitates":        {ders(issue(t, stranger, "leaf", newKey(t), server, publicly), stranger), "shop.example", schema.ChainUnknownIssuer, true},
		"self-signed":                         {ders(issue(t, nil, "shop.example", newKey(t), server)), "shop.example", schema.ChainSelfSigned, true},
		"expired itself, the chain is right":  {ders(expired, middle), "shop.example", schema.ChainTrusted, true},
		"one above is expired":                {ders(issue(t, oldMiddle, "leaf", newKey(t), server), oldMiddle), "shop.example", schema.ChainIntermediateExpired, true},
		"for clients only":                    {ders(issue(t, middle, "leaf", newKey(t), server, func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth} }), middle), "shop.example", schema.ChainFaulty, true},
		"no certificate":                      {nil, "shop.example", schema.ChainFaulty, false},
		"no certificate that could be parsed": {[][]byte{{1, 2, 3}}, "shop.example", schema.ChainFaulty, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := Examine(c.sent, c.host, roots, now)
			if f.Chain != c.chain || f.Host != c.fits {
				t.Errorf("%s, host %v; want %s, %v", f.Chain, f.Host, c.chain, c.fits)
			}
		})
	}
	// The expiry told is that of the server's own certificate.
	if f := Examine(ders(leaf, middle, cross), "shop.example", roots, now); !f.NotAfter.Equal(leaf.cert.NotAfter) || f.Sent != 3 || f.Key != "ECDSA 256" || f.WeakKey || f.WeakSignature {
		t.Errorf("%+v", f)
	}
	if f := Examine(ders(expired, middle), "shop.example", roots, now); !f.NotAfter.Before(now) {
		t.Errorf("%+v", f)
	}
}

func TestWeakness(t *testing.T) {
	t.Setenv("GODEBUG", "rsa1024min=0")
	short, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		t.Fatal(err)
	}
	f := Examine(ders(issue(t, nil, "short", short, server)), "shop.example", x509.NewCertPool(), now)
	if f.Key != "RSA 1024" || !f.WeakKey {
		t.Errorf("%+v", f)
	}
	for algorithm, weak := range map[x509.SignatureAlgorithm]bool{x509.SHA1WithRSA: true, x509.ECDSAWithSHA1: true, x509.SHA256WithRSA: false, x509.PureEd25519: false} {
		c := &x509.Certificate{SignatureAlgorithm: algorithm, RawIssuer: []byte("a"), RawSubject: []byte("b")}
		if got := weakSignature([]*x509.Certificate{c}); got != weak {
			t.Errorf("%s: %v", algorithm, got)
		}
		// A root's own signature says nothing.
		own := &x509.Certificate{SignatureAlgorithm: algorithm, RawIssuer: []byte("a"), RawSubject: []byte("a")}
		if weakSignature([]*x509.Certificate{{SignatureAlgorithm: x509.SHA256WithRSA, RawIssuer: []byte("a")}, own}) {
			t.Errorf("%s: a root's signature counted", algorithm)
		}
	}
}
