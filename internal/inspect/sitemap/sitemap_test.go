package sitemap

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/url"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding/unicode"
)

var base = &url.URL{Scheme: "https", Host: "shop.example", Path: "/maps/sitemap.xml"}

const namespace = `xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"`

func gz(s string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(s))
	_ = z.Close()
	return b.String()
}

func utf16(s string, mark unicode.BOMPolicy) string {
	out, err := unicode.UTF16(unicode.LittleEndian, mark).NewEncoder().String(s)
	if err != nil {
		panic(err)
	}
	return out
}

// set wraps entries into a urlset.
func set(entries string) string {
	return `<?xml version="1.0" encoding="UTF-8"?>` + "\n<urlset " + namespace + ">" + entries + "</urlset>\n"
}

func page(loc string) string { return "<url><loc>" + loc + "</loc></url>" }

// proves S-50
func TestParse(t *testing.T) {
	two := set(page("https://shop.example/a") + page("https://shop.example/b"))
	for _, c := range []struct {
		name     string
		body     string
		kind     Kind
		pages    string // paths on https://shop.example, or whole addresses
		children string
		problems string
	}{
		{"urlset", two, KindURLSet, "/a /b", "", ""},
		{"gzip", gz(two), KindURLSet, "/a /b", "", ""},
		{"gzip twice", gz(gz(two)), KindURLSet, "/a /b", "", ""},
		{"index", "<sitemapindex " + namespace + "><sitemap><loc>https://shop.example/1.xml</loc><lastmod>2026-01-02</lastmod></sitemap><sitemap><loc>2.xml.gz</loc></sitemap></sitemapindex>",
			KindIndex, "", "/1.xml /maps/2.xml.gz", "loc_relative"},
		{"both in one", "<sitemapindex>" + page("https://shop.example/a") + "<sitemap><loc>https://shop.example/1.xml</loc></sitemap></sitemapindex>", KindIndex, "/a", "/1.xml", ""},
		{"prefix and images", `<s:urlset xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">` +
			`<s:url><image:image><image:loc>https://shop.example/0.png</image:loc></image:image><s:loc>https://shop.example/a</s:loc>` +
			`<image:image><image:loc>https://shop.example/1.png</image:loc></image:image></s:url></s:urlset>`, KindURLSet, "/a", "", ""},
		{"prefix never declared", "<s:urlset><s:url><s:loc>https://shop.example/a</s:loc><image:loc>https://shop.example/1.png</image:loc></s:url></s:urlset>", KindURLSet, "/a", "", ""},
		{"image before loc, not declared", "<urlset><url><image:loc>https://shop.example/1.png</image:loc><loc>https://shop.example/a</loc></url></urlset>", KindURLSet, "/a", "", ""},
		{"image's own default namespace", "<urlset " + namespace + `><url><image xmlns="http://www.google.com/schemas/sitemap-image/1.1"><loc>https://shop.example/1.png</loc></image><loc>https://shop.example/a</loc></url></urlset>`, KindURLSet, "/a", "", ""},
		{"foreign children", set(`<url><x:link xmlns:x="http://www.w3.org/1999/xhtml" rel="alternate" hreflang="de" href="https://shop.example/de"/><loc>https://shop.example/a</loc><changefreq>daily</changefreq><unknown><loc>https://shop.example/no</loc></unknown></url>`), KindURLSet, "/a", "", ""},
		{"foreign entry", set(`<v:url xmlns:v="urn:v"><v:loc>https://shop.example/no</v:loc></v:url>` + page("https://shop.example/a")), KindURLSet, "/a", "", ""},
		{"no namespace", "<urlset>" + page("https://shop.example/a") + "</urlset>", KindURLSet, "/a", "", ""},
		{"https namespace", `<urlset xmlns="https://www.sitemaps.org/schemas/sitemap/0.9">` + page("https://shop.example/a") + "</urlset>", KindURLSet, "/a", "", ""},
		{"old namespace", `<urlset xmlns="http://www.google.com/schemas/sitemap/0.84">` + page("https://shop.example/a") + "</urlset>", KindURLSet, "/a", "", ""},
		{"namespace on the entry only", `<urlset><url xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><loc>https://shop.example/a</loc></url></urlset>`, KindURLSet, "/a", "", ""},
		{"upper case", "<URLSET><URL><LOC>https://shop.example/a</LOC></URL></URLSET>", KindURLSet, "/a", "", ""},
		{"entities, CDATA, comment, blanks", set(page("\n https://shop.example/?a=1&amp;b=&#50;&#x33; \n") + page("<![CDATA[https://shop.example/?c=1&d=2]]>") + page("https://shop.example/<!-- x -->e")), KindURLSet, "/?a=1&b=23 /?c=1&d=2 /e", "", ""},
		{"bare ampersands", set(page("https://shop.example/?a=1&b=2&lt=3&copy=4")), KindURLSet, "/?a=1&b=2&lt=3&copy=4", "", ""},
		{"entities of its own stay unexpanded", `<!DOCTYPE urlset [<!ENTITY a "b"><!ENTITY b "&a;&a;">]>` + "<urlset>" + page("https://shop.example/a") + "</urlset>", KindURLSet, "/a", "", ""},
		{"mark", "\uFEFF" + two, KindURLSet, "/a /b", "", ""},
		{"blank lines before the declaration", "\n\n  " + two, KindURLSet, "/a /b", "", ""},
		{"a warning before the document", "Warning: x in /y on line 3\n" + two, KindURLSet, "/a /b", "", ""},
		{"UTF-16 with mark", utf16(strings.Replace(two, "UTF-8", "UTF-16", 1), unicode.UseBOM), KindURLSet, "/a /b", "", ""},
		{"UTF-16 without mark", utf16(two, unicode.IgnoreBOM), KindURLSet, "/a /b", "", ""},
		{"declared UTF-16, is UTF-8", strings.Replace(two, "UTF-8", "utf-16", 1), KindURLSet, "/a /b", "", ""},
		{"Latin-1", "<?xml version='1.0' encoding='ISO-8859-1'?><urlset>" + page("https://shop.example/caf\xe9") + "</urlset>", KindURLSet, "/caf%C3%A9", "", ""},
		{"unknown charset", "<?xml version='1.0' encoding='x-klingon'?><urlset>" + page("https://shop.example/a") + "</urlset>", KindURLSet, "/a", "", "unknown_charset"},
		{"octets that are no UTF-8", set(page("https://shop.example/caf\xe9") + page("https://shop.example/b")), KindURLSet, "/b", "", "loc_unusable"},
		{"control characters", set(page("https://shop.example/a\x08") + "\x00" + page("https://shop.example/b")), KindURLSet, "/a /b", "", ""},
		{"broken off after an address", strings.SplitAfter(two, "/b</loc>")[0], KindURLSet, "/a /b", "", "xml_broken"},
		{"broken off within an address", strings.SplitAfter(two, "example/b")[0], KindURLSet, "/a", "", "xml_broken"},
		{"broken in the middle", "<urlset>" + page("https://shop.example/a") + "<url><loc>https://shop.example/b</loc><<</url></urlset>", KindURLSet, "/a /b", "", "xml_broken"},
		{"wrong end tag", "<urlset>" + page("https://shop.example/a") + "<url><loc>https://shop.example/b</lok></url></urlset>", KindURLSet, "/a /b", "", "xml_broken"},
		{"gzip cut short", gz(two)[:len(gz(two))-12], KindURLSet, "/a /b", "", "gzip_broken"},
		{"gzip with rubbish behind", gz(two) + "rubbish", KindURLSet, "/a /b", "", "gzip_broken"},
		{"gzip head only", "\x1f\x8b\x00", KindUnknown, "", "", "gzip_broken"},
		{"empty entries", set("<url></url><url><loc/></url><url><loc> </loc></url>" + page("https://shop.example/a")), KindURLSet, "/a", "", "loc_missing"},
		{"two addresses in one entry", set("<url><loc>https://shop.example/a</loc><loc>https://shop.example/b</loc></url>"), KindURLSet, "/a", "", ""},
		{"addresses of other kinds", set(page("mailto:a@b.example") + page("javascript:x") + page("/rel") + page("https://other.example/x#f")), KindURLSet, "/rel https://other.example/x", "", "loc_unusable loc_relative"},
		{"address beyond reason", set(page("https://shop.example/"+strings.Repeat("x", 9000)) + page("https://shop.example/a")), KindURLSet, "/a", "", "loc_unusable"},
		{"padded beyond reason", set(page(strings.Repeat(" ", 9000)+"https://shop.example/a<!-- -->b") + page("https://shop.example/c")), KindURLSet, "/c", "", "loc_unusable"},
		{"no entries", set(""), KindURLSet, "", "", ""},
		{"text", "\uFEFFhttps://shop.example/a\r\n\r\n HTTP://shop.example/b \nhttps://shop.example/c?x&y", KindText, "/a http://shop.example/b /c?x&y", "", ""},
		{"text, gzip", gz("https://shop.example/a\n"), KindText, "/a", "", ""},
		{"text with other lines", "https://shop.example/a\nhello\n/b\nhttps://shop.example/" + strings.Repeat("x", 20000) + "\nhttps://shop.example/c", KindText, "/a /c", "", "loc_unusable"},
		{"prose", "Not found\nhere", KindUnknown, "", "", "not_a_sitemap"},
		{"JSON", `{"error": "https://shop.example/a"}`, KindUnknown, "", "", "not_a_sitemap"},
		{"HTML", "<!doctype html><html><body><a href='https://shop.example/a'>x</a></body></html>", KindUnknown, "", "", "not_a_sitemap"},
		{"nothing", " \n", KindUnknown, "", "", "empty"},
		{"a comment only", "<!-- -->", KindUnknown, "", "", "not_a_sitemap"},
		{"RSS", `<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><link>https://shop.example/</link><atom:link href="https://shop.example/feed" rel="self"/>` +
			`<item><title>x</title><link>https://shop.example/a</link><media:content xmlns:media="m" url="https://shop.example/x.mp3"/></item></channel></rss>`, KindRSS, "/a", "", ""},
		{"Atom", `<feed xmlns="http://www.w3.org/2005/Atom"><link href="https://shop.example/"/><entry><link rel="edit" href="https://shop.example/edit"/><link href="https://shop.example/a"/><updated>2026-01-02T03:04:05Z</updated></entry>` +
			`<entry><link rel="alternate" href="https://shop.example/b"/></entry></feed>`, KindAtom, "/a /b", "", ""},
		{"nested beyond reason", strings.Repeat("<a>", 5) + "<urlset>" + strings.Repeat("<b>", 1000), KindUnknown, "", "", "not_a_sitemap"},
		{"deep inside", "<urlset>" + page("https://shop.example/a") + strings.Repeat("<b>", 1000), KindURLSet, "/a", "", "too_deep"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Parse([]byte(c.body), base)
			var pages, problems []string
			for _, p := range got.Pages {
				pages = append(pages, strings.TrimPrefix(p.Loc, "https://shop.example"))
			}
			for i, child := range got.Children {
				got.Children[i] = strings.TrimPrefix(child, "https://shop.example")
			}
			for _, p := range got.Problems {
				problems = append(problems, string(p))
			}
			if got.Kind != c.kind || strings.Join(pages, " ") != c.pages || strings.Join(got.Children, " ") != c.children || strings.Join(problems, " ") != c.problems || got.Truncated {
				t.Errorf("kind %q, pages %q, children %q, problems %q, truncated %v", got.Kind, pages, got.Children, problems, got.Truncated)
			}
		})
	}
}

func TestDates(t *testing.T) {
	for date, want := range map[string]time.Time{
		"2026":                            time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		"2026-02":                         time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC),
		"2026-02-03":                      time.Date(2026, 2, 3, 0, 0, 0, 0, time.UTC),
		"2026-02-03T04:05+02:00":          time.Date(2026, 2, 3, 2, 5, 0, 0, time.UTC),
		"2026-02-03T04:05:06.7Z":          time.Date(2026, 2, 3, 4, 5, 6, 700_000_000, time.UTC),
		"2026-02-03T04:05:06+0100":        time.Date(2026, 2, 3, 3, 5, 6, 0, time.UTC),
		" \n2026-02-03 04:05:06 ":         time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC),
		"Tue, 03 Feb 2026 04:05:06 +0100": time.Date(2026, 2, 3, 3, 5, 6, 0, time.UTC),
		"<![CDATA[2026-02-03]]>":          time.Date(2026, 2, 3, 0, 0, 0, 0, time.UTC),
		"":                                {},
	} {
		got := Parse([]byte(set("<url><lastmod>"+date+"</lastmod><loc>https://shop.example/</loc></url>")), nil)
		want := []Entry{{Loc: "https://shop.example/", LastMod: want}}
		if !reflect.DeepEqual(got.Pages, want) || got.Problems != nil {
			t.Errorf("%q: %v, %v", date, got.Pages, got.Problems)
		}
	}
	got := Parse([]byte(set("<url><loc>https://shop.example/</loc><lastmod>yesterday</lastmod></url>")), nil)
	if len(got.Pages) != 1 || !got.Pages[0].LastMod.IsZero() || !reflect.DeepEqual(got.Problems, []Problem{ProblemLastModified}) {
		t.Errorf("no date: %+v", got)
	}
	got = Parse([]byte("<rss><channel><item><pubDate>Tue, 03 Feb 2026 04:05:06 GMT</pubDate><link>https://shop.example/</link></item></channel></rss>"), nil)
	if len(got.Pages) != 1 || !got.Pages[0].LastMod.Equal(time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)) {
		t.Errorf("RSS: %+v", got)
	}
}

func TestWithoutBaseRelativeIsUnusable(t *testing.T) {
	got := Parse([]byte(set(page("/a"))), nil)
	if got.Pages != nil || !reflect.DeepEqual(got.Problems, []Problem{ProblemLocUnusable}) {
		t.Errorf("%+v", got)
	}
}

func TestEntryLimit(t *testing.T) {
	for _, n := range []int{MaxEntries, MaxEntries + 1} {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "https://shop.example/%d\n", i)
		}
		text := b.String()
		xml := set(page(strings.Join(strings.Fields(text), "</loc></url><url><loc>")))
		for _, body := range []string{text, xml} {
			got := Parse([]byte(body), base)
			over := n > MaxEntries
			if len(got.Pages) != MaxEntries || got.Truncated != over || (len(got.Problems) == 1 && got.Problems[0] == ProblemTooMany) != over {
				t.Errorf("%d: %d pages, truncated %v, %v", n, len(got.Pages), got.Truncated, got.Problems)
			}
		}
	}
}

func TestSizeLimit(t *testing.T) {
	const most = 4 << 20 // MaxBytes takes the race detector a minute
	head := "<urlset>" + page("https://shop.example/a")
	for name, body := range map[string]string{
		"XML":  head + strings.Repeat("<x/>"+strings.Repeat(" ", 1<<19), most>>19) + page("https://shop.example/b") + "</urlset>",
		"text": "https://shop.example/a\n" + strings.Repeat("\n", most) + "https://shop.example/b\n",
	} {
		got := parse([]byte(gz(body)), base, most)
		if len(got.Pages) != 1 || !reflect.DeepEqual(got.Problems, []Problem{ProblemTooLarge}) || !got.Truncated {
			t.Errorf("%s: %d pages, %v, truncated %v", name, len(got.Pages), got.Problems, got.Truncated)
		}
	}
	got := Parse([]byte(head+strings.Repeat(" ", maxToken+1)+page("https://shop.example/b")+"</urlset>"), base)
	if len(got.Pages) != 1 || !reflect.DeepEqual(got.Problems, []Problem{ProblemXML}) {
		t.Errorf("an endless stretch of text: %+v", got)
	}
}

// A document made to fill memory is given up early.
func TestHostileDocuments(t *testing.T) {
	for name, body := range map[string]string{
		"attributes":  "<urlset><url " + strings.Repeat(`a="" `, 1<<20) + "/>",
		"namespaces":  "<urlset><url " + strings.Repeat(`xmlns:a="" `, 1<<20) + "/>",
		"depth":       "<urlset>" + strings.Repeat("<url>", 2<<20),
		"one text":    "<urlset><url><loc>" + strings.Repeat("x", 8<<20),
		"comment":     "<urlset><!--" + strings.Repeat("x", 8<<20),
		"directive":   "<!DOCTYPE " + strings.Repeat("<", 8<<20),
		"a long name": "<" + strings.Repeat("x", 8<<20),
	} {
		packed := []byte(gz(body))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got := Parse(packed, base)
		runtime.ReadMemStats(&after)
		if made := (after.TotalAlloc - before.TotalAlloc) >> 20; made > 60 {
			t.Errorf("%s: %d MiB allocated", name, made)
		}
		if len(got.Problems) == 0 || len(got.Pages) != 0 {
			t.Errorf("%s: %v, %d pages", name, got.Problems, len(got.Pages))
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(set(page("https://shop.example/a"))))
	f.Add([]byte(gz(set(page("https://shop.example/a")))))
	f.Add([]byte("https://shop.example/a\nhttp://x"))
	f.Add([]byte(`<feed><entry><link href="a"/></entry></feed>`))
	f.Add([]byte(utf16(set(page("a")), unicode.UseBOM)))
	f.Add([]byte("<sitemapindex><sitemap><loc>&#x41;<![CDATA[b]]></loc>"))
	f.Fuzz(func(t *testing.T, body []byte) {
		got := Parse(body, base)
		if got.Kind == KindUnknown && (len(got.Problems) == 0 || len(got.Pages)+len(got.Children) > 0) {
			t.Errorf("no sitemap, yet %+v", got)
		}
		for _, p := range got.Pages {
			if u, err := url.Parse(p.Loc); err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
				t.Errorf("page %q", p.Loc)
			}
		}
		if again := Parse(body, base); !reflect.DeepEqual(again, got) {
			t.Error("two answers to one question")
		}
	})
}

func BenchmarkParse(b *testing.B) {
	var entries strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&entries, "<url><loc>https://shop.example/products/%d</loc><lastmod>2026-01-02</lastmod></url>", i)
	}
	body := []byte(set(entries.String()))
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		Parse(body, base)
	}
}
