package site

import (
	"strings"

	"visite/schema"
)

// robotsLarge is how much of a robots.txt search engines read, in bytes.
const robotsLarge = 500 << 10

// tellReading tells of robots.txt and sitemaps, and of how the site answers for a
// page that is not there, on the first page that was read.
func (j *judgement) tellReading() {
	first := j.firstAnalysed()
	if first == nil {
		return
	}
	tell := func(when bool, id, detail string) {
		if when {
			j.find(first.ID, id, detail)
		}
	}
	if f := j.f.Reading.Robots; f != nil {
		tell(f.Markup, RobotsTxtMarkup, "")
		tell(f.NotUTF8 && !f.Markup, RobotsTxtEncoding, "")
		tell(f.Bytes > robotsLarge, RobotsTxtLarge, number(f.Bytes>>10)+" KiB")
		tell(f.Unknown > 0, RobotsTxtSyntax, number(f.Unknown)+" lines")
		tell(f.Noindex > 0, RobotsTxtNoindex, number(f.Noindex)+" lines")
	}
	for _, m := range j.f.Reading.Sitemaps {
		j.tellSitemapFile(first, m)
	}
	if p := j.f.Security.Probe; p != nil && p.NotFound.State == schema.LookDone && p.NotFound.Status >= 200 && p.NotFound.Status < 300 {
		detail := number(p.NotFound.Status)
		if p.NotFound.Redirects > 0 {
			detail += " after a redirect"
		}
		j.find(first.ID, SoftNotFound, detail)
	}
	if p := j.f.Security.Probe; p != nil && p.TLS.State == schema.LookDone && p.TLS.Reason == schema.ReasonNone && p.TLS.Version != "" && !p.TLS.HTTP2 {
		j.find(first.ID, HTTP1Only, "")
	}
}

// tellSitemapFile judges one sitemap. One that nobody named, looked for at the
// usual place, need not be there.
func (j *judgement) tellSitemapFile(first *schema.PageFacts, m schema.SitemapFile) {
	named := j.f.Reading.Robots != nil && j.f.Reading.Robots.Sitemaps > 0
	if m.Outcome != schema.OutcomeAnalysed {
		if named && (m.Outcome == schema.OutcomeErrorAnswer || redirectFault(m.Reason)) && m.Status != 401 && m.Status != 403 && m.Status != 429 && m.Status < 500 {
			j.find(first.ID, SitemapUnreadable, detail(m.Status, m.URL))
		}
		return
	}
	entries := m.Pages + m.Children
	if !named && entries == 0 {
		return // whatever answers there
	}
	if len(m.Problems) > 0 {
		j.find(first.ID, SitemapInvalid, strings.ReplaceAll(strings.Join(m.Problems, ", "), "_", " ")+" in "+m.URL)
	}
	if m.Foreign > 0 {
		j.find(first.ID, SitemapOtherHost, number(m.Foreign)+" of "+number(entries)+" in "+m.URL)
	}
	if m.Future > 0 || m.SameDate {
		why := "all dates are the same"
		if m.Future > 0 {
			why = number(m.Future) + " dates lie ahead"
		}
		j.find(first.ID, SitemapDates, why+" in "+m.URL)
	}
	if !named && m.Pages > 0 {
		j.find(first.ID, SitemapNotNamed, m.URL)
	}
}

func (j *judgement) firstAnalysed() *schema.PageFacts {
	for i := range j.f.Pages {
		if p := &j.f.Pages[i]; p.Outcome == schema.OutcomeAnalysed {
			return p
		}
	}
	return nil
}
