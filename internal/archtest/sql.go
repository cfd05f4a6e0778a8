package archtest

import (
	"go/ast"
	"go/token"
	"regexp"
	"strconv"
)

// statement tells SQL from other text: the beginning of a statement in capitals.
var statement = regexp.MustCompile(`^\s*(?:--[^\n]*\n\s*)*(?:SELECT\s|INSERT INTO\s|UPDATE\s+\w+\s+SET\s|DELETE FROM\s|WITH\s+\w+[^,]*\sAS\s|CREATE (?:TABLE|INDEX|DATABASE|ROLE|SCHEMA)\s|ALTER (?:TABLE|DATABASE|ROLE)\s|DROP (?:TABLE|DATABASE|INDEX)\s|TRUNCATE\s|LISTEN\s|NOTIFY\s)`)

// CheckSQL finds SQL outside of its rooms, and within them SQL that is put
// together from anything but constants.
func CheckSQL(packages []Package, rooms []string, exceptions []Exception) []Breach {
	var out []Breach
	used := map[string]bool{}
	for _, p := range packages {
		constants := constantsOf(p)
		for _, f := range p.Files {
			breaches := builtSQL(f, constants)
			if !matchesAny(rooms, p.Path) {
				breaches = append(breaches, strayedSQL(f)...)
			}
			if e, ok := excepted(exceptions, p.Path, f.Path); ok && len(breaches) > 0 {
				used[e] = true
				continue
			}
			out = append(out, breaches...)
		}
	}
	for _, e := range exceptions {
		if !used[e.Path] {
			out = append(out, Breach{e.Path, "is an exception that nothing needs (SQL)"})
		}
	}
	return out
}

func strayedSQL(f File) []Breach {
	var out []Breach
	ast.Inspect(f.AST, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && isSQL(lit) {
			out = append(out, Breach{f.at(lit.Pos()), "has SQL in it"})
		}
		return true
	})
	return out
}

func builtSQL(f File, constants map[string]bool) []Breach {
	var out []Breach
	found := func(n ast.Node) { out = append(out, Breach{f.at(n.Pos()), "puts SQL together from parts"}) }
	ast.Inspect(f.AST, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if n.Op == token.ADD && containsSQL(n) {
				if !constant(n, constants) {
					found(n)
				}
				return false
			}
		case *ast.CallExpr:
			sel, ok := n.Fun.(*ast.SelectorExpr)
			if !ok || len(n.Args) == 0 {
				return true
			}
			pkg, ok := sel.X.(*ast.Ident)
			if lit, isLit := n.Args[0].(*ast.BasicLit); ok && isLit && pkg.Name == "fmt" && isSQL(lit) {
				found(n)
			}
		}
		return true
	})
	return out
}

func isSQL(lit *ast.BasicLit) bool {
	if lit.Kind != token.STRING {
		return false
	}
	text, err := strconv.Unquote(lit.Value)
	return err == nil && statement.MatchString(text)
}

func containsSQL(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && isSQL(lit) {
			found = true
		}
		return !found
	})
	return found
}

// constant reports whether an expression is made of literals and of constants
// of its package only.
func constant(e ast.Expr, constants map[string]bool) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return true
	case *ast.ParenExpr:
		return constant(e.X, constants)
	case *ast.BinaryExpr:
		return constant(e.X, constants) && constant(e.Y, constants)
	case *ast.Ident:
		return constants[e.Name]
	}
	return false
}

func constantsOf(p Package) map[string]bool {
	out := map[string]bool{}
	for _, f := range p.Files {
		ast.Inspect(f.AST, func(n ast.Node) bool {
			decl, ok := n.(*ast.GenDecl)
			if !ok || decl.Tok != token.CONST {
				return true
			}
			for _, spec := range decl.Specs {
				for _, name := range spec.(*ast.ValueSpec).Names {
					out[name.Name] = true
				}
			}
			return true
		})
	}
	return out
}
