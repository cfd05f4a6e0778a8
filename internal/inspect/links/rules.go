// Package links judges references as they are written; where they lead is
// judged over the whole site.
package links

import (
	"visite/internal/inspect/page"
	"visite/internal/inspect/rule"
	"visite/schema"
)

// Rules lists them.
func Rules() []rule.Rule {
	return []rule.Rule{
		of("link-empty", schema.SeverityMinor, "A link leads nowhere", "Give the link an address, or make it a button if it only triggers something.",
			rule.SearchEngine, "Google Search Central, Make your links crawlable", schema.FindingNeedsReview, empty),
		of("link-script", schema.SeverityMinor, "A link works by script alone", "Put the address into href; search engines and some visitors cannot follow javascript: links.",
			rule.SearchEngine, "Google Search Central, Make your links crawlable", schema.FindingFailed, script),
		of("link-missing-scheme", schema.SeverityModerate, "A link lacks https:// or mailto:",
			"Write the full address; as it stands it is read as a page of this site.", rule.Standard, "URL Standard, relative URLs", schema.FindingFailed, missingScheme),
		of("link-double-escaped", schema.SeverityModerate, "A link contains a doubly escaped &",
			"Escape & in addresses once, as &amp;; twice escaped, parameters get wrong names.", rule.Standard, "HTML Standard, character references", schema.FindingFailed, doubleEscaped),
		of("link-invalid", schema.SeverityModerate, "A link holds no valid address", "Correct the address.",
			rule.Standard, "URL Standard, URL parsing", schema.FindingFailed, invalid),
		of("link-local", schema.SeveritySerious, "A public page links to an address that only works inside",
			"Replace the address by the public one.", rule.Standard, "RFC 6761; RFC 1918", schema.FindingFailed, local),
		of("link-staging", schema.SeverityMinor, "A page links to a test version of its own site",
			"Check that the link is meant; test versions should not be public.", rule.Convention, "common audit rule", schema.FindingNeedsReview, staging),
		of("file-missing", schema.SeverityModerate, "A file that the page loads is missing",
			"Put the file back, or take the reference out of the page.", rule.Standard, "RFC 9110, client and server error statuses", schema.FindingFailed, missingFiles),
	}
}

func of(id string, severity schema.Severity, title, help string, source rule.Source, reference string, outcome schema.FindingOutcome, run func(*page.Content) []rule.Hit) rule.Rule {
	return rule.Rule{
		Info: rule.Info{
			ID: id, Category: schema.CategoryLinks, Severity: severity, Outcome: outcome, Title: title, Help: help, Source: source, Reference: reference,
		},
		Run: run,
	}
}
