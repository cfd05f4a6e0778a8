package courtesy

import (
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// compressFrom is a size below which compression gains nothing, in bytes.
const compressFrom = 2048

// noteFile notes a file of the site's own that came without compression or without
// a lifetime for caches. size is that of the decoded file; head as it was sent.
func (p *Pass) noteFile(u *url.URL, head http.Header, size int64) {
	kind, _, err := mime.ParseMediaType(head.Get("Content-Type"))
	if err != nil {
		return
	}
	plain := size >= compressFrom && head.Get("Content-Encoding") == "" && isText(kind)
	short := isStatic(kind) && !keeps(head, time.Now())
	if !plain && !short {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if plain && len(p.totals.Uncompressed) < namedMost {
		if p.totals.Uncompressed == nil {
			p.totals.Uncompressed = map[string]int64{}
		}
		p.totals.Uncompressed[plainAddress(u)] = size
	}
	if short && len(p.totals.Uncached) < namedMost {
		p.totals.Uncached = append(p.totals.Uncached, plainAddress(u))
	}
}

// isText tells files that compression makes much smaller.
func isText(mediaType string) bool {
	switch mediaType {
	case "application/javascript", "application/x-javascript", "application/json", "application/manifest+json", "application/xml", "image/svg+xml":
		return true
	}
	return strings.HasPrefix(mediaType, "text/") && mediaType != "text/event-stream"
}

// isStatic tells files that seldom change.
func isStatic(mediaType string) bool {
	switch mediaType {
	case "text/css", "text/javascript", "application/javascript", "application/x-javascript":
		return true
	}
	return strings.HasPrefix(mediaType, "font/") || strings.HasPrefix(mediaType, "image/")
}

// keeps reports whether an answer states a lifetime above zero (RFC 9111 section 4.2.1).
func keeps(head http.Header, now time.Time) bool {
	for part := range strings.SplitSeq(strings.ToLower(strings.Join(head.Values("Cache-Control"), ",")), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch name {
		case "no-store", "no-cache":
			return false
		case "immutable":
			return true
		case "max-age":
			seconds, err := strconv.ParseInt(strings.Trim(value, `"`), 10, 64)
			return err == nil && seconds > 0
		}
	}
	until, err := http.ParseTime(head.Get("Expires"))
	return err == nil && until.After(now)
}
