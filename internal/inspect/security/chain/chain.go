// Package chain judges the certificates a server shows: what the chain is worth
// and, where it is worth nothing, why. It tells the faults apart by what has to be
// mended; no connection is made and no clock read.
package chain

import (
	"bytes"
	//lint:ignore SA1019 only to name keys that are too weak
	"crypto/dsa"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"encoding/asn1"
	"fmt"
	"time"

	"visite/schema"
)

// maxSent bounds the certificates looked at.
const maxSent = 20

// Least sizes of keys, in bits: CA/Browser Forum Baseline Requirements 6.1.5,
// NIST SP 800-131A.
const (
	leastRSA   = 2048
	leastCurve = 224
)

// Examine judges certificates in DER, the server's own first, as shown for a host
// at a time. roots vouch for chains; nil: the system's.
func Examine(sent [][]byte, host string, roots *x509.CertPool, at time.Time) schema.CertificateFacts {
	var certs []*x509.Certificate
	for _, der := range sent[:min(len(sent), maxSent)] {
		c, err := x509.ParseCertificate(der)
		if err != nil {
			continue
		}
		certs = append(certs, c)
	}
	if len(certs) == 0 {
		return schema.CertificateFacts{Chain: schema.ChainFaulty, Sent: len(sent)}
	}
	leaf := certs[0]
	f := schema.CertificateFacts{
		Host: leaf.VerifyHostname(host) == nil, NotBefore: leaf.NotBefore.UTC(), NotAfter: leaf.NotAfter.UTC(), Sent: len(sent),
		WeakSignature: weakSignature(certs),
	}
	f.Key, f.WeakKey = key(leaf)
	f.Chain = state(leaf, certs[1:], roots, within(leaf, at))
	return f
}

// within is a time at which the server's own certificate is in date: what else is
// wrong with a chain shows only then.
func within(leaf *x509.Certificate, at time.Time) time.Time {
	switch {
	case at.After(leaf.NotAfter):
		return leaf.NotAfter
	case at.Before(leaf.NotBefore):
		return leaf.NotBefore
	}
	return at
}

// state tries every path there is: one that holds is enough, whatever other
// certificates, expired or superfluous, were sent along.
func state(leaf *x509.Certificate, more []*x509.Certificate, roots *x509.CertPool, at time.Time) schema.ChainState {
	pool := x509.NewCertPool()
	for _, c := range more {
		pool.AddCert(c)
	}
	options := x509.VerifyOptions{Roots: roots, Intermediates: pool, CurrentTime: at, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	if _, err := leaf.Verify(options); err == nil {
		return schema.ChainTrusted
	}
	if selfSigned(leaf) {
		return schema.ChainSelfSigned
	}
	if expiredAbove(more, at) && holdsEarlier(leaf, more, options) {
		return schema.ChainIntermediateExpired
	}
	switch top := highest(leaf, more); {
	case top == leaf && public(leaf):
		return schema.ChainIncomplete
	case unvouched(leaf, options):
		return schema.ChainUnknownIssuer
	}
	return schema.ChainFaulty
}

func selfSigned(c *x509.Certificate) bool {
	return bytes.Equal(c.RawIssuer, c.RawSubject) && c.CheckSignature(c.SignatureAlgorithm, c.RawTBSCertificate, c.Signature) == nil
}

func expiredAbove(more []*x509.Certificate, at time.Time) bool {
	for _, c := range more {
		if at.After(c.NotAfter) {
			return true
		}
	}
	return false
}

// holdsEarlier reports whether the chain held before the first certificate of it
// ran out.
func holdsEarlier(leaf *x509.Certificate, more []*x509.Certificate, options x509.VerifyOptions) bool {
	for _, c := range more {
		if c.NotAfter.Before(leaf.NotBefore) {
			continue
		}
		options.CurrentTime = c.NotAfter
		if _, err := leaf.Verify(options); err == nil {
			return true
		}
	}
	return false
}

// unvouched reports whether the only thing wrong is that nobody vouches.
func unvouched(leaf *x509.Certificate, options x509.VerifyOptions) bool {
	_, err := leaf.Verify(options)
	_, unknown := err.(x509.UnknownAuthorityError) //nolint:errorlint // Verify gives it unwrapped
	return unknown
}

// highest follows the certificates sent from issuer to issuer.
func highest(leaf *x509.Certificate, more []*x509.Certificate) *x509.Certificate {
	top := leaf
	for range more {
		next := issuerOf(top, more)
		if next == nil || next == top {
			break
		}
		top = next
	}
	return top
}

func issuerOf(c *x509.Certificate, more []*x509.Certificate) *x509.Certificate {
	for _, m := range more {
		if m != c && bytes.Equal(c.RawIssuer, m.RawSubject) && c.CheckSignatureFrom(m) == nil {
			return m
		}
	}
	return nil
}

// What only certificates of public issuers carry.
var (
	// signedTimestamps: listed in a public log (RFC 6962 section 3.3).
	signedTimestamps = asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 11129, 2, 4, 2}
	// policies of the CA/Browser Forum (Baseline Requirements 7.1.6.1): extended,
	// domain, organization, individual validation.
	policies = []asn1.ObjectIdentifier{{2, 23, 140, 1, 1}, {2, 23, 140, 1, 2, 1}, {2, 23, 140, 1, 2, 2}, {2, 23, 140, 1, 2, 3}}
)

// public reports whether a certificate looks issued by a public authority and
// says where its issuer's is: then its chain is incomplete rather than unknown.
func public(c *x509.Certificate) bool {
	if len(c.IssuingCertificateURL) == 0 {
		return false
	}
	for _, e := range c.Extensions {
		if e.Id.Equal(signedTimestamps) {
			return true
		}
	}
	for _, own := range c.PolicyIdentifiers {
		for _, p := range policies {
			if own.Equal(p) {
				return true
			}
		}
	}
	return false
}

// weakSignature looks at every certificate whose signature counts: not at those
// that vouch for themselves.
func weakSignature(certs []*x509.Certificate) bool {
	for i, c := range certs {
		if i > 0 && bytes.Equal(c.RawIssuer, c.RawSubject) {
			continue
		}
		switch c.SignatureAlgorithm {
		case x509.MD2WithRSA, x509.MD5WithRSA, x509.SHA1WithRSA, x509.DSAWithSHA1, x509.ECDSAWithSHA1:
			return true
		}
	}
	return false
}

// key names a public key's kind and size and tells whether it is too weak.
func key(c *x509.Certificate) (name string, weak bool) {
	switch k := c.PublicKey.(type) {
	case *rsa.PublicKey:
		return fmt.Sprintf("RSA %d", k.N.BitLen()), k.N.BitLen() < leastRSA
	case *ecdsa.PublicKey:
		return fmt.Sprintf("ECDSA %d", k.Params().BitSize), k.Params().BitSize < leastCurve
	case ed25519.PublicKey:
		return "Ed25519", false
	case *dsa.PublicKey:
		return "DSA", true
	}
	return "", false
}
