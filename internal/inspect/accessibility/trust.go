package accessibility

import "visite/schema"

// trust is how far one rule of one engine is believed.
type trust int

const (
	// failed: what the rule fails is a fault.
	failed trust = iota + 1
	// review: what the rule fails is a question for a person.
	review
	// off: nothing the rule says is passed on.
	off
)

// ruling is what is made of one rule of an engine, and why. The reasons are
// where its logic agrees with the ACT rule's text or departs from it, and what
// it did on the W3C's test cases (make act).
type ruling struct {
	trust trust
	why   string
	// Words and weight, for an engine that brings none.
	severity    schema.Severity
	title, help string
}

// outcome is a violation's outcome under the ruling, false for none.
func (r ruling) outcome() (schema.FindingOutcome, bool) {
	switch r.trust {
	case failed:
		return schema.FindingFailed, true
	case review:
		return schema.FindingNeedsReview, true
	}
	return "", false
}

// axeRulings are axe-core's rules that are not simply believed. All others are:
// their violations are faults, what they could not decide is a question.
var axeRulings = map[string]ruling{
	"label-content-name-mismatch": {trust: off, why: "fails abbreviations and icons written as words, which are no labels; our own check of the rule is right where both engines are not"},
	"no-autoplay-audio":           {trust: review, why: "knows how long a film plays, not whether anything is to be heard; our own check listens"},
	"frame-title-unique":          {trust: off, why: "goes by titles alone; our own check (frame-same-name) looks at what the frames show"},
	"color-contrast-enhanced":     {trust: failed, why: "from the figures of color-contrast; level AAA, which no law asks for", severity: schema.SeverityInfo},
}

// alsoACT names ACT rules that axe-core's rules implement and do not name.
var alsoACT = map[string]string{"summary-name": "2t702h", "list": "bc4a75"}

// axeRuling is the ruling on one of axe-core's rules.
func axeRuling(id string) ruling {
	if r, ok := axeRulings[id]; ok {
		return r
	}
	return ruling{trust: failed}
}

// qualwebRuling is the ruling on one of QualWeb's rules; one that nobody looked
// at is off.
func qualwebRuling(id string) ruling {
	if r, ok := qualwebRulings[id]; ok {
		return r
	}
	return ruling{trust: off, why: "not looked at"}
}
