package page

import (
	"math/bits"

	"golang.org/x/net/html/atom"

	"visite/internal/inspect/dom"
)

// Bounds of what counts as a page's structure.
const (
	structureDeepest = 12   // elements around one another, phrasing left out
	structureMost    = 4096 // distinct ways from the body to an element
)

// Structure is a fingerprint of a page's element skeleton: the distinct ways of
// element names from the body down, however often each occurs. Words, attributes
// and phrasing elements are not in it. Similar pages have fingerprints that differ
// in few of the 64 bits (a similarity hash); 0 where there is nothing to go by.
func Structure(t *dom.Tree) uint64 {
	if t.Body == dom.None {
		return 0
	}
	ways := make([]way, len(t.Nodes))
	ways[t.Body] = way{hash: hashStart, depth: 1}
	seen := map[uint64]struct{}{}
	var votes [64]int
	for i := int(t.Body) + 1; i < len(t.Nodes) && len(seen) < structureMost; i++ {
		n := t.Node(dom.ID(i))
		if n.Kind != dom.Element || n.Parent == dom.None {
			continue
		}
		from := ways[n.Parent]
		if from.depth == 0 || from.depth > structureDeepest || n.Space != dom.HTML || n.Flags&dom.Inert != 0 {
			continue
		}
		if phrasing[n.Atom] {
			ways[i] = from
			continue
		}
		to := from.to(n.Data)
		ways[i] = to
		if _, again := seen[to.hash]; !again {
			seen[to.hash] = struct{}{}
			vote(&votes, to.hash)
		}
	}
	if len(seen) == 0 {
		return 0
	}
	var out uint64
	for bit, v := range votes {
		if v > 0 {
			out |= 1 << bit
		}
	}
	return max(out, 1)
}

// way is the names from the body to an element, hashed.
type way struct {
	hash  uint64
	depth int // 0: not below the body
}

func (w way) to(name string) way {
	h := (w.hash ^ '>') * hashPrime
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * hashPrime
	}
	return way{h, w.depth + 1}
}

// vote adds a way's bits, spread evenly first.
func vote(votes *[64]int, h uint64) {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h = bits.RotateLeft64(h, 31) ^ h>>29
	h *= 0xc4ceb9fe1a85ec53
	h ^= h >> 33
	for bit := range votes {
		if h>>bit&1 == 1 {
			votes[bit]++
		} else {
			votes[bit]--
		}
	}
}

// phrasing elements come and go with what is written, not with the template.
var phrasing = map[atom.Atom]bool{
	atom.A: true, atom.Abbr: true, atom.B: true, atom.Bdi: true, atom.Bdo: true, atom.Br: true, atom.Cite: true, atom.Code: true,
	atom.Data: true, atom.Del: true, atom.Dfn: true, atom.Em: true, atom.Font: true, atom.I: true, atom.Ins: true, atom.Kbd: true, atom.Mark: true, atom.Q: true,
	atom.S: true, atom.Samp: true, atom.Script: true, atom.Small: true, atom.Span: true, atom.Strong: true, atom.Style: true, atom.Sub: true, atom.Sup: true,
	atom.Time: true, atom.U: true, atom.Var: true, atom.Wbr: true,
}
