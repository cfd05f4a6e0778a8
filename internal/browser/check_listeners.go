package browser

import (
	"maps"
	"slices"

	"github.com/go-rod/rod/lib/proto"
	"golang.org/x/sync/errgroup"
)

// listening is what a page's scripts listen to.
type listening struct {
	types  map[string]bool // anywhere in the document or at the window
	global map[string]bool // at the window, the document, html or body
}

func (l listening) any(types ...string) bool {
	return slices.ContainsFunc(types, func(t string) bool { return l.types[t] })
}

func (l listening) globally(types ...string) bool {
	return slices.ContainsFunc(types, func(t string) bool { return l.global[t] })
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
	found := make([]map[string]bool, len(asked))
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
	l := listening{types: map[string]bool{}, global: map[string]bool{}}
	for i, types := range found {
		maps.Copy(l.types, types)
		if asked[i].global {
			maps.Copy(l.global, types)
		}
	}
	c.heard = &l
	return l, nil
}

func (c *checker) listenersOf(object string, deep bool) (map[string]bool, error) {
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
	types := make(map[string]bool)
	for _, one := range found.Listeners {
		types[one.Type] = true
	}
	return types, nil
}
