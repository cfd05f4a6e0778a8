package report

import (
	"context"
	"fmt"
	"io"
	"net/url"

	"visite/schema"
)

// earlContext gives the terms of EARL 1.0 (W3C Evaluation and Report Language
// Schema) their names; it stands in the document, so that nobody has to fetch it.
var earlContext = map[string]any{
	"earl": "http://www.w3.org/ns/earl#", "dct": "http://purl.org/dc/terms/", "ptr": "http://www.w3.org/2009/pointers#",
	"Assertion": "earl:Assertion", "TestResult": "earl:TestResult", "TestSubject": "earl:TestSubject", "TestCase": "earl:TestCase", "Software": "earl:Software",
	"CSSSelectorPointer": "ptr:CSSSelectorPointer", "expression": "ptr:expression",
	"assertedBy": idTerm("earl:assertedBy"), "subject": idTerm("earl:subject"), "test": idTerm("earl:test"), "mode": idTerm("earl:mode"),
	"result": map[string]string{"@id": "earl:result"}, "outcome": idTerm("earl:outcome"), "pointer": map[string]string{"@id": "earl:pointer"}, "info": "earl:info",
	"title": "dct:title", "description": "dct:description", "date": map[string]string{"@id": "dct:date", "@type": "http://www.w3.org/2001/XMLSchema#dateTime"},
	"conformsTo": idTerm("dct:conformsTo"), "references": "dct:references", "isPartOf": idTerm("dct:isPartOf"),
}

func idTerm(id string) map[string]string { return map[string]string{"@id": id, "@type": "@id"} }

// Identifiers of the document's own things.
const (
	earlAssertor = "urn:visite:software"
	earlAll      = "urn:visite:automatic-checks"
	earlRule     = "urn:visite:rule:"
	actRule      = "https://act-rules.github.io/rules/"
)

type (
	earlNode struct {
		ID          string   `json:"@id"`
		Type        string   `json:"@type"`
		Title       string   `json:"title,omitempty"`
		Description string   `json:"description,omitempty"`
		ConformsTo  []string `json:"conformsTo,omitempty"`
		References  []string `json:"references,omitempty"`
	}
	earlAssertion struct {
		Type       string     `json:"@type"`
		AssertedBy string     `json:"assertedBy"`
		Subject    string     `json:"subject"`
		Test       string     `json:"test"`
		Mode       string     `json:"mode"`
		Result     earlResult `json:"result"`
	}
	earlResult struct {
		Type    string       `json:"@type"`
		Outcome string       `json:"outcome"`
		Info    string       `json:"info,omitempty"`
		Date    string       `json:"date,omitempty"`
		Pointer *earlPointer `json:"pointer,omitempty"`
	}
	earlPointer struct {
		Type       string `json:"@type"`
		Expression string `json:"expression"`
	}
)

// earl writes one assertion a page about all automatic checks, and one a
// finding. What was not analysed is "untested"; a question is "cantTell".
func (r Renderer) earl(ctx context.Context, w io.Writer, scan schema.Scan, speak words) error {
	lead, err := r.lead(ctx, scan, speak)
	if err != nil {
		return err
	}
	out := newDocument(w)
	out.key("@context", earlContext)
	out.open("@graph")
	_ = out.item(earlNode{ID: earlAssertor, Type: "Software", Title: "Visite"}) // the document keeps its first error
	_ = out.item(earlNode{ID: earlAll, Type: "TestCase", Title: "Automatic checks"})
	if !lead.checked {
		_ = out.item(assertion(scan.URL, earlAll, earlResult{Outcome: "earl:untested", Info: join(lead.notes)}))
	}
	known := map[string]bool{}
	err = eachPage(ctx, r.Source, scan.ID, func(p schema.Page) error {
		_ = out.item(assertion(p.URL, earlAll, earlPage(p, speak)))
		for _, f := range p.Findings {
			if test := earlTest(f.Rule); !known[test] {
				known[test] = true
				_ = out.item(earlRuleOf(f, speak))
			}
			_ = out.item(assertion(p.URL, earlTest(f.Rule), earlFinding(f)))
		}
		return out.err
	})
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return out.close()
}

func assertion(subject, test string, result earlResult) earlAssertion {
	result.Type = "TestResult"
	if subject = webURI(subject); subject == "" {
		subject = "urn:visite:unknown" // no address we ever recorded
	}
	return earlAssertion{Type: "Assertion", AssertedBy: earlAssertor, Subject: subject, Test: test, Mode: "earl:automatic", Result: result}
}

// earlPage is what all automatic checks together say of a page.
func earlPage(p schema.Page, speak words) earlResult {
	if p.Outcome != schema.OutcomeAnalysed {
		said := speak.closed("outcome", string(p.Outcome))
		if telling(p.Outcome, p.Reason) {
			said += ": " + speak.closed("reason", string(p.Reason))
		}
		return earlResult{Outcome: "earl:untested", Info: said}
	}
	out := earlResult{Outcome: "earl:passed"}
	if at := timeOrNull(p.InspectedAt); at != nil {
		out.Date = at.Format("2006-01-02T15:04:05Z07:00")
	}
	for _, f := range p.Findings {
		if f.Outcome == schema.FindingFailed {
			out.Outcome = "earl:failed"
			break
		}
		out.Outcome = "earl:cantTell"
	}
	return out
}

func earlFinding(f schema.Finding) earlResult {
	out := earlResult{Outcome: "earl:failed", Info: clean(f.Detail, 500)}
	if f.Outcome == schema.FindingNeedsReview {
		out.Outcome = "earl:cantTell"
	}
	if f.Selector != "" {
		out.Pointer = &earlPointer{"CSSSelectorPointer", clean(f.Selector, 1000)}
	}
	return out
}

func earlTest(rule string) string { return earlRule + url.PathEscape(clean(rule, 100)) }

func earlRuleOf(f schema.Finding, speak words) earlNode {
	title, help := speak.rule(f)
	out := earlNode{ID: earlTest(f.Rule), Type: "TestCase", Title: clean(title.Text, 500)}
	if help != title {
		out.Description = clean(help.Text, 1000)
	}
	for _, id := range f.ACTRules {
		out.ConformsTo = append(out.ConformsTo, actRule+url.PathEscape(clean(id, 20)))
	}
	for _, sc := range f.WCAG {
		out.References = append(out.References, "WCAG "+clean(sc, 20))
	}
	return out
}
