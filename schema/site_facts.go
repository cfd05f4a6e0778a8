package schema

import "time"

// SiteFacts is what the verdicts over a whole site are made from: figures and
// ids, and what pages say of themselves.
type SiteFacts struct {
	Pages []PageFacts
	Links []LinkFacts
	// Unordered is why links to other servers were not to be checked; empty where
	// they were (S-44, R-18).
	Unordered Reason
	Security  SecurityFacts
	Reading   SiteReading
	SameNames []SameName // links of one name with different addresses, as pages were found to have them
}

// Rules whose hits name two addresses; what pages stand behind them, the
// judgement over the site knows.
const (
	RuleLinkSameName      = "link-same-name"       // within one context
	RuleLinkSameNameAlone = "link-same-name-alone" // anywhere on the page
)

// BetweenAddresses stands between the two addresses of such a hit's detail.
const BetweenAddresses = " and "

// SameName is one such hit.
type SameName struct {
	PageID        int64
	Rule          string
	Selector      string
	First, Second string // addresses, redacted
}

// PageFacts is one recorded page, compact.
type PageFacts struct {
	ID          int64
	URL         string
	FinalURL    string
	Status      int
	Outcome     Outcome
	Reason      Reason
	Title       string
	Description string
	Canonical   string
	ContentHash uint64
	RobotsTags  []string
	Redirects   int
	FirstHop    int // status of the first redirect, 0 where there was none
	Via         Via
	Hreflang    map[string]string // language versions it names, by code
}

// LinkFacts is one distinct address that pages point to.
type LinkFacts struct {
	ID      int64
	URL     string
	InScope bool
	Page    int64   // id of its page where it was loaded, 0 otherwise
	FoundOn []int64 // page ids, at most MaxFoundOn
	Pages   int

	Navigable bool       // some page points there for people to follow
	Check     *LinkCheck // of an address on another server; nil where it was never a candidate
}

// SiteVerdicts is the judgement over a site.
type SiteVerdicts struct {
	Links    []LinkVerdictOf
	Findings []SiteFinding
	Security SiteSecurity
}

// LinkVerdictOf gives a link's address its verdict.
type LinkVerdictOf struct {
	ID      int64
	Verdict LinkVerdict
	Status  int

	Reason    Reason // as in Link
	Target    string
	CheckedAt time.Time
	NextAt    time.Time
}

// SiteFinding is a finding that shows on a page but could only be seen over the site.
type SiteFinding struct {
	PageID  int64
	Finding Finding
}
