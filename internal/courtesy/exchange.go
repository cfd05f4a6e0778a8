package courtesy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync"
	"time"

	"visite/schema"
)

// outgoing is a request that was judged and may leave.
type outgoing struct {
	method  string
	url     *url.URL
	header  http.Header
	purpose schema.Purpose
	rule    string        // the robots.txt line that allowed it
	waited  time.Duration // for its turn
	limit   int64         // bytes of the body as it comes; 0 for none
	within  time.Duration // for the body; 0 for no limit

	refusals *refusals // of a page's files; nil for anything else
	round    int       // of refusals, when it left
}

// exchange is a request under way: its ledger line, its timing, its answer.
type exchange struct {
	pass    *Pass
	resp    *http.Response // Body counts, and ends the exchange
	phases  *phases
	retry   *schema.RetryAfter // the server's wish for rest, already acted on
	cancel  context.CancelCauseFunc
	endBusy func()
	once    sync.Once

	mu     sync.Mutex
	line   schema.LedgerLine
	ledger error // no line could be written for a second attempt
}

// send is where every request to a visited site leaves. The error is the site's
// trouble (*Trouble, *parkedError) or our own.
func (p *Pass) send(ctx context.Context, o outgoing) (*exchange, error) {
	var first *turn // whose first request this is
	if o.purpose != schema.PurposePageFile {
		var err error
		if first, err = p.start(ctx, schema.HostKey(o.url)); err != nil {
			return nil, err
		}
	}
	if err := p.begin(); err != nil {
		return nil, err
	}
	x := &exchange{pass: p, phases: &phases{}, endBusy: func() {}, line: p.line(o)}
	if err := p.beginLine(&x.line); err != nil {
		p.end()
		return nil, err
	}
	if err := p.startNow(ctx, first); err != nil {
		x.finish(schema.ReasonCancelled, 0)
		return nil, err
	}
	ctx, x.cancel = context.WithCancelCause(ctx)
	stop := context.AfterFunc(p.ctx, func() { x.cancel(errClosed) })
	req := p.request(httptrace.WithClientTrace(ctx, x.phases.trace(x.again, func() { p.noteSent(first) })), o)
	if clock := p.clock(x.line.Host); clock != nil {
		x.endBusy = clock.begin()
	}
	p.countRequest()
	resp, err := p.door.transport(p.reach, o.purpose).RoundTrip(req)
	if err == nil && resp.StatusCode < 200 { // 101: nobody asked for another protocol
		_ = resp.Body.Close() // nothing of it is used
		err = &Trouble{Reason: schema.ReasonProtocol}
	}
	if err != nil {
		stop()
		p.noteSent(first)
		return nil, x.fail(ctx, err)
	}
	x.resp = resp
	x.mu.Lock()
	x.line.Status = resp.StatusCode
	x.mu.Unlock()
	if isStream(resp) {
		x.endBusy() // a stream held open is not a server being slow
	}
	if err := x.obey(o); err != nil {
		stop()
		_ = resp.Body.Close() // given up
		x.finish(schema.ReasonNone, 0)
		x.cancel(nil)
		return nil, err
	}
	resp.Body = newMeteredBody(ctx, x, o, stop)
	return x, nil
}

func (p *Pass) request(ctx context.Context, o outgoing) *http.Request {
	target := *o.url
	target.User, target.Fragment, target.RawFragment = nil, "", ""
	req := &http.Request{
		Method: o.method, URL: &target, Host: target.Host, Header: outgoingHeader(o.header, p.userAgent),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
	return req.WithContext(ctx)
}

func (p *Pass) line(o outgoing) schema.LedgerLine {
	host := schema.HostKey(o.url)
	return schema.LedgerLine{
		At: time.Now().UTC().Truncate(time.Microsecond), ScanID: p.visit.Run.ScanID, WorkspaceID: p.visit.Run.WorkspaceID,
		Host: host, IP: p.plannedIP(host), Method: o.method, URL: ledgerAddress(o.url), Purpose: o.purpose, Cause: p.visit.Cause,
		Profile: p.visit.Profile.Name, Rule: o.rule, WaitedMS: o.waited.Milliseconds(),
	}
}

// ledgerAddress is an address as the ledger keeps it: redacted, of bounded
// length, in characters any database takes.
func ledgerAddress(u *url.URL) string {
	address := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, schema.RedactAddress(u.String()))
	const most = 2048
	return address[:min(len(address), most)]
}

// again gives a request that the transport writes once more (the connection
// kept open had been closed at the other end) a line of its own.
func (x *exchange) again() {
	x.mu.Lock()
	defer x.mu.Unlock()
	first := x.line
	first.Failure = schema.ReasonConnection
	first.TookMS = time.Since(first.At).Milliseconds()
	x.pass.completed(first)
	x.line.At = time.Now().UTC().Truncate(time.Microsecond)
	x.line.WaitedMS = 0
	if x.ledger = x.pass.beginLine(&x.line); x.ledger != nil {
		x.cancel(x.ledger)
		return
	}
	x.pass.countRequest()
}

// obey parks the host where its answer asks for rest (C-50, S-34 to S-36).
func (x *exchange) obey(o outgoing) error {
	limits := x.pass.visit.Profile.Limits
	x.retry = retryAfter(x.resp.StatusCode, x.resp.Header, limits, time.Now())
	if x.retry == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(x.pass.ctx), storeLimit)
	defer cancel()
	wait := rest(x.retry, limits)
	if o.refusals != nil {
		wait = o.refusals.lengthen(o.round, wait, limits.RetryAfterMax)
	}
	until, err := x.pass.door.store.Park(ctx, x.line.Host, wait)
	x.retry.Until = until
	return err
}

// fail ends an exchange that brought no answer.
func (x *exchange) fail(ctx context.Context, err error) error {
	var trouble *Trouble
	if cause := context.Cause(ctx); errors.As(cause, &trouble) {
		err = cause
	}
	_, _, handshake := x.phases.read()
	reason := reasonOf(err, handshake)
	x.finish(reason, 0)
	x.cancel(nil)
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case x.ledger != nil:
		return x.ledger
	case reason == schema.ReasonCancelled: // ours: the caller gave up, or the visit is over
		return fmt.Errorf("courtesy: %w", context.Canceled)
	}
	return &Trouble{Reason: reason}
}

// finish completes the ledger line, once.
func (x *exchange) finish(failure schema.Reason, bytes int64) {
	x.once.Do(func() {
		x.endBusy()
		x.mu.Lock()
		line := x.line
		x.mu.Unlock()
		line.Failure, line.Bytes, line.TookMS = failure, bytes, time.Since(line.At).Milliseconds()
		if _, ip, _ := x.phases.read(); ip != "" {
			line.IP = ip
		}
		x.pass.countBytes(bytes)
		x.pass.completed(line)
		x.pass.end()
	})
}

// meteredBody counts a body as it comes, keeps it within its bounds, and ends
// the exchange with it.
type meteredBody struct {
	io.ReadCloser
	x     *exchange
	ctx   context.Context
	stop  func() bool
	timer *time.Timer
	limit int64
	bytes int64
	err   error
}

func newMeteredBody(ctx context.Context, x *exchange, o outgoing, stop func() bool) *meteredBody {
	b := &meteredBody{ReadCloser: x.resp.Body, x: x, ctx: ctx, stop: stop, limit: o.limit}
	if o.within > 0 {
		b.timer = time.AfterFunc(o.within, func() { x.cancel(&Trouble{Reason: schema.ReasonEndless}) })
	}
	return b
}

// Read gives io.EOF at the body's end, else *Trouble.
func (b *meteredBody) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.ReadCloser.Read(p)
	b.bytes += int64(n)
	switch {
	case err == io.EOF:
		b.err = io.EOF
	case b.limit > 0 && b.bytes > b.limit:
		b.err = &Trouble{Reason: schema.ReasonTooLarge}
	case err != nil:
		if cause := context.Cause(b.ctx); cause != nil {
			err = cause
		}
		b.err = &Trouble{Reason: reasonOf(err, false)}
	}
	if b.err != nil {
		b.finish(b.failure())
	}
	return n, b.err
}

func (b *meteredBody) failure() schema.Reason {
	var t *Trouble
	if errors.As(b.err, &t) {
		return t.Reason
	}
	return schema.ReasonNone
}

// Close ends the exchange; a body not read to its end is given up without fault.
func (b *meteredBody) Close() error {
	err := b.ReadCloser.Close()
	b.finish(schema.ReasonNone)
	b.stop()
	b.x.cancel(nil)
	return err
}

func (b *meteredBody) finish(failure schema.Reason) {
	if b.timer != nil {
		b.timer.Stop()
	}
	b.x.finish(failure, b.bytes)
}
