package schema

// Unlooked counts a scan's analysed pages on which some of what is looked for
// elsewhere was not: that nothing was found there says less.
type Unlooked struct {
	Unvalidated int // pages with NoteValidityUnchecked
	ByNames     int // pages with TrackersByNames
}
