package inspect

import (
	"slices"
	"strings"
	"testing"

	"visite/schema"
)

// validated is a change of a document: what the validator found in its source.
func validated(rules ...schema.ValidityRule) func(*Document) {
	return func(d *Document) {
		d.Engine, d.Rendered, d.Validity = schema.EngineBrowser, string(d.Source), &schema.ValidityResults{Whole: true, Rules: rules}
	}
}

// What is mended in the same way is one finding of a page, with rules, figures and
// names of HTML's.
func TestValidityMakesFindings(t *testing.T) {
	place := func(line int, element, inside, attribute string) schema.ValidityPlace {
		return schema.ValidityPlace{Line: line, Column: 1, Element: element, Inside: inside, Attribute: attribute}
	}
	p, _ := Page(at(good, validated(
		schema.ValidityRule{Rule: "close-order", Count: 1, Places: []schema.ValidityPlace{place(4, "p", "", "")}},
		schema.ValidityRule{Rule: "element-permitted-content", Count: 7, Places: []schema.ValidityPlace{place(9, "div", "ul", ""), place(9, "div", "ul", ""), place(12, "", "", "")}},
		schema.ValidityRule{Rule: "element-required-ancestor", Count: 2},
		schema.ValidityRule{Rule: "no-deprecated-attr", Count: 1, Places: []schema.ValidityPlace{place(3, "p", "", "align")}},
	)), "shop.example")
	for id, want := range map[string]string{
		"html-tags":               "close-order 1 × (line 4: p)",
		"html-nesting":            "element-permitted-content 7 × (line 9: div in ul, line 12); element-required-ancestor 2 ×",
		"html-attribute-obsolete": "no-deprecated-attr 1 × (line 3: align of p)",
	} {
		if f := findingOf(p, id); f == nil || f.Detail != want || f.Category != schema.CategoryTechnical {
			t.Errorf("%s: %+v, want %q", id, f, want)
		}
	}
	var judged []string
	for _, r := range Rules() {
		if strings.HasPrefix(r.ID, "html-") && r.Category == schema.CategoryTechnical && r.ID != "html-large" {
			judged = append(judged, r.ID)
		}
	}
	if !slices.Equal(slices.Sorted(slices.Values(judged)), slices.Sorted(slices.Values(schema.ValidityRules))) {
		t.Errorf("rules that go by the validator: %v; comparisons think %v", judged, schema.ValidityRules)
	}
	for element, want := range map[string]schema.Severity{"style": schema.SeverityInfo, "div": schema.SeverityMinor} {
		p, _ := Page(at(good, validated(schema.ValidityRule{Rule: "element-permitted-content", Count: 9, Places: []schema.ValidityPlace{place(4, "style", "body", ""), place(9, element, "p", "")}})), "shop.example")
		if f := findingOf(p, "html-nesting"); f == nil || f.Severity != want {
			t.Errorf("style in the body and %s in p: %+v, want %s", element, f, want)
		}
	}
	for _, clean := range []Document{at(good, validated()), at(good)} {
		p, _ := Page(clean, "shop.example")
		for _, id := range found(p) {
			if strings.HasPrefix(id, "html-") && id != "html-large" {
				t.Errorf("%s is found in %d bytes that nobody complained of", id, len(clean.Source))
			}
		}
	}
}

// What is validated is read as browsers read it; XML is not HTML.
func TestMarkupIsOfHTMLAlone(t *testing.T) {
	source := []byte("\xe9<p>")
	html := schema.DocumentFacts{MediaType: "text/html", Header: map[string][]string{"Content-Type": {"text/html; charset=iso-8859-1"}}}
	if got := string(Markup(source, html)); got != "é<p>" {
		t.Errorf("%q", got)
	}
	html.MediaType = "application/xhtml+xml"
	if got := Markup(source, html); got != nil {
		t.Errorf("XML is given to a validator of HTML: %q", got)
	}
}
