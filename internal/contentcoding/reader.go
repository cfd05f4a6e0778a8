// Package contentcoding undoes the content codings of HTTP bodies (RFC 9110
// section 8.4) in a stream, within bounds. It holds no state and touches
// nothing but the reader it is given.
package contentcoding

import (
	"bufio"
	"errors"
	"io"
	"slices"
	"strings"
)

// ErrCoding says that a coding is unknown, broken or beyond its bounds. Errors
// that wrap it carry nothing of the body.
var ErrCoding = errors.New("content coding cannot be undone")

// most bounds codings on top of one another; real sites stack two at most.
const most = 3

// Options say how far a body is undone. The zero value does as browsers do.
type Options struct {
	// Only names the codings that are undone; nil: gzip, x-gzip, deflate, br, zstd.
	Only []string
	// Strict makes any other coding ErrCoding. Otherwise it stands for nothing.
	Strict bool
	// Sniff undoes gzip that is there without being named.
	Sniff bool
	// Inner bounds, in bytes, what comes between two codings, so that what is
	// decoded once more is no bomb on the way. 0: no bound.
	Inner int64
}

// NewReader undoes the codings that values, the lines of Content-Encoding,
// name; the one applied last comes first. Nothing is read before the first
// Read, and an empty body is empty whatever is named. Errors of body come back
// as they are; all others wrap ErrCoding. Close frees the decoders and leaves
// body open.
func NewReader(body io.Reader, values []string, o Options) (io.ReadCloser, error) {
	names, err := o.named(values)
	if err != nil {
		return nil, err
	}
	source := &wire{r: body}
	s := &stack{wire: source, Reader: source}
	for i := len(names) - 1; i >= 0; i-- {
		s.add(&layer{name: names[i], in: bufio.NewReaderSize(s.Reader, 16<<10)})
		if i > 0 && o.Inner > 0 {
			s.Reader = &bounded{r: s.Reader, left: o.Inner}
		}
	}
	if o.Sniff {
		s.add(&layer{name: sniffed, in: bufio.NewReaderSize(s.Reader, 16<<10)})
	}
	return s, nil
}

// named lists the codings to undo, in the order they were applied.
func (o Options) named(values []string) ([]string, error) {
	known := o.Only
	if known == nil {
		known = []string{"gzip", "x-gzip", "deflate", "br", "zstd"}
	}
	var names []string
	for _, value := range values {
		for name := range strings.SplitSeq(value, ",") {
			name = strings.ToLower(strings.TrimSpace(name))
			switch {
			case slices.Contains(known, name):
				names = append(names, name)
			case o.Strict && name != "" && name != "identity":
				return nil, ErrCoding
			}
		}
	}
	if len(names) > most {
		return nil, ErrCoding
	}
	return names, nil
}

// stack is the decoders on top of one another.
type stack struct {
	io.Reader
	wire   *wire
	layers []*layer
}

func (s *stack) add(l *layer) {
	s.layers = append(s.layers, l)
	s.Reader = l
}

// Read gives decoded bytes.
func (s *stack) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	switch {
	case err == nil, err == io.EOF:
		return n, err
	case s.wire.err != nil: // a broken connection is no broken coding
		return n, s.wire.err
	}
	return n, ErrCoding
}

// Close frees the decoders.
func (s *stack) Close() error {
	var errs []error
	for _, l := range s.layers {
		errs = append(errs, l.close())
	}
	return errors.Join(errs...)
}

// wire remembers how the undecoded body failed.
type wire struct {
	r   io.Reader
	err error
}

// Read gives bytes as they came.
func (w *wire) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	if err != nil && err != io.EOF {
		w.err = err
	}
	return n, err
}

// bounded fails, rather than ends, when more comes than it may let through.
type bounded struct {
	r    io.Reader
	left int64
}

// Read gives bytes within the bound.
func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, ErrCoding
	}
	return n, err
}
