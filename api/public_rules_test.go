package api_test

import (
	"html"
	"strings"
	"testing"

	"visite/api"
	"visite/internal/inspect"
	"visite/internal/report"
)

// Every rule of our own has a page in each language, found from the list of all.
func TestEveryRuleHasAPage(t *testing.T) {
	e := newVisitedEdge(t)
	list := string(e.call("GET", "/rules?lang=de", "", nil).want(200, nil).body)
	for i, r := range inspect.Rules() {
		if !strings.Contains(list, `href="/rules/`+r.ID+`?lang=de"`) {
			t.Errorf("%s is not in the list", r.ID)
		}
		if i%12 != 0 { // each page is made the same way; the rate of questions is limited
			continue
		}
		for _, lang := range []report.Lang{report.English, report.German, report.Spanish} {
			page := html.UnescapeString(string(e.call("GET", "/rules/"+r.ID, "", nil, "Accept-Language", string(lang)).want(200, nil).body))
			text := report.TextOf(lang, r.ID)
			wanted := []string{text.Why, text.Title, text.Help, r.Reference, r.ID, `<html lang="` + string(lang) + `">`}
			if lang == report.English {
				wanted = append(wanted, r.Title, r.Help)
			}
			for _, want := range append(append(wanted, r.WCAG...), r.ACT...) {
				if !strings.Contains(page, want) {
					t.Errorf("%s in %s does not say %q", r.ID, lang, want)
				}
			}
		}
	}
	e.call("GET", "/rules/no-such-rule", "", nil).problem(404, "no-such-resource")
}

// Who says that something is a fault is told apart.
func TestARulesPageNamesItsAuthority(t *testing.T) {
	e := newVisitedEdge(t)
	for id, want := range map[string]string{"title-missing": "documented by the search engine", "title-several": "standard", "title-long": "convention"} {
		if text := shown(t, e.edge, "/rules/"+id); !strings.Contains(text, "Who says so"+want) {
			t.Errorf("%s: no %q in\n%s", id, want, text)
		}
	}
}

func TestOnlyAPublicDeploymentIsLinkedTo(t *testing.T) {
	for address, want := range map[string]string{
		"": "", "http://localhost": "", "http://127.0.0.1:8480": "", "http://[::1]:80": "", "https://visite.example": "https://visite.example/rules",
	} {
		if got := api.RulePages(address); got != want {
			t.Errorf("%q: %q, want %q", address, got, want)
		}
	}
}
