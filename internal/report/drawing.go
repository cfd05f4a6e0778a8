package report

import (
	"context"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"visite/schema"
)

// Bounds of drawings in the HTML report.
const (
	sketchesShown = 40  // rules with a drawing
	sketchHeight  = 560 // CSS pixels of the page around a place, where it is not higher itself
	sketchMost    = 1200
)

// shape is rectangles of one kind and colour that are painted one after another,
// as the data of one path.
type shape struct {
	Path   string
	Colour string // "#rgba"
	Kind   schema.PreviewKind
}

// Line tells a border from an area.
func (s shape) Line() bool { return s.Kind == schema.PreviewFrame }

// drawing is a preview as it is put on a page. It is made of numbers alone.
type drawing struct {
	ID            int64 // of the page
	Width, Height int
	Ground        string
	Shapes        []shape
}

func drawingOf(p schema.ListedPreview) drawing {
	d := drawing{ID: p.PageID, Width: p.Width, Height: p.Height, Ground: colourOf(p.Ground)}
	var path strings.Builder
	for i, b := range p.Boxes {
		path.WriteString(outline(b))
		if i+1 < len(p.Boxes) && p.Boxes[i+1].Kind == b.Kind && p.Boxes[i+1].Colour == b.Colour {
			continue
		}
		d.Shapes = append(d.Shapes, shape{path.String(), colourOf(b.Colour), b.Kind})
		path.Reset()
	}
	return d
}

// outline is a rectangle as path data.
func outline(b schema.PreviewBox) string {
	return "M" + strconv.Itoa(b.X) + " " + strconv.Itoa(b.Y) + "h" + strconv.Itoa(b.Width) + "v" + strconv.Itoa(b.Height) + "h-" + strconv.Itoa(b.Width) + "z"
}

func colourOf(c schema.PreviewColour) string { return fmt.Sprintf("#%04x", uint16(c)) }

// sketch is the part of a drawing around one place, with the place marked.
type sketch struct {
	Number  int // among the report's
	Drawing int64
	URL     string
	Top     int // the part's upper edge
	Width   int
	Height  int
	Place   schema.PreviewPlace
}

// Frame is the rectangle around the place, a little larger than it.
func (s sketch) Frame() schema.PreviewPlace {
	const around = 4
	return schema.PreviewPlace{X: s.Place.X - around, Y: s.Place.Y - around, Width: s.Place.Width + 2*around, Height: s.Place.Height + 2*around}
}

func sketchOf(p schema.ListedPreview, url string, at schema.PreviewPlace) sketch {
	s := sketch{Drawing: p.PageID, URL: url, Width: p.Width, Place: at}
	s.Height = min(p.Height, max(sketchHeight, min(at.Height+160, sketchMost)))
	s.Top = at.Y + at.Height/2 - s.Height/2
	if at.Height > s.Height {
		s.Top = at.Y - 40
	}
	s.Top = max(0, min(s.Top, p.Height-s.Height))
	return s
}

// sketches choose what is drawn beside rules.
type sketches struct {
	by    map[string]schema.ListedPreview // by the page's address
	used  map[int64]bool
	drawn []drawing
	count int
}

// of is the first of a rule's places that is on a drawing; nil for none.
func (s *sketches) of(places []place) *sketch {
	if s.count >= sketchesShown {
		return nil
	}
	for _, p := range places {
		preview, ok := s.by[p.URL]
		if !ok {
			continue
		}
		at, ok := preview.Places[p.Selector]
		if !ok {
			continue
		}
		if !s.used[preview.PageID] {
			s.used[preview.PageID] = true
			s.drawn = append(s.drawn, drawingOf(preview))
		}
		s.count++
		out := sketchOf(preview, p.URL, at)
		out.Number = s.count
		return &out
	}
	return nil
}

// drawingPage is a preview by itself.
var drawingPage = template.Must(template.ParseFS(pageFiles, "page/preview.svg.tmpl", "page/drawing.tmpl"))

// WritePreview writes a preview as an SVG image in which the places of all
// findings are marked: nothing but rectangles and two sentences of ours.
func WritePreview(w io.Writer, p schema.ListedPreview, lang Lang) error {
	speak, err := wordsOf(lang)
	if err != nil {
		return err
	}
	view := struct {
		drawing
		Title, Desc string
		Places      map[string]schema.PreviewPlace
	}{drawing: drawingOf(p), Places: p.Places}
	if view.Title, err = speak.t("preview.title"); err == nil {
		view.Desc, err = speak.t("preview.desc")
	}
	if err == nil {
		err = drawingPage.Execute(w, view)
	}
	return wrapped(err)
}

// PagePreview is the key "preview" of a page.
type PagePreview struct {
	Path      string         `json:"path"` // of the picture, in the API
	Width     int            `json:"width"`
	Height    int            `json:"height"`
	ExpiresAt time.Time      `json:"expires_at"`
	Places    []PreviewPlace `json:"places"`
}

// PreviewPlace is an item of the key "places" of a preview.
type PreviewPlace struct {
	Selector string `json:"selector"`
	X        int    `json:"x"`
	Y        int    `json:"y"`
	Width    int    `json:"width"`
	Height   int    `json:"height"`
}

// PreviewPath is where the API has the preview of a page.
func PreviewPath(scanID string, pageID int64) string {
	return fmt.Sprintf("/v1/scans/%s/pages/%d/preview", scanID, pageID)
}

// previewsOf reads a scan's previews by page.
func previewsOf(ctx context.Context, src Source, scanID string) (map[int64]schema.ListedPreview, error) {
	list, err := src.Previews(ctx, scanID)
	out := make(map[int64]schema.ListedPreview, len(list))
	for _, p := range list {
		out[p.PageID] = p
	}
	return out, wrapped(err)
}

// documentPreview is null where a page has none.
func documentPreview(scanID string, p schema.ListedPreview, found bool) *PagePreview {
	if !found {
		return nil
	}
	out := &PagePreview{Path: PreviewPath(scanID, p.PageID), Width: p.Width, Height: p.Height, ExpiresAt: p.Until.UTC(), Places: []PreviewPlace{}}
	for _, selector := range slices.Sorted(maps.Keys(p.Places)) {
		at := p.Places[selector]
		out.Places = append(out.Places, PreviewPlace{selector, at.X, at.Y, at.Width, at.Height})
	}
	return out
}
