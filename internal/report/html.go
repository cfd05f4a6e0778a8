package report

import (
	"context"
	"embed"
	"fmt"
	"html/template"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"visite/schema"
)

//go:embed page/report.html.tmpl page/report.css page/drawing.tmpl page/preview.svg.tmpl
var pageFiles embed.FS

// HTML writes the report of a scan as one page that needs nothing else: no
// script, no other file, no network. Of large scans it shows the gravest and
// says how much it leaves out.
func HTML(ctx context.Context, w io.Writer, src Source, scan schema.Scan, o Options) error {
	speak, err := wordsOf(o.Lang)
	if err != nil {
		return err
	}
	speak.rulePages = o.RulePages
	d, err := gather(ctx, src, scan)
	if err != nil {
		return err
	}
	page, err := template.New("report.html.tmpl").Funcs(functions(speak, d)).ParseFS(pageFiles, "page/report.html.tmpl", "page/drawing.tmpl")
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	view, err := newView(speak, d)
	if err != nil {
		return err
	}
	if err := page.Execute(w, view); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

// view is what the page's template is filled from.
type view struct {
	Lang       Lang
	CSS        template.CSS
	Host       string
	Scan       schema.Scan
	Progress   schema.Progress
	Notices    []string
	Analysed   int
	Besides    []tallyOf // addresses that were not analysed
	Faults     int
	Reviews    int
	Severities []severityRow
	Scores     *Scores
	Trend      *trend // nil: no former scan
	Ended      bool
	Layouts    []*Template
	LayoutLeft int // templates
	Decided    []decidedView
	DecidedOff int // beyond those shown
	Known      int // faults acknowledged
	Ignored    int
	Mend       rules
	Review     rules
	Drawings   []drawing // of pages, shown in part beside rules
	Categories []categoryRow
	Security   *Security // nil until judged
	Pages      []pageRow
	PagesLeft  int
	Apart      []apartView
	Links      []linkView
	Broken     int
	LinksLeft  int
	LinksKnown bool
	Unasked    []openLinks // links to other servers that were not checked
	Hosts      []schema.HostTotals
	Requests   int
	Bytes      int64
	Held       int
	Robots     string   // how robots.txt was kept; empty where it was not read
	Brisk      []string // what came of orders of a brisk gait
	PageAgent  string
	Agent      string
}

// severityRow is one line of the table of severities, gravest first.
type severityRow struct {
	Severity schema.Severity
	Faults   int
	Kinds    int
	Share    float64 // of all faults, as Percent gives it
}

// categoryRow is one line of the table of topics.
type categoryRow struct {
	Category schema.Category
	Counts   []int // gravest first
	Total    int
}

// rules are a list of rules, cut.
type rules struct {
	Shown []ruleView
	Left  int
}

// Kinds counts the rules, those left out included.
func (r rules) Kinds() int { return len(r.Shown) + r.Left }

type ruleView struct {
	*ruleSum
	Name   spoken // what is wrong
	Remedy spoken // what to do; empty where the name says all that is known
	Count  int
	Pages  int
	Places []place
	Sketch *sketch // nil: none of the places is on a preview
}

type apartView struct {
	Outcome schema.Outcome
	Reason  schema.Reason
	By      string
	Count   int
	Pages   []schema.Page
	Left    int
}

type linkView struct {
	schema.Link
	Found []string
	More  int
}

func newView(speak words, d *digest) (*view, error) {
	css, err := pageFiles.ReadFile("page/report.css")
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	drawn := sketches{by: d.drawn, used: map[int64]bool{}}
	failed, open, review := d.failed.ordered(), d.open.ordered(), d.review.ordered()
	v := &view{
		Lang: speak.lang, CSS: template.CSS(css), Host: hostOf(d.scan), Scan: d.scan, Progress: d.progress, Analysed: d.analysed, Besides: d.besides,
		Mend: cutRules(speak, open, &drawn), Review: cutRules(speak, review, &drawn), Pages: d.pages.cut(), Broken: d.broken.count,
		LinksLeft: d.broken.count - len(d.broken.rows), LinksKnown: d.scan.State.Final(), Hosts: d.hosts, Held: d.held, Unasked: d.unasked, Security: d.security,
	}
	v.Drawings = drawn.drawn
	v.PagesLeft = d.pages.count - len(v.Pages)
	v.PageAgent, v.Agent = userAgents(d.scan)
	v.Scores, v.Trend, v.Ended = d.scores, trendOf(d.scores, d.scan.FinishedAt), d.scan.State.Final()
	v.Known, v.Ignored = d.decided.count(schema.ItemAcknowledged), d.decided.count(schema.ItemIgnored)
	v.Decided, v.DecidedOff = viewDecided(speak, d.decided.ordered())
	layouts := d.layouts.ordered()
	v.Layouts = layouts[:min(len(layouts), layoutsShown)]
	v.LayoutLeft = len(layouts) - len(v.Layouts)
	v.Severities, v.Faults = severities(failed)
	v.Categories = categories(failed)
	for _, s := range review {
		v.Reviews += s.count
	}
	for _, h := range d.hosts {
		v.Requests += h.Count
		v.Bytes += h.Bytes
	}
	for _, g := range d.apart {
		v.Apart = append(v.Apart, g.view())
	}
	for _, l := range d.broken.rows {
		found := l.FoundOn[:min(len(l.FoundOn), foundShown)]
		v.Links = append(v.Links, linkView{Link: l, Found: found, More: max(l.Pages, len(l.FoundOn)) - len(found)})
	}
	if v.Robots, err = robotsWords(speak, d); err != nil {
		return nil, err
	}
	if v.Brisk, err = briskWords(speak, d.brisk); err != nil {
		return nil, err
	}
	v.Notices, err = notices(speak, d)
	return v, err
}

// decidedView is an acknowledged or ignored item with its name.
type decidedView struct {
	*decidedItem
	Name spoken
}

func viewDecided(speak words, items []*decidedItem) (shown []decidedView, left int) {
	for _, item := range items[:min(len(items), decidedShown)] {
		name, _ := speak.rule(item.Finding)
		shown = append(shown, decidedView{item, name})
	}
	return shown, len(items) - len(shown)
}

// Kinds counts the rules that failed, whatever was decided about them.
func (v *view) Kinds() (n int) {
	for _, s := range v.Severities {
		n += s.Kinds
	}
	return n
}

func cutRules(speak words, sums []*ruleSum, drawn *sketches) rules {
	shown := sums[:min(len(sums), rulesShown)]
	out := rules{Left: len(sums) - len(shown)}
	for _, s := range shown {
		name, remedy := speak.rule(s.Finding)
		if remedy == name {
			remedy = spoken{}
		}
		places := s.examples()
		out.Shown = append(out.Shown, ruleView{ruleSum: s, Name: name, Remedy: remedy, Count: s.count, Pages: s.pages, Places: places, Sketch: drawn.of(places)})
	}
	return out
}

func (g *apartGroup) view() apartView {
	return apartView{Outcome: g.outcome, Reason: g.reason, By: g.by, Count: g.count, Pages: g.first, Left: g.count - len(g.first)}
}

func severities(failed []*ruleSum) (rows []severityRow, faults int) {
	for _, s := range failed {
		faults += s.count
	}
	for _, severity := range slices.Backward(schema.Severities) {
		row := severityRow{Severity: severity}
		for _, s := range failed {
			if s.Severity == severity {
				row.Kinds++
				row.Faults += s.count
			}
		}
		if row.Faults > 0 {
			row.Share = Percent(float64(row.Faults) / float64(faults))
		}
		rows = append(rows, row)
	}
	return rows, faults
}

// categories lists the topics that have faults, the one with most first.
func categories(failed []*ruleSum) []categoryRow {
	var rows []categoryRow
	for _, s := range failed {
		i := slices.IndexFunc(rows, func(r categoryRow) bool { return r.Category == s.Category })
		if i < 0 {
			i = len(rows)
			rows = append(rows, categoryRow{Category: s.Category, Counts: make([]int, len(schema.Severities))})
		}
		rows[i].Total += s.count
		if rank := s.Severity.Rank(); rank >= 0 {
			rows[i].Counts[len(schema.Severities)-1-rank] += s.count
		}
	}
	slices.SortStableFunc(rows, func(a, b categoryRow) int { return b.Total - a.Total })
	return rows
}

// hostOf is the site's host, as the report calls it.
func hostOf(s schema.Scan) string {
	u, err := url.Parse(s.URL)
	if err != nil || u.Host == "" {
		return clean(s.URL, 100)
	}
	return clean(schema.HostKey(u), 100)
}

// functions are what the template can call.
func functions(speak words, d *digest) template.FuncMap {
	site := siteOf(d.scan.URL)
	return template.FuncMap{
		"t": speak.t, "n": speak.n, "closed": func(list string, value any) string { return speak.closed(list, fmt.Sprint(value)) },
		"num": speak.num, "decimal": speak.decimal, "size": speak.size, "ms": speak.ms, "span": speak.span, "date": speak.date, "day": speak.day,
		"iso":       func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"percent":   func(share float64) string { return speak.decimal(Percent(share)) + "\u00a0%" },
		"busy":      func(h schema.HostTotals) float64 { return busyShare(h, d.scan) },
		"duration":  func(ms int64) time.Duration { return time.Duration(ms) * time.Millisecond },
		"took":      func() time.Duration { return d.scan.FinishedAt.Sub(d.scan.StartedAt) },
		"clean":     clean,
		"foreign":   func(s spoken) bool { return s.Lang != speak.lang },
		"addresses": func() string { return speak.num(schema.LinkAddressesAVisit) },
		"restdays":  func() string { return speak.num(int(schema.LinkRest.Hours() / 24)) },
		"web":       isWeb,
		"short":     func(address string) string { return shorten(address, site) },
		"telling":   telling,
		"status":    Answer,
		"rulepage":  speak.rulePage,
	}
}

// isWeb reports whether an address may become a link.
func isWeb(address string) bool {
	return strings.HasPrefix(address, "http://") || strings.HasPrefix(address, "https://")
}

// Answer is the status a page's own address answered with: a redirect's, where it
// only leads elsewhere, not that of the page behind it.
func Answer(outcome schema.Outcome, status int, hops []schema.Hop) int {
	if (outcome == schema.OutcomeDuplicate || outcome == schema.OutcomeRedirected) && len(hops) > 0 {
		return hops[0].Status
	}
	return status
}

// shorten leaves the site's own origin out of an address.
func shorten(address, site string) string {
	if rest, ok := strings.CutPrefix(address, site); ok {
		address = "/" + rest
	}
	return clean(address, 200)
}

// telling reports whether a reason says more than its outcome does.
func telling(outcome schema.Outcome, reason schema.Reason) bool {
	switch reason {
	case schema.ReasonNone:
		return false
	case schema.ReasonRobots:
		return outcome != schema.OutcomeDisallowed
	case schema.ReasonChallenge:
		return outcome != schema.OutcomeBlocked
	case schema.ReasonErrorStatus:
		return outcome != schema.OutcomeErrorAnswer
	}
	return true
}
