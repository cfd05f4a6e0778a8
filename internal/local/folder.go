package local

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Folder is the local stack's data folder.
type Folder string

// DataFolder is the folder set (VISITE_DATA_DIR), else visite under
// $XDG_DATA_HOME or ~/.local/share. Root gets /var/lib/visite: PostgreSQL refuses to run as root,
// and the user it runs as then cannot reach into /root.
func DataFolder(set string) (Folder, error) {
	if set != "" {
		abs, err := filepath.Abs(set)
		return Folder(abs), err
	}
	if os.Geteuid() == 0 {
		return "/var/lib/visite", nil
	}
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return Folder(filepath.Join(dir, "visite")), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("no place for the data folder, set VISITE_DATA_DIR: %w", err)
	}
	return Folder(filepath.Join(home, ".local", "share", "visite")), nil
}

func (f Folder) path(name ...string) string {
	return filepath.Join(append([]string{string(f)}, name...)...)
}

func (f Folder) lockFile() string        { return f.path("lock") }
func (f Folder) stateFile() string       { return f.path("state.json") }
func (f Folder) portsFile() string       { return f.path("ports.json") }
func (f Folder) tokenFile() string       { return f.path("token") }
func (f Folder) temporalFile() string    { return f.path("temporal.db") }
func (f Folder) clusterDir() string      { return f.path("postgres") }
func (f Folder) logFile(n string) string { return f.path("logs", n+".log") }

// make creates the folder. Others may pass through it where root owns it, for
// PostgreSQL's own user has to; they can list nothing.
func (f Folder) make() error {
	mode := fs.FileMode(0o700)
	if os.Geteuid() == 0 {
		mode = 0o711
	}
	for _, dir := range []string{string(f), f.path("logs")} {
		if err := os.MkdirAll(dir, mode); err != nil {
			return fmt.Errorf("data folder: %w; name another one in VISITE_DATA_DIR", err)
		}
	}
	if err := os.Chmod(f.path("logs"), 0o700); err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	return nil
}

// readJSON reads a file written by writeJSON; a missing file leaves v as it is.
func readJSON(path string, v any) error {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("%s is damaged, remove it: %w", path, err)
	}
	return nil
}

func writeJSON(path string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return writeAtomically(path, append(b, '\n'), 0o600)
}

// writeAtomically leaves the old file or the whole new one, never a part.
func writeAtomically(path string, content []byte, mode fs.FileMode) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	if _, err := tmp.Write(content); err != nil {
		tmp.Close()
		return err
	}
	if err := errors.Join(tmp.Chmod(mode), tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

// tail is the last lines of a log, for an error message.
func tail(path string, lines int) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return ""
	}
	const most = 8 << 10
	buf := make([]byte, min(info.Size(), most))
	n, _ := f.ReadAt(buf, info.Size()-int64(len(buf)))
	all := strings.Split(strings.TrimRight(string(buf[:n]), "\n"), "\n")
	if len(all) > lines {
		all = all[len(all)-lines:]
	}
	return strings.Join(all, "\n")
}
