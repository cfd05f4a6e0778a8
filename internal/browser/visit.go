package browser

import (
	"time"

	"visite/schema"
)

// Visit is one page to open in a run's Chromium context.
type Visit struct {
	ScanID    string        // names the browser context: visits of one scan share cache and cookies (contract R-08)
	ProxyAddr string        // "127.0.0.1:port", the only way out of this context
	URL       string        // absolute http or https address
	Device    schema.Device // what the tab emulates
	UserAgent string        // complete, suffix included (contract S-03, S-06)
	Deadline  time.Duration // for everything, 0 means DefaultDeadline
	// Markup gives the served document in UTF-8 once the page has loaded, nothing
	// where it was not kept; it is validated beside the visit. nil: validity is not asked for.
	Markup func() []byte
	// Preview asks for a drawing of the page (contract R-23); nil: none is made. It is
	// told what was rendered and gives the selectors whose places are to be marked.
	Preview func(Rendered) []string
}

// DefaultDeadline bounds a visit that states no deadline of its own.
const DefaultDeadline = 90 * time.Second

// Bounds of what a visit brings back.
const (
	MaxHTMLBytes = 16 << 20 // of Rendered.HTML
	MaxElements  = 200_000  // beyond it the accessibility engine is not started
	maxFrames    = 50       // frames below the main document that are checked
)

// Rendered is what a visit brought back. It lives in memory only: nothing of it
// that is text of the page may be stored or logged (contract C-58).
type Rendered struct {
	// HTML is the document as rendered, doctype included, open shadow roots as
	// <template shadowrootmode="open">. Empty where Failure is set or where no
	// document came: a download, a 204, a redirect that was not followed.
	HTML string
	// HTMLCut tells that HTML was cut at MaxHTMLBytes.
	HTMLCut bool
	// FinalURL is the address of the document in HTML as the browser knows it
	// (after history.pushState too), without fragment.
	FinalURL string
	// ClientRedirect is where the page itself tried to go before it was inspected
	// (script, meta refresh, reload). It was not followed: that address is a visit
	// of its own. Where HTML is empty beside it the page left before it was whole.
	ClientRedirect string
	// Elements counts the main document's elements.
	Elements int
	// LoadMS is navigation start to load event, in milliseconds; where the load
	// event did not come in time, the time waited for it.
	LoadMS float64
	// Axe is a schema.AxeResults as JSON; nil where the engine was not started.
	Axe []byte
	// Checks is a schema.CheckResults as JSON; nil where our own checks did not run.
	Checks []byte
	// QualWeb is a schema.AxeResults of the second engine; nil where it was not started.
	QualWeb []byte
	// Validity is what the validator found in the served source; nil where it was not
	// checked, which a note says.
	Validity *schema.ValidityResults
	// Observed is how fast the page was, whom it contacted, what it stored.
	Observed schema.Observed
	// AxeEngine is "axe-core 4.14.1"; empty where the engine was not started.
	AxeEngine string
	// ConsoleErrors counts console.error calls and uncaught exceptions, at most 1,000.
	ConsoleErrors int
	// Dialogs counts alert, confirm and prompt boxes, all dismissed at once.
	Dialogs int
	// Popups counts windows the page opened, all closed before they sent a request.
	Popups int
	// RefusedForms counts forms the page tried to send by a navigation of its own;
	// they end in the browser and never reach the door (contract S-19).
	RefusedForms int
	// Preview is the drawing that was asked for, rectangles and colours; nil where
	// there is none.
	Preview *schema.Preview
	// Notes are schema.Note... values.
	Notes []string
	// FramesSkipped counts frames whose contents could not be checked.
	FramesSkipped int
	// Failure says why HTML is empty where the browser is the witness:
	// schema.ReasonTimeout, ReasonBrowserCrashed, ReasonConnection,
	// ReasonTooManyRedirects, ReasonProtocol (the page replaced itself). What the
	// network saw is the door's to tell and comes first.
	Failure schema.Reason
	// OurFault tells that the browser itself died, not this page's renderer.
	OurFault bool
}

func (r *Rendered) note(n string) {
	for _, have := range r.Notes {
		if have == n {
			return
		}
	}
	r.Notes = append(r.Notes, n)
}
