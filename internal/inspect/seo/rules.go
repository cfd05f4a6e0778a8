// Package seo judges what search engines read: titles, descriptions, headings,
// canonical addresses, robots directives, language versions.
package seo

import (
	"visite/internal/inspect/page"
	"visite/internal/inspect/rule"
	"visite/schema"
)

// Where rules come from, as references say it.
const (
	googleTitles    = "Google Search Central, Influencing title links"
	googleSnippets  = "Google Search Central, Control your snippets"
	googleCanonical = "Google Search Central, How to specify a canonical URL"
	googleRobots    = "Google Search Central, Robots meta tag specifications"
	googleHreflang  = "Google Search Central, Localized versions of your pages"
	googleRedirects = "Google Search Central, Redirects and Google Search"
	googleAddresses = "Google Search Central, URL structure best practices"
	googleMobile    = "Google Search Central, Mobile site and mobile-first indexing best practices"
)

// Rules lists them.
func Rules() []rule.Rule {
	var all []rule.Rule
	all = append(all, titleRules()...)
	all = append(all, headingRules()...)
	all = append(all, canonicalRules()...)
	all = append(all, robotsRules()...)
	all = append(all, languageRules()...)
	all = append(all, headRules()...)
	all = append(all, contentRules()...)
	all = append(all, sharingRules()...)
	all = append(all, structuredRules()...)
	all = append(all, pictureRules()...)
	all = append(all, renderedRules()...)
	return append(all, otherRules()...)
}

// of is a rule of this topic that fails a page.
func of(id string, severity schema.Severity, title, help string, source rule.Source, reference string, run func(*page.Content) []rule.Hit) rule.Rule {
	return rule.Rule{
		Info: rule.Info{
			ID: id, Category: schema.CategorySEO, Severity: severity, Outcome: schema.FindingFailed, Title: title, Help: help,
			Source: source, Reference: reference,
		},
		Run: run,
	}
}

// asked is a rule whose hits are questions to a person.
func asked(r rule.Rule) rule.Rule {
	r.Outcome = schema.FindingNeedsReview
	return r
}
