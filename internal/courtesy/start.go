package courtesy

import (
	"context"
	"time"
)

// startMargin is added to the pause between the first requests of visits that
// go at once: on the way to the site they may move closer together.
const startMargin = 15 * time.Millisecond

// startFresh is how long a request may take from being let out to leaving (the
// ledger's line, a processor that has other work) before it asks again: the
// store holds others back for it only for a while.
const startFresh = 100 * time.Millisecond

// start holds the first request of a visit back until the pause since the first
// request of the visit before it is over. Only where several visits may
// go at once: otherwise the turn itself comes after the pause. It gives the turn
// whose first request this is, which noteSent has to be told of; nil for none.
func (p *Pass) start(ctx context.Context, host string) (*turn, error) {
	t := p.firstRequest(host)
	if t == nil {
		return nil, nil
	}
	began := time.Now()
	if err := p.letOut(ctx, t); err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held = time.Since(began)
	return t, nil
}

// letOut waits until the store lets the request out. From then on it holds the
// requests of other visits back until this one is said to have left.
func (p *Pass) letOut(ctx context.Context, t *turn) error {
	for {
		asked := time.Now()
		wait, err := p.door.store.Start(ctx, t.spaced, false)
		if err != nil {
			return err
		}
		if wait == 0 {
			p.mu.Lock()
			defer p.mu.Unlock()
			t.let = asked
			return nil
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-p.ctx.Done():
			return errClosed
		}
	}
}

// startNow is asked just before the request leaves.
func (p *Pass) startNow(ctx context.Context, t *turn) error {
	if t == nil {
		return nil
	}
	p.mu.Lock()
	late := time.Since(t.let) > startFresh
	p.mu.Unlock()
	if !late {
		return nil
	}
	return p.letOut(ctx, t)
}

// firstRequest gives the turn at a host where the next request is the visit's
// first there and has to be spaced.
func (p *Pass) firstRequest(host string) *turn {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.turns[host]
	if t == nil || t.borrowed || t.started {
		return nil
	}
	t.started = true
	ask := t.ask
	if ask.Slots <= 1 || (ask.PauseMin == 0 && ask.PauseFactor == 0 && ask.CrawlDelay == 0) {
		return nil
	}
	ask.PauseMin += startMargin
	t.spaced = ask
	return t
}

// noteSent moves the time of the visit's first request to when it really left,
// or will not leave any more: the pause before the next visit counts from then.
func (p *Pass) noteSent(t *turn) {
	if t == nil {
		return
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), storeLimit)
		defer cancel()
		if _, err := p.door.store.Start(ctx, t.spaced, true); err != nil {
			p.door.log.Error("note a visit's start", "host", t.spaced.Host, "error", err)
		}
	}()
}
