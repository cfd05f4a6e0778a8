package report

import (
	"bytes"
	"context"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"visite/schema"
)

func htmlOf(t *testing.T, src Source, scan schema.Scan, lang Lang) string {
	t.Helper()
	var out bytes.Buffer
	if err := HTML(t.Context(), &out, src, scan, Options{Lang: lang}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func parse(t *testing.T, page string) *html.Node {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func text(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode && d.Parent.Data != "style" {
			b.WriteString(d.Data + " ")
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// section is the text of the part of the page with an id.
func section(t *testing.T, page, id string) string {
	t.Helper()
	for n := range parse(t, page).Descendants() {
		if attr(n, "id") == id {
			return text(n)
		}
	}
	t.Fatalf("no part %q in the page", id)
	return ""
}

func TestHTMLGolden(t *testing.T) {
	got := htmlOf(t, sample(), sampleScan(), English)
	got = regexp.MustCompile(`(?s)<style>.*</style>`).ReplaceAllString(got, "<style></style>")
	const golden = "testdata/report.golden.html"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		gotLines, wantLines := strings.Split(got, "\n"), strings.Split(string(want), "\n")
		for i := range min(len(gotLines), len(wantLines)) {
			if gotLines[i] != wantLines[i] {
				t.Fatalf("line %d is\n%s\nwant\n%s\n(go test -update writes it anew)", i+1, gotLines[i], wantLines[i])
			}
		}
		t.Fatalf("%d lines, want %d", len(gotLines), len(wantLines))
	}
}

// The page needs nothing but itself and holds what assistive technology needs.
func TestHTMLStandsAlone(t *testing.T) {
	for _, lang := range Langs() {
		doc := parse(t, htmlOf(t, sample(), sampleScan(), lang))
		count := map[string]int{}
		ids := map[string]int{}
		last := 0
		for n := range doc.Descendants() {
			if n.Type != html.ElementNode {
				continue
			}
			if n.Namespace == "" { // a picture has a title of its own
				count[n.Data]++
			}
			if id := attr(n, "id"); id != "" {
				ids[id]++
			}
			switch n.Data {
			case "html":
				if attr(n, "lang") != string(lang) {
					t.Errorf("lang is %q, want %q", attr(n, "lang"), lang)
				}
			case "script", "img", "iframe", "object", "embed", "form", "base":
				t.Errorf("%s: the page has a %s", lang, n.Data)
			case "link":
				if attr(n, "href") != "data:," {
					t.Errorf("%s: the page asks for %s", lang, attr(n, "href"))
				}
			case "th":
				if attr(n, "scope") == "" {
					t.Errorf("%s: header cell without scope: %s", lang, text(n))
				}
			case "h1", "h2", "h3":
				level := int(n.Data[1] - '0')
				if level > last+1 {
					t.Errorf("%s: heading level jumps from %d to %d at %q", lang, last, level, text(n))
				}
				last = level
			case "svg":
				if attr(n, "aria-hidden") != "true" && (attr(n, "role") != "img" || attr(n, "aria-labelledby") == "") {
					t.Errorf("%s: a picture is neither named nor hidden from screen readers", lang)
				}
			case "a":
				href := attr(n, "href")
				if strings.HasPrefix(href, "#") && href != "#report" && ids[href[1:]] == 0 && !strings.Contains(htmlOf(t, sample(), sampleScan(), lang), `id="`+href[1:]+`"`) {
					t.Errorf("%s: link to %s leads nowhere", lang, href)
				}
				if !strings.HasPrefix(href, "#") && attr(n, "rel") != "noreferrer nofollow" {
					t.Errorf("%s: link %s has rel %q", lang, href, attr(n, "rel"))
				}
			}
			for _, a := range n.Attr {
				if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "src" {
					t.Errorf("%s: %s has the attribute %s", lang, n.Data, a.Key)
				}
			}
		}
		for _, once := range []string{"h1", "main", "header", "footer", "nav", "title", "style"} {
			if count[once] != 1 {
				t.Errorf("%s: %d times %s, want once", lang, count[once], once)
			}
		}
		for id, n := range ids {
			if n != 1 {
				t.Errorf("%s: id %s stands %d times", lang, id, n)
			}
		}
	}
	if css, _ := pageFiles.ReadFile("page/report.css"); bytes.Contains(css, []byte("url(")) || bytes.Contains(css, []byte("@import")) {
		t.Error("the style asks for another file")
	}
}

// broken is a source that cannot be read.
type broken struct{ recorded }

var errSource = errors.New("database away")

func (b *broken) Links(_ context.Context, _ string, _ schema.LinkFilter, _ schema.Range) ([]schema.ListedLink, error) {
	return nil, errSource
}

func TestTroubleOfTheSourceIsTold(t *testing.T) {
	var out bytes.Buffer
	if err := HTML(t.Context(), &out, &broken{}, sampleScan(), Options{}); !errors.Is(err, errSource) || out.Len() > 0 {
		t.Errorf("%v, %d bytes written", err, out.Len())
	}
	if err := JSON(t.Context(), &out, &broken{}, sampleScan(), Options{}); !errors.Is(err, errSource) {
		t.Errorf("%v", err)
	}
}
