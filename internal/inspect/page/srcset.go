package page

import (
	"iter"
	"strings"
)

const htmlSpace = " \t\n\f\r"

// candidates yields the addresses of a srcset attribute (HTML Standard, "parse a
// srcset attribute"): commas may stand inside addresses and in parentheses of a
// descriptor; empty candidates are passed over.
func candidates(set string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for {
			set = strings.TrimLeft(set, htmlSpace+",")
			if set == "" {
				return
			}
			end := strings.IndexAny(set, htmlSpace)
			if end < 0 {
				end = len(set)
			}
			address := set[:end]
			set = set[end:]
			if bare := strings.TrimRight(address, ","); bare != address {
				address = bare
			} else {
				set = afterDescriptors(set)
			}
			if address != "" && !yield(address) {
				return
			}
		}
	}
}

// afterDescriptors skips to behind the comma that ends a candidate.
func afterDescriptors(s string) string {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '(':
			depth++
		case ')':
			depth = max(0, depth-1)
		case ',':
			if depth == 0 {
				return s[i+1:]
			}
		}
	}
	return ""
}
