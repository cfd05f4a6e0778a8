package fetch

import (
	"bufio"
	"errors"
	"io"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// maxCodings bounds stacked encodings; real sites stack two at most.
const maxCodings = 4

// zstdWindow is the most that browsers take (RFC 9659 section 3).
const zstdWindow = 8 << 20

var (
	errTooManyCodings = errors.New("fetch: too many content codings")
	errInnerTooLarge  = errors.New("fetch: an inner content coding is larger than the limit")
)

// decoder undoes the content codings of a body, the last applied first (RFC 9110
// section 8.4). Names nobody knows stand for nothing, as in browsers. An empty
// body is empty whatever its header says.
func decoder(r io.Reader, contentEncoding []string, limit int64) (io.ReadCloser, error) {
	codings := codingsOf(contentEncoding)
	if len(codings) > maxCodings {
		return nil, errTooManyCodings
	}
	buffered := bufio.NewReader(r)
	if len(codings) == 0 {
		return io.NopCloser(buffered), nil
	}
	if _, err := buffered.Peek(1); err == io.EOF {
		return io.NopCloser(buffered), nil
	}
	out := &stack{}
	var layer io.Reader = buffered
	for i := len(codings) - 1; i >= 0; i-- {
		next, err := undo(codings[i], layer)
		if err != nil {
			return nil, errors.Join(err, out.Close())
		}
		out.layers = append(out.layers, next)
		layer = next
		if i > 0 { // what is decoded once more must not be a bomb on the way
			layer = &bounded{r: next, left: limit + 1<<20}
		}
	}
	out.Reader = layer
	return out, nil
}

func codingsOf(values []string) []string {
	var out []string
	for _, value := range values {
		for name := range strings.SplitSeq(value, ",") {
			switch name = strings.ToLower(strings.TrimSpace(name)); name {
			case "gzip", "x-gzip", "deflate", "br", "zstd":
				out = append(out, name)
			}
		}
	}
	return out
}

func undo(coding string, r io.Reader) (io.ReadCloser, error) {
	switch coding {
	case "br":
		return io.NopCloser(brotli.NewReader(r)), nil
	case "zstd":
		d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(zstdWindow))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	case "deflate":
		return inflate(r)
	}
	return gunzip(r)
}

// inflate reads "deflate", which is zlib by the standard and bare DEFLATE on
// many servers; the first two bytes tell (RFC 1950 section 2.2).
func inflate(r io.Reader) (io.ReadCloser, error) {
	b := bufio.NewReader(r)
	head, _ := b.Peek(2)
	if len(head) == 2 && head[0]&0x0f == 8 && (uint(head[0])<<8|uint(head[1]))%31 == 0 {
		return zlib.NewReader(b)
	}
	return flate.NewReader(b), nil
}

// members reads gzip members one after the other and takes anything else behind
// a member for the end, as browsers do.
type members struct {
	r *bufio.Reader
	z *gzip.Reader
}

func gunzip(r io.Reader) (io.ReadCloser, error) {
	b := bufio.NewReader(r)
	z, err := gzip.NewReader(b)
	if err != nil {
		return nil, err
	}
	z.Multistream(false)
	return &members{r: b, z: z}, nil
}

func (m *members) Read(p []byte) (int, error) {
	n, err := m.z.Read(p)
	if err != io.EOF {
		return n, err
	}
	if head, _ := m.r.Peek(2); len(head) < 2 || head[0] != 0x1f || head[1] != 0x8b {
		return n, io.EOF
	}
	if err := m.z.Reset(m.r); err != nil {
		return n, err
	}
	m.z.Multistream(false)
	return n, nil
}

func (m *members) Close() error { return m.z.Close() }

// bounded fails, rather than ends, when more comes than it may let through.
type bounded struct {
	r    io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	b.left -= int64(n)
	if b.left < 0 {
		return 0, errInnerTooLarge
	}
	return n, err
}

// stack closes all layers of a decoder.
type stack struct {
	io.Reader
	layers []io.ReadCloser
}

func (s *stack) Close() error {
	var errs []error
	for _, l := range s.layers {
		errs = append(errs, l.Close())
	}
	return errors.Join(errs...)
}
