// Package performance judges speed and weight by figures.
package performance

import (
	"fmt"
	"slices"

	"visite/internal/inspect/dom"
	"visite/internal/inspect/page"
	"visite/internal/inspect/rule"
	"visite/schema"
)

// Thresholds: time to first byte as web.dev has them, in milliseconds; size of
// the document itself in bytes.
const (
	slowMS        = 800
	verySlowMS    = 1800
	documentLarge = 500_000
)

// Rules lists them.
func Rules() []rule.Rule {
	return slices.Concat(documentRules(), vitalRules, weightRules, layoutRules, fileRules)
}

func documentRules() []rule.Rule {
	return []rule.Rule{
		{
			Info: rule.Info{
				ID: "slow-answer", Category: schema.CategoryPerformance, Severity: schema.SeverityModerate, Outcome: schema.FindingFailed,
				Title: "The server takes long to answer", Help: "Bring the time to the first byte below 800 ms: cache the page, speed up what makes it.",
				Source: rule.SearchEngine, Reference: "web.dev, Time to First Byte (good below 0.8 s, poor above 1.8 s)",
			},
			Run: slowAnswer,
		},
		{
			Info: rule.Info{
				ID: "document-large", Category: schema.CategoryPerformance, Severity: schema.SeverityMinor, Outcome: schema.FindingFailed,
				Title: "The page's markup is heavy", Help: "Bring the HTML below 500 kB: move embedded images, styles and data into files of their own.",
				Source: rule.Convention, Reference: "common audit threshold",
			},
			Run: largeDocument,
		},
	}
}

func slowAnswer(c *page.Content) []rule.Hit {
	ms := c.Doc.Facts.Timing.TTFBMS
	if ms <= slowMS {
		return nil
	}
	hit := rule.Hit{Node: dom.None, Detail: fmt.Sprintf("%.0f ms", ms)}
	if ms > verySlowMS {
		hit.Severity = schema.SeveritySerious
	}
	return []rule.Hit{hit}
}

func largeDocument(c *page.Content) []rule.Hit {
	if n := c.Doc.Bytes(); n > documentLarge {
		return rule.Page(fmt.Sprintf("%d kB", (n+500)/1000))
	}
	return nil
}
