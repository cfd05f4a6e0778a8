package site

import "visite/schema"

// tellCanonicals looks at what the canonical addresses of pages lead to, where
// they were loaded.
func (j *judgement) tellCanonicals() {
	for i := range j.f.Pages {
		p := &j.f.Pages[i]
		if p.Outcome != schema.OutcomeAnalysed || selfCanonical(p) {
			continue
		}
		target := j.byKey[schema.KeyOf(p.Canonical)]
		if target == nil || target.ID == p.ID {
			continue
		}
		switch verdict, status := j.verdict(target); {
		case verdict == schema.LinkBroken:
			j.find(p.ID, CanonicalBroken, detail(status, p.Canonical))
		case verdict == schema.LinkRedirects:
			j.find(p.ID, CanonicalRedirect, schema.RedactAddress(p.Canonical)+" to "+schema.RedactAddress(target.FinalURL))
		case verdict == schema.LinkOK && target.Outcome == schema.OutcomeAnalysed && noindex(target):
			j.find(p.ID, CanonicalNoindex, schema.RedactAddress(p.Canonical))
		}
	}
}

// tellOrphans tells of sitemap pages without links to them, if nothing of the site
// was left unseen: a link might stand where we did not look.
func (j *judgement) tellOrphans() {
	if !j.complete() {
		return
	}
	for i := range j.f.Pages {
		p := &j.f.Pages[i]
		if p.Via == schema.ViaSitemap && p.Outcome == schema.OutcomeAnalysed && !moved(p) && !j.linked[p.ID] && !noindex(p) {
			j.find(p.ID, OrphanPage, "")
		}
	}
}

// complete reports whether every page of the site that is known of was read.
func (j *judgement) complete() bool {
	for i := range j.f.Pages {
		switch j.f.Pages[i].Outcome {
		case schema.OutcomeNotAnalysed, schema.OutcomeBlocked, schema.OutcomeDisallowed, schema.OutcomePasswordWall:
			return false
		}
	}
	for _, l := range j.f.Links {
		if l.InScope && l.Page == 0 && !schema.LooksLikeFile(l.URL) {
			return false
		}
	}
	return true
}
