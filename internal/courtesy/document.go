package courtesy

import (
	"mime"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"visite/schema"
)

const (
	maxRedirects  = 10      // of a document
	maxSameTarget = 2       // loads of one address in a chain: a redirect to itself may set a cookie
	maxSource     = 2 << 20 // bytes kept of a document that Chromium gets; larger ones are not kept
)

// document follows a visit's document through its redirects and gathers what
// the network saw of it.
type document struct {
	mu      sync.Mutex
	purpose schema.Purpose
	scope   string
	awaited *url.URL // what the chain asks for next; nil where it has ended
	seen    map[string]int
	facts   schema.DocumentFacts
	source  []byte // as served to Chromium, decoded; of the last document that came whole
}

func newDocument(v schema.Visit, u *url.URL) *document {
	return &document{
		purpose: v.Purpose, scope: v.ScopeHost, awaited: u, seen: map[string]int{},
		facts: schema.DocumentFacts{Requested: plainAddress(u), Final: plainAddress(u)},
	}
}

func (d *document) read() schema.DocumentFacts {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := d.facts
	f.Hops = append([]schema.Hop(nil), f.Hops...)
	return f
}

// awaits reports whether a request is the chain's next. Browsers escape
// addresses in their own way, and go over to https where the site once asked
// for it (RFC 6797).
func (d *document) awaits(u *url.URL) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.awaited == nil {
		return false
	}
	upgraded := d.awaited.Scheme == "http" && u.Scheme == "https"
	return (u.Scheme == d.awaited.Scheme || upgraded) && documentKey(u) == documentKey(d.awaited)
}

// documentKey is the same for every way of escaping an address.
func documentKey(u *url.URL) string {
	path := u.Path
	if path == "" {
		path = "/"
	}
	query, err := url.PathUnescape(u.RawQuery)
	if err != nil {
		query = u.RawQuery
	}
	return schema.HostKey(u) + path + "?" + query
}

// asking notes that an address of the chain is asked for, and whether robots.txt
// hides it from search engines.
func (d *document) asking(u *url.URL, hidden bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.awaited = nil
	d.seen[plainAddress(u)]++
	d.facts.Final, d.facts.HiddenFromSearch = plainAddress(u), hidden
}

// end closes the chain without a page.
func (d *document) end(outcome schema.Outcome, reason schema.Reason) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.awaited = nil
	d.facts.Outcome, d.facts.Reason = outcome, reason
}

// disallowed closes the chain at an address robots.txt forbids.
func (d *document) disallowed(u *url.URL, reason schema.Reason, rule string) {
	outcome := schema.OutcomeDisallowed
	if reason != schema.ReasonRobots {
		outcome = schema.OutcomeNotAnalysed
	}
	d.end(outcome, reason)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.facts.Final, d.facts.Rule = plainAddress(u), rule
}

// leftScope closes the chain at an address outside the scope, never asked for.
func (d *document) leftScope(u *url.URL) {
	d.end(schema.OutcomeRedirected, schema.ReasonNone)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.facts.Final = plainAddress(u)
}

func (d *document) outOfScope(u *url.URL) bool { return d.scope != "" && schema.HostKey(u) != d.scope }

// answered takes an answer of the chain down. It reports whether the answer is
// of use to whoever asked: a redirect to follow, or a page.
func (d *document) answered(u *url.URL, x *exchange) (useful bool) {
	resp := x.resp
	timing, _, _ := x.phases.read()
	d.mu.Lock()
	f := &d.facts
	f.Status, f.Header, f.Protocol = resp.StatusCode, resp.Header.Clone(), resp.Proto
	f.Encoding = strings.ToLower(strings.Join(resp.Header.Values("Content-Encoding"), ", "))
	f.MediaType = mediaType(resp.Header.Get("Content-Type"))
	f.Disposition = isAttachment(resp.Header.Get("Content-Disposition"))
	f.Timing.DNSMS += timing.DNSMS
	f.Timing.ConnectMS += timing.ConnectMS
	f.Timing.TLSMS += timing.TLSMS
	f.Timing.TTFBMS = timing.TTFBMS
	f.RetryAfter = x.retry
	d.mu.Unlock()
	if isRedirect(resp.StatusCode) {
		return d.redirected(u, resp)
	}
	outcome, reason := d.judge(resp, x.retry)
	d.end(outcome, reason)
	return outcome == schema.OutcomeAnalysed || outcome == schema.OutcomeErrorAnswer
}

// judge sorts an answer that ends the chain.
func (d *document) judge(resp *http.Response, retry *schema.RetryAfter) (schema.Outcome, schema.Reason) {
	status := resp.StatusCode
	switch {
	case retry != nil && !retry.Reload:
		return schema.OutcomeNotAnalysed, schema.ReasonServerParked
	case retry != nil:
		return schema.OutcomeNotAnalysed, schema.ReasonRefusedForNow
	case status == http.StatusUnauthorized && resp.Header.Get("Www-Authenticate") != "":
		return schema.OutcomePasswordWall, schema.ReasonNone
	case status >= 400:
		return schema.OutcomeErrorAnswer, schema.ReasonErrorStatus
	case d.purpose != schema.PurposePage:
		return schema.OutcomeAnalysed, schema.ReasonNone
	case d.facts.Disposition:
		return schema.OutcomeNotPage, schema.ReasonDownload
	case status == http.StatusNoContent || status == http.StatusResetContent || status == http.StatusNotModified || !isPage(d.facts.MediaType):
		return schema.OutcomeNotPage, schema.ReasonMediaType
	}
	return schema.OutcomeAnalysed, schema.ReasonNone
}

// redirected takes a redirect down; it is of use where its target may be asked for.
func (d *document) redirected(u *url.URL, resp *http.Response) (useful bool) {
	d.mu.Lock()
	d.facts.Hops = append(d.facts.Hops, schema.Hop{URL: plainAddress(u), Status: resp.StatusCode})
	hops := len(d.facts.Hops)
	d.mu.Unlock()
	target, err := redirectTarget(u, resp.Header.Get("Location"))
	if err != nil {
		d.end(schema.OutcomeNotAnalysed, schema.ReasonBadRedirect)
		return false
	}
	if d.outOfScope(target) {
		d.leftScope(target)
		return false
	}
	d.mu.Lock()
	loads := d.seen[plainAddress(target)]
	d.mu.Unlock()
	switch {
	case loads >= maxSameTarget, loads > 0 && hops > maxRedirects:
		d.end(schema.OutcomeNotAnalysed, schema.ReasonRedirectLoop)
		return false
	case hops > maxRedirects:
		d.end(schema.OutcomeNotAnalysed, schema.ReasonTooManyRedirects)
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.awaited = target
	d.facts.Final = plainAddress(target)
	return true
}

// redirectTarget reads a Location as browsers do.
func redirectTarget(from *url.URL, location string) (*url.URL, error) {
	if location == "" {
		return nil, schema.ErrAddressNoHost
	}
	normal, err := schema.NormalizeAddress(location, from)
	if err != nil {
		return nil, err
	}
	return url.Parse(normal)
}

// keep notes the document as it came; nil where it is too large to be kept.
func (d *document) keep(source []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.source = source
}

// failed closes the chain without an answer.
func (d *document) failed(reason schema.Reason) { d.end(schema.OutcomeNotAnalysed, reason) }

// body takes down what came of an answer's body. A page whose body broke off is
// not analysed.
func (d *document) body(wire, decoded int64, bodyMS float64, reason schema.Reason) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.facts.WireBytes += wire
	d.facts.Bytes = decoded
	d.facts.Timing.BodyMS = bodyMS
	if reason != schema.ReasonNone && d.facts.Outcome == schema.OutcomeAnalysed {
		d.facts.Outcome, d.facts.Reason = schema.OutcomeNotAnalysed, reason
	}
}

func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// mediaType is the type without parameters, lower case; empty for none.
func mediaType(value string) string {
	if parsed, _, err := mime.ParseMediaType(value); err == nil {
		return parsed
	}
	value, _, _ = strings.Cut(value, ";")
	return strings.ToLower(strings.TrimSpace(value))
}

// isPage reports whether a document of a type can be judged as a page. Without
// a type the body tells, see sniffed.
func isPage(mediaType string) bool {
	return mediaType == "" || mediaType == "text/html" || mediaType == "application/xhtml+xml"
}

func isAttachment(value string) bool {
	kind, _, _ := strings.Cut(value, ";")
	return strings.EqualFold(strings.TrimSpace(kind), "attachment")
}

// sniffed sorts a document without a media type by how its body begins (URL
// Standard's MIME sniffing, as net/http does it).
func (d *document) sniffed(head []byte) (useful bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.purpose != schema.PurposePage || d.facts.MediaType != "" || d.facts.Outcome != schema.OutcomeAnalysed {
		return true
	}
	d.facts.MediaType = mediaType(http.DetectContentType(head))
	if isPage(d.facts.MediaType) {
		return true
	}
	d.facts.Outcome, d.facts.Reason = schema.OutcomeNotPage, schema.ReasonMediaType
	return false
}
