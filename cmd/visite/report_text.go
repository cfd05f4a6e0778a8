package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"visite/internal/report"
	"visite/schema"
)

// Bounds of the text form; the JSON and HTML reports have everything.
const (
	rulesShown = 20
	pagesShown = 3
	linksShown = 10
)

// textOf is the report for reading in a terminal.
func textOf(r result) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("%s", r.Scan.Site)
	line("Scan %s: %s (%s, %s, profile %s)", r.Scan.ID, stateWords(r), r.Scan.Engine, r.Scan.Device, r.Scan.Profile)
	line("")
	writePages(line, r)
	writeScores(line, r.Scores)
	writeSeverities(line, r)
	writeRules(line, "What is wrong", r.rules(schema.FindingFailed))
	if review := r.rules(schema.FindingNeedsReview); len(review) > 0 {
		writeRules(line, "For a person to look at (never counted as faults)", review)
	}
	writeLinks(line, r)
	line("All details: --format html or --format json.")
	return b.String()
}

func stateWords(r result) string {
	switch {
	case r.unended:
		return "PARTIAL, was cancelled and is still ending"
	case r.Scan.State == schema.ScanCancelled:
		return "PARTIAL, cancelled"
	case r.Scan.State == schema.ScanStopped:
		return "PARTIAL, stopped early: " + reasonWords(r.Scan.StateReason)
	case r.Scan.State == schema.ScanRefused:
		return "refused: " + refusalWords(r.Scan)
	case r.Scan.StateReason != "":
		return string(r.Scan.State) + ": " + reasonWords(r.Scan.StateReason)
	default:
		return string(r.Scan.State)
	}
}

// reasonWords makes a closed reason readable.
func reasonWords(reason string) string {
	if reason == "" {
		return "no reason is recorded"
	}
	return strings.ReplaceAll(reason, "_", " ")
}

// writePages counts what was analysed and, apart from that, the other outcomes
// with their first addresses.
func writePages(line func(string, ...any), r result) {
	outcomes := map[schema.Outcome]int{}
	for _, p := range r.Pages {
		outcomes[p.Outcome]++
	}
	line("Analysed %s", count(outcomes[schema.OutcomeAnalysed], "page"))
	for _, o := range slices.Sorted(maps.Keys(outcomes)) {
		if o == schema.OutcomeAnalysed {
			continue
		}
		line("  besides, %s: %d", reasonWords(string(o)), outcomes[o])
		shown := 0
		for _, p := range r.Pages {
			if p.Outcome != o {
				continue
			}
			if shown++; shown > pagesShown {
				line("    and %d more", outcomes[o]-pagesShown)
				break
			}
			line("    %s%s", p.URL, why(p))
		}
	}
	line("")
}

func why(p report.Page) string {
	answer := report.Answer(p.Outcome, p.Status, p.Redirects)
	switch {
	case p.Reason != "" && p.Reason != schema.Reason(p.Outcome):
		return " (" + reasonWords(string(p.Reason)) + ")"
	case answer >= 300:
		return fmt.Sprintf(" (%d)", answer)
	default:
		return ""
	}
}

// writeScores says how the site came off; nothing where no page was analysed.
func writeScores(line func(string, ...any), s *report.Scores) {
	if s == nil {
		return
	}
	line("Score: %d of 100, from %s", s.Overall, count(s.Analysed, "analysed page"))
	for _, c := range s.Categories {
		of := fmt.Sprintf("faults on %s", count(c.Faulty, "page"))
		if !c.Estimate.Exact {
			of += fmt.Sprintf(", over the whole site an estimated %v %% of pages (%v to %v %%)", report.Percent(c.Estimate.Share), report.Percent(c.Estimate.Low), report.Percent(c.Estimate.High))
		}
		line("  %3d  %s: %s", c.Score, c.Category, of)
	}
	line("")
}

func writeSeverities(line func(string, ...any), r result) {
	counts := map[schema.Severity]int{}
	failed := r.failed()
	for _, f := range failed {
		counts[f.Severity]++
	}
	var parts []string
	for _, s := range slices.Backward(schema.Severities) {
		if counts[s] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[s], s))
		}
	}
	if len(parts) == 0 {
		parts = []string{"none"}
	}
	line("Faults: %s", strings.Join(parts, ", "))
	line("")
}

func writeRules(line func(string, ...any), title string, sums []ruleSum) {
	if len(sums) == 0 {
		return
	}
	line("%s:", title)
	for i, s := range sums {
		if i == rulesShown {
			line("  and %s more", count(len(sums)-rulesShown, "rule"))
			break
		}
		line("  %-8s  %s", s.severity, s.name())
		if s.help != "" && s.help != s.name() {
			line("            What to do: %s", s.help)
		}
		line("            %s on %s (rule %s)", count(s.findings, "place"), count(len(s.pages), "page"), s.rule)
		for _, p := range s.pages[:min(len(s.pages), pagesShown)] {
			line("            %s", p)
		}
	}
	line("")
}

func writeLinks(line func(string, ...any), r result) {
	broken := 0
	for _, l := range r.Links {
		if l.Verdict != schema.LinkBroken {
			continue
		}
		if broken++; broken == 1 {
			line("Broken links:")
		}
		if broken > linksShown {
			continue
		}
		line("  %s %s", answerWords(l.Status), l.URL)
		shown := l.FoundOn[:min(len(l.FoundOn), pagesShown)]
		for _, page := range shown {
			line("      on %s", page)
		}
		if more := max(l.Pages, len(l.FoundOn)) - len(shown); more > 0 {
			line("      and on %s", count(more, "more page"))
		}
	}
	if broken > linksShown {
		line("  and %d more", broken-linksShown)
	}
	if broken > 0 {
		line("")
	}
}

// answerWords is a link's status, or that there was no answer to have one.
func answerWords(status int) string {
	if status == 0 {
		return "no answer from"
	}
	return strconv.Itoa(status)
}

// count is a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
