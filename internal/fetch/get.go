package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"

	"golang.org/x/net/publicsuffix"

	"visite/internal/contentcoding"
	"visite/schema"
)

// MaxRedirects is how many redirects of one chain are followed.
const MaxRedirects = 10

// Fetched is an answer in memory.
type Fetched struct {
	Body      []byte // decoded, at most the limit asked for
	Truncated bool   // there was more, or the body did not end in time
}

// Client fetches documents. The zero value is ready; it holds no state between
// fetches and is safe for concurrent use.
type Client struct{}

// headers are a browser's, without anything that would tell where we came from.
var headers = http.Header{
	"Accept":          {"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"},
	"Accept-Encoding": {"gzip, br, zstd, deflate"},
}

// Get loads address through rt, following up to MaxRedirects redirects, and
// decodes the final body up to limit bytes, whatever its media type and status.
// The site's trouble comes back as *Failure, ours as any other error. A body
// that does not end before ctx does gives what had come so far together with a
// Failure of ReasonEndless.
func (Client) Get(ctx context.Context, rt http.RoundTripper, address string, limit int64) (Fetched, error) {
	jar, err := cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List})
	if err != nil {
		return Fetched{}, fmt.Errorf("fetch: cookie jar: %w", err)
	}
	chain := chain{rt: rt, jar: jar, seen: map[string]bool{}}
	resp, err := chain.follow(ctx, address)
	if err != nil {
		return Fetched{}, err
	}
	return readBody(ctx, resp, limit)
}

// readBody reads and decodes a body. The body is closed when ctx ends, so that a
// server that sends nothing more cannot hold us.
func readBody(ctx context.Context, resp *http.Response, limit int64) (Fetched, error) {
	defer resp.Body.Close()
	stop := context.AfterFunc(ctx, func() { _ = resp.Body.Close() })
	defer stop()
	// A coding below another may unpack to somewhat more than the page itself may.
	body, err := contentcoding.NewReader(resp.Body, resp.Header.Values("Content-Encoding"), contentcoding.Options{Inner: limit + 1<<20})
	if err != nil {
		return Fetched{}, bodyFailure(ctx, err)
	}
	defer body.Close()
	var buf bytes.Buffer
	if n := resp.ContentLength; n > 0 && n <= limit && n <= 1<<20 {
		buf.Grow(int(n) + bytes.MinRead)
	}
	_, err = io.Copy(&buf, io.LimitReader(body, limit+1))
	got := Fetched{Body: buf.Bytes()}
	if int64(len(got.Body)) > limit {
		return Fetched{Body: got.Body[:limit], Truncated: true}, nil
	}
	if err == nil {
		return got, nil
	}
	failure := bodyFailure(ctx, err)
	var site *Failure
	if errors.As(failure, &site) && site.Reason == schema.ReasonEndless {
		got.Truncated = true
		return got, failure
	}
	return Fetched{}, failure
}

// bodyFailure judges a failed read: the encoding's fault, or the connection's.
func bodyFailure(ctx context.Context, err error) error {
	coding := errors.Is(err, contentcoding.ErrCoding)
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return fmt.Errorf("fetch: %w", context.Canceled)
	case errors.Is(ctx.Err(), context.DeadlineExceeded), !coding && isTimeout(err):
		return fail(schema.ReasonEndless, err)
	case coding:
		return fail(schema.ReasonDecoding, err)
	}
	return judge(ctx, err)
}
