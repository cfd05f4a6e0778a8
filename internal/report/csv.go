package report

import (
	"bufio"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"visite/schema"
)

// csvColumns are the columns of the CSV report; only ever added to, at the end.
var csvColumns = []string{"record", "url", "outcome", "reason", "status", "rule", "engine", "category", "severity", "result", "wcag", "act_rules", "selector", "title", "help", "detail", "pages", "item", "item_state"}

// csvCell bounds a cell in characters; spreadsheets take 32,767.
const csvCell = 4000

// csvRow is one line of the CSV report by column.
type csvRow map[string]string

// csv writes one line a fact: first the scan and what a reader must know of it,
// then each page followed by its findings, then the links. Records are
// "scan", "note", "page", "finding" and "link".
func (r Renderer) csv(ctx context.Context, w io.Writer, scan schema.Scan, speak words) error {
	lead, err := r.lead(ctx, scan, speak)
	if err != nil {
		return err
	}
	states, err := r.Source.ItemStates(ctx, scan.SiteID)
	if err != nil {
		return wrapped(err)
	}
	buffered := bufio.NewWriterSize(w, 64<<10)
	out := &csvWriter{csv.NewWriter(buffered)}
	out.header()
	out.row(csvRow{"record": "scan", "url": scan.URL, "outcome": string(scan.State), "reason": scan.StateReason, "pages": strconv.Itoa(lead.progress.Analysed), "detail": scan.ID})
	for _, note := range lead.notes {
		out.row(csvRow{"record": "note", "url": scan.URL, "detail": note})
	}
	err = eachPage(ctx, r.Source, scan.ID, func(p schema.Page) error {
		out.row(csvRow{"record": "page", "url": p.URL, "outcome": string(p.Outcome), "reason": string(p.Reason), "status": figure(p.Status), "title": p.Title, "detail": p.BlockedBy})
		path := schema.PathShape(p.URL)
		for _, f := range p.Findings {
			out.row(csvFinding(p, path, speak.inWords(f), states))
		}
		return out.Error()
	})
	if err == nil {
		err = eachLink(ctx, r.Source, scan.ID, schema.LinkFilter{}, func(l schema.ListedLink) error {
			shown := documentLink(l.Link)
			out.row(csvRow{"record": "link", "url": shown.URL, "outcome": string(shown.Verdict), "status": figure(shown.Status), "pages": strconv.Itoa(shown.Pages), "detail": strings.Join(shown.FoundOn, " ")})
			return out.Error()
		})
	}
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return buffered.Flush()
}

func csvFinding(p schema.Page, path string, f schema.Finding, states schema.ItemStates) csvRow {
	item := schema.FingerprintIn(f, path)
	return csvRow{
		"record": "finding", "url": p.URL, "rule": f.Rule, "engine": f.Engine, "category": string(f.Category), "severity": string(f.Severity), "result": string(f.Outcome),
		"wcag": strings.Join(f.WCAG, " "), "act_rules": strings.Join(f.ACTRules, " "), "selector": f.Selector, "title": f.Title, "help": f.Help, "detail": f.Detail, "item": item, "item_state": string(states.Of(item).State),
	}
}

// figure leaves what is not known empty.
func figure(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

type csvWriter struct{ *csv.Writer }

func (w *csvWriter) header() { _ = w.Write(csvColumns) } // its error stays and is asked for

func (w *csvWriter) row(r csvRow) {
	line := make([]string, len(csvColumns))
	for i, column := range csvColumns {
		line[i] = csvText(r[column])
	}
	_ = w.Write(line) // its error stays and is asked for
}

// csvText makes text safe in a spreadsheet: what a program would take for a
// formula begins with an apostrophe, which shows it as text. Full-width signs
// count too, and so does a sign after blanks, which some programs drop.
func csvText(s string) string {
	s = clean(s, csvCell)
	first := strings.TrimLeftFunc(s, func(r rune) bool { return unicode.IsSpace(r) || r == unicode.ReplacementChar })
	if first == "" {
		return s
	}
	switch []rune(first)[0] {
	case '=', '+', '-', '@', '\uFF1D', '\uFF0B', '\uFF0D', '\uFF20', '|', '%':
		return "'" + s
	}
	return s
}
