package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"visite/internal/conformance"
)

// module is a module with a package for everything that can become of one.
var module = map[string]string{
	"go.mod":     "module example.test/m\n\ngo 1.26\n",
	"bare/b.go":  "package bare\n",
	"good/g.go":  "package good\n",
	"bad/b.go":   "package bad\n",
	"gone/g.go":  "package gone\n",
	"stuck/s.go": "package stuck\n",
	"torn/t.go":  "package torn\n\nfunc F() int { return \"no number\" }\n",
	"good/g_test.go": `package good

import ("fmt"; "testing")

// proves S-25
func TestGood(t *testing.T) { fmt.Println("loud"); t.Run("part", func(t *testing.T) { t.Log("quiet") }) }

// proves S-26
func TestSkips(t *testing.T) { t.Skip("not here") }

func TestProvesNothing(t *testing.T) {}
`,
	"bad/b_test.go": `package bad

import "testing"

// proves S-27
func TestBad(t *testing.T) {
	t.Run("holds", func(t *testing.T) { t.Log("not worth a word") })
	t.Run("breaks", func(t *testing.T) { t.Error("broken here") })
}

// proves S-28
func TestFine(t *testing.T) { t.Log("not worth a word") }
`,
	"gone/g_test.go": `package gone

import ("os"; "testing")

// proves S-29
func TestGone(t *testing.T) { os.Exit(3) }
`,
	"stuck/s_test.go": `package stuck

import "testing"

// proves S-30
func TestStuck(t *testing.T) { select {} }
`,
	"torn/t_test.go": `package torn

import "testing"

// proves S-31
func TestTorn(t *testing.T) {}
`,
}

func written(t *testing.T, change map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for _, files := range []map[string]string{module, change} {
		for name, text := range files {
			file := filepath.Join(root, name)
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return root
}

// tested runs go test -json on the module and reads its stream.
func tested(t *testing.T, root, version string, add bool, packages ...string) (ok bool, said string) {
	t.Helper()
	cmd := exec.Command("go", append([]string{"test", "-json", "-vet=off", "-timeout", "3s"}, packages...)...)
	cmd.Dir, cmd.Env = root, append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	stream, err := cmd.Output()
	if len(stream) == 0 {
		t.Fatalf("go test said nothing: %v", err)
	}
	var out bytes.Buffer
	ok, err = run(bytes.NewReader(stream), &out, settings{to: filepath.Join(root, "results.json"), version: version, root: root, module: "example.test/m", add: add})
	if err != nil {
		t.Fatal(err)
	}
	return ok, out.String()
}

func results(t *testing.T, root string) conformance.Results {
	t.Helper()
	r, err := conformance.ReadResults(filepath.Join(root, "results.json"))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// What is printed is what go test prints, and what is kept is how it went: of a
// test that took its package down, or never ended, not that it passed.
func TestWhatGoTestSaysIsToldAndKept(t *testing.T) {
	root := written(t, nil)
	ok, said := tested(t, root, "v1", false, "./...")
	if ok {
		t.Error("all is well, it says")
	}
	for _, want := range []string{
		`(?m)^ok  \texample\.test/m/good\t`, `(?m)^\?   \texample\.test/m/bare\t\[no test files\]$`, `(?m)^FAIL\texample\.test/m/bad\t`, `(?m)^FAIL\texample\.test/m/gone\t`,
		`(?m)^FAIL\texample\.test/m/stuck\t`, `(?m)^FAIL\texample\.test/m/torn \[build failed\]$`, `cannot use "no number"`, `(?m)^--- FAIL: TestBad`, `(?m)^    --- FAIL: TestBad/breaks`, `b_test\.go:8: broken here`,
		`panic: test timed out after 3s`, `FAIL\n$`,
	} {
		if !regexp.MustCompile(want).MatchString(said) {
			t.Errorf("nothing like %s in:\n%s", want, said)
		}
	}
	for _, unwanted := range []string{"=== RUN", "quiet", "loud", "not worth a word", "--- PASS", `"Action"`} {
		if strings.Contains(said, unwanted) {
			t.Errorf("%q in:\n%s", unwanted, said)
		}
	}
	r := results(t, root)
	for _, c := range [][3]string{
		{"good", "TestGood", conformance.Passed}, {"good", "TestSkips", conformance.Skipped}, {"good", "TestProvesNothing", ""}, {"bad", "TestBad", conformance.Failed},
		{"bad", "TestFine", conformance.Passed}, {"gone", "TestGone", conformance.Failed}, {"stuck", "TestStuck", conformance.Failed}, {"torn", "TestTorn", ""},
	} {
		if got := r.Packages[c[0]][c[1]]; got != c[2] {
			t.Errorf("%s %s: %q, want %q", c[0], c[1], got, c[2])
		}
	}
	if r.Version != "v1" || r.From.IsZero() || r.To.Before(r.From) {
		t.Errorf("of %q, from %v to %v", r.Version, r.From, r.To)
	}
}

// Runs of one version add up; another version, or sources with changes that no
// version has, begin anew.
func TestResultsAreOfOneVersion(t *testing.T) {
	root := written(t, nil)
	for i, c := range []struct {
		version, pkg string
		add          bool
		packages     int
	}{
		{"v1", "./good", false, 1}, {"v1", "./bad", false, 2}, {"v2", "./good", true, 1},
		{"v2-dirty", "./good", false, 1}, {"v2-dirty", "./bad", true, 2}, {"v2-dirty", "./bad", false, 1},
	} {
		if ok, said := tested(t, root, c.version, c.add, c.pkg); ok != (c.pkg == "./good") {
			t.Errorf("run %d: all well: %v\n%s", i, ok, said)
		}
		if r := results(t, root); len(r.Packages) != c.packages || r.Version != c.version {
			t.Errorf("run %d: results of %q for %v, want %d packages", i, r.Version, r.Packages, c.packages)
		}
	}
}

// A stream that breaks off is no success, and a test under way in it did not pass.
func TestAStreamThatBreaksOff(t *testing.T) {
	root := written(t, nil)
	const half = `{"Action":"start","Package":"example.test/m/good"}
{"Action":"run","Package":"example.test/m/good","Test":"TestGood"}
`
	var out bytes.Buffer
	ok, err := run(strings.NewReader(half), &out, settings{to: filepath.Join(root, "results.json"), version: "v1", root: root, module: "example.test/m"})
	if err != nil || ok || !strings.Contains(out.String(), "never ended") {
		t.Errorf("well: %v (%v), said %q", ok, err, out.String())
	}
	if got := results(t, root).Packages["good"]["TestGood"]; got != conformance.Failed {
		t.Errorf("kept as %q", got)
	}
}
