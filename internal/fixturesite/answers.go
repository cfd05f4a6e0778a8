package fixturesite

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
)

// Refusing answers the first n requests with status (429 or 503, usually), and a
// Retry-After header where retryAfter is not empty; then the other handler takes
// over. n below 0 refuses for ever.
func Refusing(n, status int, retryAfter string, then http.Handler) http.Handler {
	var seen atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if count := seen.Add(1); n >= 0 && count > int64(n) {
			then.ServeHTTP(w, r)
			return
		}
		if retryAfter != "" {
			w.Header().Set("Retry-After", retryAfter)
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(status)
		io.WriteString(w, "<!doctype html><html lang=\"en\"><title>Later, please</title><h1>Later, please</h1>")
	})
}

// Drop closes the connection without a word.
func Drop() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { hangUp(w, "") })
}

// DropMid promises a page of 10,000 bytes and closes the connection after its first lines.
func DropMid() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hangUp(w, "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: 10000\r\n\r\n<!doctype html><title>Half a page</title>")
	})
}

// Garbled answers with something that is not HTTP.
func Garbled() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { hangUp(w, "220 mail.example ready\r\n") })
}

// hangUp sends bytes over the bare connection and closes it.
func hangUp(w http.ResponseWriter, last string) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // HTTP/2: resets the stream
	}
	io.WriteString(conn, last)
	conn.Close()
}

// RedirectTo answers with a redirect; {{base}} is replaced. An empty target
// leaves the Location header out.
func RedirectTo(status int, target string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if target != "" {
			w.Header().Set("Location", withBase(target, r))
		}
		w.WriteHeader(status)
	})
}

// Chain redirects through n addresses, prefix/1 to prefix/n, and then to the
// target. To be handled at "prefix/*".
func Chain(prefix string, n int, target string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, prefix+"/"))
		if err != nil {
			notFound(w, r)
			return
		}
		next := fmt.Sprintf("%s/%d", prefix, at+1)
		if at >= n {
			next = target
		}
		RedirectTo(http.StatusFound, next).ServeHTTP(w, r)
	})
}

// CookieWall redirects to the same address, setting a cookie, until the cookie comes.
func CookieWall(then http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := r.Cookie("seen"); err == nil {
			then.ServeHTTP(w, r)
			return
		}
		http.SetCookie(w, &http.Cookie{Name: "seen", Value: "1", Path: "/"})
		RedirectTo(http.StatusFound, r.URL.RequestURI()).ServeHTTP(w, r)
	})
}

// BasicAuth asks for a name and a password, and knows none that would do.
func BasicAuth(realm string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("WWW-Authenticate", "Basic realm="+strconv.Quote(realm))
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(http.StatusUnauthorized)
		io.WriteString(w, "<!doctype html><html lang=\"en\"><title>Members only</title><h1>Members only</h1>")
	})
}

// Attachment is a download of size bytes.
func Attachment(name, mediaType string, size int64) http.Handler {
	big := Big(size, mediaType)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Disposition", "attachment; filename="+strconv.Quote(name))
		big.ServeHTTP(w, r)
	})
}

// Encoded answers with bytes as they are under the Content-Type given, for
// pages whose announced charset and real one differ.
func Encoded(contentType string, body []byte) http.Handler {
	return File{Status: http.StatusOK, Body: body, Header: http.Header{"Content-Type": {contentType}}}
}

// LatinAsUTF8 is a page in ISO-8859-1 that is announced as UTF-8.
func LatinAsUTF8() http.Handler {
	return Encoded("text/html; charset=utf-8", []byte("<!doctype html><html lang=\"de\"><title>Gr\xfc\xdfe aus K\xf6ln</title><p>Sch\xf6ne Gr\xfc\xdfe.</p>"))
}
