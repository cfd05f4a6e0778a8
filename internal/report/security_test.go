package report

import (
	"strings"
	"testing"

	"visite/schema"
)

// The grade stands in the HTML report and in the JSON one, and where there is
// none the page says why.
func TestReportTellsOfTheGrade(t *testing.T) {
	graded := sample()
	page := htmlOf(t, graded, sampleScan(), German)
	for _, want := range []string{`<section id="security"`, "<b>B&#43;</b> 80 Punkte", "csp-not-implemented", "-25"} {
		if !strings.Contains(page, want) {
			t.Errorf("the HTML report has no %s", want)
		}
	}
	text := string(rendered(t, graded, sampleScan(), FormatJSON))
	if !strings.Contains(text, `"security":{"grade":"B+","score":80`) || !strings.Contains(text, `"certificate-expiry"`) {
		t.Error("the JSON report does not have the grade and the checks")
	}
	local := sample()
	local.security = schema.SiteSecurity{NoGrade: schema.NoGradeLocal}
	for lang, want := range map[Lang]string{English: "No grade: the scoring", German: "Keine Note: Die Wertung", Spanish: "Sin nota: la puntuación"} {
		if page := htmlOf(t, local, sampleScan(), lang); !strings.Contains(page, want) {
			t.Errorf("%s: the report does not say why there is no grade", lang)
		}
	}
	local.security = schema.SiteSecurity{}
	if page := htmlOf(t, local, sampleScan(), English); strings.Contains(page, `id="security"`) {
		t.Error("a scan that was not judged shows a grade")
	}
}
