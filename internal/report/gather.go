package report

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"visite/schema"
)

// Bounds of the HTML report; what they leave out is counted and is in the JSON report.
const (
	placesShown  = 10  // of a rule
	placesAPage  = 2   // of a rule on one page, while there are others
	rulesShown   = 100 // of a list of rules
	pagesShown   = 500
	apartShown   = 20 // addresses of one outcome and reason
	linksShown   = 100
	foundShown   = 3  // pages of one link
	pageRules    = 12 // rules named beside one page
	layoutsShown = 15
)

// digest is what the HTML report tells of a scan, bounded whatever its size.
type digest struct {
	scan     schema.Scan
	progress schema.Progress
	unlooked schema.Unlooked
	failed   ruleSums // all faults
	open     ruleSums // those nobody acknowledged or ignored
	review   ruleSums
	decided  decidedSums
	states   schema.ItemStates
	scores   *Scores // nil: none
	layouts  templateSums
	pages    pageRows
	apart    []*apartGroup
	broken   linkRows
	unasked  []openLinks
	hosts    []schema.HostTotals
	brisk    []schema.BriskGait
	security *Security
	previews map[int64]schema.ListedPreview  // by page
	drawn    map[string]schema.ListedPreview // by the page's address
	analysed int
	besides  []tallyOf // the other outcomes, counted, most frequent first
	held     int       // calls of page scripts that were not let out
}

func gather(ctx context.Context, src Source, scan schema.Scan) (*digest, error) {
	d := &digest{scan: scan, failed: ruleSums{}, open: ruleSums{}, review: ruleSums{}, decided: decidedSums{}, drawn: map[string]schema.ListedPreview{}}
	var err error
	if d.progress, err = src.Progress(ctx, scan.ID); err == nil {
		d.hosts, err = src.HostTotals(ctx, scan.ID)
	}
	if err == nil {
		d.unlooked, err = src.Unlooked(ctx, scan.ID)
	}
	if err == nil {
		d.brisk, err = src.BriskGaits(ctx, scan.ID)
	}
	if err == nil {
		var security schema.SiteSecurity
		security, err = src.Security(ctx, scan.ID)
		d.security = documentSecurity(security)
	}
	if err == nil {
		d.scores, err = scoresOf(ctx, src, scan)
	}
	if err == nil {
		d.states, err = src.ItemStates(ctx, scan.SiteID)
	}
	if err == nil {
		d.previews, err = previewsOf(ctx, src, scan.ID)
	}
	if err == nil {
		err = eachPage(ctx, src, scan.ID, func(p schema.Page) error { d.add(p); return nil })
	}
	if err == nil {
		err = eachLink(ctx, src, scan.ID, schema.LinkFilter{Verdict: schema.LinkBroken}, func(l schema.ListedLink) error { d.broken.add(l.Link); return nil })
	}
	if err == nil {
		err = eachLink(ctx, src, scan.ID, schema.LinkFilter{Verdict: schema.LinkUnchecked}, func(l schema.ListedLink) error { d.leaveOpen(l.Link); return nil })
	}
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	slices.SortStableFunc(d.apart, func(a, b *apartGroup) int { return b.count - a.count })
	slices.SortStableFunc(d.besides, func(a, b tallyOf) int { return b.Count - a.Count })
	slices.SortStableFunc(d.hosts, func(a, b schema.HostTotals) int { return b.Count - a.Count })
	return d, nil
}

func (d *digest) add(p schema.Page) {
	d.held += p.RefusedCalls
	if preview, ok := d.previews[p.ID]; ok {
		d.drawn[p.URL] = preview
	}
	if p.Outcome == schema.OutcomeAnalysed {
		d.analysed++
	} else {
		d.setApart(p)
		d.besides = count(d.besides, p.Outcome)
	}
	d.layouts.add(p)
	row := pageRow{Page: p}
	path := schema.PathShape(p.URL)
	for _, f := range p.Findings {
		row.count(f)
		d.find(p, f, path)
	}
	row.Findings, row.Links = nil, nil // summed up; not to be kept for every page
	if p.Outcome == schema.OutcomeAnalysed || len(p.Findings) > 0 {
		d.pages.add(row)
	}
}

// find counts a finding; what somebody acknowledged or ignored stands apart.
func (d *digest) find(p schema.Page, f schema.Finding, path string) {
	decision := schema.ItemDecision{State: schema.ItemOpen}
	if len(d.states) > 0 {
		item := schema.FingerprintIn(f, path)
		if decision = d.states.Of(item); decision.State != schema.ItemOpen {
			d.decided.add(p, f, item, decision)
		}
	}
	if f.Outcome == schema.FindingNeedsReview {
		if decision.State == schema.ItemOpen {
			d.review.add(p.URL, f, path)
		}
		return
	}
	d.failed.add(p.URL, f, path)
	if decision.State == schema.ItemOpen {
		d.open.add(p.URL, f, path)
	}
}

// ruleKey tells rules of the same name apart by who found them.
type ruleKey struct{ engine, rule string }

// ruleSums are findings of one outcome by rule.
type ruleSums map[ruleKey]*ruleSum

// ruleSum is one rule over the whole site.
type ruleSum struct {
	schema.Finding // the first one; Severity is the gravest of all
	count          int
	pages          int
	lastPage       string
	onPage         int // places kept of the page under way
	places         []place
	spare          []place // further places of pages that have placesAPage already
	paths          []pathCount
}

// pathsShown and pathsCounted bound the path shapes named with a rule, and those
// counted to find out which have most pages.
const (
	pathsShown   = 3
	pathsCounted = 200
)

// pathCount is on how many pages of one path shape a rule failed.
type pathCount struct {
	Path  string
	Pages int
}

func (s *ruleSum) countPath(path string) {
	i := slices.IndexFunc(s.paths, func(c pathCount) bool { return c.Path == path })
	switch {
	case i >= 0:
		s.paths[i].Pages++
	case len(s.paths) < pathsCounted:
		s.paths = append(s.paths, pathCount{path, 1})
	}
}

// Paths are the path shapes with most of the pages.
func (s *ruleSum) Paths() []pathCount {
	out := slices.Clone(s.paths)
	slices.SortStableFunc(out, func(a, b pathCount) int { return b.Pages - a.Pages })
	return out[:min(len(out), pathsShown)]
}

// effect is what the rule takes from its topic's score, in pages that would be
// without any (decision 0018).
func (s *ruleSum) effect() float64 { return s.Severity.Weight() * float64(s.pages) }

// place is where a rule was broken.
type place struct{ URL, Selector, Detail string }

func (sums ruleSums) add(url string, f schema.Finding, path string) {
	key := ruleKey{f.Engine, f.Rule}
	s := sums[key]
	if s == nil {
		s = &ruleSum{Finding: f}
		sums[key] = s
	}
	s.count++
	if f.Severity.Rank() > s.Severity.Rank() {
		s.Severity = f.Severity
	}
	if s.pages == 0 || s.lastPage != url {
		s.pages++
		s.lastPage, s.onPage = url, 0
		s.countPath(path)
	}
	at := place{url, f.Selector, f.Detail}
	switch {
	case s.onPage < placesAPage && len(s.places) < placesShown:
		s.places = append(s.places, at)
		s.onPage++
	case len(s.spare) < placesShown:
		s.spare = append(s.spare, at)
	}
}

// examples are the places to show: of many pages rather than of one.
func (s *ruleSum) examples() []place {
	room := placesShown - len(s.places)
	return append(slices.Clone(s.places), s.spare[:min(room, len(s.spare))]...)
}

// ordered lists rules by effect times reach.
func (sums ruleSums) ordered() []*ruleSum {
	var out []*ruleSum
	for _, s := range sums {
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b *ruleSum) int {
		return cmp.Or(cmp.Compare(b.effect(), a.effect()), b.Severity.Rank()-a.Severity.Rank(), b.pages-a.pages, b.count-a.count, cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Engine, b.Engine))
	})
	return out
}

// pageRows keeps the pages with the gravest faults.
type pageRows struct {
	rows  []pageRow
	count int
}

func (p *pageRows) add(row pageRow) {
	p.count++
	p.rows = append(p.rows, row)
	if len(p.rows) >= 2*pagesShown {
		p.cut()
	}
}

func (p *pageRows) cut() []pageRow {
	slices.SortStableFunc(p.rows, func(a, b pageRow) int {
		for rank := len(a.faults) - 1; rank >= 0; rank-- {
			if c := b.faults[rank] - a.faults[rank]; c != 0 {
				return c
			}
		}
		return cmp.Or(b.review-a.review, cmp.Compare(a.ID, b.ID))
	})
	p.rows = p.rows[:min(len(p.rows), pagesShown)]
	return p.rows
}

// apartGroup are addresses without a verdict, for one reason.
type apartGroup struct {
	outcome schema.Outcome
	reason  schema.Reason
	by      string // the product whose challenge it was
	count   int
	first   []schema.Page
}

// tallyOf is how many addresses came to an outcome.
type tallyOf struct {
	Outcome schema.Outcome
	Count   int
}

func count(tallies []tallyOf, o schema.Outcome) []tallyOf {
	i := slices.IndexFunc(tallies, func(t tallyOf) bool { return t.Outcome == o })
	if i < 0 {
		return append(tallies, tallyOf{o, 1})
	}
	tallies[i].Count++
	return tallies
}

func countOf(tallies []tallyOf, o schema.Outcome) int {
	for _, t := range tallies {
		if t.Outcome == o {
			return t.Count
		}
	}
	return 0
}

func (d *digest) setApart(p schema.Page) {
	i := slices.IndexFunc(d.apart, func(g *apartGroup) bool { return g.outcome == p.Outcome && g.reason == p.Reason && g.by == p.BlockedBy })
	if i < 0 {
		i = len(d.apart)
		d.apart = append(d.apart, &apartGroup{outcome: p.Outcome, reason: p.Reason, by: p.BlockedBy})
	}
	g := d.apart[i]
	g.count++
	if len(g.first) < apartShown {
		p.Findings, p.Links = nil, nil
		g.first = append(g.first, p)
	}
}

// openLinks are links to other servers that were not checked, for one reason.
type openLinks struct {
	Reason schema.Reason
	Count  int
	Next   time.Time // the earliest; zero where none is known
}

func (d *digest) leaveOpen(l schema.Link) {
	if l.Reason == schema.ReasonNone || l.Reason == schema.ReasonPageFile {
		return
	}
	i := slices.IndexFunc(d.unasked, func(o openLinks) bool { return o.Reason == l.Reason })
	if i < 0 {
		i = len(d.unasked)
		d.unasked = append(d.unasked, openLinks{Reason: l.Reason})
	}
	o := &d.unasked[i]
	o.Count++
	if !l.NextAt.IsZero() && (o.Next.IsZero() || l.NextAt.Before(o.Next)) {
		o.Next = l.NextAt
	}
}

// linkRows keeps the first broken links.
type linkRows struct {
	rows  []schema.Link
	count int
}

func (l *linkRows) add(link schema.Link) {
	l.count++
	if len(l.rows) < linksShown {
		l.rows = append(l.rows, link)
	}
}
