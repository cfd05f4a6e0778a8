package site

import (
	"maps"
	"net/url"
	"slices"

	"visite/schema"
)

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
		case verdict != schema.LinkOK || target.Outcome != schema.OutcomeAnalysed:
		case noindex(target):
			j.find(p.ID, CanonicalNoindex, schema.RedactAddress(p.Canonical))
		case !selfCanonical(target):
			j.find(p.ID, CanonicalChain, schema.RedactAddress(p.Canonical)+" names "+schema.RedactAddress(target.Canonical))
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

// manyToHome is how many pages of different content call the home page canonical
// before that looks like a mistake.
const manyToHome = 5

// tellHome tells of a well known mistake: a template that names the home page as
// the canonical address of every page.
func (j *judgement) tellHome() {
	byTarget := map[string][]*schema.PageFacts{}
	for i := range j.f.Pages {
		p := &j.f.Pages[i]
		if u, err := url.Parse(p.Canonical); p.Outcome == schema.OutcomeAnalysed && !selfCanonical(p) && err == nil && u.Path == "/" && u.RawQuery == "" {
			byTarget[schema.KeyOf(p.Canonical)] = append(byTarget[schema.KeyOf(p.Canonical)], p)
		}
	}
	for _, target := range slices.Sorted(maps.Keys(byTarget)) {
		if pages := byTarget[target]; len(ofDifferentContent(pages)) >= manyToHome {
			for _, p := range pages {
				j.find(p.ID, CanonicalHome, number(len(pages))+" pages")
			}
		}
	}
}
