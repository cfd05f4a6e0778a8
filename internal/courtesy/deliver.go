package courtesy

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"visite/internal/contentcoding"
	"visite/schema"
)

// serveDocument carries out Chromium's request for the visit's document.
func (p *Pass) serveDocument(w http.ResponseWriter, req *http.Request, u *url.URL) {
	rule, status, err := p.admitDocument(req.Context(), u)
	if err != nil {
		p.documentFailed(err)
		refuse(w, http.StatusBadGateway)
		return
	}
	if status != 0 {
		refuse(w, http.StatusNoContent) // the tab stays empty
		return
	}
	p.noteLoaded(u)
	x, err := p.send(req.Context(), outgoing{
		method: req.Method, url: u, header: req.Header, purpose: p.visit.Purpose, rule: rule,
		waited: p.waitedOnce(), within: p.door.bounds.DocumentBody,
	})
	if err != nil {
		p.documentFailed(err)
		refuse(w, http.StatusBadGateway)
		return
	}
	defer x.resp.Body.Close()
	if !p.doc.answered(u, x) {
		refuse(w, http.StatusNoContent)
		return
	}
	began := time.Now()
	body, head, err := opened(x.resp, p.door.bounds.Document)
	//lint:ignore SA5001 there is a body in any case
	defer body.Close()
	if err == nil && !isRedirect(x.resp.StatusCode) && !p.doc.sniffed(head) {
		refuse(w, http.StatusNoContent)
		return
	}
	if err == nil && x.resp.ContentLength > p.door.bounds.Document {
		err = &Trouble{Reason: schema.ReasonTooLarge}
	}
	var n int64
	if err == nil {
		// The browser asks again for each document: what it kept would reach no ledger.
		var source keeper
		n, err = deliver(w, x.resp, io.TeeReader(body, &source), p.door.bounds.Document, func(h http.Header) { h.Set("Cache-Control", "no-store") })
		if err == nil && !isRedirect(x.resp.StatusCode) {
			p.doc.keep(source.whole())
		}
	}
	p.doc.body(bytesOf(x), n, milliseconds(time.Since(began)), documentReason(err, time.Since(began)))
	finishDelivery(w, err, n)
}

// keeper keeps what is written to it, up to maxSource bytes.
type keeper struct {
	kept []byte
	over bool
}

func (k *keeper) Write(b []byte) (int, error) {
	if k.over = k.over || len(k.kept)+len(b) > maxSource; k.over {
		k.kept = nil
	} else {
		k.kept = append(k.kept, b...)
	}
	return len(b), nil
}

// whole is all that was written, nil where that was too much.
func (k *keeper) whole() []byte {
	if k.over {
		return nil
	}
	return k.kept
}

// stuckAfter tells a body that never ends from a tab closed for another reason.
const stuckAfter = 10 * time.Second

func documentReason(err error, took time.Duration) schema.Reason {
	var t *Trouble
	switch {
	case err == nil:
		return schema.ReasonNone
	case errors.As(err, &t) && t.Reason != schema.ReasonCancelled:
		return t.Reason
	case took > stuckAfter:
		return schema.ReasonEndless
	}
	return schema.ReasonTimeout // Chromium closed the tab before the document was whole
}

// serveFile carries out a request of an open page.
func (p *Pass) serveFile(w http.ResponseWriter, req *http.Request, u *url.URL) {
	ctx := req.Context()
	own := schema.HostKey(u) == p.own
	rule := ""
	if own {
		admission, err := p.judgeOwnFile(ctx, u)
		if err != nil {
			p.blame(err)
			refuse(w, http.StatusBadGateway)
			return
		}
		if admission.Kind != schema.AdmissionGranted {
			p.countDisallowed()
			refuse(w, http.StatusForbidden)
			return
		}
		rule = admission.Rule
	}
	if !p.admitFile(schema.HostKey(u)) { // before its name is looked up
		refuse(w, http.StatusForbidden)
		return
	}
	if err := p.door.mayConnect(ctx, u, p.reach); err != nil {
		refuse(w, http.StatusBadGateway)
		return
	}
	p.noteLoaded(u)
	if u.Scheme == "http" && p.secure() {
		p.countInsecure(u)
	}
	x, err := p.sendFile(ctx, outgoing{method: req.Method, url: u, header: req.Header, purpose: schema.PurposePageFile, rule: rule}, schema.HostKey(u))
	if err != nil {
		refuse(w, p.statusOf(err))
		return
	}
	defer x.resp.Body.Close()
	if own && x.resp.StatusCode >= 400 {
		p.countFailed(u, x.resp.StatusCode)
	}
	body, _, err := opened(x.resp, p.door.bounds.File)
	//lint:ignore SA5001 there is a body in any case
	defer body.Close()
	var n int64
	head := x.resp.Header.Clone()
	if err == nil {
		n, err = deliver(w, x.resp, body, p.door.bounds.File, nil)
	}
	if own && err == nil && req.Method == http.MethodGet && x.resp.StatusCode == http.StatusOK {
		p.noteFile(u, head, n)
	}
	finishDelivery(w, err, n)
}

// statusOf is what Chromium gets for a file that brought no answer.
func (p *Pass) statusOf(err error) int {
	var trouble *Trouble
	switch {
	case errors.Is(err, errGivenUp), errors.As(err, new(*objectedError)):
		p.countGivenUp()
		return http.StatusForbidden
	case !errors.As(err, &trouble):
		p.blame(err)
	}
	return http.StatusBadGateway
}

// judgeOwnFile asks robots.txt about a file of the visited site (R-24, S-47).
func (p *Pass) judgeOwnFile(ctx context.Context, u *url.URL) (schema.Admission, error) {
	book, admission, err := p.ownRules(ctx, u, time.Now().Add(hopWait))
	if err != nil || book == nil {
		return admission, err
	}
	_, admission = book.judge(p.visit, u.String())
	return admission, nil
}

// secure reports whether the visit's document came over https.
func (p *Pass) secure() bool {
	u, err := url.Parse(p.doc.read().Final)
	return err == nil && u.Scheme == "https"
}

// opened gives a body decoded, and how it begins. Close frees the decoders, also
// after an error; the answer's own body stays open.
func opened(resp *http.Response, limit int64) (body io.ReadCloser, head []byte, err error) {
	plain, err := contentcoding.NewReader(resp.Body, resp.Header.Values("Content-Encoding"), contentcoding.Options{Inner: limit + 1})
	if err != nil {
		return http.NoBody, nil, asTrouble(err)
	}
	if resp.Header.Get("Content-Type") != "" {
		return plain, nil, nil
	}
	buffered := bufio.NewReaderSize(plain, sniffLength)
	head, err = buffered.Peek(sniffLength)
	if err == io.EOF {
		err = nil
	}
	return &peeked{buffered, plain}, head, asTrouble(err)
}

// peeked is a decoded body whose beginning was looked at.
type peeked struct {
	io.Reader
	io.Closer
}

// asTrouble makes a body that cannot be decoded the site's trouble.
func asTrouble(err error) error {
	if errors.Is(err, contentcoding.ErrCoding) {
		return &Trouble{Reason: schema.ReasonDecoding}
	}
	return err
}

// keptFromBrowser are headers of an answer that Chromium must not see: what
// concerns our connection, what has been undone, what would open other ways out
// or ask for a login.
var keptFromBrowser = append([]string{
	"Content-Encoding", "Content-Length", "Alt-Svc", "Www-Authenticate", "Use-As-Dictionary", "Available-Dictionary", "Nel", "Report-To", "Reporting-Endpoints",
}, hopByHop...)

// deliver streams an answer to Chromium as it comes, within a bound on the
// decoded bytes. The error is why it did not come whole.
func deliver(w http.ResponseWriter, resp *http.Response, body io.Reader, limit int64, adjust func(http.Header)) (int64, error) {
	h := w.Header()
	for name, values := range resp.Header {
		h[name] = values
	}
	for _, name := range keptFromBrowser {
		h.Del(name)
	}
	if resp.Header.Get("Content-Type") == "" {
		h["Content-Type"] = nil // the browser guesses by itself
	}
	if resp.Header.Get("Content-Encoding") == "" && resp.ContentLength >= 0 {
		h.Set("Content-Length", strconv.FormatInt(resp.ContentLength, 10))
	}
	if adjust != nil {
		adjust(h)
	}
	status := resp.StatusCode
	if status == http.StatusProxyAuthRequired {
		status = http.StatusForbidden // from a site it is no word of the proxy's
	}
	w.WriteHeader(status)
	flusher := http.NewResponseController(w)
	if isStream(resp) { // its first event may be long in coming
		_ = flusher.Flush() // where Chromium has gone, the next write says so
	}
	buffer := make([]byte, 32<<10)
	var n int64
	for {
		read, err := body.Read(buffer)
		if n += int64(read); n > limit {
			return n, &Trouble{Reason: schema.ReasonTooLarge}
		}
		if read > 0 {
			if _, err := w.Write(buffer[:read]); err != nil && !errors.Is(err, http.ErrBodyNotAllowed) {
				return n, &Trouble{Reason: schema.ReasonCancelled}
			}
			if err := flusher.Flush(); err != nil {
				return n, &Trouble{Reason: schema.ReasonCancelled}
			}
		}
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, asTrouble(err)
		}
	}
}

// isStream reports whether an answer is a stream of events, held open on purpose.
func isStream(resp *http.Response) bool {
	return strings.HasPrefix(strings.ToLower(resp.Header.Get("Content-Type")), "text/event-stream")
}

// finishDelivery breaks the connection to Chromium off where an answer did not
// come whole, so that half of one does not pass for all of it.
func finishDelivery(w http.ResponseWriter, err error, delivered int64) {
	if err == nil {
		return
	}
	if delivered == 0 && len(w.Header()) == 0 {
		refuse(w, http.StatusBadGateway)
		return
	}
	panic(http.ErrAbortHandler)
}

// bytesOf is what has come of an exchange's body on the wire.
func bytesOf(x *exchange) int64 {
	if b, ok := x.resp.Body.(*meteredBody); ok {
		return b.bytes
	}
	return 0
}
