package report

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"visite/schema"
)

// sarifSchema is the schema of SARIF 2.1.0 with Errata 01 (OASIS Standard).
const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// The parts of SARIF 2.1.0 that are written; names are the standard's.
type (
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		Kind      string          `json:"kind"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
		// Prints tell consumers that a result of an earlier run is the same one.
		Prints       map[string]string  `json:"partialFingerprints"`
		Suppressions []sarifSuppression `json:"suppressions,omitempty"`
	}
	// sarifSuppression tells of a result that somebody decided about (3.35).
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Status        string `json:"status"`
		Justification string `json:"justification"`
	}
	sarifLocation struct {
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct {
		Artifact struct {
			URI string `json:"uri"`
		} `json:"artifactLocation"`
	}
	sarifLogical struct {
		Name string `json:"fullyQualifiedName"`
		Kind string `json:"kind"`
	}
	sarifRule struct {
		ID      string          `json:"id"`
		Short   sarifText       `json:"shortDescription"`
		Help    sarifText       `json:"help"`
		HelpURI string          `json:"helpUri,omitempty"`
		Default sarifDefault    `json:"defaultConfiguration"`
		Tags    sarifProperties `json:"properties"`
	}
	sarifDefault struct {
		Level string `json:"level"`
	}
	sarifProperties struct {
		Tags []string `json:"tags"`
	}
	sarifDriver struct {
		Name  string      `json:"name"`
		URI   string      `json:"informationUri,omitempty"`
		Rules []sarifRule `json:"rules"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifNotification struct {
		Level   string    `json:"level"`
		Message sarifText `json:"message"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		Start         *time.Time          `json:"startTimeUtc,omitempty"`
		End           *time.Time          `json:"endTimeUtc,omitempty"`
		Notifications []sarifNotification `json:"toolExecutionNotifications"`
	}
)

// sarif writes one run. Questions for a person are of kind "review", never
// "fail"; a scan that analysed nothing is an invocation that did not succeed.
func (r Renderer) sarif(ctx context.Context, w io.Writer, scan schema.Scan, speak words) error {
	lead, err := r.lead(ctx, scan, speak)
	if err != nil {
		return err
	}
	states, err := r.Source.ItemStates(ctx, scan.SiteID)
	if err != nil {
		return wrapped(err)
	}
	rules, apart := map[string]sarifRule{}, []tallyOf(nil)
	out := newDocument(w)
	out.key("$schema", sarifSchema)
	out.key("version", "2.1.0")
	out.begin("runs")
	out.text("[{")
	out.keys = 0
	out.bare = true
	out.open("results")
	err = eachPage(ctx, r.Source, scan.ID, func(p schema.Page) error {
		if p.Outcome != schema.OutcomeAnalysed {
			apart = count(apart, p.Outcome)
		}
		path := schema.PathShape(p.URL)
		for _, f := range p.Findings {
			rules[f.Rule] = sarifRuleOf(rules[f.Rule], f, speak)
			if err := out.item(sarifResultOf(p, path, f, states, speak)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	out.key("invocations", []sarifInvocation{sarifInvocationOf(scan, lead, apart, speak)})
	driver := sarifDriver{Name: "Visite", Rules: []sarifRule{}}
	if isWeb(scan.Profile.Info) {
		driver.URI = webURI(scan.Profile.Info)
	}
	for _, id := range sortedNames(rules) {
		driver.Rules = append(driver.Rules, rules[id])
	}
	out.key("tool", sarifTool{driver})
	out.key("language", string(speak.lang))
	out.key("automationDetails", map[string]string{"id": "visite/" + hostOf(scan) + "/" + scan.ID})
	out.text("}]")
	return out.close()
}

func sarifResultOf(p schema.Page, path string, f schema.Finding, states schema.ItemStates, speak words) sarifResult {
	title, help := speak.rule(f)
	said := title.Text
	if help.Text != said {
		said += ". " + help.Text
	}
	if f.Detail != "" {
		said += " (" + f.Detail + ")"
	}
	out := sarifResult{RuleID: clean(f.Rule, 100), Kind: "fail", Level: sarifLevel(f.Severity), Message: sarifText{clean(said, 2000)}}
	if f.Outcome == schema.FindingNeedsReview {
		out.Kind, out.Level = "review", "none" // 3.27.10: a level needs the kind "fail"
	}
	at := sarifLocation{}
	if uri := webURI(p.URL); uri != "" {
		at.Physical = &sarifPhysical{}
		at.Physical.Artifact.URI = uri
	}
	if f.Selector != "" {
		at.Logical = []sarifLogical{{clean(f.Selector, 1000), "element"}}
	}
	out.Locations = []sarifLocation{at}
	item := schema.FingerprintIn(f, path)
	out.Prints = map[string]string{"visiteItem/v1": item}
	if d := states.Of(item); d.State != schema.ItemOpen {
		out.Suppressions = []sarifSuppression{{"external", "accepted", clean(d.Reason, schema.ItemReasonMax)}}
	}
	return out
}

// webURI is an address as RFC 3986 writes it; empty where it is none.
func webURI(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return u.String()
}

func sarifLevel(s schema.Severity) string {
	switch {
	case s.Rank() >= schema.SeveritySerious.Rank():
		return "error"
	case s.Rank() >= schema.SeverityModerate.Rank():
		return "warning"
	}
	return "note"
}

// sarifRuleOf describes a rule, with the gravest level it has spoken at.
func sarifRuleOf(known sarifRule, f schema.Finding, speak words) sarifRule {
	order := []string{"", "none", "note", "warning", "error"}
	level := sarifLevel(f.Severity)
	if slices.Index(order, known.Default.Level) >= slices.Index(order, level) {
		return known
	}
	title, help := speak.rule(f)
	out := sarifRule{ID: clean(f.Rule, 100), Short: sarifText{clean(title.Text, 500)}, Help: sarifText{clean(help.Text, 1000)}, HelpURI: speak.rulePage(f.Rule), Default: sarifDefault{level}}
	out.Tags.Tags = []string{string(f.Category)}
	for _, sc := range f.WCAG {
		out.Tags.Tags = append(out.Tags.Tags, "WCAG "+clean(sc, 20))
	}
	for _, id := range f.ACTRules {
		out.Tags.Tags = append(out.Tags.Tags, "ACT "+clean(id, 20))
	}
	slices.Sort(out.Tags.Tags)
	out.Tags.Tags = slices.Compact(out.Tags.Tags)
	return out
}

func sarifInvocationOf(scan schema.Scan, l lead, apart []tallyOf, speak words) sarifInvocation {
	out := sarifInvocation{Successful: l.checked, Start: timeOrNull(scan.StartedAt), End: timeOrNull(scan.FinishedAt), Notifications: []sarifNotification{}}
	level := "note"
	if !l.checked {
		level = "error"
	}
	for _, n := range l.notes {
		out.Notifications = append(out.Notifications, sarifNotification{level, sarifText{n}})
	}
	for _, a := range apart {
		out.Notifications = append(out.Notifications, sarifNotification{"note", sarifText{fmt.Sprintf("%s: %s", speak.closed("outcome", string(a.Outcome)), speak.num(a.Count))}})
	}
	return out
}

func sortedNames[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for k := range m {
		names = append(names, k)
	}
	slices.SortFunc(names, strings.Compare)
	return names
}
