package report

import (
	"cmp"

	"visite/schema"
)

// rule is a finding's name and remedy in the language, and the language they
// really are in: English where nobody translated them. Records from before there
// were names have a remedy only.
func (w words) rule(f schema.Finding) (title, help string, in Lang) {
	return cmp.Or(f.Title, f.Help), f.Help, English
}
