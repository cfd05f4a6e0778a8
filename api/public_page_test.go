package api_test

import (
	"fmt"
	"html"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	parse "golang.org/x/net/html"

	"visite/api"
	"visite/internal/config"
	"visite/internal/conformance"
	"visite/schema"
)

// profilesOf is a deployment with a single identity.
type profilesOf schema.Profile

func (p profilesOf) Profile(name string) (schema.Profile, bool) {
	return schema.Profile(p), name == p.Name
}

func (p profilesOf) All() []schema.Profile { return []schema.Profile{schema.Profile(p)} }

func shipped(t *testing.T, name string) schema.Profile {
	t.Helper()
	all, err := config.LoadProfiles("")
	check(t, err)
	p, ok := all.Profile(name)
	if !ok {
		t.Fatalf("no profile %s", name)
	}
	return p
}

// shown is a page's text as people read it.
func shown(t *testing.T, e *edge, path string, headers ...string) string {
	t.Helper()
	a := e.call("GET", path, "", nil, headers...).want(200, nil)
	return plainText(t, a.body)
}

func plainText(t *testing.T, page []byte) string {
	t.Helper()
	root, err := parse.Parse(strings.NewReader(string(page)))
	check(t, err)
	var b strings.Builder
	for n := range root.Descendants() {
		if n.Type == parse.TextNode && n.Parent.Data != "style" {
			b.WriteString(n.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// proves C-65, R-02: whatever limit of a profile changes, the page changes with it.
func TestThePageFollowsTheProfile(t *testing.T) {
	base := shipped(t, "visite")
	before := shown(t, newVisitedEdge(t, func(o *api.Options) { o.Profiles = profilesOf(base) }).edge, "/bot")
	for _, c := range []struct {
		name   string
		change func(*schema.Profile)
		want   string
	}{
		{"product", func(p *schema.Profile) { p.Product = "Rundgang" }, "The visits of Rundgang"},
		{"version", func(p *schema.Profile) { p.Version = "7.3" }, "Visite/7.3"},
		{"browser's User-Agent", func(p *schema.Profile) { p.UserAgents.Browser = "{chrome} Visite/1.0 Extra (+{info})" }, "… Safari/537.36 Visite/1.0 Extra (+http://127.0.0.1:8480/bot)"},
		{"client's User-Agent", func(p *schema.Profile) { p.UserAgents.Client = "Visite/1.0 Client (+{info})" }, "Visite/1.0 Client (+http://127.0.0.1:8480/bot)"},
		{"tokens", func(p *schema.Profile) { p.Tokens = []string{"first", "second"} }, "In robots.txt we go by first and second. The rules for all of these"},
		{"pages at once", func(p *schema.Profile) { p.Limits.PagesAtOnce = 1 }, "At most one page of a host is open at once"},
		{"visits per address", func(p *schema.Profile) { p.Limits.VisitsPerIP = 3 }, "share at most 3 visits at once"},
		{"least pause", func(p *schema.Profile) { p.Limits.PauseMin = 1500 * time.Millisecond }, "at least 1.5 seconds, and never less than your Crawl-delay"},
		{"pause factor", func(p *schema.Profile) { p.Limits.PauseFactor = 6.5 }, "we pause for 6.5 times as long"},
		{"unverified pages", func(p *schema.Profile) { p.Limits.UnverifiedPages = 1 }, "at most one page a day is checked"},
		{"least rest", func(p *schema.Profile) { p.Limits.RetryAfterMin = 4 * time.Second }, "4 seconds at least, and 5 seconds where it names no time"},
		{"usual rest", func(p *schema.Profile) { p.Limits.RetryAfterNone = time.Minute }, "3 seconds at least, and 60 seconds where it names no time"},
		{"longest rest", func(p *schema.Profile) { p.Limits.RetryAfterMax = 20 * time.Second }, "If it asked for at most 20 seconds, the page is then loaded once more"},
		{"stop", func(p *schema.Profile) { p.Limits.StopAfter = 2 }, "When 2 pages in a row cannot be loaded, the check ends."},
		{"contact", func(p *schema.Profile) { p.Contact = "bots@visite.example" }, "Questions, complaints, unusual load: bots@visite.example"},
		{"loopback", func(p *schema.Profile) { p.LoopbackOnly, p.Limits.PauseMin, p.Limits.PauseFactor = true, 0, 0 }, "There is no pause between visits."},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := base
			c.change(&p)
			after := shown(t, newVisitedEdge(t, func(o *api.Options) { o.Profiles = profilesOf(p) }).edge, "/bot")
			if strings.Contains(before, c.want) || !strings.Contains(after, c.want) {
				t.Errorf("%q is on the page before: %v, after: %v\n%s", c.want, strings.Contains(before, c.want), strings.Contains(after, c.want), after)
			}
		})
	}
}

// proves S-02, S-45, C-65: the page that each identity's User-Agent names is there
// where this deployment serves it, and shows that User-Agent.
func TestTheUserAgentLeadsToItsPage(t *testing.T) {
	const public = "https://visite.example"
	e := newVisitedEdge(t, func(o *api.Options) { o.PublicURL, o.Contact = public, "bots@visite.example" })
	token := e.workspace("w")
	for i, name := range []string{"visite", "sitenorma", "conregio"} {
		var s api.Scan
		e.order(token, map[string]any{"url": fmt.Sprintf("https://site%d.example/", i), "profile": name, "contact": "customer@example.org"}).want(202, &s)
		profile := e.scans.started[i].Profile
		if info := profile.Info; strings.HasPrefix(info, public) {
			text := shown(t, e.edge, strings.TrimPrefix(info, public))
			for _, agent := range []string{profile.ClientUserAgent(), profile.BrowserUserAgent("… Safari/537.36"), profile.Product + "/" + profile.Version} {
				if !strings.Contains(text, agent) {
					t.Errorf("the page of %s does not show %q", name, agent)
				}
			}
		} else if name == "visite" {
			t.Errorf("the User-Agent names %q, not a page of %s", info, public)
		}
		for _, agent := range []string{profile.ClientUserAgent(), profile.BrowserUserAgent("Mozilla/5.0 Safari/537.36")} {
			if !strings.Contains(agent, profile.Product+"/"+profile.Version) {
				t.Errorf("%q does not hold %s/%s", agent, profile.Product, profile.Version)
			}
		}
	}
	if got := e.call("GET", "/", "", nil).want(302, nil).header.Get("Location"); got != "/bot" {
		t.Errorf("/ leads to %q", got)
	}
	e.call("GET", "/bot/nobody", "", nil).problem(404, "no-such-resource")
	e.call("GET", "/bot/sitenorma", "", nil).want(200, nil)
}

// proves S-10
func TestAddressesAreNamedOnceTheyAreFixed(t *testing.T) {
	const none = "There are no fixed addresses that our requests come from yet."
	if text := shown(t, newVisitedEdge(t).edge, "/bot"); !strings.Contains(text, none) {
		t.Error("the section on addresses is missing where there are none")
	}
	e := newVisitedEdge(t, func(o *api.Options) {
		o.Egress = []netip.Prefix{netip.MustParsePrefix("192.0.2.7/32"), netip.MustParsePrefix("2001:db8::/64")}
	})
	if text := shown(t, e.edge, "/bot"); strings.Contains(text, none) || !strings.Contains(text, "come from these addresses: 192.0.2.7 2001:db8::/64") {
		t.Errorf("the addresses are not named:\n%s", text)
	}
}

// proves C-65: nothing is said of services that this version does not have.
func TestThePageSaysNothingOfWhatIsNotDone(t *testing.T) {
	e := newVisitedEdge(t)
	for _, lang := range []string{"en", "de", "es"} {
		text := strings.ToLower(shown(t, e.edge, "/bot?lang="+lang))
		for _, word := range []string{"uptime", "availab", "erreichbarkeit", "disponib", "03:00", "nightly", "nächtlich", "head request", "test message", "testnachricht", "mensaje de prueba", "backup", ".env", "staging", "free analysis", "kostenlos", "gratuit"} {
			if strings.Contains(text, word) {
				t.Errorf("%s: the page speaks of %q", lang, word)
			}
		}
	}
}

func TestThePageSpeaksThreeLanguages(t *testing.T) {
	e := newVisitedEdge(t)
	for _, path := range []string{"/bot", "/bot/conregio", "/bot/conformance", "/rules", "/rules/image-alt"} {
		for _, c := range []struct{ query, accept, lang string }{
			{"", "", "en"}, {"", "de-CH, en;q=0.3", "de"}, {"?lang=es", "de", "es"}, {"?lang=xx", "de", "de"},
		} {
			a := e.call("GET", path+c.query, "", nil, "Accept-Language", c.accept).want(200, nil)
			if got := a.header.Get("Content-Language"); got != c.lang || !strings.Contains(string(a.body), `<html lang="`+c.lang+`">`) {
				t.Errorf("%s%s for %q is in %q, want %s", path, c.query, c.accept, got, c.lang)
			}
			if !slices.Contains(a.header.Values("Vary"), "Accept-Language") {
				t.Errorf("%s does not vary by language: %v", path, a.header.Values("Vary"))
			}
			for _, lang := range []string{"en", "de", "es"} {
				if want := fmt.Sprintf(`<link rel="alternate" hreflang="%s" href="http://127.0.0.1:8480%s?lang=%s">`, lang, path, lang); !strings.Contains(string(a.body), want) {
					t.Errorf("%s has no %s", path, want)
				}
			}
		}
	}
}

// The page needs no script and nothing from elsewhere, every field has its label,
// every id is there once, and every link leads somewhere.
func TestThePageStandsByItself(t *testing.T) {
	e := newVisitedEdge(t, func(o *api.Options) { o.Contact = "bots@visite.example" })
	for _, path := range []string{"/bot", "/bot/sitenorma", "/bot/conregio", "/bot/loopback", "/bot/conformance", "/rules/image-alt"} {
		a := e.call("GET", path, "", nil).want(200, nil)
		policy := a.header.Get("Content-Security-Policy")
		if !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s: policy %q", path, policy)
		}
		root, err := parse.Parse(strings.NewReader(string(a.body)))
		check(t, err)
		ids, labels, links := map[string]int{}, map[string]bool{}, []string{}
		var fields []string
		for n := range root.Descendants() {
			if slices.Contains([]string{"script", "img", "iframe", "object", "embed"}, n.Data) && n.Type == parse.ElementNode {
				t.Errorf("%s has a %s", path, n.Data)
			}
			for _, attribute := range n.Attr {
				switch {
				case attribute.Key == "id":
					ids[attribute.Val]++
				case attribute.Key == "href" && n.Data == "a":
					links = append(links, attribute.Val)
				case attribute.Key == "for":
					labels[attribute.Val] = true
				case attribute.Key == "style" || strings.HasPrefix(attribute.Key, "on"):
					t.Errorf("%s: %s has %s", path, n.Data, attribute.Key)
				case attribute.Key == "name" && n.Data != "meta":
					fields = append(fields, idOf(n))
				}
			}
		}
		for id, n := range ids {
			if n != 1 {
				t.Errorf("%s: id %s is there %d times", path, id, n)
			}
		}
		for _, id := range fields {
			if ids[id] != 1 || !labels[id] {
				t.Errorf("%s: field %q has no label", path, id)
			}
		}
		for _, link := range links {
			switch {
			case strings.HasPrefix(link, "#"):
				if ids[link[1:]] != 1 {
					t.Errorf("%s: %s leads nowhere", path, link)
				}
			case link != "mailto:bots@visite.example":
				e.call("GET", link, "", nil).want(200, nil)
			}
		}
	}
}

func idOf(n *parse.Node) string {
	for _, a := range n.Attr {
		if a.Key == "id" {
			return a.Val
		}
	}
	return ""
}

// What is said in robots.txt is what the profile's tokens are.
func TestHowToBlockUs(t *testing.T) {
	e := newVisitedEdge(t)
	for path, token := range map[string]string{"/bot": "visite", "/bot/sitenorma": "SiteNormaBot", "/bot/conregio": "conregio-check"} {
		page := html.UnescapeString(string(e.call("GET", path, "", nil).want(200, nil).body))
		if !strings.Contains(page, "User-agent: "+token+"\nDisallow: /</code>") {
			t.Errorf("%s does not say how %s is blocked", path, token)
		}
	}
}

// proves C-65: the table of promises calls none kept that no test proves.
func TestPromisesAreShownWithTheirTests(t *testing.T) {
	e := newVisitedEdge(t)
	page := string(e.call("GET", "/bot/conformance", "", nil).want(200, nil).body)
	if rows := regexp.MustCompile(`<tr id="[SCR]-\d\d">`).FindAllString(page, -1); len(rows) != 146 {
		t.Errorf("%d rows, want 146", len(rows))
	}
	_, rest, _ := strings.Cut(page, `<tr id="S-25">`)
	row, _, _ := strings.Cut(rest, "</tr>")
	if !strings.Contains(row, "robots.txt is the first thing read at a host.") || !strings.Contains(row, "<code ") {
		t.Errorf("row %s", row)
	}
	kept, open, _ := strings.Cut(page, "Not part of this version")
	if strings.Contains(kept, `<tr id="C-39">`) || !strings.Contains(open, `<tr id="C-39">`) {
		t.Error("a form test that is not there yet is called kept")
	}
}

// proves C-65: how the tests went stands beside them, of which version, and in
// each language; where the program carries no results it says that; and no
// promise is called kept whose test failed.
func TestPromisesAreShownWithLastResults(t *testing.T) {
	when := map[string]string{"en": "carries no test results", "de": "enthält keine Testergebnisse", "es": "no lleva resultados de pruebas"}
	bare := newVisitedEdge(t)
	for lang, words := range when {
		page := string(bare.call("GET", "/bot/conformance?lang="+lang, "", nil).want(200, nil).body)
		if !strings.Contains(page, words) || strings.Contains(page, `class="result"`) {
			t.Errorf("%s: without results the page does not say %q, or shows some", lang, words)
		}
	}
	results := conformance.Results{Version: "v9.8.7", From: time.Date(2026, 5, 1, 3, 0, 0, 0, time.UTC), To: time.Date(2026, 5, 1, 3, 20, 0, 0, time.UTC)}
	var failing, passing conformance.Proof
	for _, p := range conformance.Table() {
		switch {
		case p.ID == "S-25":
			passing = p
		case p.ID == "C-43":
			failing = p
		}
	}
	for _, test := range passing.Tests {
		results.Set(test.Package, test.Name, conformance.Passed)
	}
	results.Set(failing.Tests[0].Package, failing.Tests[0].Name, conformance.Failed)
	e := newVisitedEdge(t, func(o *api.Options) { o.TestResults = results })
	for lang, words := range map[string][4]string{
		"en": {"passed", "failed", "not run", "A test failed when it last ran"}, "de": {"bestanden", "fehlgeschlagen", "nicht gelaufen", "Ein Test ist zuletzt fehlgeschlagen"},
		"es": {"superada", "fallida", "no ejecutada", "Una prueba falló la última vez"},
	} {
		page := string(e.call("GET", "/bot/conformance?lang="+lang, "", nil).want(200, nil).body)
		for _, want := range append(words[:], "v9.8.7", "2026-05-01 03:00:00", "2026-05-01 03:20:00") {
			if !strings.Contains(page, want) {
				t.Errorf("%s: the page does not say %q", lang, want)
			}
		}
		sections := strings.Split(page, "<section>")
		if len(sections) != 4 {
			t.Fatalf("%s: %d sections, want three", lang, len(sections)-1)
		}
		if !strings.Contains(sections[1], `<tr id="C-43">`) || strings.Contains(sections[2], `<tr id="C-43">`) || !strings.Contains(sections[2], `<tr id="S-25">`) {
			t.Errorf("%s: a promise stands under the wrong heading", lang)
		}
	}
}
