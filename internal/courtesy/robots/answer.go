package robots

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"visite/schema"
)

// Classify says what a final status means (RFC 9309 section 2.3.1, contract
// 2xx is parsed, 4xx restricts nothing except 429, and everything else,
// whatever it may be, forbids all.
func Classify(status int) schema.RobotsOutcome {
	switch {
	case status >= 200 && status < 300:
		return schema.RobotsParse
	case status >= 400 && status < 500 && status != http.StatusTooManyRequests:
		return schema.RobotsAllowAll
	}
	return schema.RobotsDenyAll
}

// isRedirect reports whether a Location may be followed. 300 offers a choice
// that is not ours to make.
func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// redirectTarget resolves a Location as browsers do; false where there is no
// web address to go to.
func redirectTarget(from *url.URL, location string) (*url.URL, bool) {
	if location == "" {
		return nil, false
	}
	address, err := schema.NormalizeAddress(location, from)
	if err != nil {
		return nil, false
	}
	to, err := url.Parse(address)
	return to, err == nil
}

// restOf reads the wish for rest from a 429 or 503, stated or not.
func restOf(a answer, target *url.URL, now time.Time) *Rest {
	if a.status != http.StatusTooManyRequests && a.status != http.StatusServiceUnavailable {
		return nil
	}
	rest := &Rest{Host: schema.HostKey(target), Status: a.status}
	rest.Asked, rest.Stated = ParseRetryAfter(a.header.Get("Retry-After"), now)
	return rest
}

// ParseRetryAfter reads a Retry-After value, seconds or a date (RFC 9110
// section 10.2.3); false where it is neither. A date gone by is no wait; a wait
// is at most a year.
func ParseRetryAfter(value string, now time.Time) (time.Duration, bool) {
	value = strings.TrimSpace(value)
	if n := digits(value); n > 0 && n == len(value) {
		seconds, err := strconv.ParseInt(value, 10, 64)
		if err != nil || seconds > int64(maxDelay/time.Second) {
			return maxDelay, true
		}
		return time.Duration(seconds) * time.Second, true
	}
	date, err := http.ParseTime(value)
	if err != nil {
		return 0, false
	}
	return min(max(0, date.Sub(now)), maxDelay), true
}
