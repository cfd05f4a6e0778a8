package schema

// Layout is how a rendered page that has come to rest is laid out on the scan's
// device: figures and selectors. It lives in memory.
type Layout struct {
	Pictures    int    `json:"pictures"`     // img elements, as far as they were looked at
	Oversized   int    `json:"oversized"`    // of these, far larger than they are shown
	OversizedAt string `json:"oversized_at"` // selector of the one with the largest factor
	Natural     [2]int `json:"natural"`      // its own width and height, in pixels
	Shown       [2]int `json:"shown"`        // those it is shown with, in CSS pixels

	LargestLazy bool   `json:"largest_lazy"` // the largest content is a picture that loads lazily
	LargestAt   string `json:"largest_at"`   // its selector

	Text  int `json:"text"`  // characters to be seen, without blanks
	Small int `json:"small"` // of these, smaller than 12 CSS pixels

	Screen int `json:"screen"` // width of the screen, in CSS pixels
	Beyond int `json:"beyond"` // by how many the page can be scrolled sideways
}
