package courtesy

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"

	"visite/schema"
)

// RoundTrip sends one request of the visit's document chain; the caller follows
// redirects and asks for each address in turn. What the door does not let out
// or has no use for comes back as an answer of its own without body: 403 for a
// method or where robots.txt forbids, 204 where the chain leaves the scope or
// ends in something that is no page. Document() says what it was. An error is
// the site's trouble (it has SiteReason) or our own.
//
// Bodies come as they are on the wire; the caller undoes Content-Encoding. Where
// Accept-Encoding is not set, none is asked for.
func (p *Pass) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		_ = req.Body.Close() // never sent: only GET, HEAD and OPTIONS leave
	}
	if !allowedMethod(req.Method) {
		p.countRefused(req.URL, false)
		return localAnswer(req, http.StatusForbidden), nil
	}
	ctx := req.Context()
	rule, status, err := p.admitDocument(ctx, req.URL)
	if err != nil {
		p.documentFailed(err)
		return nil, err
	}
	if status != 0 {
		return localAnswer(req, status), nil
	}
	header := req.Header.Clone()
	if header == nil {
		header = http.Header{}
	}
	if header.Get("Accept-Encoding") == "" {
		header.Set("Accept-Encoding", "identity")
	}
	limit, within := p.door.bounds.Document, p.door.bounds.DocumentBody
	if p.visit.Purpose != schema.PurposePage { // large by nature; the caller's deadline bounds it
		limit, within = p.door.bounds.File, 0
	}
	x, err := p.send(ctx, outgoing{
		method: req.Method, url: req.URL, header: header, purpose: p.visit.Purpose, rule: rule,
		waited: p.waitedOnce(), limit: limit, within: within,
	})
	if err != nil {
		p.documentFailed(err)
		return nil, err
	}
	x.resp.Request = req
	if !p.doc.answered(req.URL, x) {
		_ = x.resp.Body.Close() // of no use to anybody
		return localAnswer(req, http.StatusNoContent), nil
	}
	return p.handOver(req, x)
}

// handOver gives an answer to the http engine, watching its body.
func (p *Pass) handOver(req *http.Request, x *exchange) (*http.Response, error) {
	body := &documentBody{ReadCloser: x.resp.Body, doc: p.doc, began: time.Now()}
	x.resp.Body = body
	if x.resp.Header.Get("Content-Encoding") != "" || x.resp.Header.Get("Content-Type") != "" || req.Method == http.MethodHead {
		return x.resp, nil
	}
	buffered := bufio.NewReaderSize(body, sniffLength)
	head, err := buffered.Peek(sniffLength)
	if err != nil && err != io.EOF && len(head) == 0 {
		_ = body.Close() // broke off at once
		return nil, err
	}
	if !p.doc.sniffed(bytes.Clone(head)) {
		_ = body.Close() // of no use to anybody
		return localAnswer(req, http.StatusNoContent), nil
	}
	x.resp.Body = struct {
		io.Reader
		io.Closer
	}{buffered, body}
	return x.resp, nil
}

// sniffLength is how much of a body tells its type.
const sniffLength = 512

// documentBody tells the document what came of its body.
type documentBody struct {
	io.ReadCloser
	doc   *document
	began time.Time
	wire  int64
	told  bool
}

func (b *documentBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.wire += int64(n)
	if err != nil {
		reason := schema.ReasonNone
		var t *Trouble
		if errors.As(err, &t) {
			reason = t.Reason
		}
		b.tell(reason)
	}
	return n, err
}

func (b *documentBody) Close() error {
	b.tell(schema.ReasonNone)
	return b.ReadCloser.Close()
}

func (b *documentBody) tell(reason schema.Reason) {
	if !b.told {
		b.told = true
		b.doc.body(b.wire, 0, milliseconds(time.Since(b.began)), reason)
	}
}

// admitDocument decides about the next address of the document's chain: the
// robots.txt line that allows it, or the status of an answer of our own.
func (p *Pass) admitDocument(ctx context.Context, u *url.URL) (rule string, status int, err error) {
	if p.doc.outOfScope(u) {
		p.doc.leftScope(u)
		return "", http.StatusNoContent, nil
	}
	if err := p.door.mayConnect(ctx, u, p.reach); err != nil {
		return "", 0, err
	}
	host := schema.HostKey(u)
	deadline := time.Now().Add(max(p.visit.MaxWait, hopWait))
	book, admission, err := p.ownRules(ctx, u, deadline)
	if err != nil {
		return "", 0, err
	}
	var delay time.Duration
	hidden := false
	if book != nil {
		var decision schema.RobotsDecision
		decision, admission = book.judge(p.visit, u.String())
		delay = decision.CrawlDelay
		hidden = !book.file.For(searchRobot).Decide(u.String()).Allow
	}
	if admission.Kind == schema.AdmissionGranted && !p.holds(host) { // a redirect to another host: a turn there too
		if _, admission, err = p.takeTurn(ctx, u, delay, deadline); err != nil {
			return "", 0, err
		}
	}
	switch admission.Kind {
	case schema.AdmissionDenied:
		p.doc.disallowed(u, admission.Reason, admission.Rule)
		return "", http.StatusForbidden, nil
	case schema.AdmissionWait:
		p.doc.end(schema.OutcomeNotAnalysed, schema.ReasonServerParked)
		return "", http.StatusNoContent, nil
	}
	p.doc.asking(u, hidden)
	return admission.Rule, 0, nil
}

// searchRobot is by what name search engines' view of a robots.txt is told.
var searchRobot = []string{"Googlebot"}

// ownRules is the rulebook for an origin of the visit, read where it must be.
func (p *Pass) ownRules(ctx context.Context, u *url.URL, deadline time.Time) (*rulebook, schema.Admission, error) {
	origin := schema.Origin(u)
	p.mu.Lock()
	book := p.rules[origin]
	p.mu.Unlock()
	if book != nil {
		return book, schema.Admission{}, nil
	}
	book, admission, err := p.door.rulebook(ctx, p.visit, u, p.reach, deadline, p)
	if err != nil || book == nil {
		return nil, admission, err
	}
	p.mu.Lock()
	p.rules[origin] = book
	p.mu.Unlock()
	return book, schema.Admission{}, nil
}

// documentFailed takes the site's trouble down; our own is no fact about it.
func (p *Pass) documentFailed(err error) {
	var site interface{ SiteReason() schema.Reason }
	if errors.As(err, &site) {
		p.doc.failed(site.SiteReason())
		return
	}
	p.blame(err)
}

// waitedOnce is what the visit waited for its turn, for its first ledger line.
func (p *Pass) waitedOnce() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	waited := p.waited
	p.waited = 0
	return waited
}
