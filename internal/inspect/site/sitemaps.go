package site

import "visite/schema"

// tellSitemap looks at the pages that a sitemap recommends: it ought to name final
// addresses that may be found. What answers with an error is told elsewhere.
func (j *judgement) tellSitemap() {
	for i := range j.f.Pages {
		p := &j.f.Pages[i]
		if p.Via != schema.ViaSitemap {
			continue
		}
		switch {
		case p.Outcome == schema.OutcomeDisallowed:
			j.find(p.ID, SitemapDisallowed, "")
		case moved(p) && (p.Outcome == schema.OutcomeDuplicate || p.Outcome == schema.OutcomeRedirected):
			j.find(p.ID, SitemapRedirect, schema.RedactAddress(p.FinalURL))
		case p.Outcome != schema.OutcomeAnalysed:
		case noindex(p):
			j.find(p.ID, SitemapNoindex, "")
		case !selfCanonical(p):
			j.find(p.ID, SitemapCanonical, schema.RedactAddress(p.Canonical))
		}
	}
}
