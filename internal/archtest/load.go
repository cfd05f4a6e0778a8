package archtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Package is what the checks need of one package of the module.
type Package struct {
	Path    string   // import path without the module's name, "internal/fetch"; "." for the root
	Imports []string // direct imports of its non-test files, ours without the module's name and with a leading "~/"
	Deps    []string // all imports, direct or not, written the same way
	Files   []File   // non-test files
}

// File is one parsed non-test file.
type File struct {
	Path  string // from the module's root, "internal/fetch/get.go"
	Lines int
	AST   *ast.File
	Fset  *token.FileSet
}

// Breach is one place that breaks a rule.
type Breach struct {
	Where string // package, or file and line
	What  string
}

func (b Breach) String() string { return b.Where + ": " + b.What }

// own marks imports of the module's own packages.
const own = "~/"

// Load reads all packages of the module at root.
func Load(root, module string) ([]Package, error) {
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Dir,GoFiles,Imports,Deps", "./...")
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, stderr.Bytes())
	}
	var packages []Package
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var listed struct {
			ImportPath, Dir        string
			GoFiles, Imports, Deps []string
		}
		if err := dec.Decode(&listed); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, fmt.Errorf("read go list: %w", err)
		}
		if len(listed.GoFiles) == 0 {
			continue // tests only
		}
		p := Package{Path: relative(module, listed.ImportPath), Imports: rename(module, listed.Imports), Deps: rename(module, listed.Deps)}
		for _, name := range listed.GoFiles {
			f, err := load(root, filepath.Join(listed.Dir, name))
			if err != nil {
				return nil, err
			}
			p.Files = append(p.Files, f)
		}
		packages = append(packages, p)
	}
}

func load(root, path string) (File, error) {
	source, err := os.ReadFile(path)
	if err != nil {
		return File{}, err
	}
	rel, err := filepath.Rel(root, path)
	if err != nil {
		return File{}, err
	}
	return Parse(filepath.ToSlash(rel), source)
}

// Parse makes a File from source.
func Parse(path string, source []byte) (File, error) {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, path, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return File{}, err
	}
	return File{Path: path, Lines: bytes.Count(source, []byte("\n")), AST: tree, Fset: fset}, nil
}

func relative(module, path string) string {
	if path == module {
		return "."
	}
	return strings.TrimPrefix(path, module+"/")
}

func rename(module string, imports []string) []string {
	out := make([]string, len(imports))
	for i, path := range imports {
		out[i] = path
		if path == module || strings.HasPrefix(path, module+"/") {
			out[i] = own + relative(module, path)
		}
	}
	return out
}

// Root finds the module's root from the working directory upwards.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("no go.mod in any folder above")
		}
	}
}
