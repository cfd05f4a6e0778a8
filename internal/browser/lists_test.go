package browser

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// listsOf writes a folder of lists.
func listsOf(t testing.TB, easyprivacy, easylist string) string {
	t.Helper()
	dir := t.TempDir()
	for i, text := range []string{easyprivacy, easylist} {
		if err := os.WriteFile(filepath.Join(dir, listNames[i]), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestAFolderOfListsIsFoundOrRefused(t *testing.T) {
	good := listsOf(t, "||a.example^", "")
	if dir, err := FindLists(good); dir != good || err != nil {
		t.Errorf("%q %v", dir, err)
	}
	if dir, err := FindLists(NoLists); dir != "" || err != nil {
		t.Errorf("none: %q %v", dir, err)
	}
	if dir, err := FindLists(""); err != nil || (dir != "" && checkLists(dir) != nil) {
		t.Errorf("what the distribution has: %q %v", dir, err)
	}
	if err := os.Remove(filepath.Join(good, listNames[1])); err != nil {
		t.Fatal(err)
	}
	if _, err := FindLists(good); !errors.Is(err, ErrNoLists) || !strings.Contains(err.Error(), listNames[1]) {
		t.Errorf("half a folder: %v", err)
	}
	if _, err := readLists(good); !errors.Is(err, ErrNoLists) {
		t.Errorf("half a folder is read: %v", err)
	}
}

func TestCompiledListsAreKeptWholeOrNotAtAll(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	first := compiledOf(dir, "script", [2]string{"a", "b"})
	for _, other := range []compiled{compiledOf(dir, "script", [2]string{"ab", ""}), compiledOf(dir, "scripta", [2]string{"", "b"})} {
		if other.path == first.path {
			t.Error("other lists, or another script, have the same file")
		}
	}
	if _, ok := first.read(); ok {
		t.Error("there is something before anything was kept")
	}
	if err := first.write("the engine"); err != nil {
		t.Fatal(err)
	}
	if text, ok := first.read(); !ok || text != "the engine" {
		t.Errorf("%q %v", text, ok)
	}
	if info, err := os.Stat(first.path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	whole, err := os.ReadFile(first.path)
	if err != nil {
		t.Fatal(err)
	}
	for _, broken := range []string{string(whole[:len(whole)-1]), string(whole) + "x", "", "the engine"} {
		if err := os.WriteFile(first.path, []byte(broken), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, ok := first.read(); ok {
			t.Errorf("%q is taken", broken)
		}
	}
	second := compiledOf(dir, "script", [2]string{"new", "b"})
	if err := second.write("another"); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 1 || left[0] != second.path {
		t.Errorf("left: %v", left)
	}
	if none := compiledOf("", "script", [2]string{}); none.write("x") != nil {
		t.Error("where nothing is kept, nothing fails")
	}
}
