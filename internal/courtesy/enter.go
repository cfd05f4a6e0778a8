package courtesy

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"time"

	"visite/schema"
)

// RobotsReading is what a run learns from robots.txt before its first page.
type RobotsReading struct {
	Copy       schema.RobotsCopy
	Decision   schema.RobotsDecision
	CrawlDelay time.Duration
	Sitemaps   []string // absolute addresses from Sitemap lines
}

// Enter asks for a turn: is it a web address, does robots.txt allow it, may its
// address be visited, is the host free. A wait or a denial comes
// back as a value with a nil Pass. The error is ours. Leave must follow.
func (d *Door) Enter(ctx context.Context, v schema.Visit) (*Pass, schema.Admission, error) {
	deadline := time.Now().Add(v.MaxWait)
	if v.Browser && v.UserAgent == "" {
		return nil, schema.Admission{}, errors.New("courtesy: a browser visit needs the browser's User-Agent")
	}
	u, r, denial, err := d.judgeAddress(ctx, v)
	if err != nil || denial.Kind != "" {
		return nil, denial, err
	}
	if v.Handshake {
		return d.enterHandshake(ctx, v, u, r, deadline)
	}
	book, wait, err := d.rulebook(ctx, v, u, r, deadline, nil)
	if err != nil || book == nil {
		return nil, wait, err
	}
	return d.enterUnder(ctx, v, u, r, deadline, book)
}

// enterUnder takes the turn for a visit that a rulebook allows.
func (d *Door) enterUnder(ctx context.Context, v schema.Visit, u *url.URL, r reach, deadline time.Time, book *rulebook) (*Pass, schema.Admission, error) {
	decision, admission := book.judge(v, u.String())
	if admission.Kind != schema.AdmissionGranted {
		return nil, admission, nil
	}
	began := time.Now()
	p := d.newPass(v, u, r)
	grant, wait, err := p.takeTurn(ctx, u, decision.CrawlDelay, deadline)
	if err != nil || wait.Kind != schema.AdmissionGranted {
		return nil, wait, err
	}
	// Another worker may have read new rules since (C-62).
	if grant.RobotsReadAt.After(book.copy.ReadAt) {
		var later *rulebook
		if later, err = d.stored(ctx, schema.Origin(u)); later != nil {
			book = later
			_, admission = book.judge(v, u.String())
		}
	}
	p.rules[schema.Origin(u)], p.waited = book, time.Since(began)
	if err == nil && admission.Kind == schema.AdmissionGranted && v.Browser {
		err = d.joinRun(ctx, p) // last: from here on Chromium's requests find the pass
	}
	if err != nil || admission.Kind != schema.AdmissionGranted {
		return nil, admission, errors.Join(err, p.Leave(ctx))
	}
	return p, schema.Admission{Kind: schema.AdmissionGranted, Rule: admission.Rule}, nil
}

// ReadRobots reads robots.txt of the visit's origin now, unless a copy read at
// or after v.RobotsSince and within the last 15 minutes is there, and gives the
// verdict on v.URL. That the file forbids v.URL, or is unreachable, is told in
// the reading; the Admission is a denial only where the address may not be
// visited at all.
func (d *Door) ReadRobots(ctx context.Context, v schema.Visit) (RobotsReading, schema.Admission, error) {
	u, r, denial, err := d.judgeAddress(ctx, v)
	if err != nil || denial.Kind != "" {
		return RobotsReading{}, denial, err
	}
	book, wait, err := d.rulebook(ctx, v, u, r, time.Now().Add(v.MaxWait), nil)
	if err != nil || book == nil {
		return RobotsReading{}, wait, err
	}
	decision, _ := book.judge(v, u.String())
	return RobotsReading{
		Copy: book.copy, Decision: decision, CrawlDelay: decision.CrawlDelay, Sitemaps: book.file.Sitemaps(&url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/robots.txt"}),
	}, schema.Admission{Kind: schema.AdmissionGranted}, nil
}

// judgeAddress decides whether a visit's address may be visited at all, and how
// far the visit may reach.
func (d *Door) judgeAddress(ctx context.Context, v schema.Visit) (*url.URL, reach, schema.Admission, error) {
	u, err := url.Parse(v.URL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, 0, deny(schema.ReasonGuarded, "not an address of the web"), nil
	}
	u.User = nil
	r := reachPublic
	if d.local && !(v.PublicOnly && !v.Profile.LoopbackOnly) {
		switch onThisMachine := d.onThisMachine(ctx, u); {
		case v.Profile.LoopbackOnly:
			r = reachLoopback
		case onThisMachine:
			r = reachBoth
		}
	} else if v.Profile.LoopbackOnly {
		return nil, 0, deny(schema.ReasonGuarded, "the profile is for sites of this machine only"), nil
	}
	err = d.mayConnect(ctx, u, r)
	var trouble *Trouble
	switch {
	case err == nil:
		return u, r, schema.Admission{}, nil
	case ctx.Err() != nil:
		return nil, 0, schema.Admission{}, ctx.Err()
	case errors.As(err, &trouble):
		return nil, 0, deny(trouble.Reason, trouble.Words), nil
	}
	return nil, 0, schema.Admission{}, err
}

func deny(reason schema.Reason, words string) schema.Admission {
	return schema.Admission{Kind: schema.AdmissionDenied, Reason: reason, Words: words}
}

// onThisMachine reports whether all addresses of a host are loopback.
func (d *Door) onThisMachine(ctx context.Context, u *url.URL) bool {
	addrs, err := d.names.lookup(ctx, u.Hostname())
	if err != nil {
		return false
	}
	for _, a := range addrs {
		if !reachLoopback.allows(a) {
			return false
		}
	}
	return true
}

// mayConnect checks host, port and addresses of a URL; *Trouble where they are
// not visited or not found. The dialer checks again.
func (d *Door) mayConnect(ctx context.Context, u *url.URL, r reach) error {
	if u.Scheme != "http" && u.Scheme != "https" {
		return guarded("not an address of the web")
	}
	addrs, err := d.names.allowed(ctx, u.Hostname(), r)
	if err != nil {
		return &Trouble{Reason: reasonOf(err, false), Words: wordsOf(err)}
	}
	if port := u.Port(); port != "" && !webPorts[port] && !addrs[0].IsLoopback() {
		return &Trouble{Reason: schema.ReasonPort, Words: "port " + port}
	}
	if d.ownPorts[u.Port()] && slices.ContainsFunc(addrs, netip.Addr.IsLoopback) {
		return guarded("a part of our own listens there")
	}
	return nil
}

func wordsOf(err error) string {
	var trouble *Trouble
	if errors.As(err, &trouble) {
		return trouble.Words
	}
	return ""
}

// takeTurn takes a turn at the host of u and puts it into the pass.
func (p *Pass) takeTurn(ctx context.Context, u *url.URL, delay time.Duration, deadline time.Time) (schema.PaceGrant, schema.Admission, error) {
	addrs, err := p.door.names.allowed(ctx, u.Hostname(), p.reach)
	if err != nil {
		return schema.PaceGrant{}, schema.Admission{}, err
	}
	limits := p.visit.Profile.Limits
	holder := p.visit.Holder
	if p.visit.Purpose == schema.PurposeRobots {
		// Each process reads for itself: two must not take one another's turn.
		holder = fmt.Sprintf("robots.txt of %s by %s", schema.Origin(p.url), p.door.instance)
	}
	ask := schema.PaceAsk{
		ScanID: p.visit.Run.ScanID, Host: schema.HostKey(u), IP: firstIP(addrs), Holder: holder, Slots: limits.PagesAtOnce, IPSlots: limits.VisitsPerIP, TTL: turnTTL,
		PauseMin: limits.PauseMin, PauseFactor: limits.PauseFactor, CrawlDelay: delay, Origin: schema.Origin(u),
	}
	if p.takeWarm(ask) {
		return schema.PaceGrant{Granted: true}, schema.Admission{Kind: schema.AdmissionGranted}, nil
	}
	t, grant, admission, err := p.door.take(ctx, ask, deadline)
	if t != nil {
		p.hold(t)
	}
	return grant, admission, err
}
