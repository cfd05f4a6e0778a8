// Package faultsite is a site with a hundred faults planted on purpose, each
// named by the rule that speaks of it, on pages that are otherwise sound. What a
// scan of it reports is to be these and nothing else.
package faultsite

import (
	"net/http"

	"visite/internal/fixturesite"
)

// Fault is one planted fault.
type Fault struct {
	Rule string // id of the rule that is to report it, ours or axe-core's
	Path string // of the page it is reported on
}

// Planted lists the faults, in the order of the pages.
func Planted() []Fault {
	var all []Fault
	for _, p := range pages() {
		for _, rule := range p.faults() {
			all = append(all, Fault{Rule: rule, Path: p.path})
		}
	}
	return all
}

// Paths lists the pages that can be analysed.
func Paths() []string {
	var all []string
	for _, p := range pages() {
		all = append(all, p.path)
	}
	return all
}

// New is the site, not served yet.
func New() *fixturesite.Site {
	s := fixturesite.New(files()...)
	for _, p := range pages() {
		s.Handle(p.path, p.handler())
	}
	s.Handle("/moved", fixturesite.RedirectTo(http.StatusMovedPermanently, "/imprint"))
	s.Handle("/chain/*", fixturesite.Chain("/chain", 2, "/imprint"))
	return s
}
