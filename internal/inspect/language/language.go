// Package language tells whether a text is in the language its markup says, by
// the little words each language is full of and by its script. It names no
// language where that is not plain, and keeps nothing of what it reads.
package language

import (
	"strings"
	"unicode"
)

// Verdict is what can be said of a text and a language.
type Verdict int

const (
	// Unsure: too short, too mixed, or a language this package knows nothing of.
	Unsure Verdict = iota
	// Same: the text is in the language, or in one hardly to be told from it.
	Same
	// Other: the text is plainly in another language.
	Other
)

// Bounds of a verdict by words.
const (
	maxWords   = 20_000 // read of one text
	leastWords = 5      // of a text that is judged
	leastHits  = 3      // little words of one language that the other one does not have
	leastShare = 0.2    // of all words that these are
	outweigh   = 6      // how many times more of them there are than of the declared language's own
	letters    = 12     // of a text that is judged by script
	scriptPart = 0.9    // of its letters that are of one script
)

// Reader counts the words of one text; its pieces are added one by one.
type Reader struct {
	words   int
	hits    [maxLanguages]int // by place in known
	alone   map[string]int    // little words seen, with how often
	scripts [otherScript + 1]int
	letters int
}

// Add reads a piece of text.
func (r *Reader) Add(text string) {
	if r.alone == nil {
		r.alone = map[string]int{}
	}
	for word := range strings.FieldsFuncSeq(text, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.Is(unicode.M, c) }) {
		if r.words >= maxWords {
			return
		}
		r.words++
		word = strings.ToLower(word)
		for _, c := range word {
			r.letters++
			r.scripts[scriptOf(c)]++
		}
		if languages, ok := little[word]; ok {
			r.alone[word]++
			for _, l := range languages {
				r.hits[l]++
			}
		}
	}
}

// Judge compares the text with a language tag (BCP 47). Where the verdict is
// Other, found is the code of the language it seems to be in, empty where only
// the script tells.
func (r *Reader) Judge(tag string) (v Verdict, found string) {
	declared, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(tag)), "-")
	if declared == "" || strings.Contains(strings.ToLower(tag), "-latn") {
		return Unsure, "" // a transcription
	}
	if v, ok := r.byScript(declared); ok {
		return v, ""
	}
	best := 0
	for l := range known {
		if r.hits[l] > r.hits[best] {
			best = l
		}
	}
	if known[best].like(declared) {
		return r.sameWhenPlain(best), ""
	}
	theirs, ours, listed := r.exclusive(best, declared)
	switch {
	case r.words < leastWords || theirs < leastHits || float64(theirs) < leastShare*float64(r.words) || theirs < outweigh*ours:
		return Unsure, ""
	case !listed: // its own little words are not known, and many are those of others too
		return Unsure, ""
	}
	return Other, known[best].code
}

func (r *Reader) sameWhenPlain(best int) Verdict {
	if r.hits[best] < leastHits {
		return Unsure
	}
	return Same
}

// byScript decides where a text is written in letters the declared language is
// not written in, or in letters only languages like it are.
func (r *Reader) byScript(declared string) (Verdict, bool) {
	own, known := scripts[declared]
	if !known {
		own = latin
	}
	if r.letters < letters {
		return Unsure, r.letters == 0
	}
	share := func(s script) float64 { return float64(r.scripts[s]) / float64(r.letters) }
	if own != latin {
		if own == mixedScript || share(own) > 1-scriptPart {
			return Unsure, true // the script fits; words are not looked at
		}
		return Unsure, false // Latin text is judged by its words
	}
	if _, listed := listed(declared); !listed {
		return Unsure, false
	}
	for s := latin + 1; s < otherScript; s++ {
		if share(s) >= scriptPart {
			return Other, true
		}
	}
	return Unsure, false
}

// exclusive counts the little words of one language that the declared one does
// not have, and the other way round. listed tells whether the declared one is known.
func (r *Reader) exclusive(best int, declared string) (theirs, ours int, isListed bool) {
	at, isListed := listed(declared)
	_, script := scripts[declared]
	for word, n := range r.alone {
		inBest, inDeclared := false, false
		for _, l := range little[word] {
			inBest = inBest || int(l) == best
			inDeclared = inDeclared || (isListed && int(l) == at)
		}
		switch {
		case inBest && !inDeclared:
			theirs += n
		case inDeclared && !inBest:
			ours += n
		}
	}
	return theirs, ours, isListed || script
}
