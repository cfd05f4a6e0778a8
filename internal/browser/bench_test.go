package browser

import (
	"fmt"
	"os"
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

// TestPace prints what a visit takes beside a bare loop of the driver that loads
// the same pages and runs the same engine with the same rules.
func TestPace(t *testing.T) {
	rounds := os.Getenv("VISITE_PACE")
	if rounds == "" {
		t.Skip("set VISITE_PACE to the number of pages")
	}
	var n int
	fmt.Sscan(rounds, &n)
	b := needBrowser(t)
	d := newDoor(t, newArticles())
	v := visitOf(t, b, d, "/p/0")
	if _, err := b.Visit(t.Context(), v); err != nil {
		t.Fatal(err)
	}
	bare := newBare(t, d, b)
	bare.open(t, "http://site.example/p/0")
	var ours, theirs time.Duration
	for i := range n { // taken in turns: the machine is not alone
		v.URL = fmt.Sprintf("http://site.example/p/%d", i%40)
		start := time.Now()
		out, err := b.Visit(t.Context(), v)
		if err != nil || out.Failure != "" || len(axeOf(t, out).GroupsNotRun) > 0 {
			t.Fatal(err, out.Failure)
		}
		ours += time.Since(start)
		start = time.Now()
		bare.open(t, v.URL)
		theirs += time.Since(start)
	}
	t.Logf("a visit %v, a bare load with the engine %v, ratio %.2f", (ours / time.Duration(n)).Round(time.Millisecond), (theirs / time.Duration(n)).Round(time.Millisecond), float64(ours)/float64(theirs))
}

// bare is the driver as its manual shows it.
type bare struct {
	browser *rod.Browser
	axe     string
}

func newBare(t *testing.T, d *door, b *Browser) bare {
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

func (b bare) open(t *testing.T, url string) {
	p, err := b.browser.Page(proto.TargetCreateTarget{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := p.WaitLoad(); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Eval(`source => { (0, eval)(source) }`, b.axe); err != nil {
		t.Fatal(err)
	}
	rules := []string{"wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"}
	r, err := p.Eval(`rules => axe.run(document, {runOnly: {type: "tag", values: rules}}).then(r => r.violations.length)`, rules)
	if err != nil {
		t.Fatal(err)
	}
	_ = r.Value.Int()
}
