package browser

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/launcher"
	"github.com/go-rod/rod/lib/proto"
)

// article is an ordinary small page: text, links, a picture, a style sheet, a script.
func article(n int) string {
	var b strings.Builder
	for i := range 12 {
		fmt.Fprintf(&b, `<section><h2>Part %d</h2><p>Words about thing %d, and <a href="/p/%d">a link to it</a>.</p><img src="/a.svg?%d" alt="Picture %d"></section>`, i, i, (n+i)%40, i%3, i)
	}
	return html(`<link rel="stylesheet" href="/s.css"><script src="/s.js" defer></script>`, b.String())
}

type articles struct{ pages }

func newArticles() articles {
	p := pages{"/a.svg": svg, "/s.css": "body{font:16px sans-serif;color:#222}", "/s.js": "document.body.dataset.ready='yes'"}
	for n := range 40 {
		p[fmt.Sprintf("/p/%d", n)] = article(n)
	}
	return articles{p}
}

// BenchmarkVisitBesideABareLoop reports what a visit takes, what a bare loop of
// the driver takes that loads the same page and runs the same engine with the
// same rules, and the ratio. They take turns: the machine may not be ours alone.
//
//	go test -run '^$' -bench Beside -benchtime 40x ./internal/browser/
func BenchmarkVisitBesideABareLoop(b *testing.B) {
	br := needBrowser(b)
	d := newDoor(b, newArticles())
	v := visitOf(b, br, d, "/p/0")
	open(b, br, d, "/p/0")
	bare := newBare(b, d, br)
	bare.open(b, v.URL)
	var ours, theirs time.Duration
	n := 0
	for b.Loop() {
		v.URL = fmt.Sprintf("http://site.example/p/%d", n%40)
		start := time.Now()
		out, err := br.Visit(b.Context(), v)
		ours += time.Since(start)
		if err != nil || out.Failure != "" || len(axeOf(b, out).GroupsNotRun) > 0 {
			b.Fatal(err, out.Failure)
		}
		start = time.Now()
		bare.open(b, v.URL)
		theirs += time.Since(start)
		n++
	}
	b.ReportMetric(float64(ours.Milliseconds())/float64(n), "ms/visit")
	b.ReportMetric(float64(theirs.Milliseconds())/float64(n), "ms/bare")
	b.ReportMetric(float64(ours)/float64(theirs), "ratio")
}

// bare is the driver as its manual shows it.
type bare struct {
	browser *rod.Browser
	axe     string
}

func newBare(t testing.TB, d *door, b *Browser) bare {
	t.Helper()
	l := launcher.New().Bin(b.opts.Path).NoSandbox(true).Set("proxy-server", "http://"+d.addr()).Set("proxy-bypass-list", "<-loopback>")
	url, err := l.Launch()
	if err != nil {
		t.Fatal(err)
	}
	br := rod.New().ControlURL(url).MustConnect()
	t.Cleanup(func() { br.MustClose(); l.Cleanup() })
	return bare{br, b.scripts.axe}
}

func (b bare) open(t testing.TB, url string) { b.axeAlone(t, url) }

// axeAlone loads a page and tells how long axe-core took on it.
func (b bare) axeAlone(t testing.TB, url string) time.Duration {
	p, err := b.browser.Page(proto.TargetCreateTarget{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := p.WaitLoad(); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if _, err := p.Eval(`source => { (0, eval)(source) }`, b.axe); err != nil {
		t.Fatal(err)
	}
	rules := []string{"wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"}
	r, err := p.Eval(`rules => axe.run(document, {runOnly: {type: "tag", values: rules}}).then(r => r.violations.length)`, rules)
	if err != nil {
		t.Fatal(err)
	}
	_ = r.Value.Int()
	return time.Since(start)
}
