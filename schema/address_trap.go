package schema

import "strings"

// Bounds beyond which an address is taken for a spider trap: pages that make
// ever more addresses of themselves.
const (
	maxPathSegments   = 20
	maxSegmentRepeats = 4
	maxQueryParams    = 15
	maxParamRepeats   = 3
)

// IsTrap reports whether a normalised address looks like one of endlessly many:
// longer than MaxAddressLength, more than 20 path segments, a segment or a pair
// of segments three times in a row, a segment more than 4 times in all, more
// than 15 parameters, one parameter more than 3 times, or a parameter whose
// name grew by escaping its "&" again and again.
func IsTrap(address string) bool {
	if len(address) > MaxAddressLength {
		return true
	}
	_, rest, _ := strings.Cut(address, "://")
	rest, _, _ = strings.Cut(rest, "#")
	rest, query, _ := strings.Cut(rest, "?")
	_, path, _ := strings.Cut(rest, "/")
	return pathIsTrap(path) || queryIsTrap(query)
}

func pathIsTrap(path string) bool {
	if strings.Count(path, "/") < 2 {
		return false
	}
	segments := strings.Split(path, "/")
	if len(segments) > maxPathSegments {
		return true
	}
	for i, segment := range segments {
		if repeats(segments, i, 1) || repeats(segments, i, 2) {
			return true
		}
		if segment == "" {
			continue
		}
		count := 0
		for _, other := range segments {
			if other == segment {
				count++
			}
		}
		if count > maxSegmentRepeats {
			return true
		}
	}
	return false
}

// repeats reports whether the n segments from i on stand there three times.
func repeats(segments []string, i, n int) bool {
	if i+3*n > len(segments) || segments[i] == "" {
		return false
	}
	for k := i; k < i+2*n; k++ {
		if segments[k] != segments[k+n] {
			return false
		}
	}
	return true
}

func queryIsTrap(query string) bool {
	if query == "" {
		return false
	}
	if strings.Count(query, "&") >= maxQueryParams {
		return true
	}
	counts := map[string]int{}
	for part := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(part, "=")
		counts[name]++
		if counts[name] > maxParamRepeats || strings.HasPrefix(name, "amp;amp;") {
			return true
		}
	}
	return false
}
