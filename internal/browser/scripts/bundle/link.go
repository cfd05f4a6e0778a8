package main

import (
	"os"
	"path/filepath"

	"github.com/evanw/esbuild/pkg/api"
)

// linked makes one script of a module and all it imports.
func linked(from, to string) error {
	b, err := link(from, api.BuildOptions{MinifyIdentifiers: true})
	if err != nil {
		return err
	}
	return os.WriteFile(to, b, 0o644)
}

// qualwebRules is QualWeb's rules.js with the modules it requires, as the value
// of a global name. Names stay as they are: QualWeb finds what it knows of a rule
// by the name of its class.
func qualwebRules(path string) ([]byte, error) {
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	unused := filepath.Join(dir, "unused.js")
	return link(path, api.BuildOptions{
		GlobalName: "globalThis.visiteQualwebRules",
		Alias:      map[string]string{"@qualweb/core/evaluation": filepath.Join(dir, "evaluation.js"), "franc-min": unused, "string-pixel-width": unused},
	})
}

func link(from string, o api.BuildOptions) ([]byte, error) {
	from, err := filepath.Abs(from)
	if err != nil {
		return nil, err
	}
	o.EntryPoints, o.Bundle, o.Format, o.Target, o.Platform = []string{from}, true, api.FormatIIFE, api.ES2022, api.PlatformBrowser
	o.MinifyWhitespace, o.MinifySyntax, o.LegalComments = true, true, api.LegalCommentsNone
	r := api.Build(o)
	if err := firstOf(r.Errors); err != nil {
		return nil, err
	}
	return r.OutputFiles[0].Contents, nil
}
