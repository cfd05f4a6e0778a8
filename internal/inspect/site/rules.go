// Package site judges what can only be seen over the whole site: where links
// lead, what pages have in common, what canonical addresses and redirects come to.
package site

import (
	"visite/internal/inspect/rule"
	"visite/schema"
)

// Rule ids of this package.
const (
	LinkBroken           = "link-broken"
	LinkBrokenElsewhere  = "link-broken-elsewhere"
	LinkToRedirect       = "link-to-redirect"
	RedirectChain        = "redirect-chain"
	RedirectFault        = "redirect-fault"
	ErrorAnswer          = "error-answer"
	TitleDuplicate       = "title-duplicate"
	DescriptionDuplicate = "description-duplicate"
	ContentDuplicate     = "content-duplicate"
	CanonicalBroken      = "canonical-broken"
	CanonicalRedirect    = "canonical-redirect"
	CanonicalNoindex     = "canonical-noindex"
	OrphanPage           = "orphan-page"
	CanonicalChain       = "canonical-chain"
	CanonicalHome        = "canonical-home"
	AddressVariants      = "address-variants"
	RedirectTemporary    = "redirect-temporary"
	PageDeep             = "page-deep"
	HostTwin             = "host-twin"
	SitemapRedirect      = "sitemap-redirect"
	SitemapNoindex       = "sitemap-noindex"
	SitemapCanonical     = "sitemap-canonical"
	SitemapDisallowed    = "sitemap-disallowed"
	HreflangReturn       = "hreflang-return"
	HreflangTarget       = "hreflang-target"

	LinkSameNameOther      = "link-same-name-other-page"
	LinkSameNameOtherAlone = "link-same-name-other-page-alone"
	HTTP1Only              = "http-1-only"
	SoftNotFound           = "soft-not-found"
	RobotsTxtMarkup        = "robots-txt-markup"
	RobotsTxtEncoding      = "robots-txt-encoding"
	RobotsTxtLarge         = "robots-txt-large"
	RobotsTxtSyntax        = "robots-txt-syntax"
	RobotsTxtNoindex       = "robots-txt-noindex"
	SitemapUnreadable      = "sitemap-unreadable"
	SitemapInvalid         = "sitemap-invalid"
	SitemapOtherHost       = "sitemap-other-host"
	SitemapDates           = "sitemap-dates"
	SitemapNotNamed        = "sitemap-not-named"
)

const (
	httpStatus     = "RFC 9110 section 15"
	googleURLs     = "Google Search Central, How to specify a canonical URL"
	googleTitles   = "Google Search Central, Influencing title links"
	googleMoves    = "Google Search Central, Redirects and Google Search"
	googleHreflang = "Google Search Central, Localized versions of your pages"
	googleRobots   = "Google Search Central, How Google interprets the robots.txt specification"
	googleSitemap  = "Google Search Central, Build and submit a sitemap"
)

// helpInSitemap is the remedy for an address of the sitemap that answers with an error.
const helpInSitemap = "Make the page answer, or take its address out of the sitemap."

var infos = []rule.Info{
	failed(LinkBroken, schema.CategoryLinks, schema.SeveritySerious, "A link leads to an error", "Correct the address, or take the link out.", rule.Standard, httpStatus),
	failed(LinkBrokenElsewhere, schema.CategoryLinks, schema.SeverityModerate, "A link to another site leads to an error", "Correct the address, or take the link out. Look at it first: the other site may have mended it since.", rule.Standard, httpStatus),
	failed(LinkToRedirect, schema.CategoryLinks, schema.SeverityInfo, "A link leads to an address that redirects", "Link to the final address directly.", rule.Convention, "common audit rule"),
	failed(RedirectChain, schema.CategoryLinks, schema.SeverityMinor, "An address redirects more than once", "Redirect to the final address in one step.", rule.SearchEngine, googleMoves),
	failed(RedirectFault, schema.CategoryTechnical, schema.SeveritySerious, "An address redirects without end or to nowhere", "Correct the redirect's target on the server.", rule.Standard, "RFC 9110 section 15.4"),
	failed(ErrorAnswer, schema.CategoryTechnical, schema.SeveritySerious, "An address that the site itself names answers with an error", "Make the page answer with a success status.", rule.SearchEngine, googleSitemap),
	failed(TitleDuplicate, schema.CategorySEO, schema.SeverityMinor, "Several pages have the same title", "Give each page a title of its own.", rule.SearchEngine, googleTitles),
	failed(DescriptionDuplicate, schema.CategorySEO, schema.SeverityInfo, "Several pages have the same description", "Give each page a description of its own, or none.", rule.SearchEngine, "Google Search Central, Control your snippets"),
	failed(ContentDuplicate, schema.CategorySEO, schema.SeverityMinor, "Several addresses show the same content", "Choose one address and name it in a canonical link on the others, or redirect them to it.", rule.SearchEngine, googleURLs),
	failed(CanonicalBroken, schema.CategorySEO, schema.SeveritySerious, "The canonical address answers with an error", "Name an address that works, or take the canonical link out.", rule.SearchEngine, googleURLs),
	failed(CanonicalRedirect, schema.CategorySEO, schema.SeverityModerate, "The canonical address redirects", "Name the final address.", rule.SearchEngine, googleURLs),
	failed(CanonicalNoindex, schema.CategorySEO, schema.SeverityModerate, "The canonical address asks not to be listed", "Name a page that may be listed, or take the noindex out there.", rule.SearchEngine, googleURLs),
	failed(OrphanPage, schema.CategorySEO, schema.SeverityInfo, "A page of the sitemap is linked from nowhere", "Link to the page from another one, so that visitors can find it.", rule.Convention, "common audit rule"),
	failed(CanonicalChain, schema.CategorySEO, schema.SeverityMinor, "The canonical address calls yet another one canonical", "Name the last address of the chain.", rule.SearchEngine, googleURLs),
	asked(failed(CanonicalHome, schema.CategorySEO, schema.SeveritySerious, "Many pages call the home page canonical", "Let each page name itself; a page that calls another one canonical is not listed.", rule.SearchEngine, googleURLs)),
	failed(AddressVariants, schema.CategorySEO, schema.SeverityMinor, "A page can be reached under several spellings of its address", "Choose one (slash at the end or not, lower case, no index file) and redirect the others to it.", rule.SearchEngine, googleURLs),
	asked(failed(RedirectTemporary, schema.CategorySEO, schema.SeverityInfo, "A redirect that mends an address is marked as temporary", "Redirect with status 301 or 308, if it is meant to stay.", rule.SearchEngine, googleMoves)),
	asked(failed(HostTwin, schema.CategorySEO, schema.SeverityMinor, "The site can be reached with and without www", "Choose one and redirect the other to it with status 301.", rule.SearchEngine, googleURLs)),
	failed(PageDeep, schema.CategorySEO, schema.SeverityInfo, "A page lies many clicks away from the first one", "Link to the page from one nearer to the start, if it matters.", rule.Convention, "common audit threshold of three clicks"),
	failed(SitemapRedirect, schema.CategorySEO, schema.SeverityMinor, "The sitemap names an address that redirects", "Name the final address in the sitemap.", rule.SearchEngine, googleSitemap),
	failed(SitemapNoindex, schema.CategorySEO, schema.SeverityMinor, "The sitemap names a page that asks not to be listed", "Take the page out of the sitemap, or its noindex out of the page.", rule.SearchEngine, googleSitemap),
	failed(SitemapCanonical, schema.CategorySEO, schema.SeverityMinor, "The sitemap names a page that calls another one canonical", "Name the canonical address in the sitemap.", rule.SearchEngine, googleSitemap),
	asked(failed(SitemapDisallowed, schema.CategorySEO, schema.SeverityModerate, "The sitemap names an address that robots.txt forbids us to load", "If robots.txt forbids it to search engines as well: take the address out of one of the two.", rule.SearchEngine, googleSitemap)),
	failed(HreflangReturn, schema.CategorySEO, schema.SeverityModerate, "A language version does not name this page in return", "Let each version list all versions; without the return link search engines may ignore it.", rule.SearchEngine, googleHreflang),
	failed(HTTP1Only, schema.CategoryTechnical, schema.SeverityInfo, "The server speaks HTTP/1.1 only", "Switch on HTTP/2 on the server.", rule.Convention, "common audit rule; RFC 9113"),
	failed(SoftNotFound, schema.CategorySEO, schema.SeverityModerate, "The site answers with success for a page that is not there", "Answer with status 404 or 410 where there is no page.", rule.SearchEngine, "Google Search Central, How HTTP status codes affect Google's crawlers: soft 404 errors"),
	failed(RobotsTxtMarkup, schema.CategorySEO, schema.SeverityModerate, "In place of robots.txt the site sends a page", "Send a text file, or answer with status 404.", rule.Standard, "RFC 9309 section 2.3"),
	failed(RobotsTxtEncoding, schema.CategorySEO, schema.SeverityMinor, "robots.txt is not written in UTF-8", "Save the file as UTF-8.", rule.Standard, "RFC 9309 section 2.3"),
	failed(RobotsTxtLarge, schema.CategorySEO, schema.SeverityModerate, "robots.txt is longer than search engines read", "Bring it below 500 KiB; put what is to be kept away below common paths.", rule.SearchEngine, googleRobots),
	failed(RobotsTxtSyntax, schema.CategorySEO, schema.SeverityMinor, "robots.txt has lines that no robot understands", "Correct or remove them; each line is a known name, a colon and a value.", rule.Standard, "RFC 9309 section 2.2"),
	failed(RobotsTxtNoindex, schema.CategorySEO, schema.SeverityMinor, "robots.txt says noindex, which search engines pass over", "Say noindex in the page's robots meta element or in X-Robots-Tag, and let robots.txt allow the page.", rule.SearchEngine, googleRobots),
	failed(SitemapUnreadable, schema.CategorySEO, schema.SeverityModerate, "A sitemap that the site names cannot be read", "Put the file there, or correct what robots.txt or the index says.", rule.SearchEngine, googleSitemap),
	failed(SitemapInvalid, schema.CategorySEO, schema.SeverityMinor, "A sitemap does not keep to its format", "Correct the file; what cannot be read is passed over.", rule.Standard, "sitemaps.org, Sitemaps XML format"),
	failed(SitemapOtherHost, schema.CategorySEO, schema.SeverityMinor, "A sitemap names addresses of another site", "Name addresses of the sitemap's own site.", rule.Standard, "sitemaps.org, sitemap file location"),
	asked(failed(SitemapDates, schema.CategorySEO, schema.SeverityInfo, "The dates in a sitemap cannot be right", "Write in lastmod when the page's content last changed, or leave it out.", rule.SearchEngine, googleSitemap)),
	failed(SitemapNotNamed, schema.CategorySEO, schema.SeverityInfo, "robots.txt does not name the sitemap", "Add a Sitemap line with its full address.", rule.SearchEngine, googleSitemap),
	failed(HreflangTarget, schema.CategorySEO, schema.SeverityModerate, "A language version leads to a page that cannot be listed", "Name addresses that answer by themselves and may be listed.", rule.SearchEngine, googleHreflang),
	purpose(LinkSameNameOther, schema.SeveritySerious, "2.4.4", "Links with the same name side by side lead to different pages", "Give each link a text that tells it from the others.", "fd3a94", "b20e66"),
	purpose(LinkSameNameOtherAlone, schema.SeverityInfo, "2.4.9", "Links with the same name lead to different pages", "Give each link a text that tells it from the others. Level AAA.", "b20e66"),
}

// purpose is a rule on a success criterion on the purpose of links.
func purpose(id string, severity schema.Severity, criterion, title, help string, act ...string) rule.Info {
	i := failed(id, schema.CategoryAccessibility, severity, title, help, rule.Standard, "WCAG 2.2, "+criterion)
	i.WCAG, i.ACT = []string{criterion}, act
	return i
}

// Rules lists them.
func Rules() []rule.Info { return append([]rule.Info(nil), infos...) }

func failed(id string, category schema.Category, severity schema.Severity, title, help string, source rule.Source, reference string) rule.Info {
	return rule.Info{
		ID: id, Category: category, Severity: severity, Outcome: schema.FindingFailed, Title: title, Help: help, Source: source, Reference: reference,
	}
}

// asked is a rule whose hits are questions to a person.
func asked(i rule.Info) rule.Info {
	i.Outcome = schema.FindingNeedsReview
	return i
}

func infoOf(id string) rule.Info {
	for _, i := range infos {
		if i.ID == id {
			return i
		}
	}
	return rule.Info{ID: id}
}
