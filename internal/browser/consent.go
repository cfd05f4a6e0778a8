package browser

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"visite/schema"
)

const (
	bannerAppears = 3 * time.Second         // after load, where a consent tool is there and its banner is not yet
	bannerGoes    = 1500 * time.Millisecond // after a click: banners fade out
	bannerTotal   = 12 * time.Second        // for all of it
	bannerFrames  = 5                       // of consent tools that are looked into
)

// banners is what is known of consent banners in a run. Cookies are shared by
// its visits: a choice made on one page holds for the next.
type banners struct {
	met  atomic.Bool // a banner was there, or awaited in vain
	kept atomic.Bool // the rules for known tools knew no way
	no   atomic.Bool // a banner was refused: nothing is consented to from then on

	open atomic.Int32 // visits under way that began before, and have not refused themselves
}

// banner deals with the consent banner of one page.
type banner struct {
	tab     *tab
	world   world
	scripts scripts
	until   time.Time
	seen    looked
	acts    func() // is called when something is begun that may refuse
}

// looked is what consent.js sees.
type looked struct {
	Shown  int   `json:"shown"`
	Frames []int `json:"frames"` // which of them are frames
	Tool   bool  `json:"tool"`   // no banner, but a consent tool that may bring one
}

// consent refuses or closes the banner that covers the page, where there is one
// (contract S-18), and never accepts. What came of it is noted. A page
// without a banner is looked at, and not touched. It tells whether the page may
// have changed.
func (t *tab) consent(w world, s scripts, r *run, out *Rendered) (touched bool, err error) {
	known := &r.banners
	b := &banner{tab: t, world: w, scripts: s, until: time.Now().Add(min(bannerTotal, t.left()/3))}
	if err := w.run(callLimit, s.consent+";visiteConsent.look()", &b.seen); err != nil {
		return false, harmless(err)
	}
	if b.seen.Tool && known.met.CompareAndSwap(false, true) {
		if err := w.run(bannerAppears+callLimit, fmt.Sprintf("visiteConsent.appears(%d)", bannerAppears.Milliseconds()), &b.seen); err != nil {
			return false, harmless(err)
		}
	}
	if b.seen.Shown == 0 {
		return false, nil
	}
	known.met.Store(true)
	b.acts = func() { // what is there by now came before
		var st state
		if w.run(callLimit, finalState, &st) == nil {
			t.look(r, st, out)
		}
		t.asked.act()
	}
	note, err := b.refuse(known)
	if err != nil { // the page stopped answering half-way: nothing is known to be gone
		note = schema.NoteBannerOpen
	}
	if err = harmless(err); err != nil {
		return true, err
	}
	out.note(note)
	if note == schema.NoteBannerRejected {
		known.no.Store(true)
		t.asked.refuse()
		known.open.Add(-1)
	}
	if note == schema.NoteBannerOpen {
		return true, nil
	}
	var locked bool
	if err := w.run(callLimit, "visiteConsent.locked()", &locked); err != nil {
		return true, harmless(err)
	}
	if locked {
		out.note(schema.NoteScrollLocked)
	}
	return true, nil
}

// harmless drops what concerns the banner alone: a page whose banner could not
// be looked at is judged as it is.
func harmless(err error) error {
	if errors.Is(err, errScript) || errors.Is(err, errNoAnswer) {
		return nil
	}
	return err
}

// refuse tries, in this order: the button that plainly refuses, as a visitor
// would; the rules for known consent tools; the button that closes. Whether the
// banner is gone is seen on the page, whoever says that it did it.
func (b *banner) refuse(known *banners) (string, error) {
	b.acts()
	refused, err := b.click("reject")
	if err != nil {
		return "", err
	}
	if refused {
		if gone, err := b.gone(bannerGoes); err != nil || gone {
			return schema.NoteBannerRejected, err
		}
	}
	if !known.kept.Load() {
		note, err := b.byRules(refused)
		if err != nil || note != "" {
			return note, err
		}
		known.kept.Store(true)
	}
	if closed, err := b.click("close"); err != nil {
		return "", err
	} else if closed {
		if gone, err := b.gone(bannerGoes); err != nil || gone {
			return schema.NoteBannerClosed, err
		}
	}
	return schema.NoteBannerOpen, nil
}

// gone waits for the banner to go.
func (b *banner) gone(limit time.Duration) (bool, error) {
	wait := max(min(limit, time.Until(b.until)), 0)
	var gone bool
	err := b.world.run(wait+callLimit, fmt.Sprintf("visite.settle(), visiteConsent.gone(%d)", wait.Milliseconds()), &gone)
	return gone, err
}

// click has a button of the banner clicked, in the frames that hold one as well.
func (b *banner) click(which string) (bool, error) {
	var clicked bool
	if err := b.world.run(callLimit, "visiteConsent."+which+"()", &clicked); err != nil || clicked {
		return clicked, err
	}
	for _, frame := range b.frames() {
		w, err := b.tab.newWorld(frame, frameLimit)
		if err != nil {
			continue // it has gone
		}
		if w.run(frameLimit, b.scripts.consent+";visiteConsent.whole()&&visiteConsent."+which+"()", &clicked) == nil && clicked {
			return true, nil
		}
	}
	return false, nil
}

// frames are those of consent tools that are shown.
func (b *banner) frames() []proto.PageFrameID {
	var out []proto.PageFrameID
	for _, i := range b.seen.Frames[:min(len(b.seen.Frames), bannerFrames)] {
		object, err := b.world.object(frameLimit, fmt.Sprintf("visiteConsent.frame(%d)", i))
		if err != nil {
			continue
		}
		node, err := proto.DOMDescribeNode{ObjectID: object}.Call(b.tab.channel().within(frameLimit))
		if err == nil && node.Node.FrameID != "" {
			out = append(out, node.Node.FrameID)
		}
	}
	return out
}
