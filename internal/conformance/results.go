package conformance

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// How a test went.
const (
	Passed  = "pass"
	Failed  = "fail"
	Skipped = "skip" // what it needs was not at hand
)

// Results is how the tests of one version went when they last ran. A test that
// did not run has none. The zero value holds nothing.
type Results struct {
	Version  string                       `json:"version"`  // of the sources, as git describes them
	From     time.Time                    `json:"from"`     // begin of the first run
	To       time.Time                    `json:"to"`       // end of the last
	Packages map[string]map[string]string `json:"packages"` // path within the module, test, how it went
}

// Known tells whether there are any.
func (r Results) Known() bool { return len(r.Packages) > 0 }

// Dirty tells that the sources had changes that no version has.
func Dirty(version string) bool {
	return version == "" || version == "unknown" || strings.HasSuffix(version, "-dirty")
}

// AddTo notes with each test how it went.
func (r Results) AddTo(tests []Test) {
	for i, t := range tests {
		tests[i].Result = r.Packages[t.Package][t.Name]
	}
}

// Set notes how a test went.
func (r *Results) Set(pkg, test, result string) {
	if r.Packages == nil {
		r.Packages = map[string]map[string]string{}
	}
	if r.Packages[pkg] == nil {
		r.Packages[pkg] = map[string]string{}
	}
	r.Packages[pkg][test] = result
}

// Begin forgets what is known of a package: its tests run again.
func (r *Results) Begin(pkg string) { delete(r.Packages, pkg) }

// ReadResults reads a file of results; where there is none, nothing is known.
func ReadResults(file string) (r Results, err error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return r, fmt.Errorf("results: %w", err)
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return Results{}, fmt.Errorf("results in %s: %w", file, err)
	}
	return r, nil
}

// Write puts results into a file, whole or not at all.
func (r Results) Write(file string) error {
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return fmt.Errorf("results: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fmt.Errorf("results: %w", err)
	}
	next := file + ".new"
	if err := os.WriteFile(next, append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("results: %w", err)
	}
	return os.Rename(next, file)
}

// CarriedFile is where a build finds the results that the program carries, seen
// from the module's root.
const CarriedFile = "internal/conformance/results/last.json"

// Carry makes a build of a version carry results if they are that version's, and
// none otherwise: what other sources passed says nothing of these. It tells
// whether it carries any.
func (r Results) Carry(root, version string) (bool, error) {
	file := filepath.Join(root, filepath.FromSlash(CarriedFile))
	if !r.Known() || r.Version != version || Dirty(version) {
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, fmt.Errorf("results: %w", err)
		}
		return false, nil
	}
	return true, r.Write(file)
}

//go:embed all:results
var carried embed.FS

// Carried are the results that this program was built with; none where its
// build had none of its own version.
var Carried = sync.OnceValue(func() Results {
	r, err := carriedIn(carried)
	if err != nil {
		panic(err) // built into the program, by Carry
	}
	return r
})

func carriedIn(files fs.FS) (r Results, err error) {
	text, err := fs.ReadFile(files, strings.TrimPrefix(CarriedFile, "internal/conformance/"))
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(text, &r)
}
