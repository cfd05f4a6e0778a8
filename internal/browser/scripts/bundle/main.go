// Command bundle turns the page scripts and the accessibility engine that npm
// installed into what the browser package embeds. Run it after npm ci, from the
// repository's root or with the scripts folder as argument:
//
//	go run ./internal/browser/scripts/bundle
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/evanw/esbuild/pkg/api"
)

func main() {
	scripts := filepath.Join("internal", "browser", "scripts")
	if len(os.Args) > 1 {
		scripts = os.Args[1]
	}
	if err := bundle(scripts); err != nil {
		fmt.Fprintln(os.Stderr, "bundle:", err)
		os.Exit(1)
	}
}

func bundle(scripts string) error {
	axe := filepath.Join(scripts, "node_modules", "axe-core")
	engine, err := os.ReadFile(filepath.Join(axe, "axe.min.js"))
	if err != nil {
		return fmt.Errorf("run npm ci --prefix internal/browser/scripts first: %w", err)
	}
	runner, err := minify(filepath.Join(scripts, "src", "axe.js"))
	if err != nil {
		return err
	}
	page, err := minify(filepath.Join(scripts, "src", "page.js"))
	if err != nil {
		return err
	}
	guard, err := minify(filepath.Join(scripts, "src", "guard.js"))
	if err != nil {
		return err
	}
	licence, err := os.ReadFile(filepath.Join(axe, "LICENSE"))
	if err != nil {
		return err
	}
	third, err := os.ReadFile(filepath.Join(axe, "LICENSE-3RD-PARTY.txt"))
	if err != nil {
		return err
	}
	dist := filepath.Join(scripts, "dist")
	if err := os.MkdirAll(dist, 0o755); err != nil {
		return err
	}
	var errs []error
	for name, content := range map[string][]byte{
		"axe.js":                 append(append(engine, '\n'), runner...),
		"page.js":                page,
		"guard.js":               guard,
		"axe-core-LICENSE.txt":   licence,
		"axe-core-3RD-PARTY.txt": third,
	} {
		errs = append(errs, os.WriteFile(filepath.Join(dist, name), content, 0o644))
	}
	return errors.Join(errs...)
}

func minify(path string) ([]byte, error) {
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := api.Transform(string(source), api.TransformOptions{
		Loader: api.LoaderJS, Target: api.ES2022, Sourcefile: filepath.Base(path),
		MinifyWhitespace: true, MinifySyntax: true, LegalComments: api.LegalCommentsNone,
	})
	if len(r.Errors) > 0 {
		m := r.Errors[0]
		return nil, fmt.Errorf("%s:%d: %s", m.Location.File, m.Location.Line, m.Text)
	}
	return r.Code, nil
}
