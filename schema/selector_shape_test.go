package schema

import (
	"regexp"
	"strings"
	"testing"
)

var (
	shapedPositions = regexp.MustCompile(`:(nth-(last-)?(child|of-type)\([^)]*\)|(first|last|only)-(child|of-type))`)
	shapedCounts    = regexp.MustCompile(`([#.][A-Za-z_-]*)[0-9][\w-]*`)
)

// patternShape says what a shape is, in two patterns. Names of items are made of
// shapes, so that no release may shape otherwise.
func patternShape(selector string) string {
	return shapedCounts.ReplaceAllString(shapedPositions.ReplaceAllString(selector, ""), "${1}*")
}

var shapedSelectors = []string{
	"", "h1", "main > ul > li:nth-child(3) > a", "tr:nth-of-type(2n+1):last-child td", "#post-123 .card.sc-a1b2c > img", "div.col-6 h2", "input[type=\"text\"]",
	":nth-child(", ":nth-last-child(2", ":first-childish", "a:hover", "::before", ":", "#", ".", "#9", ".-_9-a_b.c3#d", "a#é1", "x..1", "p:only-of-type:first-of-type.a", "\xff:last-child.\xff1",
	":nth-child(:nth-child(1))", ":nth-:nth-child(1)child(2)", strings.Repeat("div > ", 200) + "b:nth-child(7)",
}

func TestSelectorShapeIsWhatThePatternsSay(t *testing.T) {
	for _, s := range shapedSelectors {
		if got, want := SelectorShape(s), patternShape(s); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}

func FuzzSelectorShape(f *testing.F) {
	for _, s := range shapedSelectors {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := SelectorShape(s), patternShape(s); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	})
}
