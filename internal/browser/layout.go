package browser

import "visite/schema"

// layout looks at how the page is laid out. Where that cannot be seen it is not known.
func (t *tab) layout(w world, s scripts, out *Rendered) {
	if out.HTML == "" || out.Elements > MaxElements {
		return
	}
	var l schema.Layout
	if w.run(callLimit, s.layout+"\nvisiteLayout.read()", &l) == nil {
		out.Observed.Layout = &l
	}
}
