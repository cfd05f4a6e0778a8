package report

import (
	"cmp"
	"html"
	"os"
	"strings"
	"testing"

	"visite/internal/inspect"
	"visite/schema"
)

// engineSpeaks skips where the page scripts were not bundled.
func engineSpeaks(t *testing.T) {
	t.Helper()
	if engineTitles()[German]["aria-allowed-attr"] != "" {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("the accessibility engine's words are not in the build")
	}
	t.Skip("the page scripts are not bundled")
}

func TestEngineRulesHaveNamesInEachLanguage(t *testing.T) {
	engineSpeaks(t)
	name := func(lang Lang, id string) string { return cmp.Or(engineTitles()[lang][id], TextOf(lang, id).Title) }
	ids := map[string]bool{}
	for _, lang := range []Lang{German, Spanish} {
		for id := range engineTitles()[lang] {
			ids[id] = true
		}
		for id := range ruleTexts()[lang] {
			ids[id] = true
		}
	}
	if len(ids) < 180 {
		t.Errorf("only %d names", len(ids))
	}
	for id := range ids {
		for _, lang := range []Lang{German, Spanish} {
			if strings.TrimSpace(name(lang, id)) == "" {
				t.Errorf("%s has no name in %s", id, lang)
			}
		}
	}
}

// Every rule of our own has a page that says why it matters and how to mend it, in
// each language. What is missing goes into internal/report/messages: rules.en.json
// ("why"; name and remedy stand in the rule), rules.de.json and rules.es.json
// ("title", "help", "why").
func TestEveryRuleIsExplained(t *testing.T) {
	known := map[string]bool{}
	for _, r := range inspect.Rules() {
		known[r.ID] = true
		for lang, text := range map[Lang]RuleText{
			English: {Title: r.Title, Help: r.Help, Why: TextOf(English, r.ID).Why}, German: TextOf(German, r.ID), Spanish: TextOf(Spanish, r.ID),
		} {
			for field, said := range map[string]string{"title": text.Title, "help": text.Help, "why": text.Why} {
				if strings.TrimSpace(said) == "" {
					t.Errorf("internal/report/messages/rules.%s.json: %q needs %q", lang, r.ID, field)
				}
			}
		}
		if r.Source != "search engine" && r.Source != "standard" && r.Source != "convention" || strings.TrimSpace(r.Reference) == "" {
			t.Errorf("rule %s: source %q, reference %q", r.ID, r.Source, r.Reference)
		}
	}
	for _, lang := range []Lang{English, German, Spanish} {
		for id, text := range ruleTexts()[lang] {
			if !known[id] && (text.Help != "" || text.Why != "") {
				t.Errorf("internal/report/messages/rules.%s.json: there is no rule %q", lang, id)
			}
		}
	}
}

// Findings link to the page that explains their rule where the deployment has an
// address, and nowhere else.
func TestReportsLinkToTheRulesPages(t *testing.T) {
	const pages, page = "https://visite.example/rules", "https://visite.example/rules/title-missing?lang=es"
	for _, f := range []Format{FormatHTML, FormatSARIF} {
		for base, want := range map[string]bool{pages: true, "": false} {
			var out strings.Builder
			if err := (Renderer{Source: sample(), RulePages: base}).Render(t.Context(), &out, sampleScan(), Request{Format: f, Lang: Spanish}); err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(out.String(), page); got != want {
				t.Errorf("%s with %q: links to %s: %v", f, base, page, got)
			}
			if strings.Contains(out.String(), pages+"/image-alt?") != want || strings.Contains(out.String(), "/rules/color-contrast") {
				t.Errorf("%s with %q: the wrong rules have pages", f, base)
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
	if title, help := w.rule(ours); title != (spoken{"Die Seite hat keinen Titel", German}) || help != (spoken{TextOf(German, "title-missing").Help, German}) {
		t.Errorf("%+v %+v", title, help)
	}
	if title, help := w.rule(unknown); title != help || title.Lang != English {
		t.Errorf("%+v %+v", title, help)
	}
	if got := w.inWords(ours); got.Title != "Die Seite hat keinen Titel" || got.Rule != ours.Rule {
		t.Errorf("%+v", got)
	}
	page := htmlOf(t, sample(), sampleScan(), German)
	if !strings.Contains(page, "<bdi>Ein Link führt zu einem Fehler</bdi>") || !strings.Contains(page, "<bdi>"+html.EscapeString(TextOf(German, "link-broken").Help)+"</bdi>") {
		t.Error("the page does not speak German of our own rules")
	}
	src := sample()
	src.pages[0].Findings = append(src.pages[0].Findings, unknown)
	if page := htmlOf(t, src, sampleScan(), German); !strings.Contains(page, `<bdi lang="en">Mend it.</bdi>`) {
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
