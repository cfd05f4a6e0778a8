package schema

import "time"

// Via is how an address became known.
type Via string

const (
	ViaSeed     Via = "seed"
	ViaSitemap  Via = "sitemap"
	ViaLink     Via = "link"
	ViaRedirect Via = "redirect"
)

// Candidate is an address that may become a page.
type Candidate struct {
	URL   string // normalised, within the scope
	Depth int    // clicks from the seed; sitemap entries have 1
	Via   Via
}

// Claim is an address taken for loading under a ticket.
type Claim struct {
	Found    bool // false: nothing queued, or the page limit is reached
	Pending  bool // nothing queued now, but other tickets are still loading
	ScanID   string
	ID       int64
	URL      string
	Depth    int
	Via      Via
	Loads    int       // loads begun before, our crashes included
	Refused  int       // how often the server put this page off (S-37)
	NotUntil time.Time // put off until then
	Recorded bool      // already has its result: the repeat of a finished ticket
	Outcome  Outcome   // where Recorded
	Reason   Reason
}
