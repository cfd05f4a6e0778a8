package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"

	"visite/internal/report"
	"visite/schema"
)

// result is a scan's JSON report, and how following the scan ended.
type result struct {
	raw       []byte
	cancelled bool           // by the person here
	unended   bool           // still running when it was read
	Scan      report.Scan    `json:"scan"`
	Pages     []report.Page  `json:"pages"`
	Links     []report.Link  `json:"links"`
	Scores    *report.Scores `json:"scores"`
}

func (r result) analysed() int {
	n := 0
	for _, p := range r.Pages {
		if p.Outcome == schema.OutcomeAnalysed {
			n++
		}
	}
	return n
}

// failed lists the faults, questions for a person left out.
func (r result) failed() []report.Finding {
	var list []report.Finding
	for _, p := range r.Pages {
		for _, f := range p.Findings {
			if f.Outcome == schema.FindingFailed {
				list = append(list, f)
			}
		}
	}
	return list
}

// result reads the JSON report of an ended, or cancelled, scan.
func (r *scanRun) report(ctx context.Context, e ending) (result, error) {
	raw, err := r.api.report(ctx, e.status.ID, "application/json", r.lang)
	if err != nil {
		return result{}, fmt.Errorf("the report of scan %s could not be read: %w", e.status.ID, err)
	}
	rep := result{raw: raw, cancelled: e.cancelled, unended: !e.final}
	if err := json.Unmarshal(raw, &rep); err != nil {
		return result{}, fmt.Errorf("the report of scan %s cannot be read: %w", e.status.ID, err)
	}
	return rep, nil
}

// render gives the report in a format.
func (r *scanRun) render(ctx context.Context, rep result, format string) ([]byte, error) {
	switch format {
	case formatText:
		return []byte(textOf(rep)), nil
	case string(report.FormatJSON):
		return rep.raw, nil
	}
	content, err := r.api.report(ctx, rep.Scan.ID, report.Format(format).MediaType(), r.lang)
	if err != nil {
		return nil, fmt.Errorf("the report could not be read as %s: %w", format, err)
	}
	return content, nil
}

// verdict turns a report into the exit code, with words where there is one.
func verdict(r result, failOn string) error {
	failed := func(format string, args ...any) error { return &codedError{exitFailed, fmt.Errorf(format, args...)} }
	switch r.Scan.State {
	case schema.ScanFailed:
		return failed("the scan failed through a fault of ours; its state is %q", r.Scan.StateReason)
	case schema.ScanRefused:
		return failed("%s", refusalWords(r.Scan))
	case schema.ScanCancelled:
		return failed("the scan was cancelled; the report is partial")
	}
	if r.cancelled || r.unended {
		return failed("the scan was cancelled and had not come to its end yet; the report is partial")
	}
	if r.analysed() == 0 {
		return failed("no page could be analysed; the report says why for each")
	}
	if n, decided := atOrAbove(r.failed(), failOn); n > 0 {
		besides := ""
		if decided > 0 {
			besides = fmt.Sprintf(", besides %d acknowledged or ignored", decided)
		}
		return &codedError{exitFindings, fmt.Errorf("%s at or above %q%s", count(n, "fault"), failOn, besides)}
	}
	if r.Scan.State == schema.ScanStopped {
		return failed("the scan stopped early, out of courtesy: %s", reasonWords(r.Scan.StateReason))
	}
	return nil
}

// refusalWords says why a site was not scanned, and what a person can do.
func refusalWords(s report.Scan) string {
	if s.StateReason != string(schema.ReasonRobotsUnreached) {
		return "the site may not be scanned: " + reasonWords(s.StateReason)
	}
	host := s.URL
	if u, err := url.Parse(s.URL); err == nil && u.Host != "" {
		host = u.Host
	}
	if s.Robots == nil || s.Robots.Status == 0 {
		return host + " did not answer (robots.txt could not be read); is it running?"
	}
	return fmt.Sprintf("the robots.txt of %s could not be read (status %d), so the site may not be scanned; try again once it answers, with 200 or 404", host, s.Robots.Status)
}

// atOrAbove counts faults from a severity on; those of items that were acknowledged
// or ignored apart, as they do not fail.
func atOrAbove(findings []report.Finding, level string) (n, decided int) {
	if level == "none" {
		return 0, 0
	}
	for _, f := range findings {
		switch {
		case f.Severity.Rank() < schema.Severity(level).Rank():
		case f.State == schema.ItemAcknowledged || f.State == schema.ItemIgnored:
			decided++
		default:
			n++
		}
	}
	return n, decided
}

// ruleSum is one rule over the whole site.
type ruleSum struct {
	rule     string
	severity schema.Severity
	title    string
	help     string
	findings int
	pages    []string
}

// name is what is wrong, in words where the record has them.
func (s ruleSum) name() string { return cmp.Or(s.title, s.help, s.rule) }

// rules sums the findings of one outcome by rule, the gravest and most frequent first.
func (r result) rules(outcome schema.FindingOutcome) []ruleSum {
	at := map[string]int{}
	var sums []ruleSum
	for _, p := range r.Pages {
		for _, f := range p.Findings {
			if f.Outcome != outcome {
				continue
			}
			i, known := at[f.Rule]
			if !known {
				i = len(sums)
				at[f.Rule] = i
				sums = append(sums, ruleSum{rule: f.Rule, severity: f.Severity, title: f.Title, help: f.Help})
			}
			s := &sums[i]
			s.findings++
			if f.Severity.Rank() > s.severity.Rank() {
				s.severity = f.Severity
			}
			if !slices.Contains(s.pages, p.URL) {
				s.pages = append(s.pages, p.URL)
			}
		}
	}
	slices.SortStableFunc(sums, func(a, b ruleSum) int {
		if d := b.severity.Rank() - a.severity.Rank(); d != 0 {
			return d
		}
		return b.findings - a.findings
	})
	return sums
}
