package schema

import (
	"encoding/json"
	"math"
	"time"
)

// Bounds of previews (contract R-23). What lies beyond is left out.
const (
	// PreviewsLast is how far ahead a site's previews may be switched on for.
	PreviewsLast = 365 * 24 * time.Hour
	// PreviewsAScan and PreviewsATemplate bound how many are kept of one scan, and of
	// its pages of one path shape; pages under way together may add one each.
	PreviewsAScan, PreviewsATemplate = 50, 10
	// PreviewWidth and PreviewHeight bound a drawing, in CSS pixels.
	PreviewWidth, PreviewHeight = 2000, 6000
	// PreviewBoxes bounds the rectangles of one drawing: about 50 kB as recorded.
	PreviewBoxes = 2000
	// PreviewPlaces and PreviewSelectors bound the marked places of one drawing and
	// the bytes of their selectors.
	PreviewPlaces, PreviewSelectors = 200, 10_000
)

// Preview is a drawing of a page as it was laid out: rectangles and colours, no
// letter and no picture. It is kept only where the site's owner switched it on.
type Preview struct {
	Width  int                     `json:"w"` // CSS pixels
	Height int                     `json:"h"` // CSS pixels, at most PreviewHeight of the page
	Ground PreviewColour           `json:"g"` // of the page
	Boxes  []PreviewBox            `json:"b"` // in the order they are painted
	Places map[string]PreviewPlace `json:"p"` // where findings are, by their selectors
}

// PreviewKind is what a rectangle stands for. A closed list; numbers are recorded.
type PreviewKind int

const (
	// PreviewSurface is a background, or one side of a border.
	PreviewSurface PreviewKind = iota
	// PreviewText is a line of text, as wide and high as the text was.
	PreviewText
	// PreviewPicture is an image, video, canvas, drawing or frame: one flat area.
	PreviewPicture
	// PreviewFrame is a border around all sides.
	PreviewFrame
)

// PreviewColour is red, green, blue and opacity of four bits each.
type PreviewColour uint16

// PreviewBox is one rectangle, recorded as [kind, x, y, width, height, colour].
type PreviewBox struct {
	Kind PreviewKind
	PreviewPlace
	Colour PreviewColour
}

// MarshalJSON writes the six numbers.
func (b PreviewBox) MarshalJSON() ([]byte, error) {
	return json.Marshal([6]int{int(b.Kind), b.X, b.Y, b.Width, b.Height, int(b.Colour)})
}

// UnmarshalJSON reads the six numbers; a colour that is none makes the box unsound.
func (b *PreviewBox) UnmarshalJSON(data []byte) error {
	var n [6]int
	if err := json.Unmarshal(data, &n); err != nil {
		return err
	}
	*b = PreviewBox{Kind: PreviewKind(n[0]), PreviewPlace: PreviewPlace{n[1], n[2], n[3], n[4]}, Colour: PreviewColour(n[5])}
	if n[5] < 0 || n[5] > math.MaxUint16 {
		b.Kind = -1
	}
	return nil
}

// PreviewPlace is a rectangle in CSS pixels from the drawing's upper left corner,
// recorded as [x, y, width, height].
type PreviewPlace struct{ X, Y, Width, Height int }

// MarshalJSON writes the four numbers.
func (p PreviewPlace) MarshalJSON() ([]byte, error) {
	return json.Marshal([4]int{p.X, p.Y, p.Width, p.Height})
}

// UnmarshalJSON reads the four numbers.
func (p *PreviewPlace) UnmarshalJSON(data []byte) error {
	var n [4]int
	err := json.Unmarshal(data, &n)
	*p = PreviewPlace{n[0], n[1], n[2], n[3]}
	return err
}

// within reports whether a place is a rectangle that lies in the drawing.
func (p PreviewPlace) within(width, height int) bool {
	return p.X >= 0 && p.Y >= 0 && p.Width > 0 && p.Height > 0 && p.X < width && p.Y < height && p.Width <= width-p.X && p.Height <= height-p.Y
}

// Sound keeps a drawing that came from a page within its bounds: what is no
// rectangle of it is dropped. False where nothing is left to be shown.
func (p *Preview) Sound() bool {
	if p.Width < 1 || p.Width > PreviewWidth || p.Height < 1 || p.Height > PreviewHeight {
		return false
	}
	kept := make([]PreviewBox, 0, min(len(p.Boxes), PreviewBoxes))
	for _, b := range p.Boxes {
		if len(kept) < PreviewBoxes && b.Kind >= PreviewSurface && b.Kind <= PreviewFrame && b.within(p.Width, p.Height) {
			kept = append(kept, b)
		}
	}
	p.Boxes, p.Places = kept, map[string]PreviewPlace{}
	return len(kept) > 0
}

// Mark notes where the element of a finding's selector is; beyond the bounds, or
// outside the drawing, nothing.
func (p *Preview) Mark(selector string, at PreviewPlace) {
	size := len(selector)
	for s := range p.Places {
		size += len(s)
	}
	if len(p.Places) < PreviewPlaces && size <= PreviewSelectors && at.within(p.Width, p.Height) {
		p.Places[selector] = at
	}
}

// PreviewSwitch is what a site's owner decided about previews: until when they are
// made and kept. The zero time is never.
type PreviewSwitch struct{ Until time.Time }

// On reports whether previews are made and shown at a moment.
func (s PreviewSwitch) On(now time.Time) bool { return now.Before(s.Until) }

// ListedPreview is the preview of one page.
type ListedPreview struct {
	PageID int64
	Until  time.Time // when it is deleted
	Preview
}
