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
		of("link-no-address", schema.SeverityMinor, "A link has no address and works by script alone",
			"Give it an href, or make it a button if it only triggers something.", rule.SearchEngine, "Google Search Central, Make your links crawlable", schema.FindingFailed, noAddress),
		beside(of("link-text-vague", schema.SeverityMinor, "A link's words do not tell where it leads",
			"Let the words name the target; \"here\" and \"more\" say nothing by themselves.",
			rule.SearchEngine, "Google Search Central, SEO link best practices: anchor text", schema.FindingFailed, vague), "2.4.9", "aizyf1"),
		of("link-fragment-missing", schema.SeverityMinor, "A link leads to a place of the page that is not there",
			"Give the target the id that the link names, or correct the link.", rule.Standard, "HTML Standard, find a potential indicated element", schema.FindingFailed, fragmentMissing),
		of("link-insecure", schema.SeverityMinor, "A secure page links to an insecure address of its own site",
			"Write the link with https://, or without scheme and host.", rule.Convention, "common audit rule", schema.FindingFailed, insecure),
		of("link-session", schema.SeverityMinor, "Links carry the number of a session",
			"Keep sessions in cookies; in addresses they make endless copies of each page, and can be passed on.",
			rule.SearchEngine, "Google Search Central, URL structure best practices", schema.FindingFailed, session),
		of("links-many", schema.SeverityInfo, "The page has very many links",
			"Check whether people find what they look for; split long lists.", rule.Convention, "common audit threshold of 1000 links", schema.FindingFailed, tooMany),
	}
}

// beside names the WCAG criterion of level AAA that a rule of another topic looks
// at, too, and its ACT rule.
func beside(r rule.Rule, criterion, act string) rule.Rule {
	r.WCAG, r.ACT = []string{criterion}, []string{act}
	return r
}

func of(id string, severity schema.Severity, title, help string, source rule.Source, reference string, outcome schema.FindingOutcome, run func(*page.Content) []rule.Hit) rule.Rule {
	return rule.Rule{
		Info: rule.Info{
			ID: id, Category: schema.CategoryLinks, Severity: severity, Outcome: outcome, Title: title, Help: help, Source: source, Reference: reference,
		},
		Run: run,
	}
}
