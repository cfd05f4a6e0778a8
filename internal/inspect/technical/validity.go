package technical

import (
	"fmt"
	"slices"
	"strings"

	"visite/internal/inspect/dom"
	"visite/internal/inspect/page"
	"visite/internal/inspect/rule"
	"visite/schema"
)

// fault is a kind of fault in a page's source: rules of the validator that are
// mended in the same way make one finding of a page.
type fault struct {
	id          string
	severity    schema.Severity
	title, help string
	reference   string
	rules       []string // html-validate's
}

var faults = []fault{
	{
		"html-nesting", schema.SeverityMinor, "Elements stand where HTML does not allow them",
		"Put them where they may stand: blocks not into p or span, style and title into the head, only li into ul, nothing interactive into links and buttons.",
		"HTML Standard, content models",
		[]string{"element-permitted-content", "element-permitted-parent", "element-permitted-occurrences", "element-permitted-order", "element-required-ancestor", "multiple-labeled-controls"},
	},
	{
		"html-tags", schema.SeverityMinor, "Start tags and end tags do not belong together",
		"Close each element once and in order; write no end tag for void elements such as br, and no slash for an end tag.",
		"HTML Standard, parse errors", []string{"close-order", "close-attr", "no-self-closing", "void-content"},
	},
	{
		"html-attribute-value", schema.SeverityMinor, "Attributes have values that HTML does not know",
		"Use one of the values that the HTML Standard lists for the attribute; ids hold no blanks, and for names the id of a form control.",
		"HTML Standard, attributes", []string{"attribute-allowed-values", "valid-for", "map-dup-name", "map-id-name"},
	},
	{
		"html-attribute-missing", schema.SeverityMinor, "Elements lack an attribute they cannot do without",
		"Add the attribute, or remove the element.", "HTML Standard, the element's attributes", []string{"element-required-attributes"},
	},
	{
		"html-attribute-misplaced", schema.SeverityMinor, "Attributes stand on elements for which they mean nothing",
		"Remove them, or give the element the type they belong to.", "HTML Standard, the element's attributes", []string{"attribute-misuse", "input-attributes"},
	},
	{
		"html-attribute-obsolete", schema.SeverityInfo, "Attributes are used that HTML no longer has",
		"Say in a style sheet what they say: align, bgcolor, border and their like.", "HTML Standard, non-conforming features", []string{"no-deprecated-attr"},
	},
	{
		"html-characters", schema.SeverityInfo, "Characters are not written as HTML wants them",
		"Write &amp; and &lt; for & and < in texts, end character references with a semicolon, and leave a blank between attributes.",
		"HTML Standard, character references and parse errors", []string{"no-raw-characters", "unrecognized-char-ref", "attr-spacing"},
	},
	{
		"html-element-unknown", schema.SeverityInfo, "Elements are used that HTML does not have",
		"Use an element that HTML has, or a custom element with a hyphen in its name.", "HTML Standard, elements; valid custom element names", []string{"element-name"},
	},
	{
		"html-doctype-old", schema.SeverityInfo, "The doctype is one of an older HTML",
		"Write <!doctype html>.", "HTML Standard, the DOCTYPE", []string{"doctype-html"},
	},
}

// validityRules judge the source as served, by what the validator found in it. It
// runs where there is a browser; the http engine's pages are not validated.
func validityRules() []rule.Rule {
	var all []rule.Rule
	for _, f := range faults {
		all = append(all, of(f.id, f.severity, f.title, f.help, rule.Standard, f.reference, f.run))
	}
	return all
}

// maxDetail bounds what is told of one rule on one page.
const maxDetail = 300

func (f fault) run(c *page.Content) []rule.Hit {
	if c.Doc.Validity == nil {
		return nil
	}
	var parts []string
	var places []schema.ValidityPlace
	length := 0
	for _, r := range c.Doc.Validity.Rules {
		if !slices.Contains(f.rules, r.Rule) {
			continue
		}
		places = append(places, r.Places...)
		part := told(r)
		if length += len(part); length > maxDetail {
			break
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return nil
	}
	hit := rule.Hit{Node: dom.None, Detail: strings.Join(parts, "; ")}
	if f.id == "html-nesting" && onlyStyles(places) {
		hit.Severity = schema.SeverityInfo
	}
	return []rule.Hit{hit}
}

// onlyStyles: style elements in the body are against the rules of HTML, but every
// browser leaves them where they are. The validator tells of them alone only where
// it found nothing else.
func onlyStyles(places []schema.ValidityPlace) bool {
	return len(places) > 0 && !slices.ContainsFunc(places, func(p schema.ValidityPlace) bool { return p.Element != "style" })
}

// told is a validator's rule with how often and where: "close-order 2 × (line 4: p)".
func told(r schema.ValidityRule) string {
	var places []string
	for _, p := range r.Places {
		what := p.Element
		switch {
		case p.Attribute != "":
			what = strings.TrimSpace(p.Attribute + " of " + p.Element)
		case p.Inside != "" && p.Element != "":
			what += " in " + p.Inside
		}
		place := fmt.Sprintf("line %d", p.Line)
		if what != "" {
			place += ": " + strings.TrimSuffix(what, " of")
		}
		if !slices.Contains(places, place) {
			places = append(places, place)
		}
	}
	out := fmt.Sprintf("%s %d ×", r.Rule, r.Count)
	if len(places) > 0 {
		out += " (" + strings.Join(places, ", ") + ")"
	}
	return out
}
