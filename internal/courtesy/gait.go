package courtesy

import (
	"math"
	"time"

	"visite/schema"
)

// atPace is an ask as it was granted: the pauses that follow go by it. This and
// courtesy_turn, which decides by the same rule, are the only places where a
// visit's pace is not its profile's. An exception is one of
// schema.PacingExceptions and lapses in the database; what the host asked for
// only ever slows (S-49).
func atPace(ask schema.PaceAsk, grant schema.PaceGrant) schema.PaceAsk {
	if grant.Exception == schema.ExceptionBrisk { // C-48: the least pause, two at once
		ask.Slots, ask.PauseFactor = max(ask.Slots, schema.BriskPages), 0
	}
	if grant.Slower > 1 {
		ask.PauseMin, ask.PauseFactor, ask.CrawlDelay = times(ask.PauseMin, grant.Slower), ask.PauseFactor*grant.Slower, times(ask.CrawlDelay, grant.Slower)
	}
	return ask
}

// times multiplies a span, up to the longest there is.
func times(d time.Duration, by float64) time.Duration {
	if product := float64(d) * by; product < math.MaxInt64/2 {
		return time.Duration(product)
	}
	return math.MaxInt64 / 2
}
