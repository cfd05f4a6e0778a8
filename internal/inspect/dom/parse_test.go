package dom

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
)

// outline writes each element with its ancestors, and text, one a line.
func outline(t *Tree) string {
	var b strings.Builder
	depth := 0
	t.Visit(func(id ID) bool {
		n := t.Node(id)
		if n.Kind == Element {
			var attrs []string
			for _, a := range t.Attrs(id) {
				attrs = append(attrs, fmt.Sprintf(" %s=%q", a.Name, a.Value))
			}
			line(&b, depth, n.Data, attrs)
			depth++
			return true
		}
		text := n.Data
		for next := n.Next; next != None && t.Node(next).Kind == Text; next = t.Node(next).Next {
			text += t.Node(next).Data
		}
		if !continues(t, id) && strings.TrimSpace(text) != "" {
			line(&b, depth, fmt.Sprintf("%q", strings.Join(strings.Fields(text), " ")), nil)
		}
		return true
	}, func(ID) { depth-- })
	return b.String()
}

// continues reports whether a piece of text follows another one directly.
func continues(t *Tree, id ID) bool {
	for n := t.Node(t.Node(id).Parent).First; n != None; n = t.Node(n).Next {
		if t.Node(n).Next == id {
			return t.Node(n).Kind == Text
		}
	}
	return false
}

func line(b *strings.Builder, depth int, what string, attrs []string) {
	slices.Sort(attrs)
	fmt.Fprintf(b, "%s%s%s\n", strings.Repeat(" ", depth), what, strings.Join(attrs, ""))
}

// reference is the same outline by the full parser of x/net/html.
func reference(source []byte) string {
	root, err := html.Parse(bytes.NewReader(source))
	if err != nil {
		return "error: " + err.Error()
	}
	var b strings.Builder
	var walk func(*html.Node, int)
	walk = func(n *html.Node, depth int) {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			switch c.Type {
			case html.ElementNode:
				var attrs []string
				for _, a := range c.Attr {
					name := strings.ToLower(a.Key)
					if a.Namespace != "" {
						name = a.Namespace + ":" + name
					}
					attrs = append(attrs, fmt.Sprintf(" %s=%q", name, a.Val))
				}
				line(&b, depth, strings.ToLower(c.Data), attrs)
				if keepsForOutline(c) {
					walk(c, depth+1)
				}
			case html.TextNode:
				if text := strings.TrimSpace(c.Data); text != "" {
					line(&b, depth, fmt.Sprintf("%q", strings.Join(strings.Fields(text), " ")), nil)
				}
			}
		}
	}
	walk(root, 0)
	return b.String()
}

func keepsForOutline(n *html.Node) bool {
	if n.Namespace != "" {
		return true
	}
	switch n.Data {
	case "style", "script", "noscript", "iframe", "noframes", "noembed", "textarea":
		return false
	}
	return true
}

var ordinary = map[string]string{
	"empty":             ``,
	"text alone":        `hello`,
	"minimal":           `<!doctype html><title>t</title><p>x`,
	"implied ends":      `<ul><li>a<li>b<ul><li>c</ul><li>d</ul><dl><dt>a<dd>b<dt>c<dd>d</dl><p>one<p>two<div>three</div>`,
	"table parts":       `<table><caption>c</caption><tr><td>1<td>2<tr><th>3</table><table><thead><tr><th>a</thead><tbody><tr><td>b<tfoot><tr><td>c</table>`,
	"nested tables":     `<table><tr><td><table><tr><td>in</table>after<td>next</table>`,
	"colgroups":         `<table><col><col><colgroup><col></colgroup><tr><td>x</table>`,
	"head ends early":   `<html><head><title>a</title><div>oops</div><link rel=canonical href=/x><meta name=robots content=noindex></head><body><p>x</body></html>`,
	"late head parts":   `<html><head></head><meta name=late><title>late</title><body>x`,
	"attributes":        `<html lang=de><body class="a" CLASS=b><a href="?a=1&amp;b=2" title='q"'>x</a><input disabled value=>`,
	"html again":        `<p>x</p><html lang=en><body class=c>`,
	"links in links":    `<p><a href=1>one<a href=2>two</a> three`,
	"buttons":           `<button>a<button>b</button>`,
	"select":            `<select><option>a<option selected>b<optgroup label=g><option>c</select><p>x`,
	"forms in forms":    `<form action=a><form action=b><input></form><p>x</p></form>`,
	"svg":               `<p><svg viewBox="0 0 1 1"><title>t</title><path d="M0"/><g><a href=x>y</a></g></svg>after`,
	"svg with html":     `<svg><foreignObject><div>in <b>html</b></div></foreignObject><desc><p>d</p></desc></svg>z`,
	"svg left early":    `<svg><g><p>out`,
	"svg style":         `<svg><style>a<b>c</b></style></svg>x`,
	"svg script closed": `<svg><script href=x /><circle/></svg>x`,
	"math":              `<math><mi>x</mi><mo>=</mo><annotation-xml encoding="text/html"><p>y</p></annotation-xml></math>z`,
	"template":          `<head><template><p>x</p></template></head><body><template><li>z</template>w`,
	"raw text":          `<script>if (a<b) document.write("<a href='ghost'>x</a>")</script><style>p>a{}</style><title>a<b>c</title><textarea><p>x</textarea>y`,
	"noscript":          `<head><noscript><link rel=x></noscript></head><body><noscript><img src=x></noscript><p>y`,
	"iframe":            `<iframe src=x><p>in</iframe>y`,
	"headings":          `<h1>a<h2>b</h1>c</h2>d`,
	"ruby":              `<ruby>a<rt>b<rp>c<rt>d</ruby>e`,
	"stray ends":        `</p></div></br><p>a</span>b</table>c`,
	"formatting closed": `<p><b>a<i>b</i>c</b>d</p><div><strong>x</strong></div>`,
	"definition in div": `<dl><div><dt>a</dt><dd>b</dd></div></dl>`,
	"unknown elements":  `<my-card><slot name=a></slot></my-card><blink>x</blink>`,
	"image":             `<image src=x><hr><p>a<hr>b`,
	"frameset":          `<html><head><title>f</title></head><frameset cols="*,*"><frame src=a><frame src=b></frameset></html>`,
	"pre":               `<p>a<pre>b</pre><p>c<blockquote>d</blockquote>`,
	"body in template":  `<head><template><p>x</template y></head><body><template><li>z</template>w`,
	"template unclosed": `<head><template><p>x<body class=a><html lang=b>w`,
	"comments":          `<!-- <a href=x> --><p>a</p><!-- b --><i>c</i><!doctype html>`,
	"cdata":             `<svg><text><![CDATA[a<b]]></text></svg><p><![CDATA[ x ]]>y`,
	"body text after":   `<body><p>a</p></body></html><p>b`,
}

func TestParseAgreesWithTheFullParser(t *testing.T) {
	for name, source := range ordinary {
		got, want := outline(Parse([]byte(source))), reference([]byte(source))
		if got != want {
			t.Errorf("%s:\n%s\ngot:\n%s\nwant:\n%s", name, source, got, want)
		}
	}
}

// The accessibility test cases of the W3C hold much markup written by hand. Where
// they are at hand, nearly all must come out the same; the rest are unclosed
// formatting elements and the like.
func TestParseAgreesOnRealPages(t *testing.T) {
	shared := os.Getenv("VISITE_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "..", "shared")
	}
	pages, _ := filepath.Glob(filepath.Join(shared, "act", "www", "WAI", "content-assets", "wcag-act-rules", "testcases", "*", "*.html"))
	if len(pages) == 0 {
		t.Skip("no folder of accessibility test cases")
	}
	same := 0
	for _, page := range pages {
		source, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		got, want := outline(Parse(source)), reference(source)
		if got == want {
			same++
		} else if os.Getenv("VERBOSE") != "" {
			t.Logf("%s:\ngot:\n%s\nwant:\n%s", page, got, want)
		}
	}
	t.Logf("%d of %d the same", same, len(pages))
	if same*100 < len(pages)*99 {
		t.Errorf("only %d of %d pages come out the same", same, len(pages))
	}
}

func TestParseIsBounded(t *testing.T) {
	var formatting strings.Builder
	for i := range 30_000 {
		fmt.Fprintf(&formatting, "<p><b id=%d>x", i)
	}
	cases := map[string]string{
		"a million elements":     strings.Repeat("<i>x</i>", 1_000_000),
		"deep nesting":           strings.Repeat("<div>", 200_000) + "x",
		"deep inline nesting":    strings.Repeat("<q>", 200_000) + strings.Repeat("</span>", 100_000),
		"deep lists":             strings.Repeat("<ul><li>", 100_000),
		"deep tables":            strings.Repeat("<table><tr><td>", 60_000),
		"tables in tables":       strings.Repeat("<table>", 100_000),
		"unclosed formatting":    formatting.String(),
		"unclosed links":         strings.Repeat("<a href=x><div>", 100_000),
		"only end tags":          strings.Repeat("</x>", 3_000_000),
		"many attributes":        "<p " + strings.Repeat("a ", 500_000) + ">",
		"other attributes":       "<p " + attributes(200_000) + ">",
		"long attribute":         "<img src='data:" + strings.Repeat("x", 5_000_000) + "'>",
		"unclosed comment":       "<!--" + strings.Repeat("-", 5_000_000),
		"open angle brackets":    strings.Repeat("<", 3_000_000),
		"deep svg":               "<svg>" + strings.Repeat("<g>", 200_000) + strings.Repeat("</x>", 100_000),
		"deep templates":         strings.Repeat("<template>", 100_000) + strings.Repeat("</p>", 300_000),
		"entities":               strings.Repeat("&notanentity;&amp", 300_000),
		"select in select":       strings.Repeat("<select><option>", 100_000),
		"buttons and paragraphs": strings.Repeat("<button><p>", 100_000),
	}
	for name, source := range cases {
		began := time.Now()
		tree := Parse([]byte(source))
		took := time.Since(began)
		depth := 0
		tree.Visit(func(id ID) bool { return true }, func(ID) {})
		for id := ID(len(tree.Nodes) - 1); id > Root; id = tree.Nodes[id].Parent {
			depth++
		}
		t.Logf("%-24s %8d nodes, depth %3d, %s", name, len(tree.Nodes), depth, took.Round(time.Millisecond))
		if len(tree.Nodes) > MaxNodes+600 || depth > MaxDepth+1 {
			t.Errorf("%s: %d nodes, depth %d", name, len(tree.Nodes), depth)
		}
		if took > time.Minute { // what is not bounded takes hours
			t.Errorf("%s took %s", name, took)
		}
	}
	if !Parse([]byte(cases["a million elements"])).Cut {
		t.Error("a million elements are not marked as cut")
	}
}

func attributes(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "a%d=%d ", i, i)
	}
	return b.String()
}

func FuzzParse(f *testing.F) {
	for _, s := range ordinary {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		tree := Parse(source)
		seen := 0
		tree.Visit(func(id ID) bool {
			seen++
			if n := tree.Node(id); n.Kind == Element {
				tree.Selector(id)
				tree.InnerText(id, 50)
			}
			return true
		}, func(ID) {})
		if seen != len(tree.Nodes)-1 {
			t.Fatalf("%d of %d nodes can be reached", seen, len(tree.Nodes)-1)
		}
		if tree.HTMLRoot == None || tree.Head == None || tree.Body == None {
			t.Fatal("html, head or body is missing")
		}
	})
}

func BenchmarkParse(b *testing.B) {
	source := []byte("<!doctype html><html lang=en><head><title>t</title></head><body><ul>" +
		strings.Repeat(`<li><a href="/page/17.html">A page about something</a></li>`, 40) + "</ul></body></html>")
	b.Run("tree", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Parse(source)
		}
	})
	b.Run("x-net-html", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = html.Parse(bytes.NewReader(source))
		}
	})
}
