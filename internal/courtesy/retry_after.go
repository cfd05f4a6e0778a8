package courtesy

import (
	"net/http"
	"time"

	"visite/internal/courtesy/robots"
	"visite/schema"
)

// retryAfter reads a server's wish to be left alone: 429, or 503 that says how
// long (S-34, C-50). nil for any other answer. Until is for the caller to set.
func retryAfter(status int, h http.Header, l schema.Limits, now time.Time) *schema.RetryAfter {
	asked, stated := statedWait(h, now)
	if status != http.StatusTooManyRequests && (status != http.StatusServiceUnavailable || !stated) {
		return nil
	}
	return &schema.RetryAfter{Status: status, Asked: asked, Stated: stated, Reload: asked <= l.RetryAfterMax}
}

// rest is how long a server is left alone: never less than the least (S-34),
// about 5 s where nothing was stated (S-35), else what was stated in full.
func rest(r *schema.RetryAfter, l schema.Limits) time.Duration {
	if !r.Stated {
		return max(l.RetryAfterNone, l.RetryAfterMin)
	}
	return max(r.Asked, l.RetryAfterMin)
}

// statedWait is the longest wait the Retry-After fields state. A date means what
// it says on the server's own clock, where that is known.
func statedWait(h http.Header, now time.Time) (wait time.Duration, stated bool) {
	if server, err := http.ParseTime(h.Get("Date")); err == nil {
		now = server
	}
	for _, value := range h.Values("Retry-After") {
		w, ok := robots.ParseRetryAfter(value, now)
		if ok && (!stated || w > wait) {
			wait, stated = w, true
		}
	}
	return wait, stated
}
