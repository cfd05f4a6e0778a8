package inspect

import (
	"bytes"
	"slices"
	"strings"

	"visite/internal/inspect/accessibility"
	"visite/internal/inspect/challenge"
	"visite/internal/inspect/dom"
	"visite/internal/inspect/links"
	"visite/internal/inspect/page"
	"visite/internal/inspect/performance"
	"visite/internal/inspect/privacy"
	"visite/internal/inspect/rule"
	"visite/internal/inspect/security"
	"visite/internal/inspect/seo"
	"visite/internal/inspect/site"
	"visite/internal/inspect/technical"
	"visite/schema"
)

// Document is a page as it came back, in memory only.
type Document = page.Document

// RuleInfo describes a rule to people.
type RuleInfo = rule.Info

// MaxFindings bounds the findings of one rule on one page.
const MaxFindings = 200

// pageRules are all rules that judge one page.
var pageRules = slices.Concat(accessibility.Rules(), seo.Rules(), technical.Rules(), security.Rules(), performance.Rules(), privacy.Rules(), links.Rules())

// Rules lists every rule of our own, those of a single page first. The
// accessibility engine's rules describe themselves in its findings.
func Rules() []RuleInfo {
	var all []RuleInfo
	for _, r := range pageRules {
		all = append(all, r.Info)
	}
	return slices.Concat(all, accessibility.RenderedRules(), site.Rules(), security.SiteRules())
}

// Categories lists the topics that some rule looks at.
func Categories() []schema.Category {
	var all []schema.Category
	for _, r := range Rules() {
		if !slices.Contains(all, r.Category) {
			all = append(all, r.Category)
		}
	}
	slices.Sort(all)
	return all
}

// Page judges one document. The page holds what the network saw as well; ids and
// depth are the caller's. Candidates are addresses within the scope (a HostKey)
// that may be pages, with depth 0 and via link. A document that is no page of
// the site (redirected out of the scope, an error answer, a file) gets an outcome
// and nothing else: no verdicts, no title, no links (contract S-40 to S-42). So
// does a challenge, which is a page of the site even less (S-23).
func Page(doc Document, scope string) (schema.Page, []schema.Candidate) {
	p := seen(doc)
	p.Outcome, p.Reason = outcomeOf(doc, scope)
	if p.Outcome != schema.OutcomeAnalysed && p.Outcome != schema.OutcomeErrorAnswer {
		return p, nil
	}
	c := page.Read(doc, scope)
	if product, blocked := challenge.Detect(c); blocked {
		p.Outcome, p.Reason, p.BlockedBy = schema.OutcomeBlocked, schema.ReasonChallenge, product
	}
	if p.Outcome != schema.OutcomeAnalysed {
		return p, nil
	}
	describe(&p, c)
	measure(&p, c)
	p.Findings, p.Notes = judge(c)
	var candidates []schema.Candidate
	p.Links, candidates = follow(c)
	return p, candidates
}

// Markup is a served document of HTML in UTF-8; nil for anything else.
func Markup(source []byte, facts schema.DocumentFacts) []byte {
	return page.Text(source, facts)
}

// Front is what the page a scan began at tells browsers about security: closed
// words for the site's grade.
func Front(doc Document, scope string) schema.FrontSecurity {
	return security.Front(page.Read(doc, scope))
}

// BlockedAtOnce tells whether an answer's headers alone say that it is a
// challenge, and whose: the document behind it need not be looked at, and asking
// again later would bring another (contract S-23).
func BlockedAtOnce(facts schema.DocumentFacts) (product string, blocked bool) {
	return challenge.ByHeader(facts.Header)
}

// seen is what the network saw.
func seen(doc Document) schema.Page {
	f := doc.Facts
	return schema.Page{
		URL: f.Requested, FinalURL: doc.Address(), Status: f.Status, Redirects: f.Hops, Timing: f.Timing,
		WireBytes: f.WireBytes, Bytes: doc.Bytes(), MediaType: f.MediaType, Protocol: f.Protocol, Encoding: f.Encoding,
		Requests: doc.Totals.Requests, RefusedCalls: doc.Totals.RefusedCalls,
	}
}

// outcomeOf decides whether a document is judged.
func outcomeOf(doc Document, scope string) (schema.Outcome, schema.Reason) {
	f := doc.Facts
	switch {
	case f.Outcome != "" && f.Outcome != schema.OutcomeAnalysed:
		return f.Outcome, f.Reason
	case !inScope(doc.Address(), scope):
		return schema.OutcomeRedirected, schema.ReasonNone
	case f.Status >= 400:
		return schema.OutcomeErrorAnswer, schema.ReasonErrorStatus
	case doc.Rendered == "" && !isMarkup(f.MediaType, doc.Source):
		return schema.OutcomeNotPage, schema.ReasonMediaType
	}
	return schema.OutcomeAnalysed, schema.ReasonNone
}

func inScope(address, scope string) bool {
	if scope == "" {
		return true
	}
	a, err := schema.ParseAddress(address, nil)
	return err == nil && a.HostKey() == scope
}

// isMarkup goes by the media type, and by looks where there is none.
func isMarkup(mediaType string, source []byte) bool {
	mediaType, _, _ = strings.Cut(strings.ToLower(mediaType), ";")
	switch strings.TrimSpace(mediaType) {
	case "text/html", "application/xhtml+xml":
		return true
	case "":
		return bytes.IndexByte(source[:min(len(source), 512)], 0) < 0
	}
	return false
}

// judge runs the rules. Rules that the accessibility engine judges better are
// left to it where it ran.
func judge(c *page.Content) ([]schema.Finding, []string) {
	engine := accessibility.Engine{}
	if !c.Static() {
		engine = accessibility.FromEngines(c.Doc.Axe, c.Doc.QualWeb)
	}
	var findings []schema.Finding
	cut := engine.Truncated
	for _, r := range pageRules {
		if r.LeftToAxe && engine.Ran {
			continue
		}
		hits := r.Run(c)
		if len(hits) > MaxFindings {
			hits, cut = hits[:MaxFindings], true
		}
		for _, h := range hits {
			findings = append(findings, r.Finding(h, selector(c, h)))
		}
	}
	own, ownNotes := accessibility.FromChecks(c.Doc.Checks)
	return once(slices.Concat(findings, engine.Findings, own)), notes(c, append(engine.Notes, ownNotes...), cut)
}

func selector(c *page.Content, h rule.Hit) string {
	if h.Selector != "" {
		return h.Selector
	}
	if h.Node == dom.None {
		return ""
	}
	return c.Tree.Selector(h.Node)
}

func notes(c *page.Content, of []string, findingsCut bool) []string {
	all := slices.Concat(c.Doc.Notes, of)
	for note, holds := range map[string]bool{
		schema.NoteContentIncomplete: c.Doc.Totals.OwnRefused > 0 || c.Doc.Totals.GivenUpFiles > 0 || c.Doc.Cut,
		schema.NoteTooManyElements:   c.Tree.Cut,
		schema.NoteLinksCut:          c.LinksCut,
		schema.NoteFindingsCut:       findingsCut,
		schema.NoteFilesCut:          c.Doc.Totals.FilesOver > 0,
	} {
		if holds {
			all = append(all, note)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
