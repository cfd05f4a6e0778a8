package fixturesite

import (
	"bytes"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// BareDeflate is deflate without its zlib frame, as some servers send it under
// the name deflate.
const BareDeflate = "bare deflate"

// Packed is a body under one content coding: gzip, x-gzip, deflate, BareDeflate,
// br or zstd. Under any other name it stays as it is.
func Packed(t TB, coding string, body []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	var w io.WriteCloser
	var err error
	switch coding {
	case "gzip", "x-gzip":
		w = gzip.NewWriter(&out)
	case "deflate":
		w = zlib.NewWriter(&out)
	case BareDeflate:
		w, err = flate.NewWriter(&out, flate.DefaultCompression)
	case "br":
		w = brotli.NewWriter(&out)
	case "zstd":
		w, err = zstd.NewWriter(&out)
	default:
		return body
	}
	if err == nil {
		_, err = w.Write(body)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatalf("fixture site: pack as %s: %v", coding, err)
	}
	return out.Bytes()
}
