package postgres

import (
	"math"
	"strings"
	"time"
	"unicode/utf8"
)

// text makes a string PostgreSQL accepts: valid UTF-8 without NUL, both of which
// a hostile page may send.
func text(s string) string {
	if utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 {
		return s
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "")
}

func texts(in []string) []string {
	if len(in) == 0 {
		return nil
	}
	out := make([]string, len(in))
	for i, s := range in {
		out[i] = text(s)
	}
	return out
}

func textMap(in map[string]string) map[string]string {
	if len(in) == 0 {
		return nil
	}
	out := make(map[string]string, len(in))
	for k, v := range in {
		out[text(k)] = text(v)
	}
	return out
}

func int32Of[N int | int64](n N) int32 {
	return int32(max(math.MinInt32, min(math.MaxInt32, int64(n))))
}

func int16Of(n int) int16 {
	return int16(max(math.MinInt16, min(math.MaxInt16, n)))
}

// microseconds of a span in milliseconds; kept whole so that it reads back clean.
func microseconds(ms float64) int32 {
	return int32(math.Round(max(0, min(ms*1000, math.MaxInt32))))
}

func milliseconds(us int32) float64 { return float64(us) / 1000 }

// timeOf reads a column that may be null as the zero time.
func timeOf(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}

func nullTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
