package schema

import "slices"

// Looks tells how pages of one path shape were looked at, where pages differ in it.
// A set of bits, recorded: only ever added to.
type Looks uint8

const (
	LooksUnvalidated Looks = 1 << iota // the source of a page was not validated, or not to its end
	LooksByNames                       // trackers of a page were told by names alone
	LooksByLists                       // trackers of a page were told by lists, too
)

// LooksOf tells it of one page, by its notes and by how trackers were told on it.
func LooksOf(notes []string, by TrackersBy) Looks {
	var l Looks
	if slices.Contains(notes, NoteValidityUnchecked) {
		l |= LooksUnvalidated
	}
	switch by {
	case TrackersByNames:
		l |= LooksByNames
	case TrackersByLists:
		l |= LooksByLists
	}
	return l
}

// Rules that find only where something was done that is not done on every page.
var (
	// ValidityRules need the validator's verdict on the page's source.
	ValidityRules = []string{"html-nesting", "html-tags", "html-attribute-value", "html-attribute-missing", "html-attribute-misplaced",
		"html-attribute-obsolete", "html-characters", "html-element-unknown", "html-doctype-old"}
	// ContactRules judge a host by whether it is taken for a tracker.
	ContactRules = []string{"tracker-before-consent", "tracker-after-refusal", "third-party-contacted"}
)

// Misses reports whether it may be concluded, from an item of another fold that is
// not in this one, that the fault was not there when this one's pages were visited:
// pages of the template were analysed, and looked at in the way that found it.
func (s *ItemFold) Misses(rule, template string, found *ItemFold) bool {
	looks, analysed := s.Templates[template]
	if !analysed || s.Left > 0 {
		return false
	}
	switch {
	case slices.Contains(ValidityRules, rule):
		return looks&LooksUnvalidated == 0
	case slices.Contains(ContactRules, rule):
		then := found.Templates[template]
		return (looks&LooksByNames == 0 || then&LooksByLists == 0) && (looks&LooksByLists == 0 || then&LooksByNames == 0)
	}
	return true
}
