package schema

import (
	"net"
	"strings"
	"time"
)

// How links to other servers are checked (contract C-09 to C-16, R-15 to R-17);
// the page for the visited is made from these.
const (
	// LinkAddressesAVisit is how many distinct addresses of a server one visit asks
	// for at most; HEAD and GET of one address count once (C-10, R-16).
	LinkAddressesAVisit = 5
	// LinkRest is how long a server is left alone after a visit's last request, by
	// the checks of all customers together (C-11, C-12).
	LinkRest = 30 * 24 * time.Hour
	// LinkServerAtOnce is how many requests of link checks are under way at one
	// server at a time (S-33).
	LinkServerAtOnce = 1
	// LinkHopsMost is how many redirects in a row become candidates.
	LinkHopsMost = 5
	// LinkNoRequestAge is how long a verdict holds that no request was sent for.
	LinkNoRequestAge = 24 * time.Hour
	// LinkFailuresMost in a row end a visit: the server does not answer, or refuses.
	LinkFailuresMost = 3
)

// LinkServer is the server that a HostKey counts for: its name in lower case,
// without port and a leading "www.".
func LinkServer(hostKey string) string {
	name := strings.ToLower(hostKey)
	if host, _, err := net.SplitHostPort(name); err == nil {
		name = host
	}
	name = strings.TrimSuffix(strings.Trim(name, "[]"), ".")
	if rest, ok := strings.CutPrefix(name, "www."); ok && strings.Contains(rest, ".") {
		name = rest
	}
	return name
}

// IsLinkCheckable reports whether an address found as a link can be asked for: of
// those with a query only the names of parameters are kept, as values can be the
// page's words, and what names a person is masked (S-24).
func IsLinkCheckable(address string) bool {
	a, err := ParseAddress(address, nil)
	return err == nil && !a.HasQuery && !CarriesSecret(address)
}

// LinkClaim is an address of a server taken up for a visit.
type LinkClaim struct {
	Found      bool // false: nothing is left for this visit
	ID         int64
	URL        string
	HeadAt     time.Time // when the intent to send HEAD was recorded; zero: not yet
	HeadStatus int       // what HEAD was answered with, where a GET follows
	GetAt      time.Time // likewise for GET
	Withdrawn  bool      // nobody waits for it any more (S-44)
	Run        RunRef    // the scan on whose order it is checked
	Profile    Profile   // of that scan
	Loopback   bool      // the scan is one of a site on this machine
}

// LinkAnswer is what a request for a link's address came to.
type LinkAnswer struct {
	Status   int    // 0: no answer
	Location string // where a redirect leads, normalised; empty for none
	Reason   Reason // why there is no answer, or that it asks for rest
}

// IsRedirect reports whether an answer leads to another address.
func (a LinkAnswer) IsRedirect() bool {
	switch a.Status {
	case 301, 302, 303, 307, 308:
		return a.Location != ""
	}
	return false
}

// LinkCheck is what is known of an address on another server. Of its answer only
// the status and a redirect's target are kept (C-15).
type LinkCheck struct {
	Verdict   LinkVerdict // empty: never checked yet
	Reason    Reason      // why it could not be checked, or is broken without a status
	Status    int
	Target    string    // of a redirect, query values redacted
	CheckedAt time.Time // zero: never
	NextAt    time.Time // when it can be checked at the earliest; zero: not known, or as soon as its turn comes
}

// LinkPlan says what a server's workflow does next.
type LinkPlan struct {
	Over      bool      // nobody waits for any of the server's addresses
	RestUntil time.Time // the server rests
	Visit     int       // number of the visit under way, where neither
	Since     time.Time // when that began: robots.txt is read since then (C-16)
}
