package inspect

import (
	"slices"
	"testing"

	"visite/schema"
)

const axe = `{"engine":"axe-core 4.14.1","violations":[
 {"id":"image-alt","impact":"critical","tags":["cat.text-alternatives","wcag2a","wcag111","section508"],"act_ids":["23a2a8"],"help":"Images must have alternative text","count":2,
  "nodes":[{"target":["iframe:nth-child(2)","#x > img"],"impact":"critical"},{"target":["img"],"impact":""}]},
 {"id":"target-size","impact":"strange","tags":["wcag22aa","wcag258"],"help":"h","count":300,"nodes":[{"target":["a"]}]}],
 "incomplete":[{"id":"color-contrast","impact":"serious","tags":["wcag2aa","wcag143"],"help":"Elements must meet contrast","count":2,
  "nodes":[{"target":["p"],"impact":"serious","contrast":{"ratio":2.94,"expected":4.5}},{"target":["h1"],"contrast":{"reason":"bgImage"}}]},
  {"id":"reflow","tags":["wcag1410","best-practice"],"nodes":[{"target":["b"]}]}],
 "groups_not_run":["contrast"],"frames_skipped":1}`

func rendered(html string, changes ...func(*Document)) Document {
	d := at("", changes...)
	d.Engine, d.Rendered, d.Source = schema.EngineBrowser, html, nil
	return d
}

// Violations are faults, what the engine could not decide is a question.
func TestAccessibilityEngineResults(t *testing.T) {
	p, _ := Page(rendered(good, func(d *Document) { d.Axe = []byte(axe) }), "shop.example")
	type row struct {
		rule, selector, detail string
		severity               schema.Severity
		outcome                schema.FindingOutcome
		wcag                   []string
	}
	want := []row{
		{"image-alt", "iframe:nth-child(2) >>> #x > img", "", "critical", "failed", []string{"1.1.1"}},
		{"image-alt", "img", "", "critical", "failed", []string{"1.1.1"}},
		{"target-size", "a", "", "moderate", "failed", []string{"2.5.8"}},
		{"color-contrast", "p", "contrast 2.94:1, needed 4.5:1", "serious", "needs_review", []string{"1.4.3"}},
		{"color-contrast", "h1", "contrast could not be measured: bgImage", "serious", "needs_review", []string{"1.4.3"}},
		{"reflow", "b", "", "moderate", "needs_review", []string{"1.4.10"}},
	}
	if len(p.Findings) != len(want) {
		t.Fatalf("findings %+v", p.Findings)
	}
	for i, w := range want {
		f := p.Findings[i]
		if f.Rule != w.rule || f.Selector != w.selector || f.Detail != w.detail || f.Severity != w.severity || f.Outcome != w.outcome ||
			!slices.Equal(f.WCAG, w.wcag) || f.Engine != "axe-core 4.14.1" || f.Category != schema.CategoryAccessibility {
			t.Errorf("finding %d: %+v, want %+v", i, f, w)
		}
	}
	if !slices.Equal(p.Findings[0].ACTRules, []string{"23a2a8"}) || p.Findings[0].Help != "Images must have alternative text" {
		t.Errorf("first finding: %+v", p.Findings[0])
	}
	wantNotes := []string{schema.NoteAxeIncomplete, "accessibility_contrast_not_run", schema.NoteFindingsCut, schema.NoteFramesUnchecked}
	if slices.Sort(wantNotes); !slices.Equal(p.Notes, wantNotes) {
		t.Errorf("notes %v", p.Notes)
	}
}

// Where the engine ran, it alone judges what it judges better; where it did not,
// the markup rules step in and the page says so.
func TestMarkupRulesStepBack(t *testing.T) {
	bad := body(`<img src="a.png" width="2" height="1">`)
	p, _ := Page(rendered(bad, func(d *Document) { d.Axe = []byte(`{"engine":"axe-core 4.14.1","violations":[],"incomplete":[]}`) }), "shop.example")
	if len(p.Findings) != 0 || len(p.Notes) != 0 {
		t.Errorf("with the engine: %v, notes %v", found(p), p.Notes)
	}
	for name, results := range map[string]string{"none": "", "broken": `{"engine":`, "empty": `{}`} {
		p, _ = Page(rendered(bad, func(d *Document) { d.Axe = []byte(results) }), "shop.example")
		if !slices.Equal(found(p), []string{"image-alt"}) || !slices.Equal(p.Notes, []string{schema.NoteAxeIncomplete}) {
			t.Errorf("%s: %v, notes %v", name, found(p), p.Notes)
		}
	}
}

// In a browser, mixed content is what was really requested.
func TestMixedContentAsRequested(t *testing.T) {
	axeNothing := func(d *Document) { d.Axe = []byte(`{"engine":"axe-core 4.14.1"}`) }
	p, _ := Page(rendered(body(`<img alt="" src="http://cdn.example/upgraded.png">`), axeNothing), "shop.example")
	if f := findingOf(p, "mixed-content"); f != nil {
		t.Errorf("nothing insecure was requested, yet %+v", f)
	}
	p, _ = Page(rendered(good, axeNothing, func(d *Document) { d.Totals.Insecure = []string{"http://cdn.example/a.js?t=1"} }), "shop.example")
	if f := findingOf(p, "mixed-content"); f == nil || f.Detail != "http://cdn.example/a.js?t=*" {
		t.Errorf("got %+v", f)
	}
}

// What the source alone tells is judged of rendered pages, too, where it was kept.
func TestRenderedPagesWithTheirSource(t *testing.T) {
	source := without("<!doctype html>")
	d := rendered(source, header("Content-Type", "text/html; charset=iso-8859-1"))
	d.Source = []byte(source)
	p, _ := Page(d, "shop.example")
	if got := found(p); !slices.Contains(got, "charset-mixed") || !slices.Contains(got, "doctype-missing") {
		t.Errorf("found %v", got)
	}
}

// A rendered page without its source is judged by its DOM: doctype and encoding
// are the source's.
func TestRenderedPages(t *testing.T) {
	html := without("<!doctype html>")
	p, c := Page(rendered(html+`<a href="/late">x</a>`, func(d *Document) {
		d.Axe = []byte(`{"engine":"axe-core 4.14.1"}`)
		d.Facts.MediaType, d.Totals.OwnRefused, d.Totals.RefusedCalls, d.Totals.Requests = "text/html", 1, 2, 7
		d.Notes = []string{schema.NoteDialog}
	}), "shop.example")
	if len(p.Findings) != 0 || p.Charset != "utf-8" || p.Words != 6 || len(c) != 1 || c[0].URL != "https://shop.example/late" {
		t.Errorf("findings %v, %s, %d words, %v", found(p), p.Charset, p.Words, c)
	}
	if p.RefusedCalls != 2 || p.Requests != 7 || !slices.Equal(p.Notes, []string{schema.NoteContentIncomplete, schema.NoteDialog}) {
		t.Errorf("%d refused, %d requests, notes %v", p.RefusedCalls, p.Requests, p.Notes)
	}
}
