package inspect

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"

	"visite/schema"
)

// proves C-59, C-60
func TestSelfDescription(t *testing.T) {
	html := `<!doctype html><html lang="de-AT"><head><title> Ein
	Titel &amp; mehr </title><meta name="Description" content=" Worum es  geht "><meta property="og:title" content="Geteilt"><meta property="og:title" content="zweite">
	<meta name="twitter:card" content="summary"><meta property="og:bad key" content="x"><meta name="robots" content="noindex, Max-Snippet:20"><meta name="googlebot" content="nofollow, whatever">
	<link rel="canonical" href="../kanon?b=1"><link rel="alternate" hreflang="en" href="/en"><link rel="alternate" hreflang="x-default" href="/"></head>
	<body><p>eins zwei</p></body></html>`
	p, _ := Page(at(html, header("X-Robots-Tag", "noarchive", "otherbot: unavailable_after: 25 Jun 2027 15:00:00 PST"), header("Content-Language", "de"),
		header("Link", `<https://shop.example/fr>; rel=alternate; hreflang="fr"; title="a, b", <https://shop.example/x>; rel="next"`)), "shop.example")
	want := schema.Page{
		Title: "Ein Titel & mehr", Description: "Worum es geht", Words: 2, Charset: "utf-8",
		Sharing:   map[string]string{"og:title": "Geteilt", "twitter:card": "summary"},
		Canonical: "https://shop.example/kanon?b=1",
		Languages: schema.Languages{HTML: "de-AT", Header: "de", Hreflang: map[string]string{
			"en": "https://shop.example/en", "x-default": "https://shop.example/", "fr": "https://shop.example/fr"}},
		RobotsTags: []string{"noindex", "max-snippet:20", "googlebot: nofollow", "noarchive", "otherbot: unavailable_after:25 jun 2027 15:00:00 pst"},
	}
	if p.Title != want.Title || p.Description != want.Description || p.Words != want.Words || p.Charset != want.Charset || p.Canonical != want.Canonical {
		t.Errorf("got %q, %q, %d words, %s, %s", p.Title, p.Description, p.Words, p.Charset, p.Canonical)
	}
	if !reflect.DeepEqual(p.Sharing, want.Sharing) || !reflect.DeepEqual(p.Languages, want.Languages) {
		t.Errorf("got %v, %+v", p.Sharing, p.Languages)
	}
	if !slices.Equal(p.RobotsTags, want.RobotsTags) {
		t.Errorf("directives %q", p.RobotsTags)
	}
	if p.Elements != strings.Count(html, "<")-strings.Count(html, "</")-1 {
		t.Errorf("%d elements", p.Elements)
	}
}

func TestSelfDescriptionIsBounded(t *testing.T) {
	html := "<title>" + strings.Repeat("ä", 1000) + "</title><meta name=description content='" + strings.Repeat("ü\x00", 1000) + "'>"
	for i := range 50 {
		html += "<meta property='og:k" + string(rune('a'+i%26)) + string(rune('a'+i/26)) + "' content='" + strings.Repeat("v", 500) + "'>"
	}
	p, _ := Page(at(html), "shop.example")
	if p.Title != strings.Repeat("ä", 300) || strings.Trim(p.Description, "ü\uFFFD") != "" || len([]rune(p.Description)) != 500 {
		t.Errorf("title %d, description %d characters", len([]rune(p.Title)), len([]rune(p.Description)))
	}
	if len(p.Sharing) != 30 || p.Sharing["og:kaa"] != strings.Repeat("v", 300) {
		t.Errorf("%d sharing values", len(p.Sharing))
	}
}

func TestWords(t *testing.T) {
	for markup, want := range map[string]int{
		`<p>one two</p><p>three</p>`:                                      3,
		`<ul><li>one<li>two</ul>three<br>four`:                            4,
		`<b>o</b>ne <i>two</i>`:                                           2,
		`it's a well-known 3.14 e-mail`:                                   5,
		`漢字かな交じり文`:                                                        8,
		`한국어 단어 둘`:                                                        3,
		`Ünïcödé &nbsp; naïve`:                                            2,
		`<script>var no = 1</script><style>p{}</style>yes`:                1,
		`<noscript>no no</noscript><template>no</template>`:               0,
		`<textarea>no no</textarea><select><option>no</select>`:           0,
		`<p hidden>no</p><div style="color:red; DISPLAY : none">no</div>`: 0,
		`<p style="display:block">yes</p>`:                                1,
		`<iframe>no</iframe><svg><title>no</title><text>yes</text></svg>`: 1,
		`<p aria-hidden=true>seen all the same</p>`:                       4,
		`— … !`: 0,
	} {
		p, _ := Page(at("<!doctype html><title>not counted</title><body>"+markup), "shop.example")
		if p.Words != want {
			t.Errorf("%s: %d words, want %d", markup, p.Words, want)
		}
	}
}

func TestContentHash(t *testing.T) {
	hash := func(html string) uint64 {
		p, _ := Page(at(html), "shop.example")
		return p.ContentHash
	}
	a := hash("<title>t</title><p>one two</p>")
	same := []string{"<title>t</title><div><p>one\n  <b>two</b></p></div>", "<title> t </title><p>one two</p><script>rand(7)</script><input type=hidden value=7>"}
	for _, s := range same {
		if hash(s) != a {
			t.Errorf("%s: another hash", s)
		}
	}
	for _, s := range []string{"<title>u</title><p>one two</p>", "<title>t</title><p>one three</p>", "<title>t</title><p>onetwo</p>"} {
		if hash(s) == a {
			t.Errorf("%s: the same hash", s)
		}
	}
	if hash("<title>t</title><div id=app></div>") != 0 {
		t.Error("a page without text has a hash")
	}
}

// Wrong, unknown and lying encodings are read as browsers read them.
func TestCharsets(t *testing.T) {
	const text = "Grüße aus Köln"
	latin, _ := charmap.ISO8859_1.NewEncoder().String(text)
	utf16, _ := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String("<title>" + text + "</title>")
	sjis, _ := japanese.ShiftJIS.NewEncoder().String("日本語")
	page := func(head, title string) string {
		return "<html><head>" + head + "<title>" + title + "</title></head><body>x"
	}
	cases := []struct {
		name, source, header, charset, title string
	}{
		{"header", page("", latin), "text/html; charset=iso-8859-1", "windows-1252", text},
		{"header wins over page", page(`<meta charset="iso-8859-1">`, text), "text/html;charset=UTF-8", "utf-8", text},
		{"meta", page(`<meta charset="latin1">`, latin), "text/html", "windows-1252", text},
		{"meta pragma", page(`<meta http-equiv="Content-Type" content="text/html; charset='Shift_JIS'">`, sjis), "text/html", "shift_jis", "日本語"},
		{"mark wins over header", "\xef\xbb\xbf" + page("", text), "text/html; charset=iso-8859-1", "utf-8", text},
		{"UTF-16 mark", utf16, "text/html", "utf-16le", text},
		{"meta cannot be UTF-16", page(`<meta charset="utf-16">`, text), "text/html", "utf-8", text},
		{"none, valid UTF-8", page("", text), "text/html", "utf-8", text},
		{"none, other", page("", latin), "", "windows-1252", text},
		{"unknown label", page("", text), "text/html; charset=klingon", "utf-8", text},
		{"unknown label, then meta", page(`<meta charset="latin1">`, latin), "text/html; charset=klingon", "windows-1252", text},
		{"lying", page("", latin), "text/html; charset=utf-8", "utf-8", "Gr\uFFFD\uFFFDe aus K\uFFFDln"},
		{"malformed header", page("", latin), "text/html; charset=iso-8859-1; charset=utf-8", "windows-1252", text},
	}
	for _, c := range cases {
		p, _ := Page(at(c.source, header("Content-Type", c.header)), "shop.example")
		title := p.Title
		if c.name == "lying" {
			title = strings.ReplaceAll(title, "\uFFFD\uFFFD", "\uFFFD\uFFFD") // one mark for each run of broken bytes may do
			if !strings.HasPrefix(title, "Gr\uFFFD") {
				t.Errorf("%s: %q", c.name, title)
			}
			continue
		}
		if p.Charset != c.charset || title != c.title {
			t.Errorf("%s: %s, %q", c.name, p.Charset, title)
		}
	}
}

// Running text and attribute values that can carry text stay out of what is
// recorded.
//
// proves C-58, C-61
func TestNoTextOfThePageIsRecorded(t *testing.T) {
	const canary = "zebrafinch-quartet"
	html := `<html lang="en-` + canary + ` x"><head><title>A page</title><meta name="description" content="About."><meta name="robots" content="` + canary + `, noindex">
	<meta name="viewport" content="user-scalable=no, ` + canary + `=1"><script type="application/ld+json">{"` + canary + `",}</script><style>.` + canary + `{}</style>
	<link rel="alternate" hreflang="` + canary + ` text" href="/x"><link rel=canonical href="javascript:` + canary + `"></head>
	<body class="` + canary + `" title="` + canary + `"><h1>` + canary + `</h1><h3>` + canary + `</h3><p>` + strings.Repeat(canary+" ", 30) + `</p>
	<img src="a.png" title="" data-x="` + canary + `"><a href="#` + canary + `"></a><a href="javascript:alert('` + canary + `')">` + canary + `</a>
	<a href="https://` + canary + ` x/">x</a><a href="` + canary + `@shop.example">x</a><a href="/q?` + canary + `&k=` + canary + `&amp;amp;z">x</a>
	<a href="http://localhost/?q=` + canary + `">x</a><form action="http://shop.example/?` + canary + `"><input name="` + canary + `" value="` + canary + `" id="a ` + canary + `"><button value="` + canary + `"></button></form>
	<script src="http://cdn.example/?` + canary + `">` + canary + `</script><iframe src="/f" name="` + canary + `"></iframe><!-- ` + canary + ` --></body></html>`
	doc := at(html, header("Set-Cookie", canary), header("X-Custom", canary), header("X-Robots-Tag", canary+": noindex", canary), header("Refresh", "5; url=/r?"+canary))
	p, _ := Page(doc, "shop.example")
	if len(p.Findings) < 20 {
		t.Fatalf("only %d findings: the test has lost its point (%v)", len(p.Findings), found(p))
	}
	p.Links = nil // addresses are needed for visits; the ledger and findings redact them
	recorded, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, where := range []string{"findings", "all"} {
		text := string(recorded)
		if where == "findings" {
			b, _ := json.Marshal(p.Findings)
			text = string(b)
		}
		if i := strings.Index(text, canary); i >= 0 {
			t.Errorf("%s hold text of the page: ...%s...", where, text[max(0, i-120):min(len(text), i+120)])
		}
	}
}
