package report

import (
	"strings"
	"testing"
	"time"

	"visite/schema"
)

// proves C-47, C-49: every order of a brisk gait stands in the report, in each
// language, with who, until when and why, and what came of it.
func TestReportTellsOfBriskGaits(t *testing.T) {
	change := func(f func(*schema.BriskGait)) schema.BriskGait { g := sampleBrisk(); f(&g); return g }
	for name, c := range map[string]struct {
		gait schema.BriskGait
		says map[Lang]string
	}{
		"granted":     {sampleBrisk(), map[Lang]string{English: "up to two pages at once", German: "bis zu zwei Seiten zugleich", Spanish: "hasta dos páginas a la vez"}},
		"Crawl-delay": {change(func(g *schema.BriskGait) { g.Held = schema.BriskHeldByCrawlDelay }), map[Lang]string{English: "Crawl-delay", German: "Crawl-delay", Spanish: "Crawl-delay"}},
		"objection":   {change(func(g *schema.BriskGait) { g.Held = schema.BriskHeldByObjection }), map[Lang]string{English: "wish for a slower pace", German: "langsamerem Tempo", Spanish: "ritmo más lento"}},
		"refused": {change(func(g *schema.BriskGait) {
			g.Outcome, g.Until, g.Refusal = schema.BriskRefused, time.Time{}, "brisk-too-long"
		}), map[Lang]string{
			English: "did not come into force", German: "trat nicht in Kraft", Spanish: "No entró en vigor"}},
		"asked": {change(func(g *schema.BriskGait) { g.Outcome, g.Until = schema.BriskAsked, time.Time{} }), map[Lang]string{
			English: "did not come into force", German: "trat nicht in Kraft", Spanish: "No entró en vigor"}},
	} {
		for lang, want := range c.says {
			speak, err := wordsOf(lang)
			if err != nil {
				t.Fatal(err)
			}
			lines, err := briskWords(speak, []schema.BriskGait{c.gait})
			if err != nil {
				t.Fatal(err)
			}
			said := strings.Join(lines, "|")
			for _, part := range []string{want, "Ada", "The club asked for it before its regatta.", "2026"} {
				if !strings.Contains(said, part) {
					t.Errorf("%s in %s: %q lacks %q", name, lang, said, part)
				}
			}
			if strings.Contains(said, "%!") {
				t.Errorf("%s in %s: %q", name, lang, said)
			}
		}
	}
}
