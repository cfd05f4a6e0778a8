package fetch

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"visite/schema"
)

// chain is one document's way through redirects, with cookies of its own that
// are gone afterwards.
type chain struct {
	rt   http.RoundTripper
	jar  http.CookieJar
	seen map[string]bool // address and cookies of requests made
}

// follow asks for address and for what it redirects to, until something answers
// that is no redirect. An address may come twice, for many sites set a cookie and
// send the visitor to the same address again; the very same request twice is a loop.
func (c *chain) follow(ctx context.Context, address string) (*http.Response, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("fetch: the address asked for cannot be parsed")
	}
	for hop := 0; ; hop++ {
		resp, err := c.ask(ctx, u)
		if err != nil {
			return nil, err
		}
		c.jar.SetCookies(u, resp.Cookies())
		if !isRedirect(resp.StatusCode) {
			return resp, nil
		}
		next, err := target(u, resp.Header)
		drain(resp.Body)
		if err != nil {
			return nil, err
		}
		if hop == MaxRedirects {
			return nil, fail(schema.ReasonTooManyRedirects, nil)
		}
		u = next
	}
}

func (c *chain) ask(ctx context.Context, u *url.URL) (*http.Response, error) {
	req := (&http.Request{
		Method: http.MethodGet, URL: u, Host: u.Host, Header: headers.Clone(),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}).WithContext(ctx)
	for _, cookie := range c.jar.Cookies(u) {
		req.AddCookie(cookie)
	}
	request := u.String() + "\n" + req.Header.Get("Cookie")
	if c.seen[request] {
		return nil, fail(schema.ReasonRedirectLoop, nil)
	}
	c.seen[request] = true
	resp, err := c.rt.RoundTrip(req)
	if err != nil {
		return nil, judge(ctx, err)
	}
	return resp, nil
}

// isRedirect lists the statuses that carry on elsewhere (RFC 9110 section 15.4).
func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// target resolves Location against the address asked (RFC 9110 section 10.2.2).
func target(from *url.URL, h http.Header) (*url.URL, error) {
	location := strings.TrimSpace(h.Get("Location"))
	if location == "" {
		return nil, fail(schema.ReasonBadRedirect, nil)
	}
	address, err := schema.NormalizeAddress(location, from)
	if err != nil {
		return nil, fail(schema.ReasonBadRedirect, err)
	}
	next, err := url.Parse(address)
	if err != nil {
		return nil, fail(schema.ReasonBadRedirect, nil)
	}
	return next, nil
}

// drain reads a redirect's short body so that the connection can be used again;
// a long one costs the connection instead.
func drain(body io.ReadCloser) {
	_, _ = io.CopyN(io.Discard, body, 4<<10)
	_ = body.Close()
}
