package report

import (
	"context"
	"testing"

	"visite/schema"
)

// scans is a Source of several scans, by id.
type scans map[string]*recorded

func (s scans) Progress(ctx context.Context, id string) (schema.Progress, error) {
	return s[id].Progress(ctx, id)
}
func (s scans) Unlooked(ctx context.Context, id string) (schema.Unlooked, error) {
	return s[id].Unlooked(ctx, id)
}
func (s scans) HostTotals(ctx context.Context, id string) ([]schema.HostTotals, error) {
	return s[id].HostTotals(ctx, id)
}
func (s scans) BriskGaits(ctx context.Context, id string) ([]schema.BriskGait, error) {
	return s[id].BriskGaits(ctx, id)
}
func (s scans) Security(ctx context.Context, id string) (schema.SiteSecurity, error) {
	return s[id].Security(ctx, id)
}
func (s scans) Scores(ctx context.Context, id string) (*schema.Scores, error) {
	return s[id].Scores(ctx, id)
}
func (s scans) ScoresBefore(ctx context.Context, id string, most int) ([]schema.ScoredScan, error) {
	return s[id].ScoresBefore(ctx, id, most)
}
func (s scans) Items(ctx context.Context, id string) (schema.ItemFold, error) {
	return s[id].Items(ctx, id)
}
func (s scans) ItemStates(context.Context, string) (schema.ItemStates, error) { return nil, nil }
func (s scans) Previews(ctx context.Context, id string) ([]schema.ListedPreview, error) {
	return s[id].Previews(ctx, id)
}
func (s scans) Pages(ctx context.Context, id string, f schema.PageFilter, r schema.Range) ([]schema.Page, error) {
	return s[id].Pages(ctx, id, f, r)
}
func (s scans) Findings(ctx context.Context, id string, f schema.FindingFilter, r schema.Range) ([]schema.ListedFinding, error) {
	return s[id].Findings(ctx, id, f, r)
}
func (s scans) Links(ctx context.Context, id string, f schema.LinkFilter, r schema.Range) ([]schema.ListedLink, error) {
	return s[id].Links(ctx, id, f, r)
}

// Two scans compare item by item; where one did not look, nothing is concluded.
func TestScansCompare(t *testing.T) {
	scan := func(pages map[string][]string) *recorded {
		src := &recorded{}
		for _, path := range sortedNames(pages) {
			p := schema.Page{URL: sampleSite + path, Outcome: schema.OutcomeAnalysed}
			for _, rule := range pages[path] {
				p.Findings = append(p.Findings, axe(rule, schema.SeveritySerious, "", "", "main > img", rule))
			}
			src.add(p)
		}
		return src
	}
	then := scan(map[string][]string{"/": {"kept", "mended"}, "/shop/a": {"shop"}})
	now := scan(map[string][]string{"/": {"kept", "fresh"}, "/blog/a": {"blog"}})
	r := Renderer{Source: scans{"now": now, "then": then}}
	items, err := r.Items(t.Context(), schema.Scan{ID: "now"}, "then", English)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]Change{}
	for _, i := range items {
		got[i.Rule] = i.Change
	}
	for rule, want := range map[string]Change{"kept": ChangeUnchanged, "fresh": ChangeNew, "mended": ChangeGone, "shop": ChangeNotCompared, "blog": ChangeNotCompared} {
		if got[rule] != want {
			t.Errorf("%s is %q, want %q", rule, got[rule], want)
		}
	}
	if len(items) != 5 {
		t.Errorf("%d items", len(items))
	}
	// A page that could not be loaded does not make its faults go.
	now.pages[0].Outcome, now.pages[0].Findings = schema.OutcomeNotAnalysed, nil
	if items, err = r.Items(t.Context(), schema.Scan{ID: "now"}, "then", English); err != nil {
		t.Fatal(err)
	}
	for _, i := range items {
		if i.Change != ChangeNotCompared {
			t.Errorf("%s is %q although one scan could not look", i.Rule, i.Change)
		}
	}
	if items, err = r.Items(t.Context(), schema.Scan{ID: "then"}, "", English); err != nil || len(items) != 3 || items[0].Change != "" {
		t.Errorf("%v %+v", err, items)
	}
}
