package activities

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net/url"
	"time"

	"visite/internal/inspect/security"
	"visite/internal/inspect/security/chain"
	"visite/schema"
)

// Security is the step that looks at a site's connections, once a scan.
type Security struct {
	Store ScanStore
	Door  Door
	Fetch Fetcher
	Names NameServers
	Roots *x509.CertPool // vouch for certificates; nil: the system's
}

// ProbeInput asks for a look at a site's connections.
type ProbeInput struct {
	ScanID  string
	Since   time.Time // robots.txt must have been read at or after
	MaxWait time.Duration
	// HandshakeOnly: robots.txt could not be read because of TLS, so that nothing may
	// be asked. A handshake asks nothing and may show why.
	HandshakeOnly bool
}

// ProbeOutput is how far the look came; the facts are recorded part by part.
type ProbeOutput struct {
	Wait     *Wait
	Objected bool // the site asked us to stay away (C-43)
	TimedOut int  // visits that ran into a timeout (C-51)
}

// probing is a look under way.
type probing struct {
	*Security
	in    ProbeInput
	scan  schema.Scan
	facts schema.SiteProbe
	out   ProbeOutput
	sides sides
}

// ProbeSecurity looks at a site's connections, one side after the other, each in a
// turn of its own. A side that was looked at before, by a step that was cut off
// or had to wait, is not looked at again.
func (s *Security) ProbeSecurity(ctx context.Context, in ProbeInput) (ProbeOutput, error) {
	defer keepAlive(ctx)()
	scan, err := s.Store.Scan(ctx, in.ScanID)
	if err != nil {
		return ProbeOutput{}, asFault("read scan", err)
	}
	p := &probing{Security: s, in: in, scan: scan}
	if p.facts, err = s.Store.SiteProbe(ctx, scan.ID); err != nil {
		return ProbeOutput{}, asFault("read what is known of the site's connections", err)
	}
	if p.sides, err = sidesOf(scan); err != nil {
		return ProbeOutput{}, asFault("parse seed", err)
	}
	p.facts.Host, p.facts.At = scan.ScopeHost, time.Now().UTC().Truncate(time.Second)
	for _, look := range []func(context.Context) error{p.certificate, p.legacy, p.redirect, p.securityTxt, p.names, p.overIPv6, p.notFound} {
		err := look(ctx)
		if ctx.Err() != nil {
			return ProbeOutput{}, ctx.Err()
		}
		if err != nil {
			return ProbeOutput{}, asFault("look at the site's connections", err)
		}
		if p.out.Wait != nil || p.out.Objected {
			return p.out, nil
		}
		if err := s.Store.SetSiteProbe(ctx, scan.ID, p.facts); err != nil {
			return ProbeOutput{}, asFault("record the site's connections", err)
		}
	}
	return p.out, nil
}

// sides are the addresses of a site's connections; empty where there is none to
// look at.
type sides struct {
	secure   string // "https://host/"
	insecure string // "http://host/"
	name     string // for name servers
}

// sidesOf says what can be looked at: nothing of a host of this machine or of a
// private name; of a site at a port of its own only that port.
func sidesOf(scan schema.Scan) (sides, error) {
	u, err := url.Parse(scan.URL)
	if err != nil {
		return sides{}, err
	}
	u.Host, u.Path, u.RawQuery = scan.ScopeHost, "/", ""
	var s sides
	if security.IsLocal(u.Hostname()) {
		return s, nil
	}
	if u.Port() == "" || u.Scheme == "https" {
		s.secure = (&url.URL{Scheme: "https", Host: u.Host, Path: "/"}).String()
	}
	if u.Port() == "" {
		s.insecure = (&url.URL{Scheme: "http", Host: u.Host, Path: "/"}).String()
	}
	if !security.IsAddress(u.Hostname()) {
		s.name = u.Hostname()
	}
	return s, nil
}

// enter asks for a turn at one side. A nil pass without error means that there is
// none: the state to record is returned, or the step has to come back.
func (p *probing) enter(ctx context.Context, address, side string, handshake bool) (Pass, schema.LookState, schema.Reason, error) {
	return p.enterFor(ctx, schema.PurposeSecurity, address, side, handshake)
}

// enterFor is enter for a purpose of its own.
func (p *probing) enterFor(ctx context.Context, purpose schema.Purpose, address, side string, handshake bool) (Pass, schema.LookState, schema.Reason, error) {
	visit := visitOf(p.scan, purpose, address, p.scan.ID+"/security/"+side, p.in.MaxWait, p.in.Since)
	visit.Handshake = handshake
	pass, admission, err := p.Door.Enter(ctx, visit)
	if err != nil || pass != nil {
		return pass, "", "", err
	}
	if admission.Kind == schema.AdmissionWait {
		p.out.Wait = noteWait(ctx, p.Store, p.scan.ID, schema.PhaseRobots, Wait{Until: admission.Until, Words: admission.Words})
		return nil, schema.LookPending, "", nil
	}
	p.out.Objected = admission.Reason == schema.ReasonObjection
	return nil, schema.LookUnknown, admission.Reason, nil
}

// shake makes one handshake in a turn of its own.
func (p *probing) shake(ctx context.Context, side string, ask schema.HandshakeAsk) (h schema.Handshake, state schema.LookState, err error) {
	pass, state, reason, err := p.enter(ctx, p.sides.secure, side, true)
	if err != nil || pass == nil {
		return schema.Handshake{Reason: reason}, state, err
	}
	defer leave(ctx, pass)
	h, err = pass.Handshake(ctx, ask)
	if h.Reason == schema.ReasonTimeout {
		p.out.TimedOut++
	}
	switch h.Reason {
	case schema.ReasonServerParked, schema.ReasonObjection, schema.ReasonQuietHours, schema.ReasonGuarded, schema.ReasonNameNotFound:
		return h, schema.LookUnknown, err
	}
	return h, schema.LookDone, err
}

func (p *probing) certificate(ctx context.Context) error {
	f := &p.facts.TLS
	switch {
	case f.State != schema.LookPending:
		return nil
	case p.sides.secure == "":
		f.State = schema.LookNotApplicable
		return nil
	}
	h, state, err := p.shake(ctx, "tls", schema.HandshakeAsk{})
	if err != nil || state == schema.LookPending {
		return err
	}
	*f = schema.TLSFacts{State: state, Reason: h.Reason, Refused: h.Refused}
	if state == schema.LookDone && h.Reason == schema.ReasonNone {
		f.Version, f.HTTP2 = tls.VersionName(h.Version), h.ALPN == "h2"
		f.Certificate = chain.Examine(h.Certificates, hostOf(p.sides.secure), p.Roots, time.Now())
	}
	return nil
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// connects reports whether the https port was seen to speak TLS.
func (p *probing) connects() bool {
	return p.facts.TLS.State == schema.LookDone && p.facts.TLS.Reason == schema.ReasonNone
}

func (p *probing) legacy(ctx context.Context) error {
	f := &p.facts.Legacy
	switch {
	case f.State != schema.LookPending:
		return nil
	case !p.connects():
		f.State = schema.LookNotApplicable
		return nil
	case p.facts.TLS.Version == tls.VersionName(tls.VersionTLS10) || p.facts.TLS.Version == tls.VersionName(tls.VersionTLS11): // the newest it has
		*f = schema.LegacyFacts{State: schema.LookDone, Offered: true}
		return nil
	}
	h, state, err := p.shake(ctx, "legacy", schema.HandshakeAsk{MaxVersion: tls.VersionTLS11})
	if err != nil || state == schema.LookPending {
		return err
	}
	*f = schema.LegacyFacts{State: state}
	switch {
	case state != schema.LookDone:
	case h.Reason == schema.ReasonNone:
		f.Offered = true
	case h.Reason != schema.ReasonTLS && h.Reason != schema.ReasonConnection: // a server that hangs up has refused, too
		f.State = schema.LookUnknown
	}
	return nil
}

func (p *probing) names(ctx context.Context) error {
	f := &p.facts.DNS
	switch {
	case f.State != schema.LookPending:
	case p.sides.name == "":
		f.State = schema.LookNotApplicable
	case p.Names == nil:
		f.State = schema.LookUnknown
	default:
		*f = p.Names.Look(ctx, p.sides.name, registrable(p.sides.name))
	}
	return nil
}

// overIPv6 connects over IPv6 where the name has such an address. That nobody
// answers may be our own line's fault; that somebody refuses cannot be.
func (p *probing) overIPv6(ctx context.Context) error {
	f := &p.facts.IPv6
	switch {
	case f.State != schema.LookPending:
		return nil
	case p.facts.DNS.IPv6 != schema.RecordPresent || !p.connects():
		f.State = schema.LookNotApplicable
		return nil
	}
	h, state, err := p.shake(ctx, "ipv6", schema.HandshakeAsk{IPv6: true})
	if err != nil || state == schema.LookPending {
		return err
	}
	*f = schema.IPv6Facts{State: state}
	switch {
	case state != schema.LookDone:
	case h.Reason == schema.ReasonNone || h.Reason == schema.ReasonTLS:
		f.Answers = true
	case !h.Refused:
		f.State = schema.LookUnknown
	}
	return nil
}
