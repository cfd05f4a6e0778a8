package browser

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"visite/schema"
)

// qualwebWorld is what the second engine's world is called; pages do not see it.
const qualwebWorld = "visite-qualweb"

// qualwebName is the second engine's name and version; a test holds it to the
// lock file, for the engine's script does not say.
const qualwebName = "qualweb 0.7.5"

// qualwebGroups run one after the other.
var qualwebGroups = []string{schema.GroupQualWebPage, schema.GroupQualWebElements}

const (
	// secondShare is what the first engine leaves of a visit's time at least, or a
	// quarter of what there is.
	secondShare = 10 * time.Second
	// maxElementsForSecond bounds the documents the second engine is started in:
	// it reckons for each element before it begins, and nothing ends that early.
	maxElementsForSecond = 50_000
)

// until is when whatever is done in a visit has to be over.
func (t *tab) until() time.Time {
	deadline, _ := t.ctx.Deadline()
	return deadline.Add(-500 * time.Millisecond)
}

// second runs QualWeb in one tab.
type second struct {
	tab     *tab
	world   world
	results schema.AxeResults
	until   time.Time
}

// examineAgain runs the second engine over the document, its shadow roots and its
// frames of the same origin. It fails never: groups that did not run are listed.
// It moves the page's focus, so nothing may look at the page after it.
func (t *tab) examineAgain(s scripts, out *Rendered) {
	if out.HTML == "" || out.Elements > MaxElements {
		return
	}
	q := &second{tab: t, until: t.until()}
	q.results = schema.AxeResults{
		Engine: qualwebName, Violations: []schema.AxeRule{}, Incomplete: []schema.AxeRule{}, RulesRun: []string{}, GroupsNotRun: []string{},
	}
	err := q.enter(s.qualweb, out.Elements)
	for i, group := range qualwebGroups {
		if err == nil {
			err = q.group(group, time.Until(q.until)/time.Duration(len(qualwebGroups)-i))
		}
		if err != nil {
			q.results.GroupsNotRun = append(q.results.GroupsNotRun, group)
		}
		if errors.Is(err, errCutShort) {
			err = nil
		}
	}
	if errors.Is(err, errNoAnswer) {
		_ = proto.RuntimeTerminateExecution{}.Call(t.channel().within(time.Second))
	}
	q.finish(out)
}

// errCutShort tells that rules of a group stopped before their end.
var errCutShort = errors.New("browser: rules were cut short")

func (q *second) enter(source string, elements int) error {
	if elements > maxElementsForSecond {
		return errDeadline
	}
	w, err := q.tab.worldNamed(qualwebWorld, q.tab.main(), callLimit)
	if err != nil {
		return err
	}
	q.world = w
	return w.run(time.Until(q.until)/2, source, nil)
}

// group runs one group of rules. The engine stops by itself a little before the
// limit; the call's own limit is for scripts that never return.
func (q *second) group(name string, limit time.Duration) error {
	if limit <= 0 {
		return errDeadline
	}
	var text string
	if err := q.world.run(limit, fmt.Sprintf("visiteQualweb.run(%q,%d)", name, (limit*8/10).Milliseconds()), &text); err != nil {
		return err
	}
	var c struct {
		cleaned
		Whole bool `json:"whole"`
	}
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return fmt.Errorf("browser: results of the second engine: %w", err)
	}
	q.results.Violations = append(q.results.Violations, c.Violations...)
	q.results.Incomplete = append(q.results.Incomplete, c.Incomplete...)
	q.results.RulesRun = append(q.results.RulesRun, c.Ran...)
	if !c.Whole {
		return errCutShort
	}
	return nil
}

func (q *second) finish(out *Rendered) {
	r := &q.results
	order(r)
	if len(r.GroupsNotRun) > 0 {
		out.note(schema.NoteAxeIncomplete)
	}
	if b, err := json.Marshal(r); err == nil { // figures are finite and the rest is text: cannot fail
		out.QualWeb = b
	}
}
