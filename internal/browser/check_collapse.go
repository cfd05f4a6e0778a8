package browser

import (
	"fmt"
	"slices"
	"time"

	"visite/schema"
)

const (
	bypassRule = "bypass-missing"
	// collapsing is how long the page may take to answer the use of one control.
	collapsing = 300 * time.Millisecond
)

// collapse settles whether controls before a page's content collapse what comes
// before it, by using them (WCAG 2.4.1). It leaves the page other than it was, so
// nothing may look at the page after it; where it does not succeed the question stays.
func (c *checker) collapse(out *Rendered) {
	at := slices.IndexFunc(c.results.Hits, func(h schema.CheckHit) bool {
		return h.Rule == bypassRule && h.Outcome == schema.FindingNeedsReview
	})
	if at < 0 || c.tab.left() < callLimit/2 {
		return
	}
	c.until = time.Now().Add(callLimit / 4)
	var came string
	if c.offline() != nil || c.ask(fmt.Sprintf("visiteOwn.bypass.collapse(%d)", collapsing.Milliseconds()), &came) != nil {
		return
	}
	switch came {
	case "collapsed":
		c.results.Hits = slices.Delete(c.results.Hits, at, at+1)
	case "kept":
		c.results.Hits[at].Outcome = schema.FindingFailed
	}
	c.finish(out)
}
