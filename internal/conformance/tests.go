package conformance

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Test is one test function that says which rows it proves.
type Test struct {
	Package string   `json:"package"` // path within the module
	Name    string   `json:"name"`
	Rows    []string `json:"rows"`
	Result  string   `json:"-"` // Passed, Failed, Skipped, or empty where none is known
}

// proves matches the comment line that names rows: "proves S-34, C-50".
var proves = regexp.MustCompile(`(?m)^\s*proves ((?:[A-Z]-\d+)(?:,\s*[A-Z]-\d+)*)`)

// FindTests reads all test files of a module and returns the tests that prove
// rows, by package and name. A row that the contract does not have is an error:
// a proof of nothing.
func FindTests(module fs.FS) ([]Test, error) {
	var tests []Test
	var errs []error
	err := fs.WalkDir(module, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if base := d.Name(); name != "." && (base == "testdata" || base == "node_modules" || strings.HasPrefix(base, ".")) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, "_test.go") {
			return nil
		}
		source, err := fs.ReadFile(module, name)
		if err != nil {
			return err
		}
		found, err := testsIn(name, source)
		tests = append(tests, found...)
		errs = append(errs, err)
		return nil
	})
	slices.SortFunc(tests, func(a, b Test) int { return strings.Compare(a.Package+" "+a.Name, b.Package+" "+b.Name) })
	return tests, errors.Join(append(errs, err)...)
}

func testsIn(name string, source []byte) ([]Test, error) {
	file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var tests []Test
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv != nil || !strings.HasPrefix(f.Name.Name, "Test") && !strings.HasPrefix(f.Name.Name, "Fuzz") {
			continue
		}
		rows := rowsIn(f.Doc.Text())
		for _, id := range rows {
			if !Known(id) {
				return nil, fmt.Errorf("%s: %s proves %s, which is no row of the contract", name, f.Name.Name, id)
			}
		}
		if len(rows) > 0 {
			tests = append(tests, Test{Package: path.Dir(name), Name: f.Name.Name, Rows: rows})
		}
	}
	return tests, nil
}

func rowsIn(comment string) []string {
	var rows []string
	for _, m := range proves.FindAllStringSubmatch(comment, -1) {
		for id := range strings.SplitSeq(m[1], ",") {
			rows = append(rows, strings.TrimSpace(id))
		}
	}
	return rows
}

// Known reports whether the contract has a row of that id.
func Known(id string) bool {
	return slices.ContainsFunc(Rows, func(r Row) bool { return r.ID == id })
}

// Unproven lists the due rows that no test proves.
func Unproven(tests []Test) []Row {
	proven := map[string]bool{}
	for _, t := range tests {
		for _, id := range t.Rows {
			proven[id] = true
		}
	}
	var list []Row
	for _, r := range Rows {
		if r.Stage <= Due && !proven[r.ID] {
			list = append(list, r)
		}
	}
	return list
}
