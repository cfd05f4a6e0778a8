package courtesy

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"visite/internal/courtesy/robots"
	"visite/schema"
)

const (
	rulebooksMost = 512
	hopWait       = 5 * time.Second // for a turn at a host a robots.txt redirects to
)

// rulebook is a read robots.txt, parsed.
type rulebook struct {
	copy schema.RobotsCopy
	file *robots.File
}

func newRulebook(c schema.RobotsCopy) *rulebook { return &rulebook{copy: c, file: robots.Of(c)} }

// isFresh reports whether a book may decide for a visit.
func (d *Door) isFresh(b *rulebook, v schema.Visit) bool {
	return b != nil && time.Since(b.copy.ReadAt) < d.rulesAge && !b.copy.ReadAt.Before(v.RobotsSince)
}

// judge gives the verdict on an address, as an admission.
func (b *rulebook) judge(v schema.Visit, address string) (schema.RobotsDecision, schema.Admission) {
	decision := b.file.For(v.Profile.Tokens).Decide(address)
	switch {
	case b.copy.Outcome == schema.RobotsDenyAll:
		words := "robots.txt could not be read"
		if b.copy.Reason != schema.ReasonNone {
			words += ": " + string(b.copy.Reason)
		}
		return decision, schema.Admission{Kind: schema.AdmissionDenied, Reason: schema.ReasonRobotsUnreached, Words: words}
	case !decision.Allow:
		return decision, schema.Admission{Kind: schema.AdmissionDenied, Reason: schema.ReasonRobots, Rule: decision.Rule, Words: "robots.txt does not allow it"}
	}
	return decision, schema.Admission{Kind: schema.AdmissionGranted, Rule: decision.Rule}
}

// library keeps parsed rulebooks, the latest used ones, and lets one read of an
// origin at a time happen in this process.
type library struct {
	mu      sync.Mutex
	order   *list.List // of *rulebook, latest used first
	books   map[string]*list.Element
	reading map[string]chan struct{} // closed when the read is over
}

func newLibrary() *library {
	return &library{order: list.New(), books: map[string]*list.Element{}, reading: map[string]chan struct{}{}}
}

func (l *library) get(origin string) *rulebook {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, ok := l.books[origin]
	if !ok {
		return nil
	}
	l.order.MoveToFront(e)
	return e.Value.(*rulebook)
}

// put keeps a book unless a later one is there.
func (l *library) put(b *rulebook) *rulebook {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e, ok := l.books[b.copy.Origin]; ok {
		if known := e.Value.(*rulebook); known.copy.ReadAt.After(b.copy.ReadAt) {
			return known
		}
		e.Value = b
		l.order.MoveToFront(e)
		return b
	}
	l.books[b.copy.Origin] = l.order.PushFront(b)
	for l.order.Len() > rulebooksMost {
		last := l.order.Back()
		delete(l.books, last.Value.(*rulebook).copy.Origin)
		l.order.Remove(last)
	}
	return b
}

// lock waits until nobody of this process reads an origin's file.
func (l *library) lock(ctx context.Context, origin string) (unlock func(), err error) {
	for {
		l.mu.Lock()
		busy, ok := l.reading[origin]
		if !ok {
			mine := make(chan struct{})
			l.reading[origin] = mine
			l.mu.Unlock()
			return func() {
				l.mu.Lock()
				defer l.mu.Unlock()
				delete(l.reading, origin)
				close(mine)
			}, nil
		}
		l.mu.Unlock()
		select {
		case <-busy:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// stored brings the library up to the store's copy.
func (d *Door) stored(ctx context.Context, origin string) (*rulebook, error) {
	c, found, err := d.store.RobotsCopy(ctx, origin)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, nil
	}
	return d.library.put(newRulebook(c)), nil
}

// rulebook finds a fresh rulebook for the origin of u, reading robots.txt where
// there is none. A read is a visit of its own, unless held already has a turn at
// the host. A wait comes back as a value with a nil book.
func (d *Door) rulebook(ctx context.Context, v schema.Visit, u *url.URL, r reach, deadline time.Time, held *Pass) (*rulebook, schema.Admission, error) {
	origin := schema.Origin(u)
	if b := d.library.get(origin); d.isFresh(b, v) {
		return b, schema.Admission{}, nil
	}
	unlock, err := d.library.lock(ctx, origin)
	if err != nil {
		return nil, schema.Admission{}, err
	}
	defer unlock()
	b, err := d.stored(ctx, origin)
	if err != nil {
		return nil, schema.Admission{}, err
	}
	if d.isFresh(b, v) {
		return b, schema.Admission{}, nil
	}
	return d.readRobots(ctx, v, u, r, deadline, held, b)
}

// waitError carries a wait out of a read of robots.txt.
type waitError struct{ admission schema.Admission }

func (e *waitError) Error() string { return e.admission.Words }

func (d *Door) readRobots(ctx context.Context, v schema.Visit, u *url.URL, r reach, deadline time.Time, held *Pass, previous *rulebook) (*rulebook, schema.Admission, error) {
	origin := &url.URL{Scheme: u.Scheme, Host: u.Host}
	v.Purpose, v.Browser, v.ScopeHost, v.URL = schema.PurposeRobots, false, "", origin.String()+"/robots.txt"
	p := d.newPass(v, origin, r)
	defer func() {
		if err := p.Leave(ctx); err != nil {
			d.log.Error("leave after robots.txt", "host", schema.HostKey(u), "error", err)
		}
	}()
	var last *schema.RobotsCopy
	delay := time.Duration(0)
	if previous != nil {
		last = &previous.copy
		// The file may have changed: an old delay does not put off a new read beyond
		// the day a copy lasts.
		given, _ := previous.file.CrawlDelay(v.Profile.Tokens)
		delay = min(given, 24*time.Hour)
	}
	grant, admission, err := p.enterFor(ctx, origin, delay, deadline, held)
	if err != nil || admission.Kind != schema.AdmissionGranted {
		return nil, admission, err
	}
	if previous == nil || grant.RobotsReadAt.After(previous.copy.ReadAt) { // another worker was quicker
		if b, err := d.stored(ctx, schema.Origin(origin)); err != nil || d.isFresh(b, v) {
			return b, schema.Admission{}, err
		}
	}
	reader := robots.Reader{Strict: true, Reason: func(err error) schema.Reason { return reasonOf(err, false) }}
	reading, err := reader.Read(ctx, p.robotsSender(deadline), origin, last)
	var wait *waitError
	if errors.As(err, &wait) {
		return nil, wait.admission, nil
	}
	if err != nil {
		return nil, schema.Admission{}, err
	}
	if err := d.store.SaveRobotsCopy(ctx, reading.Copy); err != nil {
		return nil, schema.Admission{}, err
	}
	return d.library.put(newRulebook(reading.Copy)), schema.Admission{}, nil
}

// enterFor takes the turn for a read of robots.txt, or borrows it from a visit
// under way at the same host.
func (p *Pass) enterFor(ctx context.Context, u *url.URL, delay time.Duration, deadline time.Time, held *Pass) (schema.PaceGrant, schema.Admission, error) {
	if held != nil {
		held.mu.Lock()
		t := held.turns[schema.HostKey(u)]
		held.mu.Unlock()
		if t != nil {
			t.mu.Lock()
			lent := &turn{ask: t.ask, clock: t.clock, borrowed: true, until: t.until}
			t.mu.Unlock()
			p.hold(lent)
			return schema.PaceGrant{}, schema.Admission{Kind: schema.AdmissionGranted}, nil
		}
	}
	return p.takeTurn(ctx, u, delay, deadline)
}

// robotsSender sends the requests of one read. A redirect to another host takes
// a turn there.
func (p *Pass) robotsSender(deadline time.Time) robots.Sender {
	return func(req *http.Request) (*http.Response, error) {
		ctx := req.Context()
		if err := p.door.mayConnect(ctx, req.URL, p.reach); err != nil {
			return nil, err
		}
		if !p.holds(schema.HostKey(req.URL)) {
			latest := time.Now().Add(hopWait)
			if deadline.After(latest) {
				latest = deadline
			}
			_, admission, err := p.takeTurn(ctx, req.URL, 0, latest)
			if err != nil {
				return nil, ownFault(err)
			}
			if admission.Kind != schema.AdmissionGranted {
				return nil, &robots.Fault{Err: &waitError{admission}}
			}
		}
		if err := p.Renew(ctx); err != nil {
			return nil, &robots.Fault{Err: err}
		}
		x, err := p.send(ctx, outgoing{method: req.Method, url: req.URL, header: req.Header, purpose: schema.PurposeRobots, within: p.door.bounds.DocumentBody})
		if err != nil {
			return nil, ownFault(err)
		}
		return x.resp, nil
	}
}

// ownFault marks errors that are not the site's.
func ownFault(err error) error {
	var (
		trouble  *Trouble
		parked   *parkedError
		objected *objectedError
	)
	switch {
	case errors.As(err, &objected):
		return &robots.Fault{Err: &waitError{objected.admission()}}
	case errors.As(err, &parked):
		wait := schema.Admission{Kind: schema.AdmissionWait, Until: parked.until, Reason: schema.ReasonServerParked, Words: fmt.Sprintf("%s asked for rest: %s left", parked.host, wholeSeconds(time.Until(parked.until)))}
		return &robots.Fault{Err: &waitError{wait}}
	case errors.As(err, &trouble):
		return err
	}
	return &robots.Fault{Err: err}
}
