// Command collect gathers the licences of all modules and page scripts that are
// built into the program, for `visite licences`. It runs in the repository's root.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"visite/cmd/visite/notices"
)

const scripts = "internal/browser/scripts"

// licenceFile matches the files that licences stand in.
var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents|copyright)([-._].*)?$`)

// trackerLists tells of data that is read and not built in.
const trackerLists = `Where the distribution's package webext-ublock-origin-chromium is installed, these lists are read from it, unchanged, to tell trackers from other hosts.
They are not part of this program. They are by The EasyList authors (https://easylist.to/), who offer them under GPL-3.0-or-later or under Creative Commons
Attribution-ShareAlike 3.0 or later (https://creativecommons.org/licenses/by-sa/3.0/); here the latter is chosen.

The matcher that reads them, @ghostery/adblocker, is under the Mozilla Public License 2.0, as are other parts above that name it; their unchanged sources are
in the npm registry under the names and versions given.`

func main() {
	if err := run(); err != nil {
		fmt.Fprintf(os.Stderr, "notices: %v\n", err)
		os.Exit(1)
	}
}

func run() error {
	parts, err := builtIn()
	if err != nil {
		return err
	}
	var out bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		if err := write(&out, name, parts[name]); err != nil {
			return err
		}
	}
	add(&out, "EasyPrivacy and EasyList", []byte(trackerLists))
	return os.WriteFile(filepath.Join("cmd/visite/notices", notices.File), out.Bytes(), 0o644)
}

// builtIn maps what is built in, with its version, to its folder.
func builtIn() (map[string]string, error) {
	parts := map[string]string{}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	parts["The Go programming language and its library"] = strings.TrimSpace(string(root))
	list := exec.Command("go", "list", "-deps", "-json=Module", "./cmd/visite")
	list.Stderr = os.Stderr
	listed, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	for d := json.NewDecoder(bytes.NewReader(listed)); ; {
		var p struct {
			Module *struct {
				Path, Version, Dir string
				Main               bool
			}
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		if p.Module != nil && !p.Module.Main {
			parts[p.Module.Path+" "+p.Module.Version] = p.Module.Dir
		}
	}
	return parts, addScripts(parts)
}

func addScripts(parts map[string]string) error {
	b, err := os.ReadFile(filepath.Join(scripts, "package-lock.json"))
	if err != nil {
		return err
	}
	var lock struct {
		Packages map[string]struct {
			Version string
			Link    bool
		}
	}
	if err := json.Unmarshal(b, &lock); err != nil {
		return fmt.Errorf("package-lock.json: %w", err)
	}
	for path, p := range lock.Packages {
		_, name, ok := strings.Cut(path, "node_modules/")
		if !ok || p.Link || p.Version == "" {
			continue // ours
		}
		parts[name+" "+p.Version] = filepath.Join(scripts, path)
	}
	return nil
}

// write adds one part's licence files; of a part that brings none it says so.
func write(out *bytes.Buffer, name, dir string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	found := false
	for _, f := range files {
		if !f.Type().IsRegular() || !licenceFile.MatchString(f.Name()) {
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			return err
		}
		add(out, name+", "+f.Name(), b)
		found = true
	}
	if !found {
		add(out, name, []byte("It brings no licence file of its own; its project's home names the licence."))
	}
	return nil
}

func add(out *bytes.Buffer, title string, text []byte) {
	fmt.Fprintf(out, "%s\n%s\n\n%s\n\n", strings.Repeat("=", 80), title, bytes.TrimSpace(text))
}
