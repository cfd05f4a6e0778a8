package browser

import (
	"slices"

	"github.com/go-rod/rod/lib/proto"
	"golang.org/x/sync/errgroup"
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

// asked are the page's own objects whose listeners are asked for.
var asked = []struct {
	of     string
	deep   bool
	global bool
}{{"self", false, true}, {"document", false, true}, {"document.documentElement", false, true}, {"document.body", false, true}, {"document", true, false}}

// listeners asks the browser, not the page: nothing is wrapped or replaced. The
// expressions only name the page's own objects, and the questions go out together.
func (c *checker) listeners() (listening, error) {
	if c.heard != nil {
		return *c.heard, nil
	}
	found := make([][]string, len(asked))
	var all errgroup.Group
	for i, ask := range asked {
		all.Go(func() (err error) {
			found[i], err = c.listenersOf(ask.of, ask.deep)
			return err
		})
	}
	if err := all.Wait(); err != nil {
		return listening{}, err
	}
	var l listening
	for i, types := range found {
		l.types = append(l.types, types...)
		if asked[i].global {
			l.global = append(l.global, types...)
		}
	}
	c.heard = &l
	return l, nil
}

func (c *checker) listenersOf(object string, deep bool) ([]string, error) {
	ch := c.tab.channel().within(c.left())
	r, err := proto.RuntimeEvaluate{Expression: object, ObjectGroup: "listeners"}.Call(ch)
	if err != nil {
		return nil, err
	}
	if r.ExceptionDetails != nil || r.Result.ObjectID == "" {
		return nil, nil
	}
	query := proto.DOMDebuggerGetEventListeners{ObjectID: r.Result.ObjectID}
	if deep {
		whole := -1
		query.Depth, query.Pierce = &whole, true
	}
	found, err := query.Call(ch)
	if err != nil {
		return nil, err
	}
	var types []string
	for _, one := range found.Listeners {
		if one.Type != "" && !slices.Contains(types, one.Type) {
			types = append(types, one.Type)
		}
	}
	return types, nil
}
