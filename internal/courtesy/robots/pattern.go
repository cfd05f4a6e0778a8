package robots

import "strings"

// pattern is a rule with a wildcard or an anchor, cut at its stars. A run of
// stars is one star (RFC 9309 section 2.2.3).
type pattern struct {
	rule     int      // index into the rules
	head     string   // must begin the path
	middle   []string // must follow in this order, none of them empty
	tail     string   // must end the path; only where anchored
	anchored bool
	star     bool // false: nothing may stand between head and end
	least    int  // octets the path must have
}

func newPattern(rule int, text string, anchored bool) pattern {
	pieces := strings.Split(text, "*")
	p := pattern{rule: rule, head: pieces[0], anchored: anchored, star: len(pieces) > 1}
	pieces = pieces[1:]
	if anchored && len(pieces) > 0 {
		p.tail = pieces[len(pieces)-1]
		pieces = pieces[:len(pieces)-1]
	}
	p.least = len(p.head) + len(p.tail)
	for _, piece := range pieces {
		if piece != "" {
			p.middle = append(p.middle, piece)
			p.least += len(piece)
		}
	}
	return p
}

// match tries the leftmost place for each piece in turn, which is enough where
// the star is the only wildcard: no backtracking, so one pass over the path.
func (p *pattern) match(path string) bool {
	if !p.star {
		return path == p.head
	}
	rest := path[len(p.head) : len(path)-len(p.tail)]
	for _, piece := range p.middle {
		at := strings.Index(rest, piece)
		if at < 0 {
			return false
		}
		rest = rest[at+len(piece):]
	}
	return true
}

// fits makes the checks that cost next to nothing. match relies on them.
func (p *pattern) fits(path string) bool {
	return len(path) >= p.least && strings.HasPrefix(path, p.head) && strings.HasSuffix(path, p.tail)
}

// pairs is the set of neighbouring octets in a path. A pattern with a pair the
// path lacks cannot match; in a file of thousands this spares nearly all
// searches.
type pairs [1 << 16 / 64]uint64

func newPairs(path string) *pairs {
	var set pairs
	for i := 1; i < len(path); i++ {
		at := uint16(path[i-1])<<8 | uint16(path[i])
		set[at>>6] |= 1 << (at & 63)
	}
	return &set
}

func (s *pairs) allow(p *pattern) bool {
	for _, piece := range p.middle {
		for i := 1; i < len(piece); i++ {
			at := uint16(piece[i-1])<<8 | uint16(piece[i])
			if s[at>>6]&(1<<(at&63)) == 0 {
				return false
			}
		}
	}
	return true
}
