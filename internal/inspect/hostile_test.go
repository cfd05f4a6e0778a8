package inspect

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"visite/schema"
)

// crawl visits pages by their candidates, as a scan would, and gives the addresses
// visited. serve answers for every address.
func crawl(t *testing.T, seed string, limit int, serve func(*url.URL) string) []string {
	t.Helper()
	queue, seen := []string{seed}, map[string]bool{seed: true}
	var visited []string
	for len(queue) > 0 && len(visited) < limit {
		address := queue[0]
		queue = queue[1:]
		visited = append(visited, address)
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		_, candidates := Page(at(serve(u), func(d *Document) { d.Facts.Requested, d.Facts.Final = address, address }), "shop.example")
		for _, c := range candidates {
			if !seen[c.URL] {
				seen[c.URL] = true
				queue = append(queue, c.URL)
			}
		}
	}
	return visited
}

// Sites whose pages make ever longer addresses of themselves come to an end.
func TestAddressesThatGrowComeToAnEnd(t *testing.T) {
	cases := []struct {
		name, seed string
		most       int
		serve      func(*url.URL) string
	}{
		{"doubly escaped ampersands", "https://shop.example/top", 3, func(u *url.URL) string {
			return `<a href="/top?` + strings.ReplaceAll(u.RawQuery, "&", "&amp;amp;") + `&amp;amp;p=2">next</a>`
		}},
		{"link without scheme", "https://shop.example/event/12", 1, func(u *url.URL) string { return `<a href="www.example.org">x</a>` }},
		{"folder repeats", "https://shop.example/a/", 4, func(u *url.URL) string { return `<a href="b/">x</a>` }},
		{"pair repeats", "https://shop.example/", 6, func(u *url.URL) string { return `<a href="b/c/">x</a>` }},
		{"parameter repeats", "https://shop.example/?", 5, func(u *url.URL) string { return `<a href="?` + u.RawQuery + `&amp;p=1">x</a>` }},
		{"deeper and deeper", "https://shop.example/", 25, func(u *url.URL) string { return fmt.Sprintf(`<a href="d%d/">x</a>`, len(u.Path)) }},
		{"sessions", "https://shop.example/", 1, func(u *url.URL) string { return `<a href="/?PHPSESSID=` + fmt.Sprint(len(u.String())) + `">x</a>` }},
	}
	for _, c := range cases {
		if visited := crawl(t, c.seed, 200, c.serve); len(visited) > c.most {
			t.Errorf("%s: %d pages, the last %s", c.name, len(visited), visited[len(visited)-1])
		}
	}
}

// The customer hears of a doubly escaped & once, not on each page it produced.
func TestDoublyEscapedIsToldOnce(t *testing.T) {
	told := 0
	for _, address := range crawl(t, "https://shop.example/top", 50, func(u *url.URL) string { return `<a href="/top?&amp;amp;p=2">x</a>` }) {
		p, _ := Page(at(`<a href="/top?&amp;amp;p=2">x</a>`, func(d *Document) { d.Facts.Final = address }), "shop.example")
		if findingOf(p, "link-double-escaped") != nil {
			told++
		}
	}
	if told != 1 {
		t.Errorf("told %d times", told)
	}
}

// Pages made to hurt: each is judged in a time that a scan can bear.
func TestHostilePagesAreBounded(t *testing.T) {
	var ids, hreflangs strings.Builder
	for i := range 30_000 {
		fmt.Fprintf(&ids, "<p id=a%d><img src=x>", i)
	}
	for i := range 20_000 {
		fmt.Fprintf(&hreflangs, "<link rel=alternate hreflang=de href=/%d>", i)
	}
	for name, html := range map[string]string{
		"million nodes":        strings.Repeat("<p>x<b>y</b>", 500_000),
		"many images":          strings.Repeat("<img src=a.png>", 100_000),
		"images by id":         ids.String(),
		"fields in one label":  "<label>" + strings.Repeat("<input>", 100_000),
		"labels for one field": strings.Repeat("<label for=x></label>", 30_000) + strings.Repeat("<input id=y>", 30_000),
		"empty links":          strings.Repeat("<a href=x></a>", 100_000),
		"full links":           strings.Repeat("<a href=x>"+strings.Repeat("<i></i>", 100)+"</a>", 1_000),
		"nested buttons":       strings.Repeat("<button><i>", 40_000),
		"headings":             strings.Repeat("<h1>a<h6>b", 40_000),
		"titles":               strings.Repeat("<title></title>", 60_000),
		"metas":                strings.Repeat("<meta name=robots content='"+strings.Repeat("noindex,", 1000)+"'>", 600),
		"sharing":              strings.Repeat("<meta property=og:x content=y>", 60_000),
		"canonicals":           strings.Repeat("<link rel=canonical href=/x>", 60_000),
		"language versions":    hreflangs.String(),
		"srcset":               "<img srcset='" + strings.Repeat("a b,", 300_000) + "'>",
		"one long word":        strings.Repeat("x", 3_000_000),
		"one long ideogram":    strings.Repeat("漢", 1_000_000),
		"rel tokens":           "<link href=x rel='" + strings.Repeat("canonical ", 100_000) + "'>",
		"deep":                 strings.Repeat("<div><a href=x>", 40_000),
		"unknown names":        strings.Repeat("<x:y><img src=a></x:y>", 40_000),
	} {
		began := time.Now()
		p, _ := Page(at("<!doctype html><html><head>"+html), "shop.example")
		took := time.Since(began)
		t.Logf("%-22s %6d findings, %5d links, %s", name, len(p.Findings), len(p.Links), took.Round(time.Millisecond))
		if took > 30*time.Second || len(p.Links) > 5000 {
			t.Errorf("%s: %s, %d links", name, took, len(p.Links))
		}
	}
}

func FuzzPage(f *testing.F) {
	for _, c := range ruleCases() {
		f.Add(c.doc.Source, "text/html; charset=utf-8", "noindex", `<https://x.example/>; rel=canonical`)
	}
	f.Add([]byte(axe), "text/html;charset=shift_jis", "googlebot: max-snippet: 1", `<a>;rel="b", <c`)
	f.Fuzz(func(t *testing.T, source []byte, contentType, robots, link string) {
		headers := []func(*Document){header("Content-Type", contentType), header("X-Robots-Tag", robots), header("Link", link), header("Refresh", robots)}
		p, candidates := Page(at(string(source), headers...), "shop.example")
		for _, c := range candidates {
			u, err := url.Parse(c.URL)
			if err != nil || schema.HostKey(u) != "shop.example" || schema.IsTrap(c.URL) {
				t.Fatalf("candidate %q", c.URL)
			}
		}
		for _, finding := range p.Findings {
			if finding.Rule == "" || len(finding.Detail) > 5000 || len(finding.Selector) > 5000 {
				t.Fatalf("finding %+v", finding)
			}
		}
		Page(rendered(string(source), append(headers, func(d *Document) { d.Axe = source })...), "shop.example")
	})
}

func smallPage() []byte {
	var b strings.Builder
	b.WriteString(strings.TrimSuffix(good, "</body></html>") + "<ul>")
	for i := range 40 {
		fmt.Fprintf(&b, `<li><a href="/section-%d/page-%d.html">A page about something</a></li>`, i%5, i)
	}
	b.WriteString("</ul></body></html>")
	return []byte(b.String())
}

func BenchmarkPage(b *testing.B) {
	doc := at(string(smallPage()))
	b.ReportAllocs()
	for b.Loop() {
		Page(doc, "shop.example")
	}
}

func BenchmarkLargePage(b *testing.B) {
	doc := at(strings.Repeat("<div class=item><h2>Item</h2><p>Some words about the item, and <a href=/item>more</a>.</p></div>", 10_000))
	b.ReportAllocs()
	b.SetBytes(int64(len(doc.Source)))
	for b.Loop() {
		Page(doc, "shop.example")
	}
}
