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
	read bool // something came out
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
	c.read = c.read || n > 0
	if err != nil && err != io.EOF {
		// Rubbish behind a whole gzip stream is let pass, as browsers do.
		if errors.Is(err, gzip.ErrHeader) && c.read {
			return n, io.EOF
		}
		return n, asDecoding(err)
	}
	return n, err
}

func (c *coding) open() (io.Reader, error) {
	switch c.name {
	case "gzip", "x-gzip":
		return gzip.NewReader(c.wire)
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
