package schema

import "strings"

// SelectorShape is a selector without what differs between equal places of one
// template: positions among siblings (":nth-child(3)", ":last-of-type"), and ids
// and classes from a first digit on, which are numbers, hashes, states.
//
// Read by hand: reports shape hundreds of thousands of selectors.
func SelectorShape(selector string) string {
	if !strings.ContainsAny(selector, ":#.") {
		return selector
	}
	return withoutCounts(withoutPositions(selector))
}

var positions = func() (out []string) {
	for _, what := range []string{"child", "of-type"} {
		out = append(out, "nth-"+what+"(", "nth-last-"+what+"(", "first-"+what, "last-"+what, "only-"+what)
	}
	return out
}()

func withoutPositions(s string) string {
	var b strings.Builder
	for {
		colon := strings.IndexByte(s, ':')
		if colon < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:colon])
		s = s[colon:]
		length := positionLength(s)
		if length == 0 {
			b.WriteByte(':')
			length = 1
		}
		s = s[length:]
	}
}

// positionLength is how long the pseudo-class is that s begins with, where it tells
// a place among siblings; else 0.
func positionLength(s string) int {
	for _, p := range positions {
		if !strings.HasPrefix(s[1:], p) {
			continue
		}
		end := 1 + len(p)
		if !strings.HasSuffix(p, "(") {
			return end
		}
		if closing := strings.IndexByte(s[end:], ')'); closing >= 0 {
			return end + closing + 1
		}
	}
	return 0
}

func withoutCounts(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '#' && s[i] != '.' {
			b.WriteByte(s[i])
			i++
			continue
		}
		digit := i + 1
		for digit < len(s) && isNameByte(s[digit]) && !isDigit(s[digit]) {
			digit++
		}
		b.WriteString(s[i:digit])
		i = digit
		if i == len(s) || !isDigit(s[i]) {
			continue
		}
		b.WriteByte('*')
		for i < len(s) && isNameByte(s[i]) {
			i++
		}
	}
	return b.String()
}

func isNameByte(c byte) bool {
	return c == '-' || c == '_' || isDigit(c) || isLetter(c)
}
