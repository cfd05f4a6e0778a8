// Package siteproof finds out whether somebody runs a host: they publish a word
// of ours in the host's DNS or in a file at it.
package siteproof

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"visite/schema"
)

const (
	// secretPrefix lets people and secret scanners recognise our secrets.
	secretPrefix = "vsh_"
	wordPrefix   = "visite-visited="
	dnsLabel     = "_visite-visited."
	// FilePath is where the file stands (RFC 8615).
	FilePath = "/.well-known/visite-visited.txt"
	// fileLimit is how many bytes of the file are read.
	fileLimit = 4 << 10
	dnsWithin = 10 * time.Second
	// turnWithin is how long a check waits for its turn at the host.
	turnWithin = 10 * time.Second
)

// Resolver asks name servers for text records; *net.Resolver is one.
type Resolver interface {
	LookupTXT(ctx context.Context, name string) ([]string, error)
}

// Visitor carries one visit out through the door: it asks for a turn, loads the
// one address without following redirects and gives the answer's status and the
// first bytes of its body. A denial or wait comes back as an Admission that is
// not granted.
type Visitor func(ctx context.Context, v schema.Visit, limit int64) (status int, body []byte, a schema.Admission, err error)

// Checker looks for the words of challenges.
type Checker struct {
	Resolver Resolver
	Visit    Visitor
}

// System asks the machine's name servers.
func System() Resolver { return &net.Resolver{PreferGo: true} }

// Challenge makes a challenge for a host (schema.HostKey): the one that a secret
// belongs to, or a new one where secret is empty.
func (Checker) Challenge(host, secret string) schema.HostChallenge {
	if secret == "" {
		var random [32]byte
		rand.Read(random[:]) // never fails (crypto/rand)
		secret = secretPrefix + base64.RawURLEncoding.EncodeToString(random[:])
	}
	return challenge(host, secret)
}

func challenge(host, secret string) schema.HostChallenge {
	sum := sha256.Sum256([]byte("visite-visited\n" + host + "\n" + secret))
	c := schema.HostChallenge{Secret: secret, Word: wordPrefix + base64.RawURLEncoding.EncodeToString(sum[:]), FilePath: FilePath}
	if name := nameOf(host); net.ParseIP(strings.Trim(name, "[]")) == nil {
		c.DNSName = dnsLabel + name
	}
	return c
}

func nameOf(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return host
}

// CheckDNS looks for a challenge's word in the text records below the host's name. It
// sends the host itself nothing, so that it works for those who block us.
func (c Checker) CheckDNS(ctx context.Context, ch schema.HostChallenge) (schema.HostProofResult, error) {
	ctx, cancel := context.WithTimeout(ctx, dnsWithin)
	defer cancel()
	records, err := c.Resolver.LookupTXT(ctx, ch.DNSName+".")
	var missing *net.DNSError
	if errors.As(err, &missing) { // also where the name servers do not answer: nothing is proved
		return schema.HostProofResult{NoRecord: true}, nil
	}
	if err != nil {
		return schema.HostProofResult{}, fmt.Errorf("look up a proof in DNS: %w", err)
	}
	for _, r := range records {
		if strings.TrimSpace(r) == ch.Word {
			return schema.HostProofResult{Proved: true}, nil
		}
	}
	return schema.HostProofResult{NoRecord: len(records) == 0}, nil
}

// CheckFile looks for a challenge's word in the file at an origin, as a visit under a
// profile: robots.txt is obeyed and the pace kept. A redirect proves
// nothing.
func (c Checker) CheckFile(ctx context.Context, ch schema.HostChallenge, origin string, profile schema.Profile) (schema.HostProofResult, error) {
	status, body, admission, err := c.Visit(ctx, schema.Visit{
		Cause: schema.CauseHostProof, Purpose: schema.PurposeProof, Profile: profile, URL: origin + FilePath,
		Holder: "proof " + rand.Text(), MaxWait: turnWithin,
	}, fileLimit)
	if err != nil {
		return schema.HostProofResult{}, fmt.Errorf("read a proof's file: %w", err)
	}
	if admission.Kind != schema.AdmissionGranted {
		return schema.HostProofResult{Admission: admission}, nil
	}
	r := schema.HostProofResult{Status: status, Admission: admission}
	if status == http.StatusOK {
		for line := range bytes.Lines(body) {
			r.Proved = r.Proved || string(bytes.TrimSpace(line)) == ch.Word
		}
	}
	return r, nil
}

// Pass is a turn at a host that the door granted.
type Pass interface {
	http.RoundTripper
	Leave(ctx context.Context) error
}

// Through makes a Visitor of a door.
func Through(enter func(ctx context.Context, v schema.Visit) (Pass, schema.Admission, error)) Visitor {
	return func(ctx context.Context, v schema.Visit, limit int64) (status int, body []byte, a schema.Admission, err error) {
		pass, a, err := enter(ctx, v)
		if err != nil || pass == nil {
			return 0, nil, a, err
		}
		defer func() { err = errors.Join(err, pass.Leave(context.WithoutCancel(ctx))) }()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, v.URL, nil)
		if err != nil {
			return 0, nil, a, err
		}
		resp, err := pass.RoundTrip(req)
		var site interface{ SiteReason() schema.Reason }
		if errors.As(err, &site) { // the site's trouble is an answer too
			return 0, nil, schema.Admission{Kind: schema.AdmissionDenied, Reason: site.SiteReason(), Words: "the host did not answer"}, nil
		}
		if err != nil {
			return 0, nil, a, err
		}
		defer resp.Body.Close()
		body, err = io.ReadAll(io.LimitReader(resp.Body, limit))
		if err != nil && !errors.As(err, &site) {
			return 0, nil, a, err
		}
		return resp.StatusCode, body, a, nil
	}
}
