package performance

import (
	"fmt"

	"visite/internal/inspect/page"
	"visite/internal/inspect/rule"
	"visite/schema"
)

// vital is a figure of web.dev's with its two thresholds: at most good is good,
// above poor is poor, between them needs improvement. LCP, FCP and TBT in
// milliseconds, CLS without unit. Time to first byte is slow-answer's.
type vital struct {
	good, poor float64
	clock      bool // goes by the clock
	of         func(*schema.Speed) (value float64, selector string)
	detail     func(s *schema.Speed, value float64) string
}

var (
	vitalLCP = vital{2500, 4000, true, func(s *schema.Speed) (float64, string) { return s.LCPMS, s.LCPAt }, lcpDetail}
	vitalCLS = vital{0.1, 0.25, false, func(s *schema.Speed) (float64, string) { return s.CLS, s.CLSAt }, func(_ *schema.Speed, v float64) string { return fmt.Sprintf("%.2f", v) }}
	vitalFCP = vital{1800, 3000, true, func(s *schema.Speed) (float64, string) { return s.FCPMS, "" }, msDetail}
	vitalTBT = vital{200, 600, true, func(s *schema.Speed) (float64, string) { return s.TBTMS, "" }, func(s *schema.Speed, v float64) string {
		return fmt.Sprintf("%.0f ms in %s", v, rule.Count(s.LongTasks, "task"))
	}}
)

func msDetail(_ *schema.Speed, v float64) string { return fmt.Sprintf("%.0f ms", v) }

// lcpDetail names the parts the time went to.
func lcpDetail(s *schema.Speed, v float64) string {
	if p := s.LCPParts; p != nil {
		return fmt.Sprintf("%.0f ms (first byte %.0f, load delay %.0f, load %.0f, render delay %.0f)", v, p.TTFBMS, p.LoadDelayMS, p.LoadMS, p.RenderDelayMS)
	}
	return msDetail(s, v)
}

// judge makes a finding of a figure: poor is the rule's severity, what needs
// improvement is minor.
func (v vital) judge(c *page.Content) []rule.Hit {
	if c.Doc.Observed == nil || c.Doc.Observed.Speed == nil {
		return nil
	}
	s := c.Doc.Observed.Speed
	value, at := v.of(s)
	if value <= v.good {
		return nil
	}
	hit := rule.Hit{Selector: at, Detail: v.detail(s, value)}
	if value <= v.poor {
		hit.Severity = schema.SeverityMinor
	}
	return []rule.Hit{hit}
}

// vitalRule makes a rule of a figure. One that goes by the clock is a question: it
// was taken once, on a machine that had other things to do.
func vitalRule(id, title, help, reference string, v vital) rule.Rule {
	outcome := schema.FindingFailed
	if v.clock {
		outcome = schema.FindingNeedsReview
	}
	return rule.Rule{
		Info: rule.Info{
			ID: id, Category: schema.CategoryPerformance, Severity: schema.SeverityModerate, Outcome: outcome,
			Title: title, Help: help, Source: rule.SearchEngine, Reference: reference,
		},
		Run: v.judge,
	}
}

// vitalRules are about what a browser measured.
var vitalRules = []rule.Rule{
	vitalRule("lcp-slow", "The largest content shows late",
		"Measured without throttling, so visitors wait longer. Let its picture or font start loading with the markup (no lazy loading, fetchpriority=\"high\"), make it smaller, and keep scripts and styles from holding it back. Taken once, on a machine with other work; measure again before you act on it.",
		"web.dev, Largest Contentful Paint (good up to 2.5 s, poor above 4 s)", vitalLCP),
	vitalRule("cls-high", "The page's contents move while it loads",
		"Give pictures, frames and advertisements a size in advance, and insert nothing above what is there.",
		"web.dev, Cumulative Layout Shift (good up to 0.1, poor above 0.25)", vitalCLS),
	vitalRule("fcp-slow", "The page stays blank for long",
		"Measured without throttling, so visitors wait longer. Answer faster, and let fewer styles and scripts stand before the first content. Taken once, on a machine with other work; measure again before you act on it.",
		"web.dev, First Contentful Paint (good up to 1.8 s, poor above 3 s)", vitalFCP),
	vitalRule("tbt-high", "Scripts keep the page from answering",
		"Split long tasks, load less script, and put off what is not needed at once. Measured without throttling; phones take several times as long. Taken once, on a machine with other work; measure again before you act on it.",
		"web.dev, Total Blocking Time (good up to 200 ms, poor above 600 ms)", vitalTBT),
}

// Weights as common audits have them, in bytes.
const (
	pageHeavy       = 5_000_000
	thirdPartyHeavy = 500_000 // and more than half of all
)

// weightRules are about what a page makes a browser load.
var weightRules = []rule.Rule{
	{
		Info: rule.Info{
			ID: "page-heavy", Category: schema.CategoryPerformance, Severity: schema.SeverityMinor, Outcome: schema.FindingFailed,
			Title: "The page makes browsers load very much", Help: "Bring it below 5 MB: smaller pictures in modern formats, films only when asked for, less script.",
			Source: rule.Convention, Reference: "Lighthouse, Avoid enormous network payloads",
		},
		Run: heavy,
	},
	{
		Info: rule.Info{
			ID: "third-parties-heavy", Category: schema.CategoryPerformance, Severity: schema.SeverityInfo, Outcome: schema.FindingFailed,
			Title: "Most of what the page loads comes from other sites", Help: "Remove what is not needed, load the rest late, or serve it yourself.",
			Source: rule.Convention, Reference: "Lighthouse, Reduce the impact of third-party code",
		},
		Run: foreign,
	},
}

func heavy(c *page.Content) []rule.Hit {
	w := Weigh(c)
	if w == nil || w.Bytes <= pageHeavy {
		return nil
	}
	var most schema.FileKind
	for _, kind := range []schema.FileKind{schema.FileDocument, schema.FileScript, schema.FileStyle, schema.FileImage, schema.FileFont, schema.FileMedia, schema.FileCall, schema.FileOther} {
		if w.Files[kind].Bytes > w.Files[most].Bytes {
			most = kind
		}
	}
	return rule.Page(fmt.Sprintf("%d kB in %s, most of it %s: %d kB", kB(w.Bytes), rule.Count(w.Requests, "request"), most, kB(w.Files[most].Bytes)))
}

func foreign(c *page.Content) []rule.Hit {
	w := Weigh(c)
	if w == nil || w.ThirdParty.Bytes <= thirdPartyHeavy || w.ThirdParty.Bytes*2 <= w.Bytes {
		return nil
	}
	return rule.Page(fmt.Sprintf("%d kB of %d kB from %s", kB(w.ThirdParty.Bytes), kB(w.Bytes), rule.Count(w.Hosts, "host")))
}

func kB(n int64) int64 { return (n + 500) / 1000 }
