package browser

import (
	"encoding/json"
	"fmt"
	"time"

	"visite/schema"
)

// placesLimit bounds finding the elements of findings.
const placesLimit = 10 * time.Second

// draw measures the page as it was judged, for the drawing of a preview. It
// changes nothing in the page and asks for nothing; where it fails there is none.
func (t *tab) draw(w world, s scripts, v Visit, l limits, out *Rendered) {
	if v.Preview == nil || out.HTML == "" {
		return
	}
	var p schema.Preview
	limit := min(l.draw, t.left()/4)
	if w.run(min(limit+callLimit, t.left()/2), fmt.Sprintf("%s\nvisitePreview.draw(%d)", s.preview, limit.Milliseconds()), &p) != nil || !p.Sound() {
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
