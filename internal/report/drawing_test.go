package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"visite/schema"
)

// The place of a finding is marked on the drawing of its page, in the part of the
// page that is shown.
func TestAFindingIsMarkedOnItsPagesDrawing(t *testing.T) {
	for _, lang := range Langs() {
		page := htmlOf(t, sample(), sampleScan(), lang)
		if n := strings.Count(page, `<use href="#drawing-1"/>`); n != 1 {
			t.Fatalf("%s: %d drawings are shown", lang, n)
		}
		if !strings.Contains(page, `viewBox="0 1100 1366 560"`) || !strings.Contains(page, `<rect class="spot" x="36" y="1196" width="648" height="368"/>`) {
			t.Errorf("%s: the place is not marked", lang)
		}
		if strings.Count(page, `<g id="drawing-1">`) != 1 || !strings.Contains(page, `M40 1600h640v19h-640zM40 1624h512v19h-512z" fill="#222f"`) {
			t.Errorf("%s: the drawing is not as recorded", lang)
		}
	}
	without := sample()
	without.previews = nil
	if page := htmlOf(t, without, sampleScan(), English); strings.Contains(page, "<use") || strings.Contains(page, "<figcaption") {
		t.Error("a drawing without previews")
	}
}

// However many rules and places there are, drawings are bounded.
func TestDrawingsOfAReportAreBounded(t *testing.T) {
	s := large(3000)
	for i := range 100 {
		p := samplePreview()
		p.PageID = int64(i + 1)
		p.Places = map[string]schema.PreviewPlace{"": {X: 1, Y: 1, Width: 9, Height: 9}, "img:nth-child(1)": {X: 1, Y: 2300, Width: 9, Height: 90}}
		s.previews = append(s.previews, p)
	}
	page := htmlOf(t, s, sampleScan(), English)
	if n := strings.Count(page, "<use "); n != sketchesShown {
		t.Errorf("%d drawings are shown, want %d", n, sketchesShown)
	}
	if n := strings.Count(page, `<g id="drawing-`); n == 0 || n > sketchesShown {
		t.Errorf("%d drawings are there", n)
	}
}

// proves R-23: a preview by itself is rectangles and two sentences of ours; it is
// sound XML without anything that could act or load.
func TestAPreviewByItselfIsAnImage(t *testing.T) {
	p := samplePreview()
	p.Places[`a"><script>alert("kanarien")</script>`] = schema.PreviewPlace{X: 1, Y: 1, Width: 2, Height: 2}
	var out bytes.Buffer
	if err := WritePreview(&out, p, German); err != nil {
		t.Fatal(err)
	}
	var names []string
	for d := xml.NewDecoder(bytes.NewReader(out.Bytes())); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in %s", err, out.String())
		}
		if e, ok := token.(xml.StartElement); ok && !slices.Contains(names, e.Name.Local) {
			names = append(names, e.Name.Local)
		}
	}
	if strings.Join(names, " ") != "svg title desc rect path" {
		t.Errorf("elements %q", names)
	}
	if regexp.MustCompile(`(?i)kanarien|href|script|style`).Match(out.Bytes()) || !strings.Contains(out.String(), `x="40" y="1200" width="640" height="360" fill="none" stroke="#c0143c"`) {
		t.Errorf("%s", out.String())
	}
}
