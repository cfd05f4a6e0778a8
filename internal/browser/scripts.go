package browser

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
)

//go:generate go run ./scripts/bundle scripts

//go:embed all:scripts/dist
var dist embed.FS

// ErrNoScripts tells that the page scripts were not bundled before the build.
var ErrNoScripts = errors.New("browser: the page scripts are not in this build; run `make generate` and build again")

// scripts is what runs inside pages.
type scripts struct {
	guard string // in the page's world, before its own scripts
	page  string // in our isolated world
	axe   string // the accessibility engine and its runner, in our isolated world

	speed   string // web-vitals and what reads it, in our isolated world
	own     string // our own checks, after axe in the same world
	qualweb string // the second engine and its runner, in a world of its own

	layout   string // looks at how a page is laid out, after speed in the same world
	preview  string // measures the page for its preview, in our isolated world
	validity string // judges served sources, in a tab of its own

	consent  string // finds and refuses consent banners, in our isolated world
	tool     string // autoconsent, in a world of its own
	trackers string // tells which requests the lists of trackers name, in a tab of its own
	rules    string // its rules, JSON; they know how to refuse, not how to accept
}

func loadScripts(from fs.FS) (scripts, error) {
	var s scripts
	for name, into := range map[string]*string{"guard.js": &s.guard, "page.js": &s.page, "axe.js": &s.axe, "qualweb.js": &s.qualweb, "own.js": &s.own, "speed.js": &s.speed, "preview.js": &s.preview, "layout.js": &s.layout, "validity.js": &s.validity, "consent.js": &s.consent, "autoconsent.js": &s.tool, "trackers.js": &s.trackers, "autoconsent-rules.json": &s.rules} {
		b, err := fs.ReadFile(from, "scripts/dist/"+name)
		if err != nil || len(b) == 0 {
			return scripts{}, fmt.Errorf("%w (%s)", ErrNoScripts, name)
		}
		*into = string(b)
	}
	return s, nil
}
