package conformance

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"testing/fstest"
	"time"
)

func someResults(version string) Results {
	r := Results{Version: version, From: time.Date(2026, 5, 1, 3, 0, 0, 0, time.UTC), To: time.Date(2026, 5, 1, 3, 20, 0, 0, time.UTC)}
	r.Set("internal/x", "TestOne", Passed)
	return r
}

// A build carries the results of its own version and no others; what it carried
// before is gone then.
func TestABuildCarriesItsOwnResultsOnly(t *testing.T) {
	root := t.TempDir()
	carries := func(r Results, version string, want bool) {
		t.Helper()
		got, err := r.Carry(root, version)
		if err != nil || got != want {
			t.Errorf("results of %q in a build of %q: carried %v (%v), want %v", r.Version, version, got, err, want)
		}
		_, err = os.Stat(filepath.Join(root, filepath.FromSlash(CarriedFile)))
		if there := err == nil; there != want {
			t.Errorf("results of %q in a build of %q: the file is there: %v", r.Version, version, there)
		}
	}
	carries(someResults("v1.2.0"), "v1.2.0", true)
	carries(someResults("v1.2.0"), "v1.2.0-1-gabcdef0", false)
	carries(someResults("v1.2.0"), "v1.2.0", true)
	carries(someResults("v1.2.0-dirty"), "v1.2.0-dirty", false)
	carries(someResults("unknown"), "unknown", false)
	carries(Results{Version: "v1.2.0"}, "v1.2.0", false)
}

func TestResultsAreReadAsTheyWereWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "results", "last.json")
	if r, err := ReadResults(file); err != nil || r.Known() {
		t.Fatalf("results that are not there: %+v, %v", r, err)
	}
	want := someResults("v1.2.0")
	if err := want.Write(file); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadResults(file); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v (%v), want %+v", got, err, want)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got, err := carriedIn(fstest.MapFS{"results/last.json": {Data: text}})
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("carried %+v (%v), want %+v", got, err, want)
	}
	if got, err := carriedIn(fstest.MapFS{"results/.keep": {}}); err != nil || got.Known() {
		t.Errorf("a build without results carries %+v (%v)", got, err)
	}
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadResults(file); err == nil {
		t.Error("half a file was read")
	}
}

// proves C-65: what failed is not called kept.
func TestResultsStandWithTheRows(t *testing.T) {
	var first Test
	for _, p := range TableWith(Results{}) {
		if p.Failed() {
			t.Errorf("%s failed where nothing is known", p.ID)
		}
		if first.Name == "" && len(p.Tests) > 0 {
			first = p.Tests[0]
		}
	}
	r := Results{}
	r.Set(first.Package, first.Name, Failed)
	failed := 0
	for _, p := range TableWith(r) {
		if p.Failed() {
			failed++
		}
	}
	if failed != len(first.Rows) {
		t.Errorf("%d rows failed, want those of %s %s: %v", failed, first.Package, first.Name, first.Rows)
	}
}
