package sitemap

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"regexp"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
)

// headBytes is how much is looked at to tell what a body is, and the longest
// line of a text sitemap.
const headBytes = 8 << 10

// stream is the body, decompressed as it is read and bounded.
type stream struct {
	limited io.LimitedReader
	err     error // of decompression
}

// open undoes gzip by the first octets, whatever the name or the media type
// say; twice, for files packed in advance and packed again by the server.
func open(body []byte, most int64) *stream {
	s := &stream{}
	var in io.Reader = bytes.NewReader(body)
	for range 2 {
		head := bufio.NewReader(in)
		in = head
		if magic, _ := head.Peek(2); string(magic) != "\x1f\x8b" {
			break
		}
		z, err := gzip.NewReader(head)
		if err != nil {
			s.err = err
			in = bytes.NewReader(nil)
			break
		}
		in = z
	}
	s.limited = io.LimitedReader{R: in, N: most + 1}
	return s
}

// Read notes why decompression ended, if it did so badly.
func (s *stream) Read(b []byte) (int, error) {
	n, err := s.limited.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// over reports whether there was more than was to be read.
func (s *stream) over() bool { return s.limited.N <= 0 }

var declared = regexp.MustCompile(`(?i)<\?xml[^>]{0,200}?encoding\s*=\s*["']\s*([a-z0-9._:-]{1,40})`)

// text gives the characters: by the byte order mark, by the declaration, else
// UTF-8. What XML forbids is dropped, what is no character becomes U+FFFD, so
// that one bad octet does not end the reading.
func (s *stream) text(p *parser) io.Reader {
	in := bufio.NewReaderSize(s, headBytes)
	head, _ := in.Peek(headBytes)
	var enc encoding.Encoding = unicode.UTF8
	switch match := declared.FindSubmatch(head); {
	case bytes.HasPrefix(head, []byte("<\x00")):
		enc = unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case bytes.HasPrefix(head, []byte("\x00<")):
		enc = unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	case match != nil:
		if known, err := htmlindex.Get(string(match[1])); err != nil {
			p.note(ProblemCharset)
		} else if name, _ := htmlindex.Name(known); name != "utf-16le" && name != "utf-16be" {
			enc = known // a declaration that can be read as ASCII is not UTF-16
		}
	}
	decoder := unicode.BOMOverride(enc.NewDecoder())
	return transform.NewReader(in, transform.Chain(decoder, runes.Remove(runes.Predicate(isForbidden))))
}

// isForbidden reports characters XML 1.0 does not allow.
func isForbidden(r rune) bool {
	return r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF
}
