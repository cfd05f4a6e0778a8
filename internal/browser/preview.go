package browser

import (
	"encoding/json"
	"fmt"
	"time"

	"visite/schema"
)

// Bounds of measuring a page for its preview.
const (
	drawLimit   = 2 * time.Second // looking at the page
	placesLimit = 3 * time.Second // finding the elements of findings
)

// draw measures the page as it was judged, for the drawing of a preview. It
// changes nothing in the page and asks for nothing; where it fails there is none.
func (t *tab) draw(w world, s scripts, v Visit, out *Rendered) {
	if v.Preview == nil || out.HTML == "" {
		return
	}
	var p schema.Preview
	limit := min(drawLimit, t.left()/4)
	if w.run(limit+callLimit/2, fmt.Sprintf("%s\nvisitePreview.draw(%d)", s.preview, limit.Milliseconds()), &p) != nil || !p.Sound() {
		return
	}
	out.Preview = &p
}

// mark finds where on the drawing the findings are that the page will have.
func (t *tab) mark(w world, v Visit, out *Rendered) {
	if out.Preview == nil {
		return
	}
	wanted := v.Preview(*out)
	wanted = wanted[:min(len(wanted), schema.PreviewPlaces)]
	asked, err := json.Marshal(wanted)
	if err != nil || len(wanted) == 0 {
		return
	}
	var places []*schema.PreviewPlace
	if w.run(min(placesLimit, t.left()), fmt.Sprintf("visitePreview.places(%s)", asked), &places) != nil || len(places) != len(wanted) {
		return
	}
	for i, at := range places {
		if at != nil {
			out.Preview.Mark(wanted[i], *at)
		}
	}
}
