package contentcoding

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"visite/internal/fixturesite"
)

func undone(body io.Reader, o Options, values ...string) ([]byte, error) {
	r, err := NewReader(body, values, o)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(r)
	return data, errors.Join(err, r.Close())
}

func TestCodingsAreUndone(t *testing.T) {
	plain := []byte(strings.Repeat("one line of a page\n", 3000))
	gz := fixturesite.Packed(t, "gzip", plain)
	robotsLike := Options{Only: []string{"gzip", "x-gzip", "deflate"}, Strict: true, Sniff: true}
	for _, c := range []struct {
		name   string
		values []string
		body   []byte
		o      Options
	}{
		{"nothing named", nil, plain, Options{}},
		{"identity", []string{"identity"}, plain, Options{Strict: true}},
		{"gzip, in capitals", []string{"GZip"}, gz, Options{}},
		{"x-gzip", []string{"x-gzip"}, gz, Options{}},
		{"zlib", []string{"deflate"}, fixturesite.Packed(t, "deflate", plain), Options{}},
		{"bare deflate", []string{"deflate"}, fixturesite.Packed(t, fixturesite.BareDeflate, plain), Options{}},
		{"brotli", []string{"br"}, fixturesite.Packed(t, "br", plain), Options{}},
		{"zstd", []string{"zstd"}, fixturesite.Packed(t, "zstd", plain), Options{}},
		{"three on one line", []string{"gzip, br ,zstd"}, fixturesite.Packed(t, "zstd", fixturesite.Packed(t, "br", gz)), Options{}},
		{"two on two lines", []string{"gzip", "br"}, fixturesite.Packed(t, "br", gz), Options{}},
		{"two within the bound between them", []string{"gzip, br"}, fixturesite.Packed(t, "br", gz), Options{Inner: int64(len(gz))}},
		{"two members", []string{"gzip"}, append(fixturesite.Packed(t, "gzip", plain[:7]), fixturesite.Packed(t, "gzip", plain[7:])...), Options{}},
		{"rubbish behind gzip", []string{"gzip"}, append(bytes.Clone(gz), "\r\nrubbish"...), Options{}},
		{"a name nobody knows", []string{"rot13"}, plain, Options{}},
		{"a name nobody knows on top", []string{"gzip, rot13"}, gz, Options{}},
		{"not named, looked for", nil, gz, robotsLike},
		{"named once, there twice, looked for", []string{"gzip"}, fixturesite.Packed(t, "gzip", gz), robotsLike},
		{"looked for and not there", nil, plain, robotsLike},
	} {
		// One byte at a time, so that nothing depends on how the network cuts it.
		if got, err := undone(iotest.OneByteReader(bytes.NewReader(c.body)), c.o, c.values...); err != nil || !bytes.Equal(got, plain) {
			t.Errorf("%s: %d bytes, %v; want %d", c.name, len(got), err, len(plain))
		}
	}
}

func TestAnEmptyBodyIsEmptyWhateverIsNamed(t *testing.T) {
	for _, coding := range []string{"", "gzip", "deflate", "br", "zstd", "gzip, br"} {
		if got, err := undone(strings.NewReader(""), Options{Sniff: true}, coding); err != nil || len(got) != 0 {
			t.Errorf("%q: %d bytes, %v", coding, len(got), err)
		}
	}
}

func TestWhatCannotBeUndoneIsErrCoding(t *testing.T) {
	const secret = "words of a page"
	plain := []byte(strings.Repeat(secret, 400))
	gz := fixturesite.Packed(t, "gzip", plain)
	for _, c := range []struct {
		name   string
		coding string
		body   []byte
		o      Options
	}{
		{"no gzip at all", "gzip", plain, Options{}},
		{"no zlib at all", "deflate", []byte("\x78\x9cwords"), Options{}},
		{"no brotli at all", "br", plain, Options{}},
		{"no zstd at all", "zstd", plain, Options{}},
		{"gzip cut short", "gzip", gz[:len(gz)-9], Options{}},
		{"gzip with a wrong sum", "gzip", append(bytes.Clone(gz[:len(gz)-8]), 1, 2, 3, 4, 5, 6, 7, 8), Options{}},
		{"four on top", "gzip, gzip, gzip, gzip", gz, Options{}},
		{"unknown where known is asked", "rot13", plain, Options{Strict: true}},
		{"known to others only", "br", fixturesite.Packed(t, "br", plain), Options{Strict: true, Only: []string{"gzip"}}},
		{"too much between two", "gzip, br", fixturesite.Packed(t, "br", gz), Options{Inner: int64(len(gz)) - 1}},
	} {
		_, err := undone(bytes.NewReader(c.body), c.o, c.coding)
		if !errors.Is(err, ErrCoding) || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestABrokenConnectionIsNoBrokenCoding(t *testing.T) {
	broken := errors.New("reset by peer")
	for _, coding := range []string{"identity", "gzip", "deflate", "br", "zstd"} {
		head := []byte("half")
		if coding != "identity" {
			whole := fixturesite.Packed(t, coding, []byte(strings.Repeat("half a page ", 5000)))
			head = whole[:len(whole)/2]
		}
		_, err := undone(io.MultiReader(bytes.NewReader(head), iotest.ErrReader(broken)), Options{Sniff: true}, coding)
		if !errors.Is(err, broken) || errors.Is(err, ErrCoding) {
			t.Errorf("%s: %v", coding, err)
		}
	}
}

// A bomb costs what is read of it, not what it would unpack to.
func TestOnlyWhatIsReadIsUnpacked(t *testing.T) {
	bomb := fixturesite.Packed(t, "gzip", fixturesite.Packed(t, "gzip", make([]byte, 64<<20)))
	source := bytes.NewReader(bomb)
	r, err := NewReader(source, []string{"gzip, gzip"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if n, err := io.CopyN(io.Discard, r, 1000); n != 1000 || err != nil {
		t.Fatal(n, err)
	}
	allocated := testing.AllocsPerRun(20, func() { _, _ = io.CopyN(io.Discard, r, 1<<20) })
	if allocated > 50 {
		t.Errorf("%v allocations a MiB", allocated)
	}
}

// A Reader that nothing is read from has read nothing.
func TestNothingIsReadBeforehand(t *testing.T) {
	source := strings.NewReader("abc")
	r, err := NewReader(source, []string{"gzip, br"}, Options{Sniff: true})
	if err != nil || source.Len() != 3 {
		t.Errorf("%d of 3 bytes left, %v", source.Len(), err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

func FuzzReader(f *testing.F) {
	for _, coding := range []string{"gzip", "deflate", "br", "zstd"} {
		f.Add(fixturesite.Packed(f, coding, []byte("seed")), coding)
	}
	f.Add([]byte("\x1f\x8b"), "gzip, deflate, gzip")
	f.Fuzz(func(t *testing.T, body []byte, coding string) {
		r, err := NewReader(bytes.NewReader(body), []string{coding}, Options{Inner: 1 << 20, Sniff: true})
		if err != nil {
			if !errors.Is(err, ErrCoding) {
				t.Fatal(err)
			}
			return
		}
		defer r.Close()
		if _, err := io.Copy(io.Discard, io.LimitReader(r, 1<<20)); err != nil && !errors.Is(err, ErrCoding) {
			t.Error(err)
		}
	})
}
