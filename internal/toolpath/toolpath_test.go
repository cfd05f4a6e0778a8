package toolpath

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// put makes a program in a folder.
func put(t *testing.T, dir string, mode os.FileMode) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "temporal")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

// Each place is looked at, the nearer before the farther.
func TestTemporalIsFoundWhereItMayBe(t *testing.T) {
	root := t.TempDir()
	here := filepath.Join(root, "a", "b")
	if err := os.MkdirAll(here, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(here)
	for name, value := range map[string]string{"PATH": filepath.Join(root, "path"), "HOME": filepath.Join(root, "home"), "GOPATH": filepath.Join(root, "gopath"),
		"GOBIN": filepath.Join(root, "gobin"), EnvTemporal: ""} {
		t.Setenv(name, value)
	}
	if got, err := Temporal(); !errors.Is(err, ErrNoTemporal) {
		t.Fatalf("where there is none: %q, %v", got, err)
	}
	put(t, filepath.Join(here, ".tools", "bin"), 0o644) // no program: passed over
	for _, dir := range []string{                       // farthest first: each new one wins
		filepath.Join(root, "home", "go", "bin"), filepath.Join(root, "gopath", "bin"), filepath.Join(root, "gobin"), filepath.Join(root, "path"),
		filepath.Join(root, ".tools", "bin"), filepath.Join(root, "a", ".tools", "bin"),
	} {
		want := put(t, dir, 0o755)
		if got, err := Temporal(); err != nil || got != want {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
	}
	named := put(t, filepath.Join(root, "named"), 0o755)
	t.Setenv(EnvTemporal, named)
	if got, err := Temporal(); err != nil || got != named {
		t.Errorf("by the variable: %q, %v", got, err)
	}
	t.Setenv(EnvTemporal, filepath.Join(root, "nowhere"))
	if got, err := Temporal(); err == nil || errors.Is(err, ErrNoTemporal) {
		t.Errorf("by a variable that is wrong: %q, %v", got, err)
	}
}
