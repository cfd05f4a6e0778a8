package courtesy

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"visite/schema"
)

// Retry-After in all its forms: what is stated counts in full, the least and the
// default are kept, and half a minute decides about loading again.
// proves S-34, S-35, S-39, C-50, R-04
func TestRetryAfterForms(t *testing.T) {
	limits := schema.ContractLimits()
	now := time.Date(2026, 11, 8, 8, 49, 37, 0, time.UTC)
	in := func(d time.Duration, layout string) string { return now.Add(d).Format(layout) }
	const year = 365 * 24 * time.Hour
	for _, c := range []struct {
		name   string
		status int
		values []string
		rest   time.Duration // 0: no wish at all
		reload bool
	}{
		{"seconds", 429, []string{"10"}, 10 * time.Second, true},
		{"one second", 429, []string{"1"}, 3 * time.Second, true},
		{"nought", 503, []string{"0"}, 3 * time.Second, true},
		{"leading noughts", 429, []string{"0012"}, 12 * time.Second, true},
		{"blanks around", 429, []string{"  12\t"}, 12 * time.Second, true},
		{"the limit", 429, []string{"30"}, 30 * time.Second, true},
		{"above the limit", 429, []string{"31"}, 31 * time.Second, false},
		{"a day", 503, []string{"86400"}, 24 * time.Hour, false},
		{"absurd", 429, []string{"999999999999"}, year, false},
		{"more than a number holds", 429, []string{"99999999999999999999999999999999"}, year, false},
		{"negative", 429, []string{"-5"}, 5 * time.Second, true},
		{"plus", 429, []string{"+20"}, 5 * time.Second, true},
		{"decimal", 429, []string{"12.5"}, 5 * time.Second, true},
		{"decimal comma", 429, []string{"12,5"}, 5 * time.Second, true},
		{"exponent", 429, []string{"1e3"}, 5 * time.Second, true},
		{"hexadecimal", 429, []string{"0x20"}, 5 * time.Second, true},
		{"unit", 429, []string{"20s"}, 5 * time.Second, true},
		{"words", 429, []string{"later"}, 5 * time.Second, true},
		{"empty", 429, []string{""}, 5 * time.Second, true},
		{"none", 429, nil, 5 * time.Second, true},
		{"other digits", 429, []string{"２０"}, 5 * time.Second, true},
		{"IMF-fixdate", 429, []string{in(20*time.Second, http.TimeFormat)}, 20 * time.Second, true},
		{"RFC 850 date", 429, []string{in(20*time.Second, "Monday, 02-Jan-06 15:04:05 GMT")}, 20 * time.Second, true},
		{"asctime date", 429, []string{in(20*time.Second, time.ANSIC)}, 20 * time.Second, true},
		{"date beyond the limit", 503, []string{in(2*time.Hour, http.TimeFormat)}, 2 * time.Hour, false},
		{"date now", 429, []string{in(0, http.TimeFormat)}, 3 * time.Second, true},
		{"date gone by", 429, []string{in(-time.Hour, http.TimeFormat)}, 3 * time.Second, true},
		{"date long gone by", 503, []string{"Thu, 01 Jan 1970 00:00:00 GMT"}, 3 * time.Second, true},
		{"date far off", 429, []string{"Fri, 31 Dec 9999 23:59:59 GMT"}, year, false},
		{"no such date", 429, []string{"Wed, 31 Feb 2027 00:00:00 GMT"}, 5 * time.Second, true},
		{"date in another zone", 429, []string{"Sun, 08 Nov 2026 08:49:57 CET"}, 5 * time.Second, true},
		{"several, the longest counts", 429, []string{"4", "25", "10"}, 25 * time.Second, true},
		{"several, one of them words", 429, []string{"soon", "40"}, 40 * time.Second, false},
		{"seconds and a date", 503, []string{"5", in(50*time.Second, http.TimeFormat)}, 50 * time.Second, false},
		{"two in one field", 429, []string{"10, 20"}, 5 * time.Second, true},
		{"503 without a wish", 503, nil, 0, false},
		{"503 with words", 503, []string{"soon"}, 0, false},
		{"500 with a wish", 500, []string{"20"}, 0, false},
		{"200 with a wish", 200, []string{"20"}, 0, false},
		{"404 with a wish", 404, []string{"20"}, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := http.Header{"Date": {now.Format(http.TimeFormat)}}
			for _, v := range c.values {
				h.Add("Retry-After", v)
			}
			r := retryAfter(c.status, h, limits, now.Add(7*time.Minute)) // our clock is wrong; the server's counts
			if r == nil {
				if c.rest != 0 {
					t.Fatal("no wish was read")
				}
				return
			}
			if got := rest(r, limits); got != c.rest || r.Reload != c.reload {
				t.Errorf("rest %v, reload %v; want %v, %v", got, r.Reload, c.rest, c.reload)
			}
		})
	}
}

// Whatever a server writes, the rest is never shorter than the least, never
// shorter than what was plainly stated, and never endless.
// proves S-34, S-35, R-04
func TestRetryAfterIsNeverCutShort(t *testing.T) {
	limits := schema.ContractLimits()
	now := time.Now()
	rapid.Check(t, func(t *rapid.T) {
		seconds := rapid.Int64Range(0, 1<<40).Draw(t, "seconds")
		noise := rapid.SliceOfN(rapid.StringMatching(`[ -~]{0,20}`), 0, 3).Draw(t, "noise")
		h := http.Header{}
		at := rapid.IntRange(0, len(noise)).Draw(t, "place")
		for i, v := range noise {
			if i == at {
				h.Add("Retry-After", strconv.FormatInt(seconds, 10))
			}
			h.Add("Retry-After", v)
		}
		if at == len(noise) {
			h.Add("Retry-After", strconv.FormatInt(seconds, 10))
		}
		r := retryAfter(429, h, limits, now)
		stated := time.Duration(min(seconds, 365*24*3600)) * time.Second
		if got := rest(r, limits); got < max(limits.RetryAfterMin, stated) || got > 366*24*time.Hour {
			t.Fatalf("rest %v for %v", got, h.Values("Retry-After"))
		}
		if r.Reload && stated > limits.RetryAfterMax {
			t.Fatalf("loaded again after %v", stated)
		}
	})
}

// What the rules about a page's refused files say, against a model: refusals of
// one round are one; each round waits at least as long as stated and twice as
// long as the one before; after the third wait, or one of over 30 s, no file goes.
// proves S-38, R-09
func TestRefusalsAgainstModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		seconds := rapid.SliceOfN(rapid.IntRange(3, 40), 1, 6) // stated for the files under way together
		rounds := rapid.SliceOfN(seconds, 4, 4).Draw(rt, "rounds")
		var fault string
		// In a bubble the clock only moves on while all wait: waits take no time.
		synctest.Test(t, func(t *testing.T) { fault = refusedInRounds(t.Context(), rounds) })
		if fault != "" {
			rt.Fatal(fault)
		}
	})
}

// refusedInRounds has files refused and tells what went otherwise than the rules say.
func refusedInRounds(ctx context.Context, rounds [][]int) (fault string) {
	const most = 30 * time.Second
	r := &refusals{}
	var waits []time.Duration
	for _, round := range rounds {
		before := r.rounds()
		for i, seconds := range round {
			stated := time.Duration(seconds) * time.Second
			wait := r.lengthen(before, stated, most)
			if wait < stated {
				return fmt.Sprintf("a rest of %v where %v were stated", wait, stated)
			}
			if i > 0 {
				if r.rounds() != before+1 {
					return "refusals of one round were counted apart"
				}
				continue
			}
			want := stated
			if n := len(waits); n > 0 && n <= 2 {
				want = max(stated, 2*waits[n-1])
			} else if n > 2 {
				want = max(stated, waits[n-1])
			}
			if wait != want {
				return fmt.Sprintf("wait %d is %v, want %v after %v", len(waits)+1, wait, want, waits)
			}
			waits = append(waits, wait)
		}
		over := len(waits) > 3 || waits[len(waits)-1] > most
		began := time.Now()
		_, err := r.await(ctx)
		switch held := time.Since(began); {
		case (err != nil) != over:
			return fmt.Sprintf("given up: %v after waits of %v", err != nil, waits)
		case over && held != 0, !over && held != waits[len(waits)-1]:
			return fmt.Sprintf("held back for %v after waits of %v", held, waits)
		case over:
			return ""
		}
	}
	return fmt.Sprintf("never given up after waits of %v", waits)
}
