package courtesy

import (
	"bufio"
	"compress/flate"
	"compress/zlib"
	"errors"
	"io"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"visite/schema"
)

const (
	codingsMost = 3       // content codings on top of one another
	zstdWindow  = 8 << 20 // RFC 9659: the most that browsers take
)

// decoded undoes a body's content codings (RFC 9110 section 8.4.1). Codings
// nobody knows are left as they are, as browsers do. Errors of reading the wire
// pass through; what cannot be decoded is *Trouble.
func decoded(body io.Reader, codings []string) (io.Reader, error) {
	var names []string
	for _, value := range codings {
		for name := range strings.SplitSeq(value, ",") {
			if name = strings.ToLower(strings.TrimSpace(name)); name != "" && name != "identity" {
				names = append(names, name)
			}
		}
	}
	if len(names) > codingsMost {
		return nil, &Trouble{Reason: schema.ReasonDecoding}
	}
	for i := len(names) - 1; i >= 0; i-- {
		body = &coding{name: names[i], wire: bufio.NewReaderSize(body, 16<<10)}
	}
	return body, nil
}

// coding undoes one content coding. Its reader is made at the first Read, for
// making one reads the wire.
type coding struct {
	name string
	wire *bufio.Reader
	body io.Reader
}

// Read gives decoded bytes.
func (c *coding) Read(p []byte) (int, error) {
	if c.body == nil {
		if _, err := c.wire.Peek(1); err != nil {
			return 0, err // an empty body is no broken one
		}
		body, err := c.open()
		if err != nil {
			return 0, asDecoding(err)
		}
		c.body = body
	}
	n, err := c.body.Read(p)
	if err != nil && err != io.EOF {
		return n, asDecoding(err)
	}
	return n, err
}

// members reads the members of a gzip body one after the other (RFC 1952
// section 2.2). What stands behind the last is let pass, as browsers do.
type members struct {
	wire *bufio.Reader
	*gzip.Reader
}

func openMembers(wire *bufio.Reader) (io.Reader, error) {
	r, err := gzip.NewReader(wire)
	if err != nil {
		return nil, err
	}
	r.Multistream(false)
	return &members{wire, r}, nil
}

// Read gives decoded bytes.
func (m *members) Read(p []byte) (int, error) {
	n, err := m.Reader.Read(p)
	if err != io.EOF {
		return n, err
	}
	if next, _ := m.wire.Peek(2); len(next) < 2 || next[0] != 0x1f || next[1] != 0x8b {
		return n, io.EOF
	}
	if err := m.Reset(m.wire); err != nil {
		return n, err
	}
	m.Multistream(false)
	return n, nil
}

func (c *coding) open() (io.Reader, error) {
	switch c.name {
	case "gzip", "x-gzip":
		return openMembers(c.wire)
	case "deflate":
		// Meant is zlib (RFC 1950); some servers send bare deflate.
		head, err := c.wire.Peek(2)
		if err == nil && head[0]&0x0f == 8 && (uint16(head[0])<<8|uint16(head[1]))%31 == 0 {
			return zlib.NewReader(c.wire)
		}
		return flate.NewReader(c.wire), nil
	case "br":
		return brotli.NewReader(c.wire), nil
	case "zstd":
		return zstd.NewReader(c.wire, zstd.WithDecoderMaxWindow(zstdWindow), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
	}
	return c.wire, nil
}

// asDecoding tells a broken coding from a broken connection.
func asDecoding(err error) error {
	var t *Trouble
	if errors.As(err, &t) {
		return t
	}
	return &Trouble{Reason: schema.ReasonDecoding}
}
