package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"visite/internal/fixturesite"
	"visite/schema"
)

const secret = "s3cret-of-the-page"

func transport(t *testing.T) *http.Transport {
	tr := &http.Transport{}
	t.Cleanup(tr.CloseIdleConnections)
	return tr
}

func serve(t *testing.T, h http.HandlerFunc) *httptest.Server {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

// reasonOf fails the test unless err is the site's trouble and tells nothing.
func reasonOf(t *testing.T, err error) schema.Reason {
	t.Helper()
	var f *Failure
	if !errors.As(err, &f) {
		t.Fatalf("error %v is no Failure", err)
	}
	if strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), "127.0.0.1") {
		t.Errorf("error text tells what the site sent: %v", err)
	}
	return f.SiteReason()
}

func TestGetSendsABrowsersHeadersAndNoReferer(t *testing.T) {
	var got http.Header
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			http.Redirect(w, r, "/next", http.StatusFound)
			return
		}
		got = r.Header
		fmt.Fprint(w, "body")
	})
	f, err := Client{}.Get(t.Context(), transport(t), s.URL+"/", 100)
	if err != nil || string(f.Body) != "body" || f.Truncated {
		t.Fatalf("got %q, %v, %v", f.Body, f.Truncated, err)
	}
	if got.Get("Accept-Encoding") != "gzip, br, zstd, deflate" || !strings.HasPrefix(got.Get("Accept"), "text/html,") {
		t.Errorf("headers %v", got)
	}
	for _, name := range []string{"Referer", "Authorization", "Cookie"} {
		if got.Get(name) != "" {
			t.Errorf("%s was sent: %q", name, got.Get(name))
		}
	}
}

func TestGetFollowsRedirects(t *testing.T) {
	var s *httptest.Server
	s = serve(t, func(w http.ResponseWriter, r *http.Request) {
		at := func(status int, location string) {
			w.Header().Set("Location", location)
			w.WriteHeader(status)
		}
		switch r.URL.Path {
		case "/301":
			at(301, "/end")
		case "/302":
			at(302, s.URL+"/end#part")
		case "/303":
			at(303, "//"+r.Host+"/end")
		case "/307":
			at(307, "end")
		case "/308":
			at(308, `\end`)
		case "/dir/up":
			at(302, "../end")
		case "/query":
			if r.URL.RawQuery == "a=%C3%BC%20b" {
				fmt.Fprint(w, "query")
				return
			}
			at(302, "?a=ü b")
		case "/space":
			at(302, "  /end\t")
		case "/end":
			fmt.Fprint(w, "end")
		}
	})
	for path, want := range map[string]string{"/301": "end", "/302": "end", "/303": "end", "/307": "end", "/308": "end", "/dir/up": "end", "/space": "end", "/query": "query"} {
		f, err := Client{}.Get(t.Context(), transport(t), s.URL+path, 100)
		if err != nil || string(f.Body) != want {
			t.Errorf("%s: %q, %v", path, f.Body, err)
		}
	}
}

func TestGetStopsAtBadRedirects(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/none":
		case "/empty":
			w.Header().Set("Location", " ")
		case "/scheme":
			w.Header().Set("Location", "mailto:x@y.example")
		case "/host":
			w.Header().Set("Location", "http://a b/"+secret)
		}
		w.WriteHeader(302)
	})
	for _, path := range []string{"/none", "/empty", "/scheme", "/host"} {
		_, err := Client{}.Get(t.Context(), transport(t), s.URL+path, 100)
		if got := reasonOf(t, err); got != schema.ReasonBadRedirect {
			t.Errorf("%s: %s", path, got)
		}
	}
}

func TestGetEndsChains(t *testing.T) {
	asked := 0
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked++
		switch {
		case r.URL.Path == "/loop":
			http.Redirect(w, r, "/loop2", http.StatusFound)
		case r.URL.Path == "/loop2":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case strings.HasPrefix(r.URL.Path, "/n"):
			var n int
			_, _ = fmt.Sscanf(r.URL.Path, "/n%d", &n)
			if n == 0 {
				fmt.Fprint(w, "end")
				return
			}
			http.Redirect(w, r, fmt.Sprintf("/n%d", n-1), http.StatusFound)
		}
	})
	_, err := Client{}.Get(t.Context(), transport(t), s.URL+"/loop", 100)
	if got := reasonOf(t, err); got != schema.ReasonRedirectLoop || asked != 2 {
		t.Errorf("loop: %s after %d requests", got, asked)
	}
	if f, err := (Client{}).Get(t.Context(), transport(t), s.URL+"/n10", 100); err != nil || string(f.Body) != "end" {
		t.Errorf("10 redirects: %q, %v", f.Body, err)
	}
	asked = 0
	_, err = Client{}.Get(t.Context(), transport(t), s.URL+"/n11", 100)
	if got := reasonOf(t, err); got != schema.ReasonTooManyRedirects || asked != 11 {
		t.Errorf("11 redirects: %s after %d requests", got, asked)
	}
}

// A site that sets a cookie and sends the visitor to the same address again is
// in order; the cookie is gone with the chain.
func TestGetKeepsCookiesForOneChain(t *testing.T) {
	var first []string
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if c, err := r.Cookie("seen"); err == nil && c.Value == "1" {
			fmt.Fprint(w, "welcome")
			return
		}
		first = append(first, r.Header.Get("Cookie"))
		http.SetCookie(w, &http.Cookie{Name: "seen", Value: "1"})
		http.Redirect(w, r, r.URL.Path, http.StatusFound)
	})
	tr := transport(t)
	for range 2 {
		f, err := Client{}.Get(t.Context(), tr, s.URL+"/door", 100)
		if err != nil || string(f.Body) != "welcome" {
			t.Fatalf("%q, %v", f.Body, err)
		}
	}
	if len(first) != 2 || first[0] != "" || first[1] != "" {
		t.Errorf("cookies at the first requests: %q", first)
	}
}

func TestGetTakesAnyStatusAndType(t *testing.T) {
	for _, status := range []int{200, 206, 404, 500, 999} {
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/x-nothing")
			w.WriteHeader(status)
			fmt.Fprint(w, "said")
		})
		f, err := Client{}.Get(t.Context(), transport(t), s.URL, 100)
		if err != nil || string(f.Body) != "said" {
			t.Errorf("%d: %q, %v", status, f.Body, err)
		}
	}
}

func encoded(t *testing.T, header string, body []byte) *httptest.Server {
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Content-Encoding"] = []string{header}
		_, _ = w.Write(body)
	})
}

func TestGetDecodes(t *testing.T) {
	plain := []byte(strings.Repeat("a page in many words, ", 200))
	garbage := append(fixturesite.Packed(t, "gzip", plain), "\r\n"...)
	twoMembers := append(fixturesite.Packed(t, "gzip", plain[:100]), fixturesite.Packed(t, "gzip", plain[100:])...)
	cases := []struct {
		name, header string
		body         []byte
	}{
		{"none", "identity", plain},
		{"gzip", "GZIP", fixturesite.Packed(t, "gzip", plain)},
		{"x-gzip", "x-gzip", fixturesite.Packed(t, "gzip", plain)},
		{"deflate as zlib", "deflate", fixturesite.Packed(t, "deflate", plain)},
		{"deflate bare", "deflate", fixturesite.Packed(t, fixturesite.BareDeflate, plain)},
		{"br", "br", fixturesite.Packed(t, "br", plain)},
		{"zstd", "zstd", fixturesite.Packed(t, "zstd", plain)},
		{"stacked", "gzip, br", fixturesite.Packed(t, "br", fixturesite.Packed(t, "gzip", plain))},
		{"three", "br, zstd, gzip", fixturesite.Packed(t, "gzip", fixturesite.Packed(t, "zstd", fixturesite.Packed(t, "br", plain)))},
		{"a name nobody knows", "utf-8", plain},
		{"garbage after gzip", "gzip", garbage},
		{"two gzip members", "gzip", twoMembers},
	}
	for _, c := range cases {
		f, err := Client{}.Get(t.Context(), transport(t), encoded(t, c.header, c.body).URL, 1<<20)
		if err != nil || !bytes.Equal(f.Body, plain) || f.Truncated {
			t.Errorf("%s: %d bytes, truncated %v, %v", c.name, len(f.Body), f.Truncated, err)
		}
	}
	f, err := Client{}.Get(t.Context(), transport(t), encoded(t, "gzip", nil).URL, 100)
	if err != nil || len(f.Body) != 0 {
		t.Errorf("empty body: %d bytes, %v", len(f.Body), err)
	}
}

func TestGetRefusesWhatCannotBeDecoded(t *testing.T) {
	plain := []byte(strings.Repeat(secret, 300))
	half := fixturesite.Packed(t, "gzip", plain)
	cases := []struct {
		name, header string
		body         []byte
	}{
		{"no gzip at all", "gzip", plain},
		{"no brotli at all", "br", plain},
		{"no zstd at all", "zstd", plain},
		{"cut gzip", "gzip", half[:len(half)-12]},
		{"five codings", "gzip, gzip, gzip, gzip, gzip", half},
	}
	for _, c := range cases {
		_, err := Client{}.Get(t.Context(), transport(t), encoded(t, c.header, c.body).URL, 1<<20)
		if got := reasonOf(t, err); got != schema.ReasonDecoding {
			t.Errorf("%s: %s", c.name, got)
		}
	}
}

func TestGetCutsBombs(t *testing.T) {
	zeros := make([]byte, 16<<20)
	for _, coding := range []string{"gzip", "br", "zstd", "deflate"} {
		f, err := Client{}.Get(t.Context(), transport(t), encoded(t, coding, fixturesite.Packed(t, coding, zeros)).URL, 1<<20)
		if err != nil || !f.Truncated || len(f.Body) != 1<<20 {
			t.Errorf("%s: %d bytes, truncated %v, %v", coding, len(f.Body), f.Truncated, err)
		}
	}
	inner := fixturesite.Packed(t, "gzip", fixturesite.Packed(t, fixturesite.BareDeflate, zeros)) // the middle layer itself is small: cut at the end
	f, err := Client{}.Get(t.Context(), transport(t), encoded(t, "deflate, gzip", inner).URL, 1<<20)
	if err != nil || !f.Truncated {
		t.Errorf("stacked: truncated %v, %v", f.Truncated, err)
	}
	// An outer layer that unpacks to far more than the page may have is a bomb on the way.
	middle := append(fixturesite.Packed(t, "gzip", []byte("tiny")), zeros...)
	_, err = Client{}.Get(t.Context(), transport(t), encoded(t, "br, gzip", fixturesite.Packed(t, "gzip", middle)).URL, 1<<20)
	if got := reasonOf(t, err); got != schema.ReasonDecoding {
		t.Errorf("bomb on the way: %s", got)
	}
}

func TestGetStopsAtTheLimit(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		for range 1000 {
			if _, err := w.Write(make([]byte, 64<<10)); err != nil {
				return
			}
		}
	})
	f, err := Client{}.Get(t.Context(), transport(t), s.URL, 100_000)
	if err != nil || !f.Truncated || len(f.Body) != 100_000 {
		t.Errorf("%d bytes, truncated %v, %v", len(f.Body), f.Truncated, err)
	}
	exact := serve(t, func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write(make([]byte, 500)) })
	f, err = Client{}.Get(t.Context(), transport(t), exact.URL, 500)
	if err != nil || f.Truncated || len(f.Body) != 500 {
		t.Errorf("exactly the limit: %d bytes, truncated %v, %v", len(f.Body), f.Truncated, err)
	}
}

func TestGetEndsWhatDoesNotEnd(t *testing.T) {
	release := make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/silent" {
			<-release
			return
		}
		fmt.Fprint(w, "first words")
		w.(http.Flusher).Flush()
		<-release
	})
	t.Cleanup(func() { close(release) })
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	f, err := Client{}.Get(ctx, transport(t), s.URL+"/stream", 100)
	if got := reasonOf(t, err); got != schema.ReasonEndless || !f.Truncated || string(f.Body) != "first words" {
		t.Errorf("stream: %s, truncated %v, %q", got, f.Truncated, f.Body)
	}
	ctx, cancel = context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	_, err = Client{}.Get(ctx, transport(t), s.URL+"/silent", 100)
	if got := reasonOf(t, err); got != schema.ReasonTimeout {
		t.Errorf("silent: %s", got)
	}
}

func TestGetOurOwnEndIsNotTheSitesTrouble(t *testing.T) {
	release := make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, r *http.Request) { <-release })
	t.Cleanup(func() { close(release) })
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	_, err := Client{}.Get(ctx, transport(t), s.URL, 100)
	var f *Failure
	if errors.As(err, &f) || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	ours := errors.New("ledger unavailable")
	_, err = Client{}.Get(t.Context(), trip(func(*http.Request) (*http.Response, error) { return nil, ours }), "http://x.example/", 100)
	if errors.As(err, &f) || !errors.Is(err, ours) {
		t.Errorf("our fault: %v", err)
	}
}

type trip func(*http.Request) (*http.Response, error)

func (f trip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

type guarded struct{}

func (guarded) Error() string             { return "refused" }
func (guarded) SiteReason() schema.Reason { return schema.ReasonGuarded }

func TestGetTellsReasons(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := "http://" + closed.Addr().String() + "/"
	closed.Close()
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(secure.Close)
	plain := serve(t, func(http.ResponseWriter, *http.Request) {})
	gone := serve(t, func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) })
	broken := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1000")
		fmt.Fprint(w, secret)
	})
	cases := []struct {
		name string
		rt   http.RoundTripper
		url  string
		want schema.Reason
	}{
		{"nobody listens", transport(t), nobody, schema.ReasonConnection},
		{"connection dropped", transport(t), gone.URL, schema.ReasonConnection},
		{"body cut off", transport(t), broken.URL, schema.ReasonConnection},
		{"unknown issuer", transport(t), secure.URL, schema.ReasonTLS},
		{"no TLS there", transport(t), "https" + strings.TrimPrefix(plain.URL, "http"), schema.ReasonTLS},
		{"not HTTP", transport(t), speak(t, secret+" 220 ready\r\n"), schema.ReasonProtocol},
		{"no such name", trip(func(*http.Request) (*http.Response, error) {
			return nil, &net.DNSError{Err: "no such host", Name: secret, IsNotFound: true}
		}), "http://x.example/", schema.ReasonNameNotFound},
		{"name service down", trip(func(*http.Request) (*http.Response, error) {
			return nil, &net.DNSError{Err: "server misbehaving", Name: secret}
		}), "http://x.example/", schema.ReasonConnection},
		{"the round tripper knows", trip(func(*http.Request) (*http.Response, error) { return nil, fmt.Errorf("door: %w", guarded{}) }),
			"http://x.example/", schema.ReasonGuarded},
	}
	for _, c := range cases {
		_, err := Client{}.Get(t.Context(), c.rt, c.url, 5000)
		if got := reasonOf(t, err); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// speak is a server that says words to whoever connects.
func speak(t *testing.T, words string) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = c.Read(make([]byte, 4096))
			_, _ = io.WriteString(c, words)
			c.Close()
		}
	}()
	return "http://" + l.Addr().String() + "/"
}
