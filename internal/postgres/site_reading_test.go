package postgres_test

import (
	"reflect"
	"testing"

	"visite/schema"
)

func TestWhatASiteSaysToRobotsIsRecordedOnce(t *testing.T) {
	w := newWorld(t)
	scan := w.running(10)
	facts, err := w.SiteFacts(w.ctx, scan.ID)
	must(t, err)
	if !reflect.DeepEqual(facts.Reading, schema.SiteReading{}) {
		t.Errorf("before: %+v", facts.Reading)
	}
	robots := schema.RobotsFile{Bytes: 120, Unknown: 2, Sitemaps: 1}
	a := schema.SitemapFile{URL: "https://shop.example/a.xml", Status: 404, Outcome: schema.OutcomeErrorAnswer, Reason: schema.ReasonErrorStatus}
	b := schema.SitemapFile{URL: "https://shop.example/b.xml", Status: 200, Outcome: schema.OutcomeAnalysed, Pages: 3, Problems: []string{"xml_broken"}}
	for range 2 { // a step that is repeated records the same
		must(t, w.SetSitemapFile(w.ctx, scan.ID, b))
		must(t, w.SetRobotsFile(w.ctx, scan.ID, robots))
		must(t, w.SetSitemapFile(w.ctx, scan.ID, a))
	}
	facts, err = w.SiteFacts(w.ctx, scan.ID)
	must(t, err)
	if want := (schema.SiteReading{Robots: &robots, Sitemaps: []schema.SitemapFile{a, b}}); !reflect.DeepEqual(facts.Reading, want) {
		t.Errorf("%+v, want %+v", facts.Reading, want)
	}
}
