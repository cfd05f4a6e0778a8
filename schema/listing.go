package schema

// Range asks for one stretch of a list by key, so that a page of it costs the
// same wherever it begins: what comes after the item After names ("" from the
// start), at most Limit items. Scans and sites are listed newest first by id,
// everything within a scan in the order of its numeric id, written in decimal.
type Range struct {
	After string
	Limit int
}

// ScanFilter narrows a workspace's scans; zero fields do not narrow.
type ScanFilter struct {
	SiteID string
	State  ScanState
}

// PageFilter narrows a scan's pages; zero fields do not narrow.
type PageFilter struct {
	Outcome Outcome
}

// FindingFilter narrows a scan's findings; zero fields do not narrow.
type FindingFilter struct {
	Rule        string
	Category    Category
	MinSeverity Severity // this and worse
	Outcome     FindingOutcome
	PageID      int64
}

// LinkFilter narrows a scan's links; zero fields do not narrow.
type LinkFilter struct {
	Verdict LinkVerdict
}

// ListedFinding is a finding with the page it was found on.
type ListedFinding struct {
	ID      int64
	PageID  int64
	PageURL string
	Finding Finding
}

// ListedLink is a link with its key in the scan's list.
type ListedLink struct {
	ID   int64
	Link Link
}

// IdempotencyKey makes a repeated order the same order: the customer's key and
// a hash of what was ordered under it. An empty Key is no key.
type IdempotencyKey struct {
	Key  string // at most 255 characters
	Hash []byte // SHA-256 of the order
}
