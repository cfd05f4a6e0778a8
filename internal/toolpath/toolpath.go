// Package toolpath finds the programs that Visite starts on this machine. It
// starts none.
package toolpath

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// EnvTemporal names the variable that says where the Temporal CLI is.
const EnvTemporal = "VISITE_TEMPORAL"

// ErrNoTemporal is returned where the Temporal CLI is not installed.
var ErrNoTemporal = errors.New("the Temporal CLI (temporal) was not found; run `make setup` or set " + EnvTemporal + " to the program")

// Temporal gives the path of the Temporal CLI: from VISITE_TEMPORAL, a
// folder of Folders, PATH, or one of GoFolders. ErrNoTemporal otherwise.
func Temporal() (string, error) {
	const name = "temporal"
	if set := os.Getenv(EnvTemporal); set != "" {
		if !IsProgram(set) {
			return "", fmt.Errorf("%s=%s is not a program", EnvTemporal, set)
		}
		return set, nil
	}
	if path, ok := in(Folders(), name); ok {
		return path, nil
	}
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	if path, ok := in(GoFolders(), name); ok {
		return path, nil
	}
	return "", ErrNoTemporal
}

func in(folders []string, name string) (string, bool) {
	for _, dir := range folders {
		if path := filepath.Join(dir, name); IsProgram(path) {
			return path, true
		}
	}
	return "", false
}

// Folders are the folders .tools/bin here and in the folders above, then
// beside this program and above it, nearest first. They need not exist.
func Folders() []string {
	var out []string
	for _, from := range []func() (string, error){os.Getwd, os.Executable} {
		dir, err := from()
		if err != nil {
			continue
		}
		for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			out = append(out, filepath.Join(dir, ".tools", "bin"))
		}
	}
	return out
}

// GoFolders are where `go install` puts programs.
func GoFolders() []string {
	var out []string
	if dir := os.Getenv("GOBIN"); dir != "" {
		out = append(out, dir)
	}
	for _, dir := range filepath.SplitList(os.Getenv("GOPATH")) {
		out = append(out, filepath.Join(dir, "bin"))
	}
	if home, err := os.UserHomeDir(); err == nil {
		out = append(out, filepath.Join(home, "go", "bin"))
	}
	return out
}

// IsProgram reports whether a path is a file that may be started.
func IsProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}
