package browser

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"visite/schema"
)

// drawn visits a site with a preview asked for, marked at the selectors.
func drawn(t *testing.T, b *Browser, d *door, selectors ...string) (Rendered, string) {
	t.Helper()
	v := visitOf(t, b, d, "/")
	v.Deadline = 5 * time.Minute // tests are not to depend on speed
	v.Preview = func(Rendered) []string { return selectors }
	out, err := b.Visit(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	if out.Preview == nil {
		t.Fatalf("there is no preview (failure %q, notes %v)", out.Failure, out.Notes)
	}
	raw, err := json.Marshal(out.Preview)
	if err != nil {
		t.Fatal(err)
	}
	return out, string(raw)
}

// onlyNumbers is a drawing without marked places: five keys, and nothing a word
// could be written with.
var onlyNumbers = regexp.MustCompile(`^\{"w":\d+,"h":\d+,"g":\d+,"b":\[(\[[0-9,]+\],?)*\],"p":\{\}\}$`)

const previewPage = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>kanarientitel</title><style>
body { margin: 0; font: 16px/20px monospace; background: #fe8 } .at { position: absolute }
#list::before { content: "kanarienpseudo" } #back { background: url(/a.svg?kanarienbild) } .away { position: absolute; clip: rect(0 0 0 0); width: 1px; height: 1px; overflow: hidden }
#cutting { overflow: hidden } #above { z-index: 5; background: #123456 } #below { z-index: -1; background: #654321 }</style></head><body>
<p class="at" style="left:40px;top:50px;width:400px;margin:0">kanarientext <b>in</b> <i>pieces</i></p>
<img id="pic" class="at" style="left:100px;top:200px;width:300px;height:150px" src="/a.svg?kanarienquelle" alt="kanarienalt">
<div id="back" class="at" style="left:500px;top:200px;width:60px;height:40px"></div>
<div id="cutting" class="at" style="left:600px;top:200px;width:50px;height:50px"><div id="cut" style="width:500px;height:20px;background:#f00">kanarienabgeschnitten</div></div>
<div id="above" class="at" style="left:700px;top:200px;width:10px;height:10px"></div><div id="below" class="at" style="left:700px;top:200px;width:20px;height:20px"></div>
<form class="at" style="left:40px;top:400px"><input name="firstChild" id="field" value="kanarienwert"><input name="nodeType" placeholder="kanarienplatz"><textarea name="nextSibling">kanarienfeld</textarea>
<select name="localName"><option>kanarienwahl</option></select><input type="submit" value="kanariensenden"></form>
<div id="list" class="at" style="left:40px;top:500px" title="kanarienattribut"></div><p class="away">kanarienversteckt</p><p hidden id="gone">kanarienweg</p>
<details class="at" style="left:40px;top:550px"><summary>kanarienkurz</summary>kanarienlang</details>
<div id="host" class="at" style="left:40px;top:600px"><template shadowrootmode="open"><button id="inner" style="display:block;width:90px;height:30px;border:0;padding:0">kanarienschatten</button></template></div>
<svg class="at" style="left:40px;top:700px" width="80" height="20"><text id="letters" y="15">kanarienvektor</text></svg><iframe class="at" style="left:200px;top:700px;width:80px;height:40px" title="kanarienrahmen" srcdoc="kanarieninhalt"></iframe>
</body></html>`

// proves R-23, S-19: what a preview is drawn from is rectangles, of which each has
// its place; no letter of the page is in it, none of its pictures, and no request
// was sent for it.
func TestAPreviewIsRectangles(t *testing.T) {
	d := newDoor(t, pages{"/": previewPage, "/a.svg": strings.Replace(svg, "<rect ", `<rect fill="#1b3" `, 1)})
	out, raw := drawn(t, plainBrowser(t), d, "#pic", "#cut", "#host >>> #inner", "#letters", "#gone", "html", "#(", "#below", "iframe >>> p")
	p := *out.Preview
	for selector, want := range map[string]schema.PreviewPlace{
		"#pic": {X: 100, Y: 200, Width: 300, Height: 150}, "#cut": {X: 600, Y: 200, Width: 50, Height: 20}, "#host >>> #inner": {X: 40, Y: 600, Width: 90, Height: 30},
		"#letters": {X: 40, Y: 700, Width: 80, Height: 20}, "#below": {X: 700, Y: 200, Width: 20, Height: 20},
	} {
		if got := p.Places[selector]; got != want {
			t.Errorf("%s is at %+v, want %+v", selector, got, want)
		}
	}
	if len(p.Places) != 6 { // and the frame
		t.Errorf("places %+v", p.Places)
	}
	if strings.Contains(raw, "kanarien") {
		t.Errorf("words of the page: %s", raw)
	}
	p.Places = map[string]schema.PreviewPlace{}
	if bare, _ := json.Marshal(p); !onlyNumbers.Match(bare) {
		t.Errorf("more than numbers: %s", bare)
	}
	if p.Ground != 0xfe8f || p.Height < 700 || p.Width != 1366 {
		t.Errorf("ground %#x, %d x %d", p.Ground, p.Width, p.Height)
	}
	var pictures, lines []schema.PreviewPlace
	order := map[schema.PreviewColour]int{}
	for i, b := range p.Boxes {
		order[b.Colour] = i
		switch b.Kind {
		case schema.PreviewPicture:
			if b.Colour != 0x999f {
				t.Errorf("a picture has a colour of its own: %+v", b)
			}
			pictures = append(pictures, b.PreviewPlace)
		case schema.PreviewText:
			lines = append(lines, b.PreviewPlace)
		}
	}
	if len(pictures) != 4 {
		t.Errorf("pictures at %+v, want those of img, background, svg and iframe", pictures)
	}
	// The paragraph in pieces is one bar, the cut one as wide as was to be seen, then the summary's and the shadow root's.
	if len(lines) != 4 || lines[0].X != 40 || lines[0].Y < 48 || lines[0].Y > 54 || lines[0].Width < 150 || lines[0].Width > 260 || lines[1].Width != 50 {
		t.Errorf("lines of text at %+v", lines)
	}
	if _, found := order[0x1b3f]; found {
		t.Error("a colour of a picture")
	}
	if order[0x654f] > order[0xf00f] || order[0x135f] < order[0xf00f] {
		t.Errorf("not in the order of painting: %v", order)
	}
	for _, r := range d.requests() {
		if path := strings.TrimPrefix(r, "GET http://site.example"); path != "/" && path != "/favicon.ico" && !strings.HasPrefix(path, "/a.svg?") {
			t.Errorf("a request %s", r)
		}
	}
}

// A page that fights the measuring gets a drawing within its bounds.
func TestAPreviewIsBounded(t *testing.T) {
	hostile := `<!doctype html><html lang="en"><title>x</title><script>
const odd = () => ({ left: NaN, top: Infinity, right: "x", bottom: -1e300, width: NaN, height: NaN, x: 0, y: 0 });
Element.prototype.getBoundingClientRect = odd; Range.prototype.getClientRects = () => { throw 1 }; window.getComputedStyle = null; Math.round = () => "kanarienwert";
Object.defineProperty(Node.prototype, "firstChild", { get() { for (;;) {} } }); Map.prototype.get = Array.prototype.map = Array.prototype.push = () => { throw 1 }; JSON.stringify = () => "kanarientext";
</script><body style="margin:0"><img name="documentElement" alt=""><img name="body" alt=""><div style="position:absolute;left:-1e30px;top:1e30px;width:1e30px;height:1e30px;background:red">x</div>
<div style="position:absolute;z-index:999999999999;top:5999px;height:1e9px;width:1e9px;background:oklch(60% 0.2 30)"></div><div id="host" style="white-space:pre;width:50px"></div>
<script>const host = document.getElementById("host"); for (let i = 0; i < 40000; i++) host.appendChild(document.createTextNode("kanarien\n"));</script></body></html>`
	d := newDoor(t, pages{"/": hostile})
	b := ownBrowser(t)
	b.limits.draw = time.Minute
	b.scripts.axe = `globalThis.visiteAxe = { version: "0", frames: () => [], run: () => '{"violations":[],"incomplete":[],"ran":[]}' };` // it takes half a minute for such a page
	b.scripts.own, b.scripts.qualweb = plainBrowser(t).scripts.own, plainBrowser(t).scripts.qualweb
	out, raw := drawn(t, b, d, append(slices.Repeat([]string{"#host"}, 5000), strings.Repeat("a", 20000))...)
	p := out.Preview
	if p.Width > schema.PreviewWidth || p.Height > schema.PreviewHeight || len(p.Boxes) > schema.PreviewBoxes || len(raw) > 64_000 {
		t.Errorf("%d x %d, %d boxes, %d bytes", p.Width, p.Height, len(p.Boxes), len(raw))
	}
	if len(p.Boxes) < 100 || strings.Contains(raw, "kanarien") {
		t.Errorf("%d boxes: %.300s", len(p.Boxes), raw)
	}
	if at := p.Places["#host"]; len(p.Places) != 1 || at.Width != 50 || at.Height < 5000 {
		t.Errorf("places %v", p.Places)
	}
}
