// Package accessibility holds what can be said of accessibility from markup
// alone, and takes over what the accessibility engine found in a browser. The
// markup rules cover the certain cases only and carry axe-core's rule ids, so
// that a fault has one name whichever engine loaded the page.
package accessibility

import (
	"slices"

	"visite/internal/inspect/page"
	"visite/internal/inspect/rule"
	"visite/schema"
)

// Rules lists the markup rules.
func Rules() []rule.Rule {
	return append([]rule.Rule{
		static("document-title", schema.SeveritySerious, "The page has no title",
			"Give the page a title element with words that tell what the page is about.", "2.4.2", "2779a5", documentTitle),
		static("html-has-lang", schema.SeveritySerious, "The page does not say its language",
			"Put a lang attribute with the page's main language on the html element, for example lang=\"en\".", "3.1.1", "b5c3f8", htmlHasLang),
		static("html-lang-valid", schema.SeveritySerious, "The page's language code does not exist",
			"Write the lang attribute of the html element as a language tag of BCP 47, for example \"de\" or \"en-GB\".", "3.1.1", "bf051a", htmlLangValid),
		static("image-alt", schema.SeverityCritical, "An image has no text alternative",
			"Give the img element an alt attribute that says what the image tells; leave it empty (alt=\"\") where it is only decoration.", "1.1.1", "23a2a8", imageAlt),
		static("input-image-alt", schema.SeverityCritical, "An image button has no text alternative",
			"Give the image button an alt attribute that says what the button does.", "1.1.1", "59796f", inputImageAlt),
		static("area-alt", schema.SeverityCritical, "A link in an image map has no text alternative",
			"Give the area element an alt attribute that says where the link leads.", "2.4.4", "c487ae", areaAlt),
		static("link-name", schema.SeveritySerious, "A link has no name",
			"Put text into the link, or an image with a text alternative, that says where it leads.", "2.4.4", "c487ae", linkName),
		static("button-name", schema.SeverityCritical, "A button has no name",
			"Put text into the button, or an image with a text alternative, that says what it does.", "4.1.2", "97a4e1", buttonName),
		static("label", schema.SeverityCritical, "A form field has no label",
			"Tie a label element to the field by for and id, or put the field into the label.", "4.1.2", "e086e5", fieldLabel),
		static("frame-title", schema.SeveritySerious, "A frame has no title",
			"Give the frame a title attribute that says what is in it.", "4.1.2", "cae760", frameTitle),
		static("meta-viewport", schema.SeverityModerate, "The page forbids zooming",
			"Leave user-scalable=no, and any maximum-scale below 2, out of the viewport meta element.", "1.4.4", "b4f0c3", metaViewport),
		static("meta-refresh", schema.SeverityCritical, "The page reloads or leaves by itself after a while",
			"Take the timed refresh out; redirect on the server, or let people decide.", "2.2.1", "bc659a", metaRefresh),
		{
			Info: rule.Info{
				ID: "heading-order", Category: schema.CategoryAccessibility, Severity: schema.SeverityMinor, Outcome: schema.FindingFailed,
				Title: "A heading level is skipped", Help: "Let headings go down one level at a time, so that the page's structure can be followed by ear.",
				Source: rule.Convention, Reference: "W3C WAI Tutorials, Page Structure, Headings",
			},
			LeftToAxe: true, Run: headingOrder,
		},
		{
			Info: beyond("meta-refresh-late", "2.2.4", []string{"bisz58"}, "The page reloads or leaves by itself after many hours",
				"Take the timed refresh out; let people decide when to load the page anew. Level AAA.",
				words("Die Seite lädt sich nach vielen Stunden von selbst neu oder wechselt",
					"Die zeitgesteuerte Weiterleitung herausnehmen; Menschen entscheiden lassen, wann die Seite neu geladen wird. Stufe AAA.",
					"La página se recarga o se va sola al cabo de muchas horas",
					"Quite la recarga temporizada; deje que cada cual decida cuándo volver a cargar la página. Nivel AAA.")),
			Run: refreshLate,
		},
	}, slices.Concat(languageRules, linkRules)...)
}

// static is a rule on one WCAG success criterion, judged by axe-core where that ran.
func static(id string, severity schema.Severity, title, help, criterion, act string, run func(*page.Content) []rule.Hit) rule.Rule {
	return rule.Rule{
		Info: rule.Info{
			ID: id, Category: schema.CategoryAccessibility, Severity: severity, Outcome: schema.FindingFailed, Title: title, Help: help,
			Source: rule.Standard, Reference: "WCAG 2.2, " + criterion, WCAG: []string{criterion}, ACT: []string{act},
		},
		LeftToAxe: true, Run: run,
	}
}
