package report

import (
	"bufio"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"

	"visite/schema"
)

// junitPlaces bounds the places named in one failure.
const junitPlaces = 50

func join(sentences []string) string { return strings.Join(sentences, " ") }

// junit writes a suite a page and a case a rule that spoke on it. A page without
// faults is one passed case, one that was not analysed a skipped case, a question
// or an acknowledged or ignored fault a skipped case; a scan that analysed nothing is an error.
func (r Renderer) junit(ctx context.Context, w io.Writer, scan schema.Scan, speak words) error {
	lead, err := r.lead(ctx, scan, speak)
	if err != nil {
		return err
	}
	states, err := r.Source.ItemStates(ctx, scan.SiteID)
	if err != nil {
		return wrapped(err)
	}
	out := &xmlWriter{w: bufio.NewWriterSize(w, 64<<10)}
	out.raw(xml.Header)
	out.open("testsuites", "name", "Visite "+hostOf(scan))
	first := junitCase{class: "visite.scan", name: "visite"}
	if !lead.checked {
		first.kind, first.message = "error", join(lead.notes)
		if first.message == "" {
			first.message = speak.closed("state", string(scan.State))
		}
	} else {
		first.output = join(lead.notes)
	}
	out.suite("visite", scan.ID, []junitCase{first})
	err = eachPage(ctx, r.Source, scan.ID, func(p schema.Page) error {
		out.suite(p.URL, "", junitCases(p, states, speak))
		return out.err
	})
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	out.close("testsuites")
	if out.err != nil {
		return fmt.Errorf("report: %w", out.err)
	}
	return out.w.Flush()
}

// junitCase is one test case; kind is the element that says how it went: "" is passed.
type junitCase struct {
	class, name, kind, grade, message string
	places                            []string
	left                              int
	output                            string
}

func junitCases(p schema.Page, states schema.ItemStates, speak words) []junitCase {
	if p.Outcome != schema.OutcomeAnalysed {
		said := speak.closed("outcome", string(p.Outcome))
		if telling(p.Outcome, p.Reason) {
			said += ": " + speak.closed("reason", string(p.Reason))
		}
		return []junitCase{{class: "visite.page", name: "analysed", kind: "skipped", message: said}}
	}
	cases := []junitCase{}
	index := map[string]int{}
	path := schema.PathShape(p.URL)
	for _, f := range p.Findings {
		d := states.Of(schema.FingerprintIn(f, path))
		key := f.Rule + "\x00" + string(f.Outcome) + "\x00" + string(f.Severity) + "\x00" + string(d.State) + "\x00" + d.Reason
		i, ok := index[key]
		if !ok {
			i = len(cases)
			index[key] = i
			cases = append(cases, junitCaseOf(f, d, speak))
		}
		c := &cases[i]
		if len(c.places) == junitPlaces {
			c.left++
			continue
		}
		c.places = append(c.places, strings.TrimSpace(f.Selector+" "+f.Detail))
	}
	if len(cases) == 0 {
		cases = append(cases, junitCase{class: "visite.page", name: "analysed"})
	}
	return cases
}

func junitCaseOf(f schema.Finding, d schema.ItemDecision, speak words) junitCase {
	title, help := speak.rule(f)
	c := junitCase{class: "visite." + string(f.Category), name: f.Rule + ": " + title.Text, kind: "failure", grade: string(f.Severity), message: help.Text}
	switch {
	case d.State != schema.ItemOpen:
		c.kind, c.message = "skipped", speak.closed("item_state", string(d.State))+": "+clean(d.Reason, schema.ItemReasonMax)
	case f.Outcome == schema.FindingNeedsReview:
		c.kind, c.message = "skipped", speak.closed("severity", string(f.Severity))+": "+help.Text
	case f.Severity == schema.SeverityInfo:
		c.kind, c.output = "", help.Text
	}
	return c
}

// xmlWriter writes XML piece by piece; it keeps its first error. Characters that
// XML 1.0 does not have are replaced (encoding/xml).
type xmlWriter struct {
	w   *bufio.Writer
	err error
}

func (x *xmlWriter) raw(s string) {
	if x.err == nil {
		_, x.err = x.w.WriteString(s)
	}
}

func (x *xmlWriter) escape(s string, limit int) {
	if x.err == nil {
		x.err = xml.EscapeText(x.w, []byte(clean(s, limit)))
	}
}

// start writes a tag without its end: names and values in turn.
func (x *xmlWriter) start(name string, attributes ...string) {
	x.raw("<" + name)
	for i := 0; i+1 < len(attributes); i += 2 {
		if attributes[i+1] == "" {
			continue
		}
		x.raw(" " + attributes[i] + `="`)
		x.escape(attributes[i+1], 2000)
		x.raw(`"`)
	}
}

func (x *xmlWriter) open(name string, attributes ...string) {
	x.start(name, attributes...)
	x.raw(">\n")
}

func (x *xmlWriter) close(name string) { x.raw("</" + name + ">\n") }

func (x *xmlWriter) suite(name, id string, cases []junitCase) {
	kinds := map[string]int{}
	for _, c := range cases {
		kinds[c.kind]++
	}
	x.open("testsuite", "name", name, "id", id, "tests", strconv.Itoa(len(cases)), "failures", strconv.Itoa(kinds["failure"]),
		"errors", strconv.Itoa(kinds["error"]), "skipped", strconv.Itoa(kinds["skipped"]))
	for _, c := range cases {
		x.testcase(c)
	}
	x.close("testsuite")
}

func (x *xmlWriter) testcase(c junitCase) {
	x.open("testcase", "classname", c.class, "name", c.name)
	switch c.kind {
	case "skipped":
		x.start("skipped", "message", c.message)
		x.raw("/>\n")
	case "failure", "error":
		x.start(c.kind, "type", c.grade, "message", c.message)
		x.raw(">")
		x.lines(c)
		x.close(c.kind)
	}
	if c.output != "" {
		x.raw("<system-out>")
		x.escape(c.output, 4000)
		x.close("system-out")
	}
	x.close("testcase")
}

func (x *xmlWriter) lines(c junitCase) {
	for i, p := range c.places {
		if i > 0 {
			x.raw("\n")
		}
		x.escape(p, 1000)
	}
	if c.left > 0 {
		x.raw(fmt.Sprintf("\n(+ %d)", c.left))
	}
}
