package site

import (
	"time"

	"visite/internal/inspect/links"
	"visite/schema"
)

// judgeLinks gives every link its verdict.
func (j *judgement) judgeLinks() {
	j.out.Links = make([]schema.LinkVerdictOf, 0, len(j.f.Links))
	for _, l := range j.f.Links {
		v := schema.LinkVerdictOf{ID: l.ID, Verdict: schema.LinkUnchecked}
		if p := j.page[l.Page]; p != nil && l.InScope {
			j.linked[p.ID] = true
			v.Verdict, v.Status = j.verdict(p)
		} else if !l.InScope {
			v = j.foreign(l)
		}
		j.verdicts[l.ID] = v
		j.out.Links = append(j.out.Links, v)
	}
}

// foreign is what the checks of other servers know of a link (C-09 to C-16), or
// why they know nothing.
func (j *judgement) foreign(l schema.LinkFacts) schema.LinkVerdictOf {
	v := schema.LinkVerdictOf{ID: l.ID, Verdict: schema.LinkUnchecked}
	switch c := l.Check; {
	case !l.Navigable:
		v.Reason = schema.ReasonPageFile
	case !schema.IsLinkCheckable(l.URL):
		v.Reason = schema.ReasonQueryNotKept
	case c != nil && c.Verdict != "":
		v.Verdict, v.Status, v.Reason, v.Target, v.CheckedAt, v.NextAt = c.Verdict, c.Status, c.Reason, c.Target, c.CheckedAt, c.NextAt
	case j.f.Unordered != schema.ReasonNone:
		v.Reason = j.f.Unordered
	case c != nil && !c.NextAt.IsZero():
		v.Reason, v.NextAt = schema.ReasonServerResting, c.NextAt
	default:
		v.Reason = schema.ReasonCheckPending
	}
	return v
}

// verdict is what a page's load says of links to it. A page that could not be
// loaded for a reason that may pass is no defect of the site (contract S-42):
// nothing is known of the link.
func (j *judgement) verdict(p *schema.PageFacts) (schema.LinkVerdict, int) {
	switch p.Outcome {
	case schema.OutcomeDisallowed:
		return schema.LinkDisallowed, 0
	case schema.OutcomeBlocked, schema.OutcomePasswordWall:
		return schema.LinkRefused, p.Status
	case schema.OutcomeNotAnalysed:
		if redirectFault(p.Reason) || p.Reason == schema.ReasonNameNotFound {
			return schema.LinkBroken, p.Status
		}
		return schema.LinkUnchecked, p.Status
	case schema.OutcomeRedirected:
		return schema.LinkRedirects, p.Status
	case schema.OutcomeDuplicate:
		if final := j.arrived(p); final != p && final.Outcome != schema.OutcomeDuplicate {
			if v, status := j.verdict(final); v != schema.LinkOK {
				return v, status
			}
		}
	}
	switch v := links.ByStatus(p.Status); {
	case v != schema.LinkOK:
		return v, p.Status
	case moved(p):
		return schema.LinkRedirects, p.Status
	}
	return schema.LinkOK, p.Status
}

func redirectFault(r schema.Reason) bool {
	return r == schema.ReasonRedirectLoop || r == schema.ReasonTooManyRedirects || r == schema.ReasonBadRedirect
}

// tellLinks puts findings on the pages where broken and redirecting links stand.
func (j *judgement) tellLinks() {
	for _, l := range j.f.Links {
		v := j.verdicts[l.ID]
		if !l.InScope {
			if v.Verdict == schema.LinkBroken {
				j.onEach(l, LinkBrokenElsewhere, foreignDetail(v, l.URL))
			}
			continue
		}
		switch v.Verdict {
		case schema.LinkBroken:
			j.onEach(l, LinkBroken, detail(v.Status, l.URL)+j.why(l))
		case schema.LinkRedirects:
			j.onEach(l, redirectRule(j.page[l.Page]), redirectDetail(j.page[l.Page]))
		}
	}
}

// foreignDetail says what was found and when: the verdict may be another scan's.
func foreignDetail(v schema.LinkVerdictOf, address string) string {
	text := detail(v.Status, address)
	if v.Target != "" {
		text += ", by a redirect to " + v.Target
	}
	if v.Reason != schema.ReasonNone {
		text += " (" + string(v.Reason) + ")"
	}
	return text + ", checked on " + v.CheckedAt.UTC().Format(time.DateOnly)
}

// why names the reason where no status tells it.
func (j *judgement) why(l schema.LinkFacts) string {
	if p := j.page[l.Page]; p != nil && p.Reason != schema.ReasonNone && p.Reason != schema.ReasonErrorStatus {
		return " (" + string(p.Reason) + ")"
	}
	return ""
}

// onEach puts a finding on the pages a link was found on, as far as they are
// judged. Where it is a page's canonical address, that is told as such.
func (j *judgement) onEach(l schema.LinkFacts, id, detail string) {
	for _, on := range l.FoundOn {
		if p := j.page[on]; p != nil && p.Outcome == schema.OutcomeAnalysed && (selfCanonical(p) || schema.KeyOf(p.Canonical) != schema.KeyOf(l.URL)) {
			j.find(on, id, detail)
		}
	}
}

// redirectRule tells a detour from a long one.
func redirectRule(p *schema.PageFacts) string {
	if p.Redirects > 1 {
		return RedirectChain
	}
	return LinkToRedirect
}

func redirectDetail(p *schema.PageFacts) string {
	way := schema.RedactAddress(p.URL) + " to " + schema.RedactAddress(p.FinalURL)
	if p.Redirects > 1 {
		return number(p.Redirects) + " redirects, " + way
	}
	return way
}

// tellNamed tells of faults at addresses that the site names itself and no page
// links to: the seed and those of the sitemap. Elsewhere the link is at fault.
func (j *judgement) tellNamed() {
	for i := range j.f.Pages {
		p := &j.f.Pages[i]
		if (p.Via != schema.ViaSeed && p.Via != schema.ViaSitemap) || j.linked[p.ID] {
			continue
		}
		switch {
		case p.Outcome == schema.OutcomeNotAnalysed && redirectFault(p.Reason):
			j.find(p.ID, RedirectFault, string(p.Reason))
		case p.Outcome == schema.OutcomeErrorAnswer && links.ByStatus(p.Status) == schema.LinkBroken:
			j.tellError(p)
		case p.Redirects > 1 && moved(p):
			j.find(p.ID, RedirectChain, redirectDetail(p))
		}
	}
}

// tellError names a remedy that fits where the address came from: the address a
// scan begins at need not be in any sitemap.
func (j *judgement) tellError(p *schema.PageFacts) {
	j.find(p.ID, ErrorAnswer, number(p.Status))
	if p.Via == schema.ViaSitemap {
		j.out.Findings[len(j.out.Findings)-1].Finding.Help = helpInSitemap
	}
}
