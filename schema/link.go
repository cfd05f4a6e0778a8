package schema

import "time"

// LinkVerdict is what is known of a link's target. A closed list.
type LinkVerdict string

const (
	LinkOK         LinkVerdict = "ok"
	LinkBroken     LinkVerdict = "broken"
	LinkRedirects  LinkVerdict = "redirects"
	LinkDisallowed LinkVerdict = "robots_disallowed"
	LinkRefused    LinkVerdict = "refused" // the site refuses robots (401, 403, 429, 999 ...): nothing known
	LinkUnchecked  LinkVerdict = "not_checked"
)

// LinkKind is where in a page an address stands.
type LinkKind string

const (
	LinkAnchor    LinkKind = "anchor" // a, area
	LinkCanonical LinkKind = "canonical"
	LinkAlternate LinkKind = "alternate"
	LinkFrame     LinkKind = "frame"
	LinkRefresh   LinkKind = "refresh" // meta refresh
	LinkImage     LinkKind = "image"
	LinkScript    LinkKind = "script"
	LinkStyle     LinkKind = "style"
	LinkMedia     LinkKind = "media"
)

// Navigable reports whether a person could follow such a link to a page.
func (k LinkKind) Navigable() bool {
	return k == LinkAnchor || k == LinkFrame || k == LinkRefresh || k == LinkCanonical || k == LinkAlternate
}

// PageLink is one distinct address a page points to, resolved and normalised,
// fragment dropped.
type PageLink struct {
	URL      string
	Kind     LinkKind
	InScope  bool
	NoFollow bool
}

// Link is one distinct target over the whole scan.
type Link struct {
	URL     string
	Verdict LinkVerdict
	Status  int
	FoundOn []string // pages, at most MaxFoundOn
	Pages   int      // how many pages in all

	Reason    Reason    // why it was not checked, or is broken without a status
	Target    string    // where it redirects, on another server; query values redacted
	CheckedAt time.Time // of a link to another server; zero: never, or within the site
	NextAt    time.Time // when a link to another server can be checked at the earliest; zero: not known
}

// MaxFoundOn bounds the pages named for one link in a report.
const MaxFoundOn = 20
