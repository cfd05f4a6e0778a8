// Command bundle turns the page scripts and the packages that npm installed into
// what the browser package and the recognition of challenges embed. Run it after npm ci, from the
// repository's root or with the scripts folder as argument:
//
//	go run ./internal/browser/scripts/bundle
package main

import (
	"encoding/json"
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
	modules := filepath.Join(scripts, "node_modules")
	axe := filepath.Join(modules, "axe-core")
	consent := filepath.Join(modules, "@duckduckgo", "autoconsent")
	qualweb := filepath.Join(modules, "@qualweb")
	antibot := filepath.Join(modules, "is-antibot")
	vitals := filepath.Join(modules, "web-vitals")
	matcher := filepath.Join(modules, "@ghostery", "adblocker")
	entities := filepath.Join(modules, "third-party-web")
	src := filepath.Join(scripts, "src")
	parts := []part{
		{"axe.js", []piece{{axe, "axe.min.js", false}, {src, "gradients.js", true}, {src, "axe.js", true}}},
		{"qualweb.js", []piece{
			{src, "qualweb-before.js", true},
			{qualweb, filepath.Join("qw-page", "dist", "qw-page.bundle.js"), false},
			{filepath.Join(src, "qualweb"), "rules.js", true},
			{src, "tree.js", true},
			{src, "qualweb.js", true},
		}},
		{"page.js", []piece{{src, "tree.js", true}, {src, "page.js", true}}},
		{"speed.js", []piece{{vitals, filepath.Join("dist", "web-vitals.attribution.iife.js"), false}, {src, "speed.js", true}}},
		{"preview.js", []piece{{src, "preview.js", true}}},
		{"own.js", own(filepath.Join(src, "own"))},
		{"layout.js", []piece{{src, "layout.js", true}}},
		{"guard.js", []piece{{src, "guard.js", true}}},
		{"consent.js", []piece{{src, "tree.js", true}, {src, "consent.js", true}}},
		{"autoconsent.js", []piece{{src, "autoconsent.js", true}, {consent, filepath.Join("dist", "autoconsent.playwright.js"), true}}},
		{"autoconsent-rules.json", []piece{{consent, filepath.Join("rules", "compact-rules.json"), false}}},
		{"axe-core-LICENSE.txt", []piece{{axe, "LICENSE", false}}},
		{"axe-core-3RD-PARTY.txt", []piece{{axe, "LICENSE-3RD-PARTY.txt", false}}},
		{"web-vitals-LICENSE.txt", []piece{{vitals, "LICENSE", false}}},
		{"html-validate-LICENSE.txt", []piece{{filepath.Join(modules, "html-validate"), "LICENSE", false}}},
		{"adblocker-LICENSE.txt", []piece{{matcher, "LICENSE", false}}},
		{"autoconsent-LICENSE.txt", []piece{{consent, "LICENSE", false}}},
	}
	if err := write(filepath.Join(scripts, "dist"), parts); err != nil {
		return err
	}
	for _, name := range []string{"trackers.js", "validity.js"} {
		if err := linked(filepath.Join(src, name), filepath.Join(scripts, "dist", name)); err != nil {
			return err
		}
	}
	if err := ruleWords(filepath.Join(axe, "locales"), filepath.Join(scripts, "..", "..", "report", "rules")); err != nil {
		return err
	}
	inspect := filepath.Join(scripts, "..", "..", "inspect")
	if err := write(filepath.Join(inspect, "privacy", "data"), []part{
		{"entities.json", []piece{{entities, filepath.Join("dist", "entities-nostats.json"), false}}},
		{"third-party-web-LICENSE.txt", []piece{{entities, "LICENSE", false}}},
	}); err != nil {
		return err
	}
	return write(filepath.Join(inspect, "challenge", "data"), []part{
		{"providers.json", []piece{{antibot, filepath.Join("src", "providers.json"), false}}},
		{"is-antibot-LICENSE.txt", []piece{{antibot, "LICENSE.md", false}}},
	})
}

// own are the parts of our own checks; the others build on the first two.
func own(dir string) []piece {
	var pieces []piece
	for _, name := range []string{"core", "seen", "label_in_name", "autoplay", "bypass", "frames", "fields", "errors", "pictures", "media", "orientation", "zoom", "focus", "keys", "changes", "motion"} {
		pieces = append(pieces, piece{dir, name + ".js", true})
	}
	return pieces
}

// part is a file that is embedded, made of pieces one after the other.
type part struct {
	name   string
	pieces []piece
}

// piece is a file of a package or of ours; scripts are made small.
type piece struct {
	dir, file string
	script    bool
}

func write(dir string, parts []part) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, p := range parts {
		var content []byte
		for i, one := range p.pieces {
			read := os.ReadFile
			if one.script {
				read = minify
			}
			if filepath.Base(one.dir) == "qualweb" {
				read = qualwebRules
			}
			b, err := read(filepath.Join(one.dir, one.file))
			if errors.Is(err, os.ErrNotExist) {
				return fmt.Errorf("run npm ci --prefix internal/browser/scripts first: %w", err)
			}
			if err != nil {
				return err
			}
			if i > 0 {
				content = append(content, '\n')
			}
			content = append(content, b...)
		}
		if err := os.WriteFile(filepath.Join(dir, p.name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// ruleWords leaves what the accessibility engine calls its rules in other languages.
func ruleWords(from, to string) error {
	for _, lang := range []string{"de", "es"} {
		b, err := os.ReadFile(filepath.Join(from, lang+".json"))
		if err != nil {
			return err
		}
		var locale struct {
			Rules map[string]struct{ Help string }
		}
		if err := json.Unmarshal(b, &locale); err != nil {
			return fmt.Errorf("locale %s: %w", lang, err)
		}
		titles := map[string]string{}
		for id, r := range locale.Rules {
			titles[id] = r.Help
		}
		if b, err = json.Marshal(titles); err != nil {
			return err
		}
		if err := os.MkdirAll(to, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, "axe."+lang+".json"), b, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func firstOf(errs []api.Message) error {
	switch {
	case len(errs) == 0:
		return nil
	case errs[0].Location == nil:
		return errors.New(errs[0].Text)
	}
	return fmt.Errorf("%s:%d: %s", errs[0].Location.File, errs[0].Location.Line, errs[0].Text)
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
	return r.Code, firstOf(r.Errors)
}
