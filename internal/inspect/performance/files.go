package performance

import (
	"fmt"
	"maps"
	"slices"

	"visite/internal/inspect/page"
	"visite/internal/inspect/rule"
	"visite/schema"
)

// fileRules are about how files of the site's own were sent while a browser had the
// page open. A file that was in the browser's cache is not sent again: it is told of
// the page that loaded it first.
var fileRules = []rule.Rule{
	{
		Info: rule.Info{
			ID: "files-uncompressed", Category: schema.CategoryPerformance, Severity: schema.SeverityMinor, Outcome: schema.FindingFailed,
			Title: "Files of the page are sent uncompressed", Help: "Switch on gzip or Brotli for styles, scripts, SVG and data on the server.",
			Source: rule.SearchEngine, Reference: "web.dev, Optimize the encoding and transfer size of text-based assets",
		},
		Run: uncompressed,
	},
	{
		Info: rule.Info{
			ID: "files-uncached", Category: schema.CategoryPerformance, Severity: schema.SeverityInfo, Outcome: schema.FindingNeedsReview,
			Title: "Files of the page may not be kept, or nothing says how long", Help: "Send Cache-Control with a max-age for files that seldom change; a new version gets a new name.",
			Source: rule.SearchEngine, Reference: "web.dev, Prevent unnecessary network requests with the HTTP Cache",
		},
		Run: uncached,
	},
}

func uncompressed(c *page.Content) []rule.Hit {
	files := c.Doc.Totals.Uncompressed
	if len(files) == 0 {
		return nil
	}
	var total int64
	largest := ""
	for _, address := range slices.Sorted(maps.Keys(files)) {
		if total += files[address]; largest == "" || files[address] > files[largest] {
			largest = address
		}
	}
	return rule.Page(fmt.Sprintf("%s, %d kB, the largest is %s", rule.Count(len(files), "file"), kB(total), schema.RedactAddress(largest)))
}

func uncached(c *page.Content) []rule.Hit {
	files := slices.Clone(c.Doc.Totals.Uncached)
	if len(files) == 0 {
		return nil
	}
	slices.Sort(files)
	files = slices.Compact(files)
	return rule.Page(fmt.Sprintf("%s, among them %s", rule.Count(len(files), "file"), schema.RedactAddress(files[0])))
}
