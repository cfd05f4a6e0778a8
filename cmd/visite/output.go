package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// output is where a result goes: a file that appears whole or not at all, or a
// stream.
type output struct {
	path   string    // empty: stream
	stream io.Writer // where path is empty, or names something that is no file
}

// openOutput checks before any work is done that the result can be left there.
func openOutput(flag, path string, stdout io.Writer) (output, error) {
	if path == "" || path == "-" {
		return output{stream: stdout}, nil
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if strings.HasSuffix(path, string(filepath.Separator)) {
			return output{}, usagef("%s: %s is a folder that does not exist; name a file", flag, path)
		}
		if dir := filepath.Dir(path); !exists(dir) {
			return output{}, usagef("%s: the folder %s does not exist; make it, or name another", flag, dir)
		}
	case err != nil:
		return output{}, usagef("%s: %s: %w; name another file", flag, path, reason(err))
	case info.IsDir():
		return output{}, usagef("%s: %s is a folder; name a file in it", flag, path)
	case !info.Mode().IsRegular():
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return output{}, usagef("%s: %s: %w; name another file", flag, path, reason(err))
		}
		return output{stream: f}, nil
	}
	probe, err := os.CreateTemp(filepath.Dir(path), ".visite-*")
	if err != nil {
		return output{}, usagef("%s: nothing can be written in the folder %s: %w; name another", flag, filepath.Dir(path), reason(err))
	}
	return output{path: path}, errors.Join(probe.Close(), os.Remove(probe.Name()))
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// write leaves the whole content or an error.
func (o output) write(content []byte) error {
	if o.path == "" {
		_, err := o.stream.Write(content)
		return err
	}
	return writeFile(o.path, content)
}

// writeFile replaces a file at once; a reader never sees half of it.
func writeFile(path string, content []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".visite-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	_, err = tmp.Write(content)
	if err = errors.Join(err, tmp.Chmod(mode), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}
