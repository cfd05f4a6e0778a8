package conformance

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestRowsAreWholeAndInOrder(t *testing.T) {
	want := map[string]int{"S": 50, "C": 65, "R": 31}
	got := map[string]int{}
	for _, r := range Rows {
		letter, number, _ := strings.Cut(r.ID, "-")
		got[letter]++
		if want := fmt.Sprintf("%02d", got[letter]); number != want {
			t.Errorf("row %s stands where %s-%s belongs", r.ID, letter, want)
		}
		if r.Area == "" || r.Stage < Foundation || r.Stage > Later || !strings.HasSuffix(r.Promise, ".") {
			t.Errorf("row %+v is not whole", r)
		}
	}
	for letter, n := range want {
		if got[letter] != n {
			t.Errorf("%d rows %s, want %d", got[letter], letter, n)
		}
	}
}

// The rows' words are ours; that none is missing is checked against the
// contract itself where it is at hand.
func TestRowsAreThoseOfTheContract(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(sharedFolder(), "contract.md"))
	if os.IsNotExist(err) {
		t.Skip("the contract is not at hand here")
	}
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, m := range regexp.MustCompile(`(?m)^\| ([SCR]-\d\d) \|`).FindAllStringSubmatch(string(text), -1) {
		want = append(want, m[1])
	}
	for _, r := range Rows {
		got = append(got, r.ID)
	}
	if !slices.Equal(got, want) {
		t.Errorf("rows %v, the contract has %v", got, want)
	}
}

func sharedFolder() string {
	if dir := os.Getenv("VISITE_SHARED"); dir != "" {
		return dir
	}
	return filepath.Join("..", "..", "..", "shared")
}

const proofs = `package x

// TestOne is about a thing.
// proves S-34, C-50
func TestOne(t *testing.T) {}

// proves R-07
func FuzzTwo(f *testing.F) {}

// proves S-01
func helper() {}

// It disproves S-02.
func TestThree(t *testing.T) {}
`

func TestFindTests(t *testing.T) {
	tests, err := FindTests(fstest.MapFS{
		"internal/x/x_test.go":          {Data: []byte(proofs)},
		"internal/x/x.go":               {Data: []byte("package x\n\n// proves S-03\nfunc TestNot() {}\n")},
		"internal/x/testdata/y_test.go": {Data: []byte("no Go at all")},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []Test{{"internal/x", "FuzzTwo", []string{"R-07"}, ""}, {"internal/x", "TestOne", []string{"S-34", "C-50"}, ""}}
	if !slices.EqualFunc(tests, want, func(a, b Test) bool {
		return a.Package == b.Package && a.Name == b.Name && slices.Equal(a.Rows, b.Rows)
	}) {
		t.Fatalf("found %+v, want %+v", tests, want)
	}
	Results{Packages: map[string]map[string]string{"internal/x": {"TestOne": Failed}, "internal/y": {"FuzzTwo": Passed}}}.AddTo(tests)
	if tests[0].Result != "" || tests[1].Result != Failed {
		t.Errorf("results %q and %q, want none and fail", tests[0].Result, tests[1].Result)
	}
	missing := Unproven(tests)
	has := func(id string) bool { return slices.ContainsFunc(missing, func(r Row) bool { return r.ID == id }) }
	if has("R-07") || !has("S-25") || has("C-18") {
		t.Errorf("unproven %v: R-07 is proved, S-25 is due, C-18 is not due", missing)
	}
}

func TestProofOfNoRow(t *testing.T) {
	_, err := FindTests(fstest.MapFS{"x_test.go": {Data: []byte("package x\n\n// proves S-99\nfunc TestA(t *testing.T) {}\n")}})
	if err == nil || !strings.Contains(err.Error(), "S-99") {
		t.Errorf("error %v, want one that names S-99", err)
	}
}

// proves C-65: the table that the program shows is the one its tests give.
func TestTheTableIsThatOfTheTests(t *testing.T) {
	tests, err := FindTests(os.DirFS(filepath.Join("..", "..")))
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for _, p := range Table() {
		var want, got []string
		for _, test := range tests {
			if slices.Contains(test.Rows, p.ID) {
				want = append(want, test.Package+" "+test.Name)
			}
		}
		for _, test := range p.Tests {
			got = append(got, test.Package+" "+test.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: the table has %v, the sources have %v; run go generate ./internal/conformance", p.ID, got, want)
		}
		shown += len(got)
	}
	if shown == 0 {
		t.Error("the table is empty")
	}
}
