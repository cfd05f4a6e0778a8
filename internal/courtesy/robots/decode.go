package robots

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"net/http"
	"strings"
)

const (
	maxWire    = 4 * MaxBody // octets taken from the connection, for codings that yield nothing
	maxCodings = 3
)

// errCoding says that a content coding is unknown or broken.
var errCoding = errors.New("robots: content coding cannot be undone")

// readBody reads what counts of a body, content codings undone (RFC 9110
// section 8.4). A body that is gzip without saying so is recognised. What lies
// beyond MaxBody is not read, and cut tells that there was more. Brotli and
// others are never asked for, so such an answer counts as not downloaded.
func readBody(resp *http.Response) (data []byte, cut bool, err error) {
	wire := &source{reader: io.LimitReader(resp.Body, maxWire)}
	body, err := decode(bufio.NewReader(wire), resp.Header.Values("Content-Encoding"))
	if err == nil {
		data, err = io.ReadAll(io.LimitReader(body, MaxBody+1))
		if err == nil {
			return cutBody(data), len(data) > MaxBody, nil
		}
	}
	if wire.err != nil {
		return nil, false, wire.err
	}
	return nil, false, errCoding
}

// decode stacks the decoders, the coding applied last first.
func decode(body *bufio.Reader, headers []string) (*bufio.Reader, error) {
	codings := strings.Split(strings.ToLower(strings.Join(headers, ",")), ",")
	if len(codings) > maxCodings {
		return nil, errCoding
	}
	for i := len(codings) - 1; i >= 0; i-- {
		if _, err := body.Peek(1); errors.Is(err, io.EOF) {
			return body, nil // no content, nothing to undo
		}
		var err error
		switch strings.TrimSpace(codings[i]) {
		case "", "identity":
		case "gzip", "x-gzip":
			body, err = gunzip(body)
		case "deflate":
			body, err = inflate(body)
		default:
			err = errCoding
		}
		if err != nil {
			return nil, err
		}
	}
	if head, _ := body.Peek(2); string(head) == "\x1f\x8b" {
		return gunzip(body)
	}
	return body, nil
}

func gunzip(body *bufio.Reader) (*bufio.Reader, error) {
	z, err := gzip.NewReader(body)
	if err != nil {
		return nil, err
	}
	return bufio.NewReader(z), nil
}

// inflate takes the zlib format, and the bare stream that some servers send
// under the same name.
func inflate(body *bufio.Reader) (*bufio.Reader, error) {
	head, _ := body.Peek(2)
	if len(head) == 2 && head[0]&0x0F == 8 && (int(head[0])<<8|int(head[1]))%31 == 0 {
		z, err := zlib.NewReader(body)
		if err != nil {
			return nil, err
		}
		return bufio.NewReader(z), nil
	}
	return bufio.NewReader(flate.NewReader(body)), nil
}

// source remembers the connection's own error, so that a cut connection is not
// taken for a broken coding.
type source struct {
	reader io.Reader
	err    error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}
