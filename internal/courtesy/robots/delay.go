package robots

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// maxDelay bounds a Crawl-delay, so that a huge number cannot turn into none.
const maxDelay = 365 * 24 * time.Hour

// parseDelay reads the number at the head of a Crawl-delay value as seconds:
// "5", "0.5", ".5", "1e1", "10s", "5 seconds". A decimal comma could mean two
// numbers and is no delay, nor is a negative one. Crawl-delay is not part of
// RFC 9309; the contract keeps it (C-52).
func parseDelay(value string) (time.Duration, bool) {
	end := numberEnd(value)
	if end == 0 || strings.HasPrefix(value[end:], ",") {
		return 0, false
	}
	seconds, err := strconv.ParseFloat(value[:end], 64)
	if err != nil && seconds == 0 {
		return 0, false
	}
	if seconds >= maxDelay.Seconds() { // a range error gives +Inf
		return maxDelay, true
	}
	return time.Duration(math.Round(seconds * float64(time.Second))), true
}

// numberEnd is where a plain decimal number with an optional exponent ends, 0
// where there is none.
func numberEnd(s string) int {
	whole := digits(s)
	end := whole
	if strings.HasPrefix(s[end:], ".") {
		fraction := digits(s[end+1:])
		if whole+fraction == 0 {
			return 0
		}
		end += 1 + fraction
	}
	if end == 0 {
		return 0
	}
	if rest := s[end:]; rest != "" && rest[0]|0x20 == 'e' {
		sign := 1
		if len(rest) > 1 && (rest[1] == '+' || rest[1] == '-') {
			sign = 2
		}
		if n := digits(rest[sign:]); n > 0 {
			end += sign + n
		}
	}
	return end
}

func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}
