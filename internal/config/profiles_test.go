package config_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"visite/internal/config"
	"visite/schema"
)

const (
	chromeDesktop = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36"
	chromeMobile  = "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Mobile Safari/537.36"
)

func shipped(t *testing.T, name string) schema.Profile {
	t.Helper()
	all, err := config.LoadProfiles("")
	if err != nil {
		t.Fatal(err)
	}
	p, ok := all.Profile(name)
	if !ok {
		t.Fatalf("no profile %q", name)
	}
	return p
}

func TestShippedProfiles(t *testing.T) {
	all, err := config.LoadProfiles("")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range all.All() {
		names = append(names, p.Name)
	}
	if want := []string{"conregio", "loopback", "sitenorma", "visite"}; !slices.Equal(names, want) {
		t.Errorf("profiles %v, want %v", names, want)
	}
	if _, ok := all.Profile(config.DefaultProfile); !ok {
		t.Error("the default profile is missing")
	}
}

// proves S-02, S-03, S-05, S-06, S-45
func TestSiteNormaBrowserUserAgent(t *testing.T) {
	p := shipped(t, "sitenorma")
	suffix := regexp.MustCompile(`Safari/537\.36 SiteNorma/1\.0 \(\+https://sitenorma\.com/rastreador/\)$`)
	for _, chrome := range []string{chromeDesktop, chromeMobile} {
		ua := p.BrowserUserAgent(chrome)
		if !suffix.MatchString(ua) {
			t.Errorf("%q does not end as promised", ua)
		}
		if !strings.HasPrefix(ua, chrome) {
			t.Errorf("%q does not begin as the browser's own", ua)
		}
	}
	if !strings.Contains(p.BrowserUserAgent(chromeMobile), "Android") {
		t.Error("no Android in the mobile identity")
	}
}

// proves S-02, S-07, S-45
func TestSiteNormaClientUserAgent(t *testing.T) {
	const want = "Mozilla/5.0 (compatible; SiteNorma/1.0; +https://sitenorma.com/rastreador/)"
	if got := shipped(t, "sitenorma").ClientUserAgent(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// proves S-08
func TestNoBotInUserAgents(t *testing.T) {
	word := regexp.MustCompile(`(?i)bot`)
	for _, name := range []string{"sitenorma", "visite"} {
		p := shipped(t, name)
		for _, ua := range []string{p.BrowserUserAgent(chromeDesktop), p.BrowserUserAgent(chromeMobile), p.ClientUserAgent()} {
			if word.MatchString(ua) {
				t.Errorf("%s: %q", name, ua)
			}
		}
	}
}

// proves S-29, S-30
func TestSiteNormaTokens(t *testing.T) {
	if got := shipped(t, "sitenorma").Tokens; !slices.Equal(got, []string{"SiteNormaBot", "SiteNorma"}) {
		t.Errorf("tokens %v", got)
	}
}

// proves C-01, C-02
func TestConregioIdentity(t *testing.T) {
	p := shipped(t, "conregio")
	const want = "Conregio-Check/1.0 (+https://conregio.de/bot)"
	for _, got := range []string{p.ClientUserAgent(), p.BrowserUserAgent(chromeDesktop), p.BrowserUserAgent(chromeMobile)} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if !slices.Equal(p.Tokens, []string{"conregio-check"}) {
		t.Errorf("tokens %v", p.Tokens)
	}
}

// proves S-02, S-32, S-34, S-35, S-43, C-45
func TestShippedLimits(t *testing.T) {
	want := schema.Limits{
		PagesAtOnce: 2, VisitsPerIP: 4, PauseMin: 250 * time.Millisecond, PauseFactor: 4, UnverifiedPages: 3,
		RetryAfterMin: 3 * time.Second, RetryAfterMax: 30 * time.Second, RetryAfterNone: 5 * time.Second, StopAfter: 3,
	}
	for name, atOnce := range map[string]int{"visite": 2, "sitenorma": 2, "conregio": 1} {
		want.PagesAtOnce = atOnce
		p := shipped(t, name)
		if p.Limits != want {
			t.Errorf("%s: %+v, want %+v", name, p.Limits, want)
		}
		if p.LoopbackOnly {
			t.Errorf("%s is for this machine only", name)
		}
	}
	if p := shipped(t, "loopback"); !p.LoopbackOnly || p.Limits.PauseMin != 0 || p.Limits.PauseFactor != 0 || p.Limits.PagesAtOnce != 8 {
		t.Errorf("loopback: %+v", p)
	}
}

func TestVisiteNamesTheContact(t *testing.T) {
	p := shipped(t, "visite")
	p.Contact = "webmaster@example.org"
	if got, want := p.ClientUserAgent(), "Mozilla/5.0 (compatible; Visite/1.0; +mailto:webmaster@example.org)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	p.Info = "https://visite.example/"
	if got, want := p.BrowserUserAgent(chromeDesktop), chromeDesktop+" Visite/1.0 (+https://visite.example/)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

const ownProfile = `name: acme
product: Acme
version: "2"
info: https://acme.example/crawler
user_agents: {browser: "{chrome} Acme/2 (+{info})", client: "Acme/2 (+{info})"}
robots_tokens: [acme]
limits: {pages_at_once: 1, visits_per_ip: 1, pause_min: 1m30s, pause_factor: 5, unverified_pages: 1, retry_after_min: 3s, retry_after_max: 30s, retry_after_default: 5s, stop_after: 3}
`

func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestProfilesOfAFolder(t *testing.T) {
	all, err := config.LoadProfiles(folder(t, map[string]string{
		"acme.yml": ownProfile, "visite.yaml": strings.ReplaceAll(ownProfile, "name: acme", "name: visite"), "notes.txt": "no profile",
	}))
	if err != nil {
		t.Fatal(err)
	}
	if p, ok := all.Profile("acme"); !ok || p.Limits.PauseMin != 90*time.Second {
		t.Errorf("acme: %v %+v", ok, p)
	}
	if p, _ := all.Profile("visite"); p.Product != "Acme" {
		t.Error("a profile of the folder does not replace the shipped one")
	}
	if len(all.All()) != 5 {
		t.Errorf("%d profiles, want 5", len(all.All()))
	}
}

func TestProfileFaultsAreAllReported(t *testing.T) {
	_, err := config.LoadProfiles(folder(t, map[string]string{
		"a.yaml": strings.Replace(ownProfile, "pause_factor", "pause_faktor", 1),
		"b.yaml": strings.Replace(ownProfile, "1m30s", "soon", 1),
		"c.yaml": strings.Replace(ownProfile, "pages_at_once: 1", "pages_at_once: 3", 1),
		"d.yaml": strings.Replace(ownProfile, "Acme/2 (+{info})\", client", "Acmé/2 (+{info})\\n\", client", 1),
		"e.yaml": ownProfile,
		"f.yaml": ownProfile,
		"g.yaml": "",
	}))
	if err == nil {
		t.Fatal("no fault")
	}
	for _, want := range []string{"a.yaml", "pause_faktor", "b.yaml", "c.yaml", "pages_at_once may be 2 at most", "d.yaml", "header cannot carry", "f.yaml", "stands in e.yaml too", "g.yaml"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in %v", want, err)
		}
	}
	if strings.Contains(err.Error(), "e.yaml: ") {
		t.Errorf("a good file is called faulty: %v", err)
	}
	if _, err := config.LoadProfiles(filepath.Join(t.TempDir(), "absent")); err == nil || !strings.Contains(err.Error(), "VISITE_PROFILES_DIR") {
		t.Errorf("a missing folder: %v", err)
	}
}
