package report

import (
	"context"
	"maps"
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
	items, err := r.Items(t.Context(), schema.Scan{ID: "now"}, &schema.Scan{ID: "then"}, English)
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
	if items, err = r.Items(t.Context(), schema.Scan{ID: "now"}, &schema.Scan{ID: "then"}, English); err != nil {
		t.Fatal(err)
	}
	for _, i := range items {
		if i.Change != ChangeNotCompared {
			t.Errorf("%s is %q although one scan could not look", i.Rule, i.Change)
		}
	}
	if items, err = r.Items(t.Context(), schema.Scan{ID: "then"}, nil, English); err != nil || len(items) != 3 || items[0].Change != "" {
		t.Errorf("%v %+v", err, items)
	}
}

// "Gone" and "new" are said only where the other scan looked in the way that found it.
func TestWhatWasNotLookedForIsNotGone(t *testing.T) {
	const names, lists = schema.TrackersByNames, schema.TrackersByLists
	scan := func(by schema.TrackersBy, notes []string, rules ...string) *recorded {
		src := &recorded{}
		p := schema.Page{URL: sampleSite + "/", Outcome: schema.OutcomeAnalysed, TrackersBy: by, Notes: notes}
		for _, rule := range rules {
			p.Findings = append(p.Findings, own(rule, schema.CategoryTechnical, schema.SeverityMinor, rule, ""))
		}
		src.add(p)
		return src
	}
	unchecked := []string{schema.NoteValidityUnchecked}
	browser := schema.Scan{ID: "now", Engine: schema.EngineBrowser, Device: schema.DeviceDesktop}
	then := scan(lists, nil, "html-tags", "tracker-before-consent", "title-missing", "kept")
	for name, c := range map[string]struct {
		then, now *recorded
		engine    schema.Engine
		device    schema.Device
		want      map[string]Change
	}{
		"looked at alike": {then, scan(lists, nil, "kept"), schema.EngineBrowser, schema.DeviceDesktop,
			map[string]Change{"html-tags": ChangeGone, "tracker-before-consent": ChangeGone, "title-missing": ChangeGone, "kept": ChangeUnchanged}},
		"nobody contacted": {then, scan("", nil, "kept"), schema.EngineBrowser, schema.DeviceDesktop,
			map[string]Change{"html-tags": ChangeGone, "tracker-before-consent": ChangeGone, "title-missing": ChangeGone, "kept": ChangeUnchanged}},
		"not validated": {then, scan(lists, unchecked, "kept"), schema.EngineBrowser, schema.DeviceDesktop,
			map[string]Change{"html-tags": ChangeNotCompared, "tracker-before-consent": ChangeGone, "title-missing": ChangeGone, "kept": ChangeUnchanged}},
		"by names": {then, scan(names, nil, "kept", "third-party-contacted"), schema.EngineBrowser, schema.DeviceDesktop,
			map[string]Change{"html-tags": ChangeGone, "tracker-before-consent": ChangeNotCompared, "third-party-contacted": ChangeNotCompared, "title-missing": ChangeGone, "kept": ChangeUnchanged}},
		"both by names": {scan(names, nil, "tracker-before-consent"), scan(names, nil), schema.EngineBrowser, schema.DeviceDesktop,
			map[string]Change{"tracker-before-consent": ChangeGone}},
		"not validated before": {scan(lists, unchecked), scan(lists, nil, "html-tags", "title-missing"), schema.EngineBrowser, schema.DeviceDesktop,
			map[string]Change{"html-tags": ChangeNotCompared, "title-missing": ChangeNew}},
		"another engine": {then, scan(lists, nil, "kept", "fresh"), schema.EngineHTTP, schema.DeviceDesktop,
			map[string]Change{"html-tags": ChangeNotCompared, "tracker-before-consent": ChangeNotCompared, "title-missing": ChangeNotCompared, "fresh": ChangeNotCompared, "kept": ChangeUnchanged}},
		"another device": {then, scan(lists, nil, "kept"), schema.EngineBrowser, schema.DeviceMobile,
			map[string]Change{"html-tags": ChangeNotCompared, "tracker-before-consent": ChangeNotCompared, "title-missing": ChangeNotCompared, "kept": ChangeUnchanged}},
	} {
		r := Renderer{Source: scans{"now": c.now, "then": c.then}}
		items, err := r.Items(t.Context(), browser, &schema.Scan{ID: "then", Engine: c.engine, Device: c.device}, English)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]Change{}
		for _, i := range items {
			got[i.Rule] = i.Change
		}
		if !maps.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
