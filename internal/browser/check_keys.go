package browser

import (
	"fmt"
	"slices"

	"github.com/go-rod/rod/lib/proto"

	"visite/schema"
)

// maxPresses bounds the Tab presses of one walk.
const maxPresses = 60

// settled is how long a page may take to move the focus after a key, in
// milliseconds: traps that work by timers take a moment.
const settled = 20

const (
	withAlt   = 1
	withCtrl  = 2
	withShift = 8
)

// press sends a real key that writes nothing: the page, its scripts and the
// browser react as they would to a person.
func (c *checker) press(key, code string, number, modifiers int) error {
	ch := c.tab.channel().within(c.left())
	if err := (proto.InputDispatchKeyEvent{Type: proto.InputDispatchKeyEventTypeRawKeyDown, Key: key, Code: code, WindowsVirtualKeyCode: number, Modifiers: modifiers}).Call(ch); err != nil {
		return err
	}
	return proto.InputDispatchKeyEvent{Type: proto.InputDispatchKeyEventTypeKeyUp, Key: key, Code: code, WindowsVirtualKeyCode: number, Modifiers: modifiers}.Call(ch)
}

// write sends the key of a character; it is let go where that matters to the page.
func (c *checker) write(character string, number int, up bool) error {
	ch := c.tab.channel().within(c.left())
	err := proto.InputDispatchKeyEvent{Type: proto.InputDispatchKeyEventTypeKeyDown, Key: character, Text: character, WindowsVirtualKeyCode: number}.Call(ch)
	if err != nil || !up {
		return err
	}
	return proto.InputDispatchKeyEvent{Type: proto.InputDispatchKeyEventTypeKeyUp, Key: character, WindowsVirtualKeyCode: number}.Call(ch)
}

// tabFrom presses Tab and tells the stop the focus came to rest on, -1 where it
// left them.
func (c *checker) tabFrom(modifiers int) (int, error) {
	if err := c.press("Tab", "Tab", 9, modifiers); err != nil {
		return 0, err
	}
	return c.at()
}

// fewStops is up to how many stops each is waited at: where there are few, Tab
// pressed again before a timer of the page is due may find the way past a trap.
const fewStops = 12

// onward presses Tab. Where the focus comes to the stop that is due, nothing
// holds it yet and nobody waits, unless asked to; a page that pulls it back shows
// that at the next.
func (c *checker) onward(due int, patient bool) (int, error) {
	if err := c.press("Tab", "Tab", 9, 0); err != nil {
		return 0, err
	}
	if patient {
		return c.at()
	}
	var at int
	if err := c.ask("visiteOwn.focus.at()", &at); err != nil || at == due {
		return at, err
	}
	return c.at()
}

func (c *checker) at() (int, error) {
	var at int
	return at, c.ask(fmt.Sprintf("visiteOwn.focus.rest(%d)", settled), &at)
}

// trap looks for stops that hold the focus (WCAG 2.1.2): Tab is pressed from the
// first stop on, until it leaves the page or goes in circles. It is looked for
// only where something reacts to keys or to the coming and going of the focus.
func (c *checker) trap(stops int) ([]schema.CheckHit, error) {
	listening, err := c.listeners()
	if err != nil || !listening.any("blur", "focusout", "focus", "focusin", "keydown") {
		return nil, err
	}
	held, err := c.circle(stops)
	if err != nil || len(held) == 0 {
		return nil, err
	}
	outcome, err := c.wayOut(held, stops)
	if err != nil || outcome == "" {
		return nil, err
	}
	var hits []schema.CheckHit
	return hits, c.ask(fmt.Sprintf("visiteOwn.focus.trapped(%s,%q)", list(held), outcome), &hits)
}

// circle walks forward from the first stop and returns the stops between which
// the focus goes round, none where it gets out.
func (c *checker) circle(stops int) ([]int, error) {
	var at int
	if err := c.ask("visiteOwn.focus.start(0)", &at); err != nil || at < 0 {
		return nil, err
	}
	seen := []int{at}
	for len(seen) < min(stops, maxPresses)+8 {
		at, err := c.onward(seen[len(seen)-1]+1, stops <= fewStops)
		if err != nil || at < 0 {
			return nil, err
		}
		seen = append(seen, at)
		if n := len(seen); n >= 9 && len(different(seen[n-9:])) <= 4 { // round and round: no need for more
			break
		}
		if len(seen) > maxPresses {
			return nil, nil // a long page, and the focus moves on
		}
	}
	return different(seen[len(seen)*2/3:]), nil
}

// wayOut tries what else leads out of a circle: going backwards, Escape, and the
// keys that the page's text names. It returns failed where nothing does.
func (c *checker) wayOut(held []int, stops int) (schema.FindingOutcome, error) {
	free, outcome := false, schema.FindingFailed
	for _, stop := range held {
		var at int
		if err := c.ask(fmt.Sprintf("visiteOwn.focus.start(%d)", stop), &at); err != nil {
			return "", err
		}
		back, err := c.tabFrom(withShift)
		if err != nil {
			return "", err
		}
		if !slices.Contains(held, back) {
			return "", nil
		}
		if err := c.ask(fmt.Sprintf("visiteOwn.focus.start(%d)", stop), &at); err != nil {
			return "", err
		}
		forth, err := c.tabFrom(0)
		if err != nil {
			return "", err
		}
		// A stop that behaves as it should may be the one that lets people out.
		free = free || (back == stop-1 && forth == stop+1)
	}
	var dialog bool
	if err := c.ask(fmt.Sprintf("visiteOwn.focus.inDialog(%d)", held[0]), &dialog); err != nil || dialog {
		return "", err // a dialog keeps the focus as long as it is open, and has its own ways out
	}
	if free {
		outcome = schema.FindingNeedsReview
	}
	keys := []advised{{Modifier: "esc"}}
	var told []advised
	if err := c.ask("visiteOwn.focus.advice()", &told); err != nil {
		return "", err
	}
	for _, k := range append(keys, told...) {
		out, err := c.leadsOut(k, held)
		if err != nil || out {
			return "", err
		}
	}
	return outcome, nil
}

// advised is a key that the page's text names: "ctrl" and "m", or "esc" alone.
type advised struct{ Modifier, Key string }

// leadsOut presses a key and tells whether the focus is free then.
func (c *checker) leadsOut(k advised, held []int) (bool, error) {
	var at int
	if err := c.ask(fmt.Sprintf("visiteOwn.focus.start(%d)", held[0]), &at); err != nil {
		return false, err
	}
	var err error
	modifiers := map[string]int{"ctrl": withCtrl, "alt": withAlt, "shift": withShift}[k.Modifier]
	switch {
	case k.Modifier == "esc":
		err = c.press("Escape", "Escape", 27, 0)
	case len(k.Key) == 1 && modifiers != 0:
		upper := k.Key[0] &^ 0x20
		if k.Key[0] <= '9' {
			upper = k.Key[0]
		}
		err = c.press(k.Key, "", int(upper), modifiers)
	default:
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for range len(held) + 1 {
		if at, err = c.at(); err != nil || !slices.Contains(held, at) {
			return err == nil, err
		}
		if _, err = c.tabFrom(0); err != nil {
			return false, err
		}
	}
	return false, nil
}

func different(stops []int) []int {
	out := slices.Clone(stops)
	slices.Sort(out)
	return slices.Compact(out)
}

// list writes numbers as a script reads them.
func list(numbers []int) string {
	s := "["
	for i, n := range numbers {
		if i > 0 {
			s += ","
		}
		s += fmt.Sprint(n)
	}
	return s + "]"
}
