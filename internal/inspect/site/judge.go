package site

import (
	"strconv"

	"visite/internal/inspect/dom"
	"visite/internal/inspect/rule"
	"visite/internal/inspect/security"
	"visite/schema"
)

// judgement is a site being judged.
type judgement struct {
	f        schema.SiteFacts
	scope    string
	page     map[int64]*schema.PageFacts
	byKey    map[string]*schema.PageFacts // by the key of the address asked
	verdicts map[int64]schema.LinkVerdictOf
	linked   map[int64]bool // pages that a link leads to
	out      schema.SiteVerdicts
}

// Judge gives each link its verdict and finds what shows only over the whole
// site. scope is the HostKey of the scan. The result depends on the facts alone,
// so judging twice gives the same.
func Judge(f schema.SiteFacts, scope string) schema.SiteVerdicts {
	j := &judgement{
		f: f, scope: scope, page: make(map[int64]*schema.PageFacts, len(f.Pages)), byKey: make(map[string]*schema.PageFacts, len(f.Pages)),
		verdicts: make(map[int64]schema.LinkVerdictOf, len(f.Links)), linked: map[int64]bool{},
	}
	for i := range f.Pages {
		p := &f.Pages[i]
		j.page[p.ID] = p
		j.byKey[schema.KeyOf(p.URL)] = p
	}
	j.judgeLinks()
	j.tellLinks()
	j.tellNamed()
	j.tellDuplicates()
	j.tellCanonicals()
	j.tellHome()
	j.tellSitemap()
	j.tellLanguages()
	j.tellTemporary()
	j.tellOrphans()
	j.tellTwin()
	j.tellDepth()
	j.tellNames()
	j.tellReading()
	j.tellSecurity()
	return j.out
}

// tellSecurity gives the site its grade; what is wrong with its connections shows
// on the first of its pages that was read.
func (j *judgement) tellSecurity() {
	var findings []schema.Finding
	j.out.Security, findings = security.JudgeSite(j.f.Security)
	for i := range j.f.Pages {
		if p := &j.f.Pages[i]; p.Outcome == schema.OutcomeAnalysed {
			for _, f := range findings {
				j.out.Findings = append(j.out.Findings, schema.SiteFinding{PageID: p.ID, Finding: f})
			}
			return
		}
	}
}

func (j *judgement) find(pageID int64, id, detail string) {
	h := rule.Hit{Node: dom.None, Detail: detail}
	j.out.Findings = append(j.out.Findings, schema.SiteFinding{PageID: pageID, Finding: infoOf(id).Finding(h, "")})
}

// moved reports whether the address of a page leads to another one.
func moved(p *schema.PageFacts) bool {
	return p.Outcome == schema.OutcomeDuplicate || p.Outcome == schema.OutcomeRedirected || (p.FinalURL != "" && schema.KeyOf(p.URL) != schema.KeyOf(p.FinalURL))
}

// arrived is the page that an address leads to in the end, as far as it was
// recorded: the page itself or the one its redirect ended at.
func (j *judgement) arrived(p *schema.PageFacts) *schema.PageFacts {
	if p.Outcome != schema.OutcomeDuplicate {
		return p
	}
	if final := j.byKey[schema.KeyOf(p.FinalURL)]; final != nil {
		return final
	}
	return p
}

func detail(status int, address string) string {
	if status == 0 {
		return schema.RedactAddress(address)
	}
	return strconv.Itoa(status) + " " + schema.RedactAddress(address)
}
