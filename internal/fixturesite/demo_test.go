package fixturesite

import (
	"bytes"
	"image/png"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// walk loads every page that links lead to and returns status by path.
func walk(t *testing.T, site *Site) (status map[string]int, sources map[string]string) {
	status, sources = map[string]int{}, map[string]string{}
	queue := []string{"/"}
	for len(queue) > 0 {
		path := queue[0]
		queue = queue[1:]
		if _, done := status[path]; done {
			continue
		}
		res, body := get(t, site.URL(path))
		status[path] = res.StatusCode
		if next := res.Header.Get("Location"); next != "" {
			queue = append(queue, next)
		}
		if res.StatusCode == http.StatusOK && strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") {
			sources[path] = body
			queue = append(queue, addresses(t, body)...)
		}
	}
	return status, sources
}

// addresses lists the own-site paths that a page names in href and src.
func addresses(t *testing.T, body string) []string {
	doc, err := html.Parse(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for n := range doc.Descendants() {
		for _, a := range n.Attr {
			if u, err := url.Parse(a.Val); (a.Key == "href" || a.Key == "src") && err == nil && u.Host == "" && strings.HasPrefix(u.Path, "/") {
				out = append(out, u.Path)
			}
		}
	}
	return out
}

func TestDemoHasWhatItPromises(t *testing.T) {
	site := Demo().Start(t)
	status, sources := walk(t, site)
	var pages, trouble []string
	for path, code := range status {
		switch {
		case code == http.StatusOK && sources[path] != "" && !strings.HasPrefix(path, "/members/"):
			pages = append(pages, path)
		case code >= 400:
			trouble = append(trouble, path)
		}
	}
	slices.Sort(pages)
	slices.Sort(trouble)
	if !slices.Equal(pages, DemoPages) {
		t.Errorf("pages %v, want %v", pages, DemoPages)
	}
	if want := []string{"/news/regatta-results", "/shop/oar"}; !slices.Equal(trouble, want) {
		t.Errorf("addresses in trouble %v, want %v", trouble, want)
	}
	for _, p := range DemoPlanted {
		if sources[p.Path] == "" {
			t.Errorf("fault %s is planted at %s, which is not a page", p.Fault, p.Path)
		}
	}
	if res, _ := get(t, site.URL("/shop/cup")); res.StatusCode != 404 {
		t.Errorf("the canonical address that should be missing answers %d", res.StatusCode)
	}
}

func TestDemoTitlesAreDistinctButForThePlanted(t *testing.T) {
	_, sources := walk(t, Demo().Start(t))
	byTitle := map[string][]string{}
	for path, body := range sources {
		_, rest, found := strings.Cut(body, "<title>")
		if title, _, _ := strings.Cut(rest, "</title>"); found {
			byTitle[title] = append(byTitle[title], path)
		} else if path != "/news" {
			t.Errorf("%s has no title", path)
		}
	}
	for title, paths := range byTitle {
		slices.Sort(paths)
		if len(paths) > 1 && !slices.Equal(paths, []string{"/shop/lantern", "/shop/mug"}) {
			t.Errorf("%v share the title %q", paths, title)
		}
	}
}

func TestDemoCarriesEachCanary(t *testing.T) {
	site := Demo().Start(t)
	res, body := get(t, site.URL("/history"))
	carried := body + strings.Join(res.Header.Values("Set-Cookie"), " ") + res.Header.Get("X-Editor-Note")
	_, sources := walk(t, site)
	for _, word := range Canaries() {
		if !strings.Contains(carried, word) {
			t.Errorf("canary %q is not planted", word)
		}
		for path, other := range sources {
			if path != "/history" && strings.Contains(other, word) {
				t.Errorf("canary %q stands on %s too", word, path)
			}
		}
	}
}

func TestDemoFiles(t *testing.T) {
	site := Demo().Start(t)
	_, picture := get(t, site.URL("/images/sunrise.png"))
	if _, err := png.Decode(strings.NewReader(picture)); err != nil {
		t.Error(err)
	}
	res, pdf := get(t, site.URL("/downloads/rules.pdf"))
	if res.Header.Get("Content-Type") != "application/pdf" || !bytes.HasPrefix([]byte(pdf), []byte("%PDF-1.4")) {
		t.Errorf("rules.pdf: %v", res.Header)
	}
	_, list := get(t, site.URL("/sitemap.xml"))
	if n := strings.Count(list, "<loc>"+site.URL("/")); n != 11 {
		t.Errorf("%d addresses in the sitemap, want 11", n)
	}
}

func TestGeneratedSite(t *testing.T) {
	p := Plan{Pages: 40, Links: 4, Sitemap: true, Faults: true, Canary: true}
	site := p.Site().Start(t)
	status, sources := walk(t, site)
	if len(sources) != 40 || status[p.Path(39)] != 200 {
		t.Errorf("%d pages found, want 40", len(sources))
	}
	titles := map[string]bool{}
	for i := range p.Pages {
		body := sources[p.Path(i)]
		titles[p.Title(i)] = strings.Contains(body, "<title>"+p.Title(i)+"</title>")
		for _, c := range []struct {
			fault Fault
			shows bool
		}{
			{FaultNoLang, !strings.Contains(body, "<html lang=")},
			{FaultNoDescription, !strings.Contains(body, `name="description"`)},
			{FaultImageAlt, strings.Contains(body, `width="40" height="40"`)},
		} {
			if slices.Contains(p.Planted(i), c.fault) != c.shows {
				t.Errorf("page %d, %s: shows %v, planted %v", i, c.fault, c.shows, p.Planted(i))
			}
		}
		if !strings.Contains(body, CanaryParagraph) {
			t.Errorf("page %d carries no canary", i)
		}
	}
	if len(titles) != 40 {
		t.Errorf("%d titles, want 40", len(titles))
	}
	for path, want := range map[string]int{"/p/00040": 404, "/p/0000": 404, "/p/00000": 404, "/p/00001x": 404, "/robots.txt": 200} {
		if res, _ := get(t, site.URL(path)); res.StatusCode != want {
			t.Errorf("%s: %d, want %d", path, res.StatusCode, want)
		}
	}
}
