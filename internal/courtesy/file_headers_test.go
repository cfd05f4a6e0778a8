package courtesy

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

func TestFilesThatComeWithoutLifetimeOrCompression(t *testing.T) {
	later := time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)
	for _, c := range []struct {
		head            string
		size            int64
		plain, uncached bool
	}{
		{"Content-Type: text/css; charset=utf-8\nCache-Control: max-age=600", 5000, true, false},
		{"Content-Type: text/css\nCache-Control: max-age=600\nContent-Encoding: br", 5000, false, false},
		{"Content-Type: text/css\nCache-Control: public, max-age=600", 2000, false, false},
		{"Content-Type: image/png\nCache-Control: no-cache", 5000, false, true},
		{"Content-Type: image/png\nCache-Control: max-age=0", 5000, false, true},
		{"Content-Type: image/png\nExpires: " + later, 5000, false, false},
		{"Content-Type: font/woff2\nExpires: 0", 5000, false, true},
		{"Content-Type: image/svg+xml\nCache-Control: immutable", 5000, true, false},
		{"Content-Type: application/json", 5000, true, false},
		{"Content-Type: text/event-stream", 5000, false, false},
		{"Content-Type: ?", 5000, false, false},
	} {
		head := http.Header{}
		for line := range strings.SplitSeq(c.head, "\n") {
			name, value, _ := strings.Cut(line, ": ")
			head.Set(name, value)
		}
		p := &Pass{}
		p.noteFile(&url.URL{Scheme: "https", Host: "shop.example", Path: "/a", User: url.User("u"), Fragment: "f"}, head, c.size)
		if got := p.totals.Uncompressed["https://shop.example/a"] == c.size; got != c.plain {
			t.Errorf("%q: uncompressed %v", c.head, p.totals.Uncompressed)
		}
		if got := len(p.totals.Uncached) == 1 && p.totals.Uncached[0] == "https://shop.example/a"; got != c.uncached {
			t.Errorf("%q: uncached %v", c.head, p.totals.Uncached)
		}
	}
}
