package browser

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"visite/schema"
)

// listenLimit is how long is listened to media that begin by themselves.
const listenLimit = 1500 * time.Millisecond

const (
	leastForChecks = 2500 * time.Millisecond // with less left of a visit the checks are not begun
	checksReturn   = 10 * time.Second        // beyond their own limit, for one that has begun
)

// checker runs our own checks in one tab.
type checker struct {
	tab     *tab
	w       world
	results schema.CheckResults
	until   time.Time // for what presses keys and turns the screen
	heard   *listening
}

// check runs our own checks in the page, then those that press keys and turn the
// screen: they may leave the page other than it was, so nothing comes after
// them. It fails never.
func (t *tab) check(w world, s scripts, device schema.Device, l limits, out *Rendered) {
	if out.HTML == "" || out.Elements > MaxElements {
		return
	}
	c := &checker{tab: t, w: w}
	c.results = schema.CheckResults{Hits: []schema.CheckHit{}, Ran: []string{}, NotRun: []string{}}
	defer c.finish(out)
	var looked struct {
		schema.CheckResults
		Plan *plan `json:"plan"` // nil where nothing was looked at
	}
	if t.left() < leastForChecks || w.run(min(l.check+checksReturn, t.left()), fmt.Sprintf("%s\nvisiteOwn.run(%d)", s.own, l.check.Milliseconds()), &looked) != nil {
		c.results.NotRun = []string{schema.AllChecks}
		return
	}
	c.results = looked.CheckResults
	c.until = time.Now().Add(min(l.interact, t.left()/2))
	c.use(c.steps(looked.Plan, device))
}

// plan is what there is on a page for the checks that use it; nil is what could
// not be looked at.
type plan struct {
	Audio   *int `json:"audio"`   // media that begin by themselves
	Changes *int `json:"changes"` // ms a verdict on text that changes takes at most, 0 without such text
	Turned  *int `json:"turned"`  // elements that styles for one orientation turn
	Boxes   *int `json:"boxes"`   // that cut off what does not fit
	Hidden  *int `json:"hidden"`  // stops of the keyboard that assistive technology does not meet
	Stops   *int `json:"stops"`   // of the keyboard
	Motion  *int `json:"motion"`  // 1 where the page may hear of the device's movement: secure contexts only
	Scripts *int `json:"scripts"` // something may listen to events
}

// need tells whether there is something for a check to do.
type need int

const (
	idle    need = iota // nothing: it has run
	needed              // it is to be carried out
	unknown             // nobody could look: it has not run
)

// needs is what follows from counts: one that is 0 leaves nothing to do.
func needs(counts ...*int) need {
	all := needed
	for _, n := range counts {
		switch {
		case n == nil:
			all = unknown
		case *n == 0:
			return idle
		}
	}
	return all
}

// step is one check that uses the page.
type step struct {
	rule string
	need need
	run  func() ([]schema.CheckHit, error)
}

// steps are those of a plan; without one each of them is unknown.
func (c *checker) steps(p *plan, device schema.Device) []step {
	var narrower *int // for the mobile screen zoom changes nothing
	if p == nil {
		p = &plan{}
	} else if narrower = new(int); device != schema.DeviceMobile {
		*narrower = 1
	}
	steps := []step{
		{"audio-autoplay", needs(p.Audio), c.sound},
		{"content-changes", needs(p.Changes), func() ([]schema.CheckHit, error) { return c.changes(*p.Changes) }},
		{"", idle, func() ([]schema.CheckHit, error) { return nil, c.offline() }},
		{"device-motion", needs(p.Motion, p.Scripts), c.motion},
		{"orientation-lock", needs(p.Turned), func() ([]schema.CheckHit, error) { return c.turn(device) }},
		{"zoom-clips-text", needs(p.Boxes, narrower), func() ([]schema.CheckHit, error) { return c.zoom(device) }},
		{"aria-hidden-keeps-focus", needs(p.Hidden), c.hiddenFocus},
		{"keyboard-trap", needs(p.Stops, p.Scripts), func() ([]schema.CheckHit, error) { return c.trap(*p.Stops) }},
		{"focus-not-visible", needs(p.Stops), c.focusSeen},
		{"character-key-shortcut", needs(p.Scripts), c.shortcuts},
	}
	for _, later := range steps[3:] {
		if later.need == needed {
			steps[2].need = needed
		}
	}
	return steps
}

func (c *checker) use(steps []step) {
	for _, step := range steps {
		var hits []schema.CheckHit
		var err error
		switch {
		case step.need == unknown:
			err = errScript
		case step.need == needed && !time.Now().Before(c.until):
			err = errDeadline
		case step.need == needed:
			hits, err = step.run()
		}
		switch {
		case step.rule == "" && err != nil:
			c.until = time.Time{} // without it nothing may be touched
		case step.rule == "":
		case err != nil:
			c.results.NotRun = append(c.results.NotRun, step.rule)
		default:
			c.results.Ran = append(c.results.Ran, step.rule)
			c.results.Hits = append(c.results.Hits, hits...)
		}
	}
}

func (c *checker) finish(out *Rendered) {
	if len(c.results.NotRun) > 0 {
		out.note(schema.NoteAxeIncomplete)
	}
	if b, err := json.Marshal(c.results); err == nil {
		out.Checks = b
	}
}

// ask runs an expression in the page within what time is left for interaction.
func (c *checker) ask(expression string, out any) error {
	if time.Now().After(c.until) {
		return errDeadline
	}
	return c.w.run(c.left(), expression, out)
}

// left is what a call may take now: what is begun may be finished.
func (c *checker) left() time.Duration { return max(time.Until(c.until), 0) + time.Second }

func (c *checker) hiddenFocus() ([]schema.CheckHit, error) {
	var hits []schema.CheckHit
	return hits, c.ask("visiteOwn.focus.hiddenButReached()", &hits)
}

// sound finds media that begin by themselves and are to be heard (WCAG 1.4.2).
func (c *checker) sound() ([]schema.CheckHit, error) {
	r, err := proto.RuntimeEvaluate{
		Expression: fmt.Sprintf("visiteOwn.audio.listen(%d)", listenLimit.Milliseconds()), ContextID: c.w.id, AwaitPromise: true, ReturnByValue: true, UserGesture: true,
	}.Call(c.tab.channel().within(listenLimit + 2*time.Second))
	if err != nil {
		return nil, err
	}
	if r.ExceptionDetails != nil {
		return nil, errScript
	}
	var hits []schema.CheckHit
	return hits, r.Result.Value.Unmarshal(&hits)
}

// offline cuts the tab off: a page that tells its server of each key or loads
// other pictures for another screen sends nothing because of our checks.
func (c *checker) offline() error {
	return proto.NetworkEmulateNetworkConditions{Offline: true, DownloadThroughput: -1, UploadThroughput: -1}.Call(c.tab.channel().within(c.left()))
}
