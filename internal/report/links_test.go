package report

import (
	"strings"
	"testing"
	"time"

	"visite/schema"
)

// Links to other servers stand with the date of their check, which may be another
// scan's; those that were not checked with the reason, the date from which they can
// be, and the promise behind it.
// proves C-12
func TestHTMLDatesLinksToOtherServers(t *testing.T) {
	src := sample()
	at := time.Date(2026, 2, 20, 8, 0, 0, 0, time.UTC)
	for _, l := range []schema.Link{
		{URL: "https://other.example/gone", Verdict: schema.LinkBroken, Status: 410, FoundOn: []string{sampleSite + "/"}, Pages: 1, CheckedAt: at},
		{URL: "https://other.example/a", Verdict: schema.LinkUnchecked, Reason: schema.ReasonServerResting, FoundOn: []string{sampleSite + "/"}, Pages: 1, NextAt: at.Add(schema.LinkRest)},
		{URL: "https://other.example/b", Verdict: schema.LinkUnchecked, Reason: schema.ReasonServerResting, FoundOn: []string{sampleSite + "/"}, Pages: 1, NextAt: at.Add(2 * schema.LinkRest)},
		{URL: "https://other.example/c.png", Verdict: schema.LinkUnchecked, Reason: schema.ReasonPageFile, FoundOn: []string{sampleSite + "/"}, Pages: 1},
	} {
		src.links = append(src.links, schema.ListedLink{ID: int64(len(src.links) + 1), Link: l})
	}
	for lang, wants := range map[Lang][]string{
		English: {"Status 410", "checked on 20 February 2026, 08:00 UTC", "at most 5 addresses, then it is left alone for 30 days", "2: the server rests until more addresses may be asked for, at the earliest on 22 March 2026, 08:00 UTC"},
		German:  {"geprüft am 20. Februar 2026", "höchstens 5 Adressen", "30 Tage Ruhe", "frühestens am 22. März 2026"},
		Spanish: {"comprobado el 20 de febrero de 2026", "como máximo 5 direcciones", "30 días", "como muy pronto el 22 de marzo de 2026"},
	} {
		links := section(t, htmlOf(t, src, sampleScan(), lang), "links")
		for _, want := range wants {
			if !strings.Contains(links, want) {
				t.Errorf("%s: links do not tell %q; they tell %q", lang, want, links)
			}
		}
		if strings.Contains(links, "c.png") {
			t.Errorf("%s: a page's file stands among the links", lang)
		}
	}
}
