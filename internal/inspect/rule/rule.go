// Package rule says what a rule is. Each topic has a folder of its own with a
// list of them; package inspect puts the lists together.
package rule

import (
	"strconv"

	"visite/internal/inspect/dom"
	"visite/internal/inspect/page"
	"visite/schema"
)

// Source is who says that something is a fault.
type Source string

const (
	// SearchEngine rests on a search engine's own documentation.
	SearchEngine Source = "search engine"
	// Standard rests on a standard: RFC, HTML, WCAG.
	Standard Source = "standard"
	// Convention is good practice without an authority.
	Convention Source = "convention"
)

// Info describes a rule to people.
type Info struct {
	ID        string // stable, kebab case; static accessibility rules share axe-core's ids
	Category  schema.Category
	Severity  schema.Severity       // unless a hit says otherwise
	Outcome   schema.FindingOutcome // unless a hit says otherwise
	Title     string                // what is wrong, short
	Help      string                // what to do, one or two sentences
	Source    Source
	Reference string   // where the source says so
	WCAG      []string // success criteria, "1.1.1"
	ACT       []string // ACT rule ids
	// In holds title and help in other languages, by BCP 47 tag; empty: English alone.
	In map[string]Words
}

// Words are what a rule says to people, in one language.
type Words struct{ Title, Help string }

// Rule is one check of one page.
type Rule struct {
	Info
	// LeftToAxe: the accessibility engine judges this better where it ran.
	LeftToAxe bool
	// Run finds the faults. It reads only.
	Run func(*page.Content) []Hit
}

// Hit is one fault found.
type Hit struct {
	Node     dom.ID                // dom.None where no element is at fault
	Selector string                // of the element, where the browser named it
	Detail   string                // figures, addresses without query values; never page text
	Severity schema.Severity       // empty: the rule's
	Outcome  schema.FindingOutcome // empty: the rule's
}

// Page is a hit on the page as a whole.
func Page(detail string) []Hit { return []Hit{{Node: dom.None, Detail: detail}} }

// Finding is a hit as recorded.
func (i Info) Finding(h Hit, selector string) schema.Finding {
	f := schema.Finding{
		Rule: i.ID, Engine: Engine, Category: i.Category, Severity: i.Severity, Outcome: i.Outcome,
		WCAG: i.WCAG, ACTRules: i.ACT, Selector: selector, Title: i.Title, Help: i.Help, Detail: h.Detail,
	}
	if h.Severity != "" {
		f.Severity = h.Severity
	}
	if h.Outcome != "" {
		f.Outcome = h.Outcome
	}
	return f
}

// Count is a number with its noun, for details: "1 error", "2 errors".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// Engine is the name our own findings carry.
const Engine = "visite"
