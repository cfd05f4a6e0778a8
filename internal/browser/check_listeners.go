package browser

import (
	"slices"

	"github.com/go-rod/rod/lib/proto"
)

// listening is what a page's scripts listen to.
type listening struct {
	types  []string // anywhere in the document or at the window
	global []string // at the window, the document, html or body
}

func (l listening) any(types ...string) bool {
	return slices.ContainsFunc(types, func(t string) bool { return slices.Contains(l.types, t) })
}

func (l listening) globally(types ...string) bool {
	return slices.ContainsFunc(types, func(t string) bool { return slices.Contains(l.global, t) })
}

// listeners asks the browser, not the page: nothing is wrapped or replaced. The
// expressions only name the page's own objects.
func (c *checker) listeners() (listening, error) {
	if c.heard != nil {
		return *c.heard, nil
	}
	var l listening
	ch := c.tab.channel().within(c.left())
	for _, ask := range []struct {
		of     string
		deep   bool
		global bool
	}{{"self", false, true}, {"document", false, true}, {"document.documentElement", false, true}, {"document.body", false, true}, {"document", true, false}} {
		object, err := proto.RuntimeEvaluate{Expression: ask.of, ObjectGroup: "listeners"}.Call(ch)
		if err != nil {
			return l, err
		}
		if object.ExceptionDetails != nil || object.Result.ObjectID == "" {
			continue
		}
		query := proto.DOMDebuggerGetEventListeners{ObjectID: object.Result.ObjectID}
		if ask.deep {
			all := -1
			query.Depth, query.Pierce = &all, true
		}
		found, err := query.Call(ch)
		if err != nil {
			return l, err
		}
		for _, one := range found.Listeners {
			if one.Type == "" {
				continue
			}
			l.types = append(l.types, one.Type)
			if ask.global {
				l.global = append(l.global, one.Type)
			}
		}
	}
	c.heard = &l
	_ = proto.RuntimeReleaseObjectGroup{ObjectGroup: "listeners"}.Call(ch)
	return l, nil
}
