package fixturesite

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// Endless sends a page that never ends: a piece every so often until the
// visitor leaves or the site closes.
func Endless(every time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, "<!doctype html><html lang=\"en\"><title>Live ticker</title><h1>Live ticker</h1>\n")
		flush(w)
		for wait(r, every) {
			if _, err := io.WriteString(w, "<p>Still counting.</p>\n"); err != nil {
				return
			}
			flush(w)
		}
	})
}

// EventStream sends server-sent events that never end.
func EventStream(every time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(http.StatusOK)
		flush(w)
		for n := 1; wait(r, every); n++ {
			if _, err := fmt.Fprintf(w, "data: %d\n\n", n); err != nil {
				return
			}
			flush(w)
		}
	})
}

// GzipBomb sends a gzip body that unpacks to a page of size bytes, about a
// thousandth of that on the wire.
func GzipBomb(size int64) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		defer z.Close()
		io.WriteString(z, "<!doctype html><html lang=\"en\"><title>Small on the wire</title><p>")
		io.CopyN(z, blanks{}, size) // the visitor may leave; nobody to tell
	})
}

// Big sends size bytes of the given type with a Content-Length.
func Big(size int64, mediaType string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", mediaType)
		w.Header().Set("Content-Length", strconv.FormatInt(size, 10))
		w.WriteHeader(http.StatusOK)
		if r.Method != http.MethodHead {
			io.CopyN(w, blanks{}, size)
		}
	})
}

// BigPage sends a page of size bytes without saying how long it is.
func BigPage(size int64) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, "<!doctype html><html lang=\"en\"><title>A very long page</title><p>")
		io.CopyN(w, blanks{}, size)
	})
}

// Drip sends a page in n pieces with a pause before each.
func Drip(pieces int, every time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, "<!doctype html><html lang=\"en\"><title>Drop by drop</title>")
		for i := range pieces {
			flush(w)
			if !wait(r, every) {
				return
			}
			fmt.Fprintf(w, "<p>Piece %d.</p>", i+1)
		}
	})
}

// Silent takes the request and never answers.
func Silent() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
}

// Slow waits before another handler answers.
func Slow(d time.Duration, then http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if wait(r, d) {
			then.ServeHTTP(w, r)
		}
	})
}

// Broken announces gzip and sends something else.
func Broken() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Encoding", "gzip")
		io.WriteString(w, "<!doctype html><title>Not packed at all</title>")
	})
}

// blanks is an endless reader of spaces.
type blanks struct{}

func (blanks) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func flush(w http.ResponseWriter) {
	http.NewResponseController(w).Flush() // only fails where the visitor has left
}
