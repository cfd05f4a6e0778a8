package schema

import "time"

// ItemState is what a person decided about an item of a site. It holds for all
// scans of the site, before and after.
type ItemState string

const (
	// ItemOpen is an item nobody decided anything about, or whose acknowledgement ended.
	ItemOpen ItemState = "open"
	// ItemAcknowledged is known and will be mended: it does not fail a pipeline until its end.
	ItemAcknowledged ItemState = "acknowledged"
	// ItemIgnored is no fault in the customer's eyes, for good.
	ItemIgnored ItemState = "ignored"
)

// Bounds of decisions.
const (
	ItemReasonMax    = 500 // characters
	ItemUntilMax     = 2 * 365 * 24 * time.Hour
	ItemsDecidedMost = 10_000 // of one site
)

// ItemDecision is a decision about one item.
type ItemDecision struct {
	Item      string // Fingerprint
	State     ItemState
	Reason    string    // the customer's words
	Until     time.Time // an acknowledgement's end; zero else
	DecidedAt time.Time
	Ended     bool // the acknowledgement is over: the item is open again
}

// ItemStates are the decisions in force of one site, by fingerprint.
type ItemStates map[string]ItemDecision

// Of is the state of an item and the decision behind it.
func (s ItemStates) Of(item string) ItemDecision {
	if d, ok := s[item]; ok && !d.Ended {
		return d
	}
	return ItemDecision{Item: item, State: ItemOpen}
}
