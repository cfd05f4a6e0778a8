package schema

// ValidityResults is what a validator found in a page's served source, from the
// browser to the judge. It carries no text of the page: rules, lines, columns, and
// names of elements and attributes that HTML has.
type ValidityResults struct {
	// Whole tells that all of the source could be read.
	Whole bool           `json:"whole"`
	Rules []ValidityRule `json:"rules"` // that found something, sorted by name
}

// ValidityRule is one rule of the validator that found something.
type ValidityRule struct {
	Rule   string          `json:"rule"` // html-validate's name of it
	Count  int             `json:"count"`
	Places []ValidityPlace `json:"places"` // the first ones
}

// ValidityPlace is a place in the source. Names are empty where HTML has none such.
type ValidityPlace struct {
	Line      int    `json:"line"` // from 1
	Column    int    `json:"column"`
	Element   string `json:"element"`
	Inside    string `json:"inside"` // the element that does not take it in
	Attribute string `json:"attribute"`
}
