package inspect

import (
	"slices"
	"strings"
	"testing"
)

// A missing title or main heading is one fault, whichever engine loaded the page
// and however many rules see it.
func TestOneFaultIsOneFinding(t *testing.T) {
	const engine = `{"engine":"axe-core 4.14.1","violations":[
 {"id":"document-title","impact":"serious","tags":["wcag242"],"help":"Documents must have title","count":1,"nodes":[{"target":["html"]}]},
 {"id":"page-has-heading-one","impact":"moderate","tags":[],"help":"Page should contain a level-one heading","count":1,"nodes":[{"target":["html"]}]}]}`
	const silent = `{"engine":"axe-core 4.14.1"}`
	bare := strings.Replace(without("<h1>Shop</h1>"), "<title>A page of the shop</title>", "", 1)
	withAxe := func(results string) func(*Document) { return func(d *Document) { d.Axe = []byte(results) } }
	for name, c := range map[string]struct {
		doc  Document
		want []string
	}{
		"http":                             {at(bare), []string{"document-title", "h1-missing"}},
		"browser":                          {rendered(bare, withAxe(engine)), []string{"h1-missing", "document-title"}},
		"browser, engine says nothing":     {rendered(bare, withAxe(silent)), []string{"title-missing", "h1-missing"}},
		"browser, heading seen by us":      {rendered(good, withAxe(engine)), []string{"document-title", "page-has-heading-one"}},
		"browser, engine that did not run": {rendered(bare), []string{"document-title", "h1-missing"}},
	} {
		if p, _ := Page(c.doc, "shop.example"); !slices.Equal(found(p), c.want) {
			t.Errorf("%s: found %v, want %v", name, found(p), c.want)
		}
	}
}

// Findings carry what is wrong beside what to do; the engine's rules say the first only.
func TestFindingsHaveANameAndARemedy(t *testing.T) {
	p, _ := Page(at(without("<h1>Shop</h1>")), "shop.example")
	f := findingOf(p, "h1-missing")
	if f == nil || f.Title != "The page has no main heading" || f.Help != "Give the page one h1 element that says what it is about." {
		t.Errorf("our own: %+v", f)
	}
	p, _ = Page(rendered(good, func(d *Document) { d.Axe = []byte(axe) }), "shop.example")
	if f := findingOf(p, "image-alt"); f == nil || f.Title != "Images must have alternative text" {
		t.Errorf("the engine's: %+v", f)
	}
}
