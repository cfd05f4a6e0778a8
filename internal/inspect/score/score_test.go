package score

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"visite/schema"
)

var topics = []schema.Category{schema.CategoryAccessibility, schema.CategorySEO}

func reach(rule string, c schema.Category, s schema.Severity, pages int) schema.RuleReach {
	r := schema.RuleReach{Rule: rule, Category: c}
	r.Pages[s.Rank()] = pages
	return r
}

func TestScoresGoByEffectAndReach(t *testing.T) {
	facts := func(reaches ...schema.RuleReach) schema.ScoreFacts {
		return schema.ScoreFacts{Templates: []schema.TemplateCount{{Analysed: 10}}, Reaches: reaches}
	}
	for name, c := range map[string]struct {
		reaches          []schema.RuleReach
		access, all, seo int
	}{
		"nothing wrong":            {nil, 100, 100, 100},
		"a notice everywhere":      {[]schema.RuleReach{reach("a", topics[0], schema.SeverityInfo, 10)}, 100, 100, 100},
		"critical everywhere":      {[]schema.RuleReach{reach("a", topics[0], schema.SeverityCritical, 10)}, 50, 63, 100},
		"critical on half":         {[]schema.RuleReach{reach("a", topics[0], schema.SeverityCritical, 5)}, 75, 81, 100},
		"two rules everywhere":     {[]schema.RuleReach{reach("a", topics[0], schema.SeverityCritical, 10), reach("b", topics[0], schema.SeveritySerious, 10)}, 35, 51, 100},
		"a trifle is no full mark": {[]schema.RuleReach{reach("a", topics[1], schema.SeverityMinor, 1)}, 100, 99, 99},
	} {
		got, ok := Of(facts(c.reaches...), topics)
		if !ok || got.Categories[0].Score != c.access || got.Categories[1].Score != c.seo || got.Overall != c.all {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// Zero analysed is no score, and no topic that nothing looks at has one.
func TestNothingAnalysedIsNoScore(t *testing.T) {
	if s, ok := Of(schema.ScoreFacts{Templates: []schema.TemplateCount{{Waiting: 50}}}, topics); ok {
		t.Errorf("scores of no page: %+v", s)
	}
	if s, ok := Of(schema.ScoreFacts{Templates: []schema.TemplateCount{{Analysed: 5}}}, nil); ok {
		t.Errorf("scores without a check: %+v", s)
	}
}

func TestAllAnalysedIsExact(t *testing.T) {
	got, _ := Of(schema.ScoreFacts{Templates: []schema.TemplateCount{
		{Analysed: 3, Faulty: map[schema.Category]int{topics[0]: 3}}, {Analysed: 1}}}, topics)
	want := schema.Estimate{Share: 0.75, Low: 0.75, High: 0.75, Exact: true}
	if !reflect.DeepEqual(got.Categories[0].Estimate, want) || got.Categories[0].Faulty != 3 {
		t.Errorf("%+v", got.Categories[0])
	}
	if e := got.Categories[1].Estimate; !e.Exact || e.High != 0 {
		t.Errorf("no fault anywhere: %+v", e)
	}
}

func TestEstimatesAreHonest(t *testing.T) {
	for name, c := range map[string]struct {
		parts     []stratum
		low, high [2]float64 // bounds of each end
	}{
		"few of many, none faulty":       {[]stratum{{1000, 10, 0}}, [2]float64{0, 0}, [2]float64{0.2, 0.35}},
		"few of many, all faulty":        {[]stratum{{1000, 10, 10}}, [2]float64{0.65, 0.8}, [2]float64{1, 1}},
		"nearly all":                     {[]stratum{{100, 99, 0}}, [2]float64{0, 0}, [2]float64{0, 0.01}},
		"a template never looked at":     {[]stratum{{50, 50, 0}, {50, 0, 0}}, [2]float64{0, 0}, [2]float64{0.5, 0.5}},
		"two templates, one well known":  {[]stratum{{900, 100, 100}, {100, 100, 0}}, [2]float64{0.8, 0.9}, [2]float64{0.9, 0.9}},
		"a sample that says little":      {[]stratum{{1000, 3, 1}}, [2]float64{0.03, 0.12}, [2]float64{0.7, 0.9}},
		"half of a small one, one fault": {[]stratum{{10, 5, 1}}, [2]float64{0.1, 0.15}, [2]float64{0.4, 0.6}},
	} {
		e := estimate(c.parts)
		if e.Exact || e.Low < c.low[0] || e.Low > c.low[1] || e.High < c.high[0] || e.High > c.high[1] || e.Share < e.Low || e.Share > e.High {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

// In samples of sites whose truth is known, the interval holds it as often as it says.
func TestIntervalsHoldTheTruth(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 11))
	const draws = 600
	for name, site := range map[string][]stratum{ // known, to be analysed, truly faulty
		"one template, a third":   {{300, 40, 100}},
		"one template, a few":     {{2000, 60, 60}},
		"three unlike ones":       {{500, 30, 450}, {200, 30, 20}, {60, 15, 30}},
		"a large and small ones":  {{5000, 60, 2500}, {20, 8, 10}, {20, 8, 0}, {12, 12, 12}},
		"most of a small site":    {{40, 30, 10}, {20, 12, 5}},
		"many with three of each": {{30, 3, 15}, {30, 3, 20}, {30, 3, 10}, {30, 3, 25}, {30, 3, 15}, {30, 3, 15}, {30, 3, 5}, {30, 3, 18}},
	} {
		var known, faulty float64
		for _, s := range site {
			known, faulty = known+s.known, faulty+s.faulty
		}
		held, width := 0, 0.0
		for range draws {
			parts := make([]stratum, len(site))
			for i, s := range site {
				parts[i] = stratum{s.known, s.analysed, 0}
				for _, page := range random.Perm(int(s.known))[:int(s.analysed)] {
					if page < int(s.faulty) {
						parts[i].faulty++
					}
				}
			}
			e := estimate(parts)
			width += e.High - e.Low
			if truth := faulty / known; e.Low <= truth+1e-4 && truth <= e.High+1e-4 {
				held++
			}
		}
		share := float64(held) / draws
		t.Logf("%s: held in %.1f %%, %.0f points wide", name, 100*share, 100*width/draws)
		if share < 0.91 || width/draws > 0.5 {
			t.Errorf("%s: the interval held the truth in %.1f %% of samples, %.0f points wide", name, 100*share, 100*width/draws)
		}
	}
}
