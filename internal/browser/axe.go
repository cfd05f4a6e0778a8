package browser

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"visite/schema"
)

// frameLimit bounds what one frame may take for one step.
const frameLimit = 3 * time.Second

// ruleGroups run one after the other, each with a deadline of its own: the
// engine cannot be stopped, and contrast alone takes half of its time.
var ruleGroups = []string{"wcag", "best-practice", "contrast"}

// engine runs the accessibility engine in one tab.
type engine struct {
	tab     *tab
	source  string
	main    world
	frames  []*document // depth first; nil where the contents cannot be checked
	results schema.AxeResults
	until   time.Time
}

// document is a frame's document the engine is in.
type document struct {
	world   world
	context string // what its parent said about it, as JSON
}

// cleaned is what visiteAxe.run and .finish return.
type cleaned struct {
	Violations []schema.AxeRule `json:"violations"`
	Incomplete []schema.AxeRule `json:"incomplete"`
	Ran        []string         `json:"ran"`
}

// examine runs the engine and puts the results into out. It fails never: what
// could not be examined is listed.
func (t *tab) examine(w world, s scripts, out *Rendered) {
	if out.HTML == "" {
		return
	}
	if out.Elements > MaxElements {
		out.note(schema.NoteTooManyElements)
		return
	}
	e := &engine{tab: t, source: s.axe, main: w, until: t.until().Add(-min(t.left()/4, secondShare))}
	e.results = schema.AxeResults{Violations: []schema.AxeRule{}, Incomplete: []schema.AxeRule{}, RulesRun: []string{}, GroupsNotRun: []string{}}
	var version string
	if err := w.run(callLimit, "visiteAxe.version", &version); err != nil { // not in place
		out.note(schema.NoteAxeIncomplete)
		return
	}
	e.results.Engine = "axe-core " + version
	e.walk(w, "")
	if out.Elements > smallDocument || e.atOnce() != nil {
		e.inTurn()
	}
	e.finish(out)
}

// smallDocument is up to how many elements all groups run at once: each run
// builds the engine's tree of the document anew, which costs more there than the
// rules do.
const smallDocument = 2000

// atOnce runs all groups in one go, for at most half of the time there is.
func (e *engine) atOnce() error {
	err := e.group(strings.Join(ruleGroups, "+"), time.Until(e.until)/2)
	if err != nil {
		e.again(err)
	}
	return err
}

// inTurn runs one group after the other.
func (e *engine) inTurn() {
	for i, group := range ruleGroups {
		share := time.Until(e.until) / time.Duration(len(ruleGroups)-i)
		if err := e.group(group, share); err != nil {
			e.results.GroupsNotRun = append(e.results.GroupsNotRun, group)
			e.again(err)
		}
	}
}

// order makes an engine's results the same however its rules took turns.
func order(r *schema.AxeResults) {
	byID := func(a, b schema.AxeRule) int { return strings.Compare(a.ID, b.ID) }
	slices.SortFunc(r.Violations, byID)
	slices.SortFunc(r.Incomplete, byID)
	slices.Sort(r.RulesRun)
}

func (e *engine) finish(out *Rendered) {
	r := &e.results
	order(r)
	if len(r.GroupsNotRun) > 0 {
		out.note(schema.NoteAxeIncomplete)
	}
	if r.FramesSkipped > 0 {
		out.note(schema.NoteFramesUnchecked)
	}
	b, err := json.Marshal(r)
	if err != nil { // figures are finite and the rest is text: cannot happen, and would lose the groups
		out.note(schema.NoteAxeIncomplete)
		return
	}
	out.Axe, out.AxeEngine, out.FramesSkipped = b, r.Engine, r.FramesSkipped
}

// group runs one group over the document and its frames.
func (e *engine) group(name string, limit time.Duration) error {
	if limit <= 0 {
		return errDeadline
	}
	until := time.Now().Add(limit)
	var text string
	if len(e.frames) == 0 {
		if err := e.main.run(limit, fmt.Sprintf("visiteAxe.run(%q)", name), &text); err != nil {
			return err
		}
	} else {
		partials := make([]byte, 0, 1<<16)
		own, err := partial(e.main, name, "", limit)
		if err != nil {
			return err
		}
		partials = append(append(partials, '['), own...)
		for i, d := range e.frames {
			one := "null"
			if d != nil {
				if one, err = partial(d.world, name, d.context, min(frameLimit, time.Until(until))); err != nil {
					one, e.frames[i] = "null", nil
					e.results.FramesChecked--
					e.results.FramesSkipped++
				}
			}
			partials = append(append(partials, ','), one...)
		}
		partials = append(partials, ']')
		if err := e.main.run(time.Until(until), fmt.Sprintf("visiteAxe.finish(%q,%s)", name, partials), &text); err != nil {
			return err
		}
	}
	var c cleaned
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return fmt.Errorf("browser: results of the accessibility engine: %w", err)
	}
	e.results.Violations = append(e.results.Violations, c.Violations...)
	e.results.Incomplete = append(e.results.Incomplete, c.Incomplete...)
	e.results.RulesRun = append(e.results.RulesRun, c.Ran...)
	return nil
}

func partial(w world, group, context string, limit time.Duration) (string, error) {
	if limit <= 0 {
		return "", errDeadline
	}
	if context == "" {
		context = "null"
	}
	var text string
	err := w.run(limit, fmt.Sprintf("visiteAxe.partial(%q,%s)", group, context), &text)
	return text, err
}

// again makes the main document fit for the next group after one that missed
// its deadline: its script is ended and the engine put into a new world.
func (e *engine) again(err error) {
	if !errors.Is(err, errNoAnswer) || time.Until(e.until) <= 0 {
		return
	}
	_ = proto.RuntimeTerminateExecution{}.Call(e.tab.channel().within(time.Second))
	w, err := e.tab.newWorld(e.tab.main(), time.Second)
	if err != nil || w.run(callLimit, e.source, nil) != nil {
		return // the next group will miss, too, and say so
	}
	e.main = w
}

// walk finds the frames below a document, depth first, and puts the engine into
// each that has contents.
func (e *engine) walk(parent world, context string) {
	if context == "" {
		context = "null"
	}
	var found []struct {
		Context   string `json:"context"`
		Addressed bool   `json:"addressed"`
	}
	if err := parent.run(frameLimit, fmt.Sprintf("visiteAxe.frames(%s)", context), &found); err != nil || len(found) == 0 {
		return
	}
	loaded := e.loaded()
	for i, f := range found {
		w, got := e.enter(parent, i, f.Addressed, loaded)
		if got == frameSkipped {
			e.results.FramesSkipped++
		}
		if got != frameChecked {
			e.frames = append(e.frames, nil)
			continue
		}
		e.results.FramesChecked++
		e.frames = append(e.frames, &document{world: w, context: f.Context})
		e.walk(w, f.Context)
	}
}

type frameState int

const (
	frameChecked frameState = iota
	frameEmpty              // nothing in it: nothing to say
	frameSkipped
)

// enter puts the engine into the parent's i-th frame.
func (e *engine) enter(parent world, i int, addressed bool, loaded map[proto.PageFrameID]string) (world, frameState) {
	if e.results.FramesChecked >= maxFrames || time.Until(e.until) <= 0 {
		return world{}, frameSkipped
	}
	object, err := parent.object(frameLimit, fmt.Sprintf("visiteAxe.element(%d)", i))
	if err != nil {
		return world{}, frameSkipped
	}
	node, err := proto.DOMDescribeNode{ObjectID: object}.Call(e.tab.channel().within(frameLimit))
	if err != nil {
		return world{}, frameSkipped
	}
	address, here := loaded[node.Node.FrameID]
	switch {
	case !here, address == "chrome-error://chromewebdata/":
		return world{}, frameSkipped
	case addressed && (address == "" || address == ":" || address == "about:blank"):
		return world{}, frameSkipped // loads when seen, and was not
	}
	w, err := e.tab.newWorld(node.Node.FrameID, frameLimit)
	if err != nil || w.run(frameLimit, e.source, nil) != nil {
		return world{}, frameSkipped
	}
	var empty bool
	if err := w.run(frameLimit, "visiteAxe.empty()", &empty); err != nil {
		return world{}, frameSkipped
	}
	if empty {
		return world{}, frameEmpty
	}
	return w, frameChecked
}

// loaded maps the frames of this tab's renderer to their addresses.
func (e *engine) loaded() map[proto.PageFrameID]string {
	out := map[proto.PageFrameID]string{}
	r, err := proto.PageGetFrameTree{}.Call(e.tab.channel().within(frameLimit))
	if err != nil {
		return out
	}
	var walk func(*proto.PageFrameTree)
	walk = func(f *proto.PageFrameTree) {
		out[f.Frame.ID] = f.Frame.URL
		for _, c := range f.ChildFrames {
			walk(c)
		}
	}
	walk(r.FrameTree)
	return out
}
