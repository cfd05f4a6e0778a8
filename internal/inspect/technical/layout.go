package technical

import (
	"fmt"

	"visite/internal/inspect/page"
	"visite/internal/inspect/rule"
	"visite/schema"
)

const (
	// textLeast is how many characters a page must have for its letters to be judged.
	textLeast = 200
	// smallShare is the share of text below 12 pixels that common audits let pass, in percent.
	smallShare = 40
	// beyondLeast is what a page may stick out sideways, in CSS pixels: shadows and rounding.
	beyondLeast = 16
)

// layoutRules are about the page on the scan's device, as a browser laid it out.
func layoutRules() []rule.Rule {
	return []rule.Rule{
		of("page-too-wide", schema.SeverityMinor, "The page has to be scrolled sideways",
			"Let nothing be wider than the screen: max-width for images, line breaks in long words, tables that scroll by themselves.",
			rule.Standard, "WCAG 2.2, 1.4.10 (on the screen of the scan's device)", tooWide),
		question(of("text-small", schema.SeverityInfo, "Much of the text is very small",
			"Set running text in 12 pixels at least, better in 16.", rule.Convention, "common audit threshold: 60 percent of the text in 12 pixels or more", smallText)),
	}
}

// question is a rule whose hits are for a person to decide.
func question(r rule.Rule) rule.Rule {
	r.Outcome = schema.FindingNeedsReview
	return r
}

func layoutOf(c *page.Content) schema.Layout {
	if c.Doc.Observed == nil || c.Doc.Observed.Layout == nil {
		return schema.Layout{}
	}
	return *c.Doc.Observed.Layout
}

func tooWide(c *page.Content) []rule.Hit {
	l := layoutOf(c)
	if l.Beyond < beyondLeast {
		return nil
	}
	return rule.Page(fmt.Sprintf("by %d pixels on a screen of %d", l.Beyond, l.Screen))
}

func smallText(c *page.Content) []rule.Hit {
	l := layoutOf(c)
	if l.Text < textLeast || l.Small*100 <= l.Text*smallShare {
		return nil
	}
	return rule.Page(fmt.Sprintf("%d percent of the text below 12 pixels", l.Small*100/l.Text))
}
