package browser

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"visite/schema"
)

// limits say how long a visit waits for what; all lie within its own deadline.
type limits struct {
	load     time.Duration // commit to load event
	settle   time.Duration // load event to no request under way
	change   time.Duration // load event to a document that no longer changes
	scroll   time.Duration // once down the page
	idle     time.Duration // a run's context without a visit
	check    time.Duration // our own checks at once in the page
	interact time.Duration // those that press keys and turn the screen; how much they do is bounded by counts, this is for pages that hang
	lists    time.Duration // once our own checks are through, for the lists of trackers
	paint    time.Duration // for a paint that is to be reported
	validity time.Duration // for the verdict on the served source, beside the rest
	draw     time.Duration // measuring the page for its preview; what was not reached is not drawn
	answer   time.Duration // a call to the browser itself; later than that it hangs
	html     int           // bytes of the document taken
}

var defaultLimits = limits{load: 25 * time.Second, settle: 5 * time.Second, change: 1500 * time.Millisecond, scroll: 3 * time.Second, idle: 2 * time.Minute, check: 3 * time.Second, interact: 10 * time.Second, lists: 20 * time.Second, paint: 500 * time.Millisecond, validity: 10 * time.Second, draw: 2 * time.Second, answer: 30 * time.Second, html: MaxHTMLBytes}

const (
	calm         = 100 * time.Millisecond // nothing under way, nothing changed: settled
	scrollSteps  = 40                     // screens
	captureLimit = 30 * time.Second       // serialising the document

	// maxElementsForBanner bounds the documents that are looked at for a banner:
	// asking what lies at a point can take Chromium many seconds in larger ones.
	maxElementsForBanner = 50_000
)

// state is what page.js tells of a document.
type state struct {
	URL      string  `json:"url"`
	Ready    string  `json:"ready"`
	Elements int     `json:"elements"`
	Scripts  bool    `json:"scripts"`
	Lazy     bool    `json:"lazy"`
	Tall     bool    `json:"tall"`
	LoadMS   float64 `json:"loadMS"`
	Redirect string  `json:"redirect"` // where the page wanted to go by itself
	Forms    int     `json:"forms"`    // it wanted to send

	Keys []storedKey `json:"keys"` // finalState alone
}

// finalState puts the document to rest, forgets which texts changed until then, and tells its state, with what it stored.
const finalState = "visite.settle(), visite.afresh(), {...visite.state(), keys: visite.keys()}"

// visit opens the page in the tab and brings back what is there.
func (t *tab) visit(v Visit, s scripts, l limits, r *run, m func() *matcher) (out Rendered, err error) {
	defer func() { t.total(&out) }()
	t.asked.start(r)
	defer func() { t.leave(r, &out) }()
	out.Observed.FirstVisit = r.begun.CompareAndSwap(false, true)
	if err := t.prepare(v, s); err != nil {
		return out, err
	}
	t.begun = true
	start := time.Now()
	came, err := t.open(v.URL, v.Deadline*7/10, &out)
	if err != nil || !came {
		return out, err
	}
	switch err := t.awaitLoad(t.ctx, min(l.load, t.left()/2), &out); {
	case errors.Is(err, errCut): // half a document is no ground for a verdict
		return out, nil
	case err != nil:
		return out, err
	}
	loaded := time.Since(start)
	w, err := t.newWorld(t.main(), callLimit)
	if err != nil {
		return out, err
	}
	st, err := t.settle(w, s, l, &out)
	if err != nil {
		return out, err
	}
	t.look(r, st, &out)
	touched := false
	if st.Elements <= maxElementsForBanner {
		touched, err = t.consent(w, s, r, &out)
	}
	if err != nil {
		return out, err
	}
	if touched {
		t.traffic.quiet(t.ctx, calm, l.settle/2)
		if err := w.run(callLimit, finalState, &st); err != nil {
			return out, err
		}
		t.look(r, st, &out)
	}
	if err := capture(w, st, l.html, &out); err != nil {
		return out, err
	}
	if out.LoadMS = st.LoadMS; out.LoadMS <= 0 {
		out.LoadMS = float64(loaded.Microseconds()) / 1000
	}
	t.draw(w, s, v, l, &out) // before the engines take the time there is
	t.layout(w, s, &out)
	valid := t.validate(v, s, l.validity)
	defer valid.await(t.ctx, &out)
	t.examine(w, s, &out)
	t.freeze()
	out.Observed.Contacts = t.asked.close()
	told := t.listed(m, l)
	t.check(w, s, v.Device, l, &out)
	t.examineAgain(s, &out) // it moves the focus: nothing looks at the page after it
	told(&out)
	t.mark(w, v, &out)
	return out, nil
}

// settle waits until the loaded document has come to rest, and makes it load
// what loads when seen. The accessibility engine is put in place meanwhile: it
// changes nothing in the page.
func (t *tab) settle(w world, s scripts, l limits, out *Rendered) (state, error) {
	var st state
	if err := w.run(callLimit, "visite.mark();"+s.speed+";visite.watch(), visite.settle(), visite.state()", &st); err != nil {
		return st, err
	}
	if st.Elements <= MaxElements {
		_ = w.run(callLimit, "visite.mark();"+s.axe+";visite.mark()", nil) // where that fails, the engine is missed when it is to run
	}
	if st.Scripts { // nothing else changes a document by itself
		if err := w.run(l.change+callLimit, fmt.Sprintf("visite.quiet(%d,%d)", calm.Milliseconds(), l.change.Milliseconds()), nil); err != nil {
			return st, err
		}
	}
	still := time.Duration(0)
	if st.Scripts {
		still = calm
	}
	t.traffic.quiet(t.ctx, still, l.settle)
	t.measure(w, l, out) // before the page is scrolled
	if (st.Tall && st.Scripts) || st.Lazy {
		if err := w.run(l.scroll+callLimit, fmt.Sprintf("visite.scroll(%d,%d)", scrollSteps, l.scroll.Milliseconds()), nil); err != nil {
			return st, err
		}
		t.traffic.quiet(t.ctx, still, l.settle)
	}
	return st, w.run(callLimit, finalState, &st)
}

// measure reads how fast the page was. Where that cannot be read it is not known.
func (t *tab) measure(w world, l limits, out *Rendered) {
	var speed *schema.Speed
	if w.run(l.paint+callLimit, fmt.Sprintf("visiteSpeed.read(%d)", l.paint.Milliseconds()), &speed) != nil || speed == nil {
		return
	}
	speed.Loads, speed.Cache = 1, schema.CacheShared
	if out.Observed.FirstVisit {
		speed.Cache = schema.CacheEmpty
	}
	out.Observed.Speed = speed
}

// capture takes the document as it stands.
func capture(w world, st state, limit int, out *Rendered) error {
	var doc struct {
		HTML string `json:"html"`
		Cut  bool   `json:"cut"`
	}
	if err := w.run(captureLimit, fmt.Sprintf("visite.html(%d)", limit), &doc); err != nil {
		return err
	}
	if w.tab.stray() {
		out.Failure = schema.ReasonProtocol
		return nil
	}
	out.HTML, out.HTMLCut, out.Elements = doc.HTML, doc.Cut, st.Elements
	if len(out.HTML) > limit {
		cut := limit
		for cut > 0 && !utf8.RuneStart(out.HTML[cut]) {
			cut--
		}
		out.HTML, out.HTMLCut = out.HTML[:cut], true
	}
	out.FinalURL, _, _ = strings.Cut(st.URL, "#")
	w.tab.refused(st.Redirect, st.Forms)
	return nil
}

// freeze notes what the page did of itself: what it does from here on, our
// checks may have made it do.
func (t *tab) freeze() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.own = &did{t.counts, t.nav.redirect}
}

// total adds what the tab counted.
func (t *tab) total(out *Rendered) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.counts
	out.ClientRedirect = t.nav.redirect
	if t.own != nil {
		c, out.ClientRedirect = t.own.counts, t.own.redirect
	}
	out.ConsoleErrors, out.Dialogs, out.Popups, out.RefusedForms = c.console, c.dialogs, c.popups, c.forms
	if c.dialogs > 0 {
		out.note(schema.NoteDialog)
	}
	if c.popups > 0 {
		out.note(schema.NotePopup)
	}
}

// verdict turns how a visit ended into what is told of it. A page that was
// captured stays captured, whatever happened after.
func verdict(ctx context.Context, t *tab, out Rendered, err error) (Rendered, error) {
	if ctx.Err() != nil {
		return Rendered{}, fmt.Errorf("browser: visit given up: %w", context.Cause(ctx))
	}
	if err == nil {
		return out, nil
	}
	ended := func(by error) bool { return errors.Is(err, by) || errors.Is(context.Cause(t.ctx), by) }
	switch {
	case ended(errGone):
		out.Failure, out.OurFault = schema.ReasonBrowserCrashed, true
	case !t.begun: // nothing was asked of the site yet
		return Rendered{}, err
	case ended(errCrashed):
		out.Failure = schema.ReasonBrowserCrashed
	case ended(errRunEnded):
		return Rendered{}, err
	case t.stray():
		out.Failure = schema.ReasonProtocol
	case ended(errDeadline), ended(errNoAnswer):
		out.Failure = schema.ReasonTimeout
	default:
		return Rendered{}, err
	}
	return out, nil
}
