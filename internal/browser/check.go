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
	if out.HTML == "" || out.Elements > MaxElements || t.left() < callLimit/4 {
		return
	}
	c := &checker{tab: t, w: w}
	c.results = schema.CheckResults{Hits: []schema.CheckHit{}, Ran: []string{}, NotRun: []string{}}
	if err := w.run(callLimit, s.own, nil); err != nil {
		out.note(schema.NoteAxeIncomplete)
		return
	}
	if err := w.run(min(l.check+callLimit, t.left()), fmt.Sprintf("visiteOwn.run(%d)", l.check.Milliseconds()), &c.results); err != nil {
		out.note(schema.NoteAxeIncomplete)
		return
	}
	c.until = time.Now().Add(min(l.interact, t.left()/2))
	for _, step := range []struct {
		rule string
		run  func() ([]schema.CheckHit, error)
	}{
		{"audio-autoplay", c.sound},
		{"", func() ([]schema.CheckHit, error) { return nil, c.offline() }},
		{"orientation-lock", func() ([]schema.CheckHit, error) { return c.turn(device) }},
		{"zoom-clips-text", func() ([]schema.CheckHit, error) { return c.zoom(device) }},
		{"aria-hidden-keeps-focus", c.hiddenFocus},
		{"keyboard-trap", c.trap},
		{"focus-not-visible", c.focusSeen},
		{"character-key-shortcut", c.shortcuts},
	} {
		if step.rule == "" {
			if _, err := step.run(); err != nil {
				c.until = time.Time{} // without it nothing may be touched
			}
			continue
		}
		if time.Now().After(c.until) {
			c.results.NotRun = append(c.results.NotRun, step.rule)
			continue
		}
		hits, err := step.run()
		if err != nil {
			c.results.NotRun = append(c.results.NotRun, step.rule)
			continue
		}
		c.results.Ran = append(c.results.Ran, step.rule)
		c.results.Hits = append(c.results.Hits, hits...)
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
	var found int
	if err := c.ask("visiteOwn.audio.find()", &found); err != nil || found == 0 {
		return nil, err
	}
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
