package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"visite/internal/conformance"
)

// Only what a busy machine may have caused gets a second look; and that look
// leaves alone what is known of the package's other tests.
func TestWhatGetsASecondLook(t *testing.T) {
	root := written(t, nil)
	took := func(again bool, stream ...string) string {
		t.Helper()
		failures := filepath.Join(t.TempDir(), "failures")
		s := settings{to: filepath.Join(root, "results.json"), version: "v1", root: root, module: "example.test/m", add: true, again: again, failures: failures}
		if _, err := run(strings.NewReader(strings.Join(stream, "\n")+"\n"), &bytes.Buffer{}, s); err != nil {
			t.Fatal(err)
		}
		said, err := os.ReadFile(failures)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return string(said)
	}
	const begin, bad, fine, end = `{"Action":"start","Package":"example.test/m/bad"}`, `{"Action":"fail","Package":"example.test/m/bad","Test":"TestBad"}`,
		`{"Action":"pass","Package":"example.test/m/bad","Test":"TestFine"}`, `{"Action":"fail","Package":"example.test/m/bad"}`
	part := `{"Action":"fail","Package":"example.test/m/bad","Test":"TestBad/breaks"}`
	says := func(test, what string) string {
		return `{"Action":"output","Package":"example.test/m/bad","Test":"` + test + `","Output":"` + what + `\n"}`
	}
	for _, c := range []struct {
		name, want string
		stream     []string
	}{
		{"nothing failed", "", []string{begin, fine, `{"Action":"pass","Package":"example.test/m/bad"}`}},
		{"a test and its part", "example.test/m/bad TestBad\n", []string{begin, part, bad, fine, end}},
		{"a race", "none: example.test/m/bad has a data race\n", []string{begin, says("TestBad", "WARNING: DATA RACE"), bad, end}},
		{"a panic", "none: example.test/m/bad panicked\n", []string{begin, says("TestBad", "panic: x"), bad, end}},
		{"no test", "none: example.test/m/bad failed without a test that did\n", []string{begin, fine, end}},
		{"no build", "none: a package does not build\n", []string{`{"Action":"build-fail","ImportPath":"example.test/m/bad"}`}},
	} {
		if got := took(false, c.stream...); !strings.HasSuffix(got, c.want) || (c.want == "") != (got == "") {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	took(false, begin, bad, fine, end)
	if got := took(true, begin, `{"Action":"pass","Package":"example.test/m/bad","Test":"TestBad"}`, `{"Action":"pass","Package":"example.test/m/bad"}`); got != "" {
		t.Errorf("after the second look: %q", got)
	}
	if r := results(t, root).Packages["bad"]; r["TestBad"] != conformance.Passed || r["TestFine"] != conformance.Passed {
		t.Errorf("kept as %v", r)
	}
}
