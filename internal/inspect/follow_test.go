package inspect

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"visite/schema"
)

// linksOf gives the links of markup on https://shop.example/a/page.html as
// "kind address", and the candidates.
func linksOf(t *testing.T, doc Document) (links, candidates []string, p schema.Page) {
	t.Helper()
	p, c := Page(doc, "shop.example")
	for _, l := range p.Links {
		s := string(l.Kind) + " " + l.URL
		if l.NoFollow {
			s += " nofollow"
		}
		if l.InScope != strings.HasPrefix(strings.TrimPrefix(strings.TrimPrefix(l.URL, "https://"), "http://"), "shop.example/") {
			t.Errorf("%s: in scope %v", l.URL, l.InScope)
		}
		links = append(links, s)
	}
	for _, k := range c {
		if k.Via != schema.ViaLink || k.Depth != 0 {
			t.Errorf("candidate %+v", k)
		}
		candidates = append(candidates, k.URL)
	}
	return links, candidates, p
}

// What is a link, to where, and what is followed: hints are none (L02, L03), an odd
// srcset costs nothing else (L05), text directives (L08), empty path segments (L14),
// other schemes (L16), refreshes (L18), words of scripts (L38).
func TestLinks(t *testing.T) {
	const host = "https://shop.example"
	cases := []struct {
		name, markup      string
		links, candidates []string
	}{
		{"relative and absolute", `<a href="b.html">x</a><a href="/c">x</a><a href="https://other.example/d">x</a><a href="HTTP://SHOP.example:80/e#f">x</a>`,
			[]string{"anchor " + host + "/a/b.html", "anchor " + host + "/c", "anchor https://other.example/d", "anchor http://shop.example/e"},
			[]string{host + "/a/b.html", host + "/c", "http://shop.example/e"}},
		{"hints are no links", `<link rel="dns-prefetch" href="//fonts.example.org"><link rel="preconnect" href="https://tags.example.org"><link rel=preload as=font href=/f.woff2>`, nil, nil},
		{"protocol-relative", `<a href="//fonts.example.org">x</a>`, []string{"anchor https://fonts.example.org/"}, nil},
		{"other schemes", `<a href="tel:+4912345">x</a><a href="mailto:a@shop.example">x</a><a href="data:text/plain,hi">x</a><a href="javascript:x()">x</a>`, nil, nil},
		{"srcset", `<img alt="" src="t.png" srcset="t.png 200w,"><picture><source srcset="u.png, v,w.png 2x ,, data:image/png;base64,AA== 3x"></picture>`,
			[]string{"image " + host + "/a/t.png", "image " + host + "/a/u.png", "image " + host + "/a/v,w.png"}, nil},
		{"text directives", `<a href="/doc#part:~:text=some%20words">x</a><a href="#:~:text=y">x</a>`,
			[]string{"anchor " + host + "/doc", "anchor " + host + "/a/page.html"}, []string{host + "/doc"}},
		{"empty segments are kept", `<a href="//shop.example//News#x">x</a>`, []string{"anchor " + host + "//News"}, []string{host + "//News"}},
		{"refresh with seconds alone", `<meta http-equiv="refresh" content="180">`, nil, nil},
		{"refresh to a page", `<meta http-equiv="Refresh" content="0; URL=en/91/index.html">`,
			[]string{"refresh " + host + "/a/en/91/index.html"}, []string{host + "/a/en/91/index.html"}},
		{"refresh with quotes", `<meta http-equiv=refresh content="5,url = '/q?a=1' rest">`, []string{"refresh " + host + "/q?a=1"}, []string{host + "/q?a=1"}},
		{"refresh without url=", `<meta http-equiv=refresh content=".5 next.html">`, []string{"refresh " + host + "/a/next.html"}, []string{host + "/a/next.html"}},
		{"script text is no markup", `<script>document.write("<a href='ghost.html'>x</a>")</script><noscript><a href=n>x</a></noscript><template><a href=t>x</a></template>`, nil, nil},
		{"frames", `<iframe src="/f" title=f></iframe><iframe srcdoc="<a href=x>"></iframe><iframe src="about:blank" title=x></iframe>`,
			[]string{"frame " + host + "/f"}, []string{host + "/f"}},
		{"map, svg, nofollow", `<map><area href="/m" alt=m></map><svg><a xlink:href="/s"><text>x</text></a></svg><a rel="nofollow ugc" href="/n">x</a>`,
			[]string{"anchor " + host + "/m", "anchor " + host + "/s", "anchor " + host + "/n nofollow"}, []string{host + "/m", host + "/s", host + "/n"}},
		{"followed once is followed", `<a rel="nofollow" href="/n">x</a><a href="/n">x</a>`, []string{"anchor " + host + "/n"}, []string{host + "/n"}},
		{"files are links but no candidates", `<a href="/a.pdf">x</a><script src="/s.js"></script><link rel=stylesheet href="/c.css"><video src="/v.mp4" poster="/p.jpg"></video>`,
			[]string{"anchor " + host + "/a.pdf", "script " + host + "/s.js", "style " + host + "/c.css", "media " + host + "/v.mp4", "image " + host + "/p.jpg"}, nil},
		{"the page for another medium is no candidate", `<link rel=alternate media=print href="/print"><link rel=amphtml href="/amp">`, []string{"alternate " + host + "/print"}, nil},
		{"feeds are no candidates", `<link rel=alternate type="application/rss+xml" href="/feed">`, []string{"alternate " + host + "/feed"}, nil},
		{"tracking is dropped within the site", `<a href="/x?utm_source=a&id=1">x</a><a href="/x?id=1">x</a><a href="https://other.example/?utm_source=a">x</a>`,
			[]string{"anchor " + host + "/x?id=1", "anchor https://other.example/?utm_source=*"}, []string{host + "/x?id=1"}},
		{"what may be words elsewhere is not kept", `<a href="https://other.example/share?text=Words+of+ours&u=a">x</a><a href="https://me:word@other.example/share?text=More&u=b#c">x</a>`,
			[]string{"anchor https://other.example/share?text=*&u=*"}, nil},
		{"secrets are masked and not visited", `<a href="/invite?to=fair&token=a">x</a><a href="/invite?to=fair&token=b">x</a><a href="/list?q=boats&page=2">x</a>`,
			[]string{"anchor " + host + "/invite?to=fair&token=*", "anchor " + host + "/list?q=boats&page=2"}, []string{host + "/list?q=boats&page=2"}},
		{"an anchor outranks an image", `<img alt=x src="/i"><a href="/i">x</a>`, []string{"anchor " + host + "/i"}, []string{host + "/i"}},
		{"the page's own address as canonical", `<link rel=canonical href="page.html"><a href="">x</a>`, []string{"anchor " + host + "/a/page.html"}, nil},
		{"hosts without scheme are not followed", `<a href="www.other.example">x</a><a href="info@shop.example">x</a>`, nil, nil},
		{"traps are links but no candidates", `<a href="/x/x/x/y">x</a><a href="/?&amp;amp;amp;amp;p=1">x</a>`,
			[]string{"anchor " + host + "/x/x/x/y", "anchor " + host + "/?&amp;amp;amp;p=1"}, nil},
		{"spaces", `<a href="  /my file.html ">x</a>`, []string{"anchor " + host + "/my%20file.html"}, []string{host + "/my%20file.html"}},
		{"hidden links are followed", `<div hidden><a href="/h">x</a></div>`, []string{"anchor " + host + "/h"}, []string{host + "/h"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			links, candidates, _ := linksOf(t, at("<!doctype html><title>t</title><body>"+c.markup))
			if !slices.Equal(links, c.links) {
				t.Errorf("links\n got %q\nwant %q", links, c.links)
			}
			if !slices.Equal(candidates, c.candidates) {
				t.Errorf("candidates\n got %q\nwant %q", candidates, c.candidates)
			}
		})
	}
}

func TestBaseElement(t *testing.T) {
	for markup, want := range map[string]string{
		`<base href="/deep/er/"><a href="x">`:                                   "https://shop.example/deep/er/x",
		`<a href="x"><base href="/late/">`:                                      "https://shop.example/late/x",
		`<base target=_top><base href="https://shop.example/two/"><a href="x">`: "https://shop.example/two/x",
		`<base href="/one/"><base href="/two/"><a href="x">`:                    "https://shop.example/one/x",
		`<base href="data:text/plain,x"><a href="x">`:                           "https://shop.example/a/x",
	} {
		links, _, _ := linksOf(t, at("<title>t</title>"+markup+"x</a>"))
		if len(links) != 1 || links[0] != "anchor "+want {
			t.Errorf("%s: %q, want %s", markup, links, want)
		}
	}
}

// The scope is judged by the final address: a foreign page is not read, and none
// of its links is booked on the site (L33).
func TestForeignPagesAreNotRead(t *testing.T) {
	doc := at(body(`<a href="about">x</a>`), func(d *Document) {
		d.Facts.Final = "https://blog.example.org/"
		d.Facts.Hops = []schema.Hop{{URL: "https://shop.example/a/page.html", Status: 301}}
	})
	p, candidates := Page(doc, "shop.example")
	if p.Outcome != schema.OutcomeRedirected || p.Title != "" || len(p.Links)+len(p.Findings)+len(candidates) != 0 {
		t.Errorf("got %+v, %v", p, candidates)
	}
	if p.URL != "https://shop.example/a/page.html" || p.FinalURL != "https://blog.example.org/" || len(p.Redirects) != 1 {
		t.Errorf("addresses %s, %s, %v", p.URL, p.FinalURL, p.Redirects)
	}
}

// A page that is broken, blocked or no page at all gets an outcome, no verdict.
//
// proves S-40, S-42
func TestNoVerdictsWithoutAPage(t *testing.T) {
	broken := "<title>Gone</title><img src=x>"
	cases := []struct {
		name    string
		doc     Document
		outcome schema.Outcome
		reason  schema.Reason
	}{
		{"404", at(broken, func(d *Document) { d.Facts.Status = 404 }), schema.OutcomeErrorAnswer, schema.ReasonErrorStatus},
		{"500", at(broken, func(d *Document) { d.Facts.Status = 500 }), schema.OutcomeErrorAnswer, schema.ReasonErrorStatus},
		{"999", at(broken, func(d *Document) { d.Facts.Status = 999 }), schema.OutcomeErrorAnswer, schema.ReasonErrorStatus},
		{"PDF", at("%PDF-1.7", func(d *Document) { d.Facts.MediaType = "application/pdf" }), schema.OutcomeNotPage, schema.ReasonMediaType},
		{"text", at("plain", func(d *Document) { d.Facts.MediaType = "text/plain; charset=utf-8" }), schema.OutcomeNotPage, schema.ReasonMediaType},
		{"no type, binary", at("\x00\x01\x02", func(d *Document) { d.Facts.MediaType = "" }), schema.OutcomeNotPage, schema.ReasonMediaType},
		{"told by the network", at(broken, func(d *Document) {
			d.Facts.Outcome, d.Facts.Reason = schema.OutcomeNotAnalysed, schema.ReasonTimeout
		}), schema.OutcomeNotAnalysed, schema.ReasonTimeout},
		{"blocked", at(broken, func(d *Document) { d.Facts.Outcome = schema.OutcomeBlocked }), schema.OutcomeBlocked, ""},
	}
	for _, c := range cases {
		p, candidates := Page(c.doc, "shop.example")
		if p.Outcome != c.outcome || p.Reason != c.reason {
			t.Errorf("%s: %s, %s", c.name, p.Outcome, p.Reason)
		}
		if p.Title != "" || p.Words != 0 || len(p.Links)+len(p.Findings)+len(candidates) != 0 {
			t.Errorf("%s: something was read: %+v", c.name, p)
		}
	}
	p, _ := Page(at("<p>hello", func(d *Document) { d.Facts.MediaType = "" }), "shop.example")
	if p.Outcome != schema.OutcomeAnalysed {
		t.Errorf("markup without a media type: %s", p.Outcome)
	}
}

func TestBounds(t *testing.T) {
	var many strings.Builder
	for i := range 6000 {
		fmt.Fprintf(&many, `<a href="/p%d"></a>`, i)
	}
	p, candidates := Page(at(body(many.String())), "shop.example")
	if len(p.Links) != 5000 || len(candidates) != 5000 {
		t.Errorf("%d links, %d candidates", len(p.Links), len(candidates))
	}
	nameless := 0
	for _, f := range p.Findings {
		if f.Rule == "link-name" {
			nameless++
		}
	}
	if nameless != MaxFindings {
		t.Errorf("%d findings of one rule", nameless)
	}
	if !slices.Contains(p.Notes, schema.NoteLinksCut) || !slices.Contains(p.Notes, schema.NoteFindingsCut) {
		t.Errorf("notes %v", p.Notes)
	}
	p, _ = Page(at("<p>"+strings.Repeat("<i>x</i>", 400_000)), "shop.example")
	if !slices.Equal(p.Notes, []string{schema.NoteTooManyElements}) {
		t.Errorf("notes %v", p.Notes)
	}
	if slices.Contains(found(p), "title-missing") || slices.Contains(found(p), "viewport-missing") {
		t.Error("something is called missing on a page that was not seen whole")
	}
}
