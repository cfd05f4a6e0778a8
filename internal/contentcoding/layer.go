package contentcoding

import (
	"bufio"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

const (
	// zstdWindow is the most that browsers take (RFC 9659 section 3).
	zstdWindow = 8 << 20
	// sniffed is gzip where it begins like gzip, and nothing otherwise.
	sniffed = "gzip?"
)

// layer undoes one coding. Its decoder is made at the first Read, for making
// one reads what is below.
type layer struct {
	name string
	in   *bufio.Reader
	out  io.Reader
}

// Read gives decoded bytes.
func (l *layer) Read(p []byte) (int, error) {
	if l.out == nil {
		if _, err := l.in.Peek(1); err != nil {
			return 0, err // an empty body is no broken one
		}
		out, err := l.open()
		if err != nil {
			return 0, err
		}
		l.out = out
	}
	return l.out.Read(p)
}

func (l *layer) open() (io.Reader, error) {
	switch l.name {
	case "br":
		return brotli.NewReader(l.in), nil
	case "zstd":
		d, err := zstd.NewReader(l.in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(zstdWindow))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	case "deflate":
		return inflate(l.in)
	case sniffed:
		if !startsGzip(l.in) {
			return l.in, nil
		}
	}
	return gunzip(l.in)
}

func (l *layer) close() error {
	if c, ok := l.out.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// inflate reads "deflate", which is zlib by the standard and bare DEFLATE on
// many servers; the first two bytes tell (RFC 1950 section 2.2).
func inflate(in *bufio.Reader) (io.ReadCloser, error) {
	head, _ := in.Peek(2)
	if len(head) == 2 && head[0]&0x0f == 8 && (uint(head[0])<<8|uint(head[1]))%31 == 0 {
		return zlib.NewReader(in)
	}
	return flate.NewReader(in), nil
}

// members reads the members of a gzip body one after the other (RFC 1952
// section 2.2) and takes anything else behind a member for the end, as browsers do.
type members struct {
	in *bufio.Reader
	z  *gzip.Reader
}

func gunzip(in *bufio.Reader) (io.ReadCloser, error) {
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, err
	}
	z.Multistream(false)
	return &members{in: in, z: z}, nil
}

// Read gives decoded bytes.
func (m *members) Read(p []byte) (int, error) {
	n, err := m.z.Read(p)
	if err != io.EOF {
		return n, err
	}
	if !startsGzip(m.in) {
		return n, io.EOF
	}
	if err := m.z.Reset(m.in); err != nil {
		return n, err
	}
	m.z.Multistream(false)
	return n, nil
}

// Close frees the decoder.
func (m *members) Close() error { return m.z.Close() }

// startsGzip reports whether a gzip member stands next (RFC 1952 section 2.3.1).
func startsGzip(in *bufio.Reader) bool {
	head, _ := in.Peek(2)
	return len(head) == 2 && head[0] == 0x1f && head[1] == 0x8b
}
