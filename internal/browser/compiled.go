package browser

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// compiled is the file that keeps the lists in the shape the matcher works with:
// reading it takes a tenth of a second, compiling them many. It is named by what it
// was made of, so that new lists or another matcher make another file.
type compiled struct{ path string } // empty: nothing is kept

// maxCompiledBytes bounds that file; that of the lists of 2026 has 5.4 MB.
const maxCompiledBytes = 64 << 20

func compiledOf(dir, script string, lists [2]string) compiled {
	if dir == "" {
		return compiled{}
	}
	h := sha256.New()
	for _, part := range []string{script, lists[0], lists[1]} {
		fmt.Fprintf(h, "%d\n%s", len(part), part)
	}
	return compiled{filepath.Join(dir, "trackers-"+hex.EncodeToString(h.Sum(nil)[:16])+".compiled")}
}

// read returns what was kept; false where there is nothing, or not what was written.
func (c compiled) read() (string, bool) {
	if c.path == "" {
		return "", false
	}
	if info, err := os.Stat(c.path); err != nil || info.Size() > maxCompiledBytes {
		return "", false
	}
	b, err := os.ReadFile(c.path)
	if err != nil {
		return "", false
	}
	sum, text, ok := strings.Cut(string(b), "\n")
	return text, ok && sum == checksum(text)
}

// write keeps a text, whole or not at all, and drops those made of other lists.
func (c compiled) write(text string) error {
	if c.path == "" {
		return nil
	}
	dir := filepath.Dir(c.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "trackers-*.new") // for the user alone
	if err != nil {
		return err
	}
	_, err = f.WriteString(checksum(text) + "\n" + text)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), c.path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return err
	}
	others, _ := filepath.Glob(filepath.Join(dir, "trackers-*.compiled"))
	for _, other := range others {
		if other != c.path {
			_ = os.Remove(other)
		}
	}
	return nil
}

func checksum(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
