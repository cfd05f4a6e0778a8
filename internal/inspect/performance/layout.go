package performance

import (
	"fmt"

	"visite/internal/inspect/page"
	"visite/internal/inspect/rule"
	"visite/schema"
)

// layoutRules are about pictures as a browser laid them out.
var layoutRules = []rule.Rule{
	{
		Info: rule.Info{
			ID: "image-oversized", Category: schema.CategoryPerformance, Severity: schema.SeverityMinor, Outcome: schema.FindingFailed,
			Title: "Images are far larger than they are shown", Help: "Save them with about twice the size they are shown with, or offer several sizes in srcset.",
			Source: rule.SearchEngine, Reference: "web.dev, Serve responsive images",
		},
		Run: oversized,
	},
	{
		Info: rule.Info{
			ID: "lcp-lazy", Category: schema.CategoryPerformance, Severity: schema.SeverityModerate, Outcome: schema.FindingFailed,
			Title: "The largest content is an image that loads lazily", Help: "Take loading=\"lazy\" off images that are seen at once; leave it to those further down.",
			Source: rule.SearchEngine, Reference: "web.dev, Browser-level image lazy loading for the web",
		},
		Run: lazyLargest,
	},
}

func layoutOf(c *page.Content) schema.Layout {
	if c.Doc.Observed == nil || c.Doc.Observed.Layout == nil {
		return schema.Layout{}
	}
	return *c.Doc.Observed.Layout
}

func oversized(c *page.Content) []rule.Hit {
	l := layoutOf(c)
	if l.Oversized == 0 {
		return nil
	}
	return []rule.Hit{{Selector: l.OversizedAt, Detail: fmt.Sprintf("%d of %s; this one has %d × %d pixels and is shown with %d × %d",
		l.Oversized, rule.Count(l.Pictures, "image"), l.Natural[0], l.Natural[1], l.Shown[0], l.Shown[1])}}
}

func lazyLargest(c *page.Content) []rule.Hit {
	l := layoutOf(c)
	if !l.LargestLazy {
		return nil
	}
	return []rule.Hit{{Selector: l.LargestAt}}
}
