package browser

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// listsFolder is where Debian's package webext-ublock-origin-chromium
// puts EasyPrivacy and EasyList (CC-BY-SA 3.0, see `visite licences`).
const listsFolder = "/usr/share/chromium/extensions/ublock-origin/assets/thirdparties/easylist"

// NoLists as a setting says that trackers are judged by names alone.
const NoLists = "none"

// listNames are the files of a folder of lists.
var listNames = [2]string{"easyprivacy.txt", "easylist.txt"}

// maxListBytes bounds a list; those of 2026 have under 2.5 MB.
const maxListBytes = 16 << 20

// ErrNoLists tells that a folder does not hold the lists of trackers.
var ErrNoLists = errors.New("browser: no lists of trackers there")

// FindLists returns the folder with the lists of trackers that a setting means: a
// folder; NoLists; empty: where the distribution's package puts them. It returns
// no folder where there are none, and ErrNoLists where a folder was named that
// does not hold them.
func FindLists(setting string) (string, error) {
	switch setting {
	case NoLists:
		return "", nil
	case "":
		if checkLists(listsFolder) != nil {
			return "", nil
		}
		return listsFolder, nil
	}
	return setting, checkLists(setting)
}

func checkLists(dir string) error {
	for _, name := range listNames {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() > maxListBytes {
			return fmt.Errorf("%w: %s is missing or larger than %d bytes", ErrNoLists, path, maxListBytes)
		}
	}
	return nil
}

// readLists reads the lists' texts in the order of listNames.
func readLists(dir string) (texts [2]string, err error) {
	for i, name := range listNames {
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			return texts, fmt.Errorf("%w: %w", ErrNoLists, err)
		}
		b, err := io.ReadAll(io.LimitReader(f, maxListBytes))
		f.Close()
		if err != nil {
			return texts, fmt.Errorf("%w: %w", ErrNoLists, err)
		}
		texts[i] = string(b)
	}
	return texts, nil
}
