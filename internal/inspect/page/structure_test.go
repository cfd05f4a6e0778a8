package page

import (
	"fmt"
	"strings"
	"testing"

	"visite/internal/inspect/dom"
	"visite/schema"
)

const frame = `<!doctype html><html><head><title>x</title></head><body><header><nav><ul><li><a href="/">a</a></ul></nav></header>%s
<aside><section><h2>More</h2><ul><li>x</ul></section></aside><footer><div><p>foot</div></footer></body></html>`

func article(paragraphs int, extra string) string {
	return fmt.Sprintf(frame, `<main><article><h1>T</h1><figure><img alt=""><figcaption>c</figcaption></figure>`+strings.Repeat("<p>words <em>more</em></p>", paragraphs)+extra+"</article></main>")
}

func structureOf(source string) uint64 { return Structure(dom.Parse([]byte(source))) }

// Pages of one template are alike whatever is written on them; another template is not.
func TestStructureTellsTemplatesApart(t *testing.T) {
	short, long := structureOf(article(1, "")), structureOf(article(40, "<blockquote><p>said</p></blockquote>"))
	if !schema.SameStructure(short, long) {
		t.Errorf("two articles differ in %d bits", schema.StructureDistance(short, long))
	}
	for name, source := range map[string]string{
		"a form":  fmt.Sprintf(frame, `<main><form><fieldset><legend>l</legend><div><label>n</label><input></div><div><select><option>1</select></div><button>ok</button></fieldset></form><table><thead><tr><th>x</thead><tbody><tr><td>y</tbody></table></main>`),
		"a list":  `<body><div><div><h1>x</h1><ol><li><div><h3>y</h3><dl><dt>a<dd>b</dl></div></ol></div></div><div><iframe></iframe></div></body>`,
		"a frame": `<body><main><p>x`,
	} {
		if other := structureOf(source); schema.SameStructure(short, other) {
			t.Errorf("an article and %s differ in %d bits only", name, schema.StructureDistance(short, other))
		}
	}
	if one, two := structureOf(article(1, "")), structureOf(strings.ReplaceAll(article(1, ""), "words", "secret")); one != two {
		t.Error("the words of a page change its structure")
	}
}

func TestStructureIsBounded(t *testing.T) {
	var b strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&b, "<x-%d><div><p>", i)
	}
	if structureOf(b.String()) == 0 {
		t.Error("no structure of a page with 60,000 elements")
	}
	if got := structureOf("only words"); got != 0 {
		t.Errorf("words alone have structure %x", got)
	}
}
