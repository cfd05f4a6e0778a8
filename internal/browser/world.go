package browser

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-rod/rod/lib/proto"
)

// worldName is what Chromium calls our isolated worlds; pages do not see it.
const worldName = "visite"

// errScript tells that a script of ours threw inside a page. What it said may
// hold text of the page and is not kept.
var errScript = errors.New("browser: a page script failed")

// world is an isolated world of one frame: the page's document with built-ins of
// its own.
type world struct {
	tab *tab
	id  proto.RuntimeExecutionContextID
}

func (t *tab) newWorld(frame proto.PageFrameID, limit time.Duration) (world, error) {
	return t.worldNamed(worldName, frame, limit)
}

func (t *tab) worldNamed(name string, frame proto.PageFrameID, limit time.Duration) (world, error) {
	r, err := proto.PageCreateIsolatedWorld{FrameID: frame, WorldName: name}.Call(t.channel().within(limit))
	if err != nil {
		return world{}, err
	}
	return world{tab: t, id: r.ExecutionContextID}, nil
}

// run evaluates an expression, waits for its promise at most limit, and reads
// its value into out; nil drops it.
func (w world) run(limit time.Duration, expression string, out any) error {
	return w.within(w.tab.ctx, limit, expression, out)
}

// within is run for who has a context of its own; it ends with the tab, too, which
// may crash.
func (w world) within(ctx context.Context, limit time.Duration, expression string, out any) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(w.tab.ctx, func() { cancel(context.Cause(w.tab.ctx)) })()
	ch := w.tab.inst.channel(ctx, w.tab.session).within(limit)
	r, err := proto.RuntimeEvaluate{Expression: expression, ContextID: w.id, AwaitPromise: true, ReturnByValue: out != nil}.Call(ch)
	switch {
	case err != nil:
		return err
	case r.ExceptionDetails != nil:
		return errScript
	case out == nil:
		return nil
	}
	if err := r.Result.Value.Unmarshal(out); err != nil {
		return fmt.Errorf("browser: result of a page script: %w", err)
	}
	return nil
}

// object evaluates an expression and returns a handle to its value.
func (w world) object(limit time.Duration, expression string) (proto.RuntimeRemoteObjectID, error) {
	r, err := proto.RuntimeEvaluate{Expression: expression, ContextID: w.id}.Call(w.tab.channel().within(limit))
	switch {
	case err != nil:
		return "", err
	case r.ExceptionDetails != nil || r.Result.ObjectID == "":
		return "", errScript
	}
	return r.Result.ObjectID, nil
}
