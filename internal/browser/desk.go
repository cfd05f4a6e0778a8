package browser

import (
	"errors"
	"fmt"

	"github.com/go-rod/rod/lib/proto"
)

// desk is a tab without a page, with a script of ours in it. It is sealed before
// the script is: nothing can leave it, whatever runs there.
func (i *instance) desk(script string) (*world, error) {
	t, err := i.create(i.ctx, "", startLimit)
	if err != nil {
		return nil, err
	}
	t.sealed = true
	w, err := func() (world, error) {
		if err := errors.Join(t.isolate(), proto.RuntimeRunIfWaitingForDebugger{}.Call(t.channel().within(startLimit))); err != nil {
			return world{}, err
		}
		w, err := t.newWorld(t.main(), startLimit)
		if err != nil {
			return w, err
		}
		return w, w.run(startLimit, script, nil)
	}()
	if err != nil {
		t.close()
		return nil, fmt.Errorf("browser: set up a tab of ours: %w", err)
	}
	return &w, nil
}
