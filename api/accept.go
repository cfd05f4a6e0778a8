package api

import (
	"strconv"
	"strings"
)

// chooseType is the media type of offered that an Accept header likes best (RFC
// 9110 section 12.5.1): the most specific range decides a type's weight, the
// first offered wins ties. It is empty where none is acceptable.
func chooseType(accept string, offered ...string) string {
	best, bestWeight := "", 0.0
	for _, mediaType := range offered {
		if w := weightOf(accept, mediaType); w > bestWeight {
			best, bestWeight = mediaType, w
		}
	}
	return best
}

func weightOf(accept, mediaType string) float64 {
	main, _, _ := strings.Cut(mediaType, "/")
	weight, closest := 0.0, 0
	for part := range strings.SplitSeq(accept, ",") {
		name, parameters, _ := strings.Cut(part, ";")
		closeness := 0
		switch strings.ToLower(strings.TrimSpace(name)) {
		case mediaType:
			closeness = 3
		case main + "/*":
			closeness = 2
		case "*/*":
			closeness = 1
		}
		if closeness > closest {
			weight, closest = quality(parameters), closeness
		}
	}
	return weight
}

// quality is the q parameter; 1 where there is none, 0 where it is no number.
func quality(parameters string) float64 {
	for p := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(p), "=")
		if strings.EqualFold(name, "q") {
			q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil || q < 0 || q > 1 {
				return 0
			}
			return q
		}
	}
	return 1
}
