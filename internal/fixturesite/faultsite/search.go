package faultsite

import "strings"

const title = "<title>{name} - Harbour Rowing Club</title>"
const description = `<meta name="description" content="{name}: what members and guests of the rowing club at the harbour should know of it.">`
const canonical = `<link rel="canonical" href="{{base}}{path}">`
const viewport = `<meta name="viewport" content="width=device-width, initial-scale=1">`

// words: titles, descriptions, headings, and what else there is once a page.
func words() []change {
	return []change{
		{faults: []string{"document-title"}, replace: []string{title, "<title></title>"}},
		{faults: []string{"title-several"}, head: "<title>Another one of them</title>\n"},
		{faults: []string{"title-long"}, replace: []string{title, "<title>{name} of the rowing club at the harbour, with a title that says more than search results have room for</title>"}},
		{faults: []string{"title-short"}, replace: []string{title, "<title>Row</title>"}},
		{faults: []string{"description-missing"}, replace: []string{description, ""}},
		{faults: []string{"description-several"}, head: `<meta name="description" content="A second description of the very same page of the club.">` + "\n"},
		{faults: []string{"description-long"}, replace: []string{description, `<meta name="description" content="{name}: ` + strings.Repeat("what members should know of it, ", 12) + `">`}},
		{faults: []string{"description-short"}, replace: []string{description, `<meta name="description" content="Row">`}},
		{faults: []string{"heading-order", "h1-several"}, body: "<h4>Too deep</h4><p>Said there.</p>\n<h1>Once more</h1><p>And here.</p>\n"},
		{faults: []string{"h1-missing"}, replace: []string{"<h1>{name}</h1>", "<h2>{name}</h2>"}},
		{faults: []string{"meta-viewport"}, replace: []string{"initial-scale=1", "initial-scale=1, user-scalable=no"}},
		{faults: []string{"viewport-missing"}, replace: []string{viewport, ""}},
		{faults: []string{"meta-refresh"}, head: `<meta http-equiv="refresh" content="600">` + "\n"},
		{faults: []string{"title-duplicate"}, replace: []string{title, "<title>Twins of the rowing club</title>"}},
		{faults: []string{"title-duplicate"}, replace: []string{title, "<title>Twins of the rowing club</title>"}},
		{faults: []string{"sharing-missing"}, replace: []string{"<meta property=\"og:", "<meta property=\"x:", `name="twitter:card"`, `name="x:card"`}},
		{faults: []string{"structured-data-invalid"}, head: `<script type="application/ld+json">{"@context": "https://schema.org", "@type": </script>` + "\n"},
	}
}

// search: canonical addresses, language versions, directives.
func search() []change {
	return []change{
		{faults: []string{"canonical-several"}, head: `<link rel="canonical" href="{{base}}/">` + "\n"},
		{faults: []string{"canonical-relative"}, replace: []string{canonical, `<link rel="canonical" href="{path}">`}},
		{faults: []string{"canonical-invalid"}, replace: []string{canonical, `<link rel="canonical" href="http://">`}},
		{faults: []string{"canonical-outside-head"}, replace: []string{canonical, ""}, body: canonical + "\n"},
		{faults: []string{"canonical-broken"}, unlisted: true, replace: []string{canonical, `<link rel="canonical" href="{{base}}/gone/canonical">`}},
		{faults: []string{"html-has-lang"}, replace: []string{`<html lang="en">`, "<html>"}},
		{faults: []string{"html-lang-valid", "valid-lang"}, body: `<p lang="xyzzy">Some words.</p>` + "\n", replace: []string{`<html lang="en">`, `<html lang="qwerty">`}},
		{faults: []string{"lang-region"}, replace: []string{`<html lang="en">`, `<html lang="en-UK">`}},
		{faults: []string{"hreflang-invalid", "hreflang-return"}, head: versions("jp")},
		{faults: []string{"hreflang-conflict", "hreflang-return"}, head: versions("de") + `<link rel="alternate" hreflang="de" href="{{base}}/imprint">` + "\n"},
		{faults: []string{"hreflang-self", "hreflang-return"}, head: `<link rel="alternate" hreflang="de" href="{{base}}/privacy">` + "\n"},
		{faults: []string{"hreflang-address"}, head: `<link rel="alternate" hreflang="en" href="{{base}}{path}"><link rel="alternate" hreflang="de" href="http://">` + "\n"},
		{faults: []string{"robots-noindex", "noindex-hidden"}, unlisted: true, head: `<meta name="robots" content="noindex">` + "\n"},
		{faults: []string{"robots-nofollow"}, head: `<meta name="robots" content="nofollow">` + "\n"},
		{faults: []string{"robots-nosnippet"}, head: `<meta name="robots" content="nosnippet">` + "\n"},
	}
}

// versions are a page's own language version and another one.
func versions(other string) string {
	return `<link rel="alternate" hreflang="en" href="{{base}}{path}"><link rel="alternate" hreflang="` + other + `" href="{{base}}/privacy">` + "\n"
}
