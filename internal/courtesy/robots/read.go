package robots

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"visite/internal/contentcoding"
	"visite/schema"
)

const (
	maxRedirects      = 5 // contract R-03; RFC 9309 section 2.3.1.2 asks for at least five
	defaultHopTimeout = 20 * time.Second
	lastGood          = 24 * time.Hour // contract R-05: never older
	longestValidator  = 256            // octets of an ETag or Last-Modified worth keeping
)

// Reader fetches robots.txt and follows its redirects. The zero value is ready.
type Reader struct {
	// Now is the clock; time.Now where nil.
	Now func() time.Time
	// HopTimeout bounds one request with its answer, the wait inside the sender
	// included; 20 s where zero. A read takes at most six requests.
	HopTimeout time.Duration
	// Strict lets nothing be fetched while the file is unreachable (S-28), as scans
	// want it. Otherwise a good copy of at most 24 h stands in (RFC 9309 section
	// 2.4), as uptime wants it.
	Strict bool
	// Reason tells what a failed request came to. Where nil, only a timeout is
	// told from other failures of the connection.
	Reason func(error) schema.Reason
}

// Sender sends one request: it sets the identity, keeps the pace, writes the
// ledger, and follows no redirect. An error is taken as the site's silence,
// unless it is or wraps a *Fault.
type Sender func(*http.Request) (*http.Response, error)

// Fault wraps a Sender's error that is not the site's doing, such as a database
// that failed or a wait that must be slept out elsewhere. Read returns it.
type Fault struct{ Err error }

// Error says what failed.
func (f *Fault) Error() string { return f.Err.Error() }

// Unwrap gives the failure itself.
func (f *Fault) Unwrap() error { return f.Err }

// Reading is what a read brought.
type Reading struct {
	Copy        schema.RobotsCopy // decides
	Hops        []schema.Hop      // redirects followed
	NotModified bool              // Copy is the previous one, found unchanged
	StandIn     bool              // Copy is the previous one, with its age, while the file is unreachable
	Failure     schema.Reason     // why unreachable, also where a copy stands in
	Rest        *Rest             // set on 429 and 503
}

// Rest is a server's wish to be left alone, as it came: not clamped.
type Rest struct {
	Host   string // schema.HostKey of the server that answered, which a redirect may have led to
	Status int
	Asked  time.Duration // Retry-After; 0 where none was stated
	Stated bool
}

// answer is one hop's end.
type answer struct {
	status int
	header http.Header
	body   []byte
	cut    bool          // the body went on
	reason schema.Reason // no usable answer
}

// Read fetches the robots.txt of an origin (scheme, host, port; RFC 9309
// section 2.3) and says what it comes to (section 2.3.1, contract R-03).
// Redirects are followed to other hosts too; what is found there holds for the
// origin asked. previous, which may be nil, makes the request conditional. The
// error is ours (a *Fault, or ctx ended), never the site's.
func (r *Reader) Read(ctx context.Context, send Sender, origin *url.URL, previous *schema.RobotsCopy) (Reading, error) {
	out := Reading{Copy: schema.RobotsCopy{Origin: schema.Origin(origin), ReadAt: r.now()}}
	if previous != nil && previous.Origin != out.Copy.Origin {
		previous = nil
	}
	target := &url.URL{Scheme: origin.Scheme, Host: origin.Host, Path: "/robots.txt"}
	seen := map[string]bool{}
	for {
		seen[target.String()] = true
		a, err := r.ask(ctx, send, target, validators(previous, len(out.Hops) == 0))
		if err != nil {
			return Reading{}, err
		}
		out.Rest = restOf(a, target, r.now())
		if a.reason != schema.ReasonNone || !isRedirect(a.status) {
			r.conclude(&out, a, previous)
			return out, nil
		}
		out.Hops = append(out.Hops, schema.Hop{URL: target.String(), Status: a.status})
		next, ok := redirectTarget(target, a.header.Get("Location"))
		switch {
		case !ok:
			a.reason = schema.ReasonBadRedirect
		case seen[next.String()]:
			a.reason = schema.ReasonRedirectLoop
		case len(out.Hops) > maxRedirects:
			a.reason = schema.ReasonTooManyRedirects
		default:
			target = next
			continue
		}
		r.conclude(&out, a, previous)
		return out, nil
	}
}

// ask makes one request and reads its answer.
func (r *Reader) ask(ctx context.Context, send Sender, target *url.URL, conditions http.Header) (answer, error) {
	timeout := r.HopTimeout
	if timeout == 0 {
		timeout = defaultHopTimeout
	}
	hop, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(hop, http.MethodGet, target.String(), nil)
	if err != nil {
		return answer{reason: schema.ReasonBadRedirect}, nil
	}
	req.Header = conditions
	req.Header.Set("Accept", "text/plain,*/*;q=0.8")
	req.Header.Set("Accept-Encoding", "gzip")
	resp, err := send(req)
	if err != nil {
		return r.failure(ctx, err)
	}
	defer resp.Body.Close()
	a := answer{status: resp.StatusCode, header: resp.Header}
	if Classify(resp.StatusCode) != schema.RobotsParse {
		return a, nil
	}
	a.body, a.cut, err = readBody(resp)
	if errors.Is(err, contentcoding.ErrCoding) {
		a.reason = schema.ReasonDecoding
	} else if err != nil {
		failed, err := r.failure(ctx, err)
		a.reason = failed.reason
		return a, err
	}
	return a, nil
}

// failure tells our own trouble from the site's.
func (r *Reader) failure(ctx context.Context, err error) (answer, error) {
	var fault *Fault
	if errors.As(err, &fault) {
		return answer{}, err
	}
	if ctx.Err() != nil {
		return answer{}, ctx.Err()
	}
	switch {
	case r.Reason != nil:
		return answer{reason: r.Reason(err)}, nil
	case errors.Is(err, context.DeadlineExceeded):
		return answer{reason: schema.ReasonTimeout}, nil
	}
	return answer{reason: schema.ReasonConnection}, nil
}

// conclude turns the last answer into a copy.
func (r *Reader) conclude(out *Reading, a answer, previous *schema.RobotsCopy) {
	c := &out.Copy
	c.Status = a.status
	c.Outcome = Classify(a.status)
	switch {
	case a.reason != schema.ReasonNone:
		c.Outcome = schema.RobotsDenyAll
	case a.status == http.StatusNotModified && isGood(previous):
		at := c.ReadAt
		*c = *previous
		c.ReadAt = at
		out.NotModified = true
		return
	case c.Outcome == schema.RobotsParse:
		c.ETag = validator(a.header.Get("ETag"))
		c.LastModified = validator(a.header.Get("Last-Modified"))
		if !a.cut && Parse(a.body).Empty() {
			c.Outcome = schema.RobotsAllowAll // nothing parseable, as an error page under 200
			return
		}
		c.Body = a.body
		return
	case c.Outcome == schema.RobotsAllowAll:
		return
	case out.Rest != nil:
		a.reason = schema.ReasonRefusedForNow
	default:
		a.reason = schema.ReasonRobotsUnreached
	}
	c.Reason, out.Failure = a.reason, a.reason
	if r.mayStandIn(previous, c.ReadAt) {
		*c = *previous
		out.StandIn = true
	}
}

// mayStandIn reports whether a copy is good and young enough (contract R-06). A
// site known to have no robots.txt counts too.
func (r *Reader) mayStandIn(previous *schema.RobotsCopy, now time.Time) bool {
	return !r.Strict && previous != nil && now.Sub(previous.ReadAt) <= lastGood &&
		(previous.Outcome == schema.RobotsParse || previous.Outcome == schema.RobotsAllowAll)
}

// isGood reports whether a copy was really read, so that a 304 can confirm it.
func isGood(c *schema.RobotsCopy) bool {
	return c != nil && Classify(c.Status) == schema.RobotsParse && c.Outcome != schema.RobotsDenyAll
}

// validators makes the request conditional (RFC 9110 section 13.1). A date
// goes to the origin itself only: behind a redirect another, older file may
// stand, and a date would call it unchanged.
func validators(previous *schema.RobotsCopy, first bool) http.Header {
	h := http.Header{}
	switch {
	case !isGood(previous):
	case previous.ETag != "":
		h.Set("If-None-Match", previous.ETag)
	case previous.LastModified != "" && first:
		h.Set("If-Modified-Since", previous.LastModified)
	}
	return h
}

func validator(value string) string {
	if len(value) > longestValidator {
		return ""
	}
	return value
}

func (r *Reader) now() time.Time {
	if r.Now == nil {
		return time.Now()
	}
	return r.Now()
}
