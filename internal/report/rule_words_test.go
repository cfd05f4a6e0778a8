package report

import (
	"os"
	"strings"
	"testing"

	"visite/schema"
)

// engineSpeaks skips where the page scripts were not bundled.
func engineSpeaks(t *testing.T) {
	t.Helper()
	if ruleTitles()[German]["image-alt"] != "" {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("the accessibility engine's words are not in the build")
	}
	t.Skip("the page scripts are not bundled")
}

func TestRulesHaveNamesInEachLanguage(t *testing.T) {
	engineSpeaks(t)
	for lang, titles := range ruleTitles() {
		if len(titles) < 180 {
			t.Errorf("%s: only %d names", lang, len(titles))
		}
		for id, title := range titles {
			if strings.TrimSpace(title) == "" || ruleTitles()[German][id] == "" || ruleTitles()[Spanish][id] == "" {
				t.Errorf("%s: %s has no name in one language", lang, id)
			}
		}
	}
}

func TestFindingsSpeakTheLanguage(t *testing.T) {
	engineSpeaks(t)
	engine := schema.Finding{Rule: "image-alt", Title: "Images must have alternative text", Help: "Images must have alternative text"}
	ours := schema.Finding{Rule: "title-missing", Title: "The page has no title", Help: "Give it one."}
	unknown := schema.Finding{Rule: "brand-new", Help: "Mend it."}
	w, err := wordsOf(German)
	if err != nil {
		t.Fatal(err)
	}
	if title, help := w.rule(engine); title.Lang != German || help != title || strings.HasPrefix(title.Text, "Images") {
		t.Errorf("%+v %+v", title, help)
	}
	if title, help := w.rule(ours); title != (spoken{"Die Seite hat keinen Titel", German}) || help != (spoken{"Give it one.", English}) {
		t.Errorf("%+v %+v", title, help)
	}
	if title, help := w.rule(unknown); title != help || title.Lang != English {
		t.Errorf("%+v %+v", title, help)
	}
	if got := w.inWords(ours); got.Title != "Die Seite hat keinen Titel" || got.Rule != ours.Rule {
		t.Errorf("%+v", got)
	}
	page := htmlOf(t, sample(), sampleScan(), German)
	if !strings.Contains(page, "<bdi>Ein Link führt zu einem Fehler</bdi>") || !strings.Contains(page, `<bdi lang="en">Mend or remove the link</bdi>`) {
		t.Error("the page does not mark what is in which language")
	}
	for _, f := range []Format{FormatJSON, FormatCSV, FormatSARIF, FormatEARL, FormatJUnit} {
		var out strings.Builder
		if err := (Renderer{Source: sample()}).Render(t.Context(), &out, sampleScan(), Request{Format: f, Lang: Spanish}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), "La página no tiene título") {
			t.Errorf("%s does not speak Spanish", f)
		}
	}
}
