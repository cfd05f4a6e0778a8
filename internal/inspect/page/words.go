package page

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// words counts and hashes running text piece by piece; nothing of it is kept.
// A word is a run of letters and digits, as people see it: an apostrophe or hyphen
// inside does not divide it. In scripts written without spaces (Han, Hiragana,
// Katakana) each character counts, as word processors do.
type words struct {
	count  int
	hash   uint64
	inWord bool // a word may go on in the next piece
	space  bool // white space came since the last visible character
	any    bool
}

// FNV-1a, 64 bit.
const (
	hashStart = 14695981039346656037
	hashPrime = 1099511628211
)

func newWords() *words { return &words{hash: hashStart} }

// boundary ends a word between blocks.
func (w *words) boundary() { w.inWord, w.space = false, true }

func (w *words) text(s string) {
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			i++
			if c <= ' ' {
				w.inWord, w.space = false, true
				continue
			}
			w.visible(s[i-1 : i])
			alnum := c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
			if alnum && !w.inWord {
				w.count++
			}
			w.inWord = alnum || (w.inWord && (c == '\'' || c == '-' || c == '.' || c == ',' || c == '_' || c == '@'))
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		w.rune(r, s[i-size:i])
	}
}

func (w *words) rune(r rune, s string) {
	switch {
	case unicode.IsSpace(r) || r == 0x200b:
		w.inWord, w.space = false, true
		return
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
		w.count++
		w.inWord = false
	case unicode.IsLetter(r) || unicode.IsDigit(r):
		if !w.inWord {
			w.count++
		}
		w.inWord = true
	case unicode.IsMark(r) || r == 0x00ad || r == 0x2019 || r == 0x200c || r == 0x200d:
		// part of the word it stands in
	default:
		w.inWord = false
	}
	w.visible(s)
}

// visible takes characters into the hash, white space before them as one blank.
func (w *words) visible(s string) {
	if w.space && w.any {
		w.mix(' ')
	}
	w.space, w.any = false, true
	for i := 0; i < len(s); i++ {
		w.mix(s[i])
	}
}

func (w *words) mix(c byte) { w.hash = (w.hash ^ uint64(c)) * hashPrime }

// done gives the count and, where there was text, a hash of text and title.
func (w *words) done(title string) (int, uint64) {
	if w.count == 0 {
		return 0, 0
	}
	w.mix(0)
	for i := 0; i < len(title); i++ {
		w.mix(title[i])
	}
	return w.count, w.hash
}

// Collapse joins white space to single blanks, and drops it at both ends.
func Collapse(s string) string { return strings.Join(strings.Fields(s), " ") }

// Clean makes a value fit to be recorded: valid UTF-8 without control
// characters, white space collapsed, at most max characters.
func Clean(s string, max int) string {
	if len(s) > 8*max+1024 {
		s = s[:8*max+1024]
	}
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	s = Collapse(s)
	for i := range s {
		if max == 0 {
			return strings.TrimSpace(s[:i])
		}
		max--
	}
	return s
}
