// Package notices carries the licences of what is built into the program.
package notices

import (
	"embed"
	"errors"
	"io/fs"
)

// File is where command collect writes, within this folder.
const File = "text/third_party.txt"

//go:embed all:text
var text embed.FS

// Text is every licence and notice, one part after another; an error where the
// program was built without `make build`, which collects them.
func Text() ([]byte, error) {
	b, err := text.ReadFile(File)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("this program was built without its notices; `make build` collects them")
	}
	return b, err
}
