package robots

import (
	"io"
	"net/http"

	"visite/internal/contentcoding"
)

// maxWire bounds the octets taken from the connection, for codings that yield
// nothing.
const maxWire = 4 * MaxBody

// asked are the content codings that may come: those we ask for, and deflate,
// which some servers send unasked. With any other the file counts as not
// downloaded. A body that is gzip without saying so is recognised.
var asked = contentcoding.Options{Only: []string{"gzip", "x-gzip", "deflate"}, Strict: true, Sniff: true, Inner: maxWire}

// readBody reads what counts of a body, content codings undone. What lies beyond
// MaxBody is not read, and cut tells that there was more.
func readBody(resp *http.Response) (data []byte, cut bool, err error) {
	body, err := contentcoding.NewReader(io.LimitReader(resp.Body, maxWire), resp.Header.Values("Content-Encoding"), asked)
	if err != nil {
		return nil, false, err
	}
	defer body.Close()
	data, err = io.ReadAll(io.LimitReader(body, MaxBody+1))
	if err != nil {
		return nil, false, err
	}
	return cutBody(data), len(data) > MaxBody, nil
}
