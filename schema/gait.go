package schema

import (
	"strings"
	"time"
	"unicode/utf8"
)

// PacingException is a way in which a visit may go at another pace than its
// profile's limits. The type pacing_exception in the database is the same list.
type PacingException string

// The two there are (contract C-46). Profiles marked LoopbackOnly are none: they
// are freer, but the door lets them out to this machine alone.
const (
	ExceptionUptime PacingException = "uptime"     // a measurement on its own grid (C-22)
	ExceptionBrisk  PacingException = "brisk_gait" // ordered by hand, with a reason and an end (C-47)
)

// PacingExceptions lists all.
var PacingExceptions = []PacingException{ExceptionUptime, ExceptionBrisk}

// Bounds of a brisk gait (C-47, C-48).
const (
	BriskReasonMin  = 10  // characters
	BriskReasonMax  = 500 // characters
	BriskMinutesMax = 120
	BriskByMax      = 100 // characters
	BriskPages      = 2   // pages at once on the host
)

// BriskOrder is an operator's wish that one running scan goes briskly for a while.
type BriskOrder struct {
	Reason  string `json:"reason"`
	Minutes int    `json:"minutes"`
	By      string `json:"by"`
}

// Validate declines an order that lacks what must be recorded: a *Refusal that
// names the field.
func (o BriskOrder) Validate() error {
	reason := utf8.RuneCountInString(strings.TrimSpace(o.Reason))
	by := utf8.RuneCountInString(strings.TrimSpace(o.By))
	switch {
	case reason == 0:
		return briskRefusal("/reason", "reason-missing", "It is not said why.", "Give the reason in 10 to 500 characters.")
	case reason < BriskReasonMin || utf8.RuneCountInString(o.Reason) > BriskReasonMax:
		return briskRefusal("/reason", "reason-length", "The reason has fewer than 10 or more than 500 characters.", "Say in one or two sentences why the site may be visited briskly.")
	case o.Minutes < 1 || o.Minutes > BriskMinutesMax:
		return briskRefusal("/minutes", "brisk-too-long", "A brisk gait lasts 1 to 120 minutes.", "Choose an end within two hours.")
	case by == 0 || utf8.RuneCountInString(o.By) > BriskByMax:
		return briskRefusal("/by", "operator-unnamed", "It is not said who orders it, or at too great length.", "Give your name in at most 100 characters.")
	}
	return nil
}

func briskRefusal(field, code, detail, remedy string) *Refusal {
	return &Refusal{Kind: RefusalInvalid, Field: field, Code: code, Detail: detail, Remedy: remedy}
}

// BriskOutcome is what became of an order. Closed list.
type BriskOutcome string

// What can become of it.
const (
	BriskAsked   BriskOutcome = "asked"   // written down before it was judged; stays so only where we crashed
	BriskGranted BriskOutcome = "granted" // in force until its end
	BriskRefused BriskOutcome = "refused"
)

// BriskHold is why a granted order did not quicken anything. Closed list.
type BriskHold string

// What is stronger than a brisk gait (C-49).
const (
	BriskHeldByNothing    BriskHold = ""
	BriskHeldByCrawlDelay BriskHold = "crawl_delay" // robots.txt names a Crawl-delay
	BriskHeldByObjection  BriskHold = "objection"   // the host asked for a slower pace
)

// BriskGait is an order and what became of it, kept with the scan (C-47).
type BriskGait struct {
	ID      string
	ScanID  string
	Order   BriskOrder
	AskedAt time.Time
	Until   time.Time // where granted
	Outcome BriskOutcome
	Refusal string // code, where refused
	Held    BriskHold
}
