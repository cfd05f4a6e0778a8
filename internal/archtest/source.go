package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// Exception lets one file, or a tree of packages ("internal/courtesy/..."), do
// what a check forbids.
type Exception struct {
	Path   string
	Reason string
}

// Uses finds the places that mention one of the names given, each written as
// import path, dot, name ("time.Now", "net/http.Client"). Exceptions that allow
// nothing are breaches too.
func Uses(packages []Package, names []string, exceptions []Exception, what string) []Breach {
	forbidden := map[string]bool{}
	for _, n := range names {
		forbidden[n] = true
	}
	used := map[string]bool{}
	var out []Breach
	for _, p := range packages {
		for _, f := range p.Files {
			for _, m := range mentions(f) {
				if !forbidden[m.name] {
					continue
				}
				if e, ok := excepted(exceptions, p.Path, f.Path); ok {
					used[e] = true
					continue
				}
				out = append(out, Breach{f.at(m.pos), fmt.Sprintf("uses %s; %s", m.name, what)})
			}
		}
	}
	for _, e := range exceptions {
		if !used[e.Path] {
			out = append(out, Breach{e.Path, fmt.Sprintf("is an exception that nothing needs (%s)", what)})
		}
	}
	return out
}

func excepted(exceptions []Exception, pkg, file string) (string, bool) {
	for _, e := range exceptions {
		if e.Path == file || matches(e.Path, pkg) {
			return e.Path, true
		}
	}
	return "", false
}

type mention struct {
	name string
	pos  token.Pos
}

// mentions lists the names of other packages that a file uses.
func mentions(f File) []mention {
	imported := map[string]string{}
	for _, spec := range f.AST.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		name := path.Base(p)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		imported[name] = p
	}
	var out []mention
	ast.Inspect(f.AST, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if id, ok := sel.X.(*ast.Ident); ok && imported[id.Name] != "" {
			out = append(out, mention{imported[id.Name] + "." + sel.Sel.Name, sel.Pos()})
		}
		return true
	})
	return out
}

func (f File) at(pos token.Pos) string {
	return fmt.Sprintf("%s:%d", f.Path, f.Fset.Position(pos).Line)
}

// MaxLines is how long a file may grow.
const MaxLines = 400

var (
	vagueName = regexp.MustCompile(`(?i)^(utils?|commons?|helpers?|misc|shared_?utils?)$`)
	generated = regexp.MustCompile(`^// Code generated .* DO NOT EDIT\.$`)
)

// CheckFiles finds vague names, packages without a doc comment, and files that
// have grown too long. Generated files may be of any length.
func CheckFiles(packages []Package) []Breach {
	var out []Breach
	for _, p := range packages {
		documented := false
		for _, f := range p.Files {
			documented = documented || f.AST.Doc != nil
			if base := strings.TrimSuffix(path.Base(f.Path), ".go"); vagueName.MatchString(base) {
				out = append(out, Breach{f.Path, "says nothing by its name"})
			}
			if f.Lines > MaxLines && !isGenerated(f) {
				out = append(out, Breach{f.Path, fmt.Sprintf("has %d lines, %d at most", f.Lines, MaxLines)})
			}
		}
		if !documented {
			out = append(out, Breach{p.Path, "has no package comment"})
		}
		if name := p.Files[0].AST.Name.Name; vagueName.MatchString(path.Base(p.Path)) || vagueName.MatchString(name) {
			out = append(out, Breach{p.Path, "says nothing by its name"})
		}
	}
	return out
}

func isGenerated(f File) bool {
	for _, group := range f.AST.Comments {
		for _, c := range group.List {
			if c.Pos() < f.AST.Package && generated.MatchString(c.Text) {
				return true
			}
		}
	}
	return false
}
