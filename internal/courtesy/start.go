package courtesy

import (
	"context"
	"time"

	"visite/schema"
)

// startMargin is added to the pause between the first requests of visits that
// go at once: on the way to the site they may move closer together.
const startMargin = 15 * time.Millisecond

// startFresh is how long a request may take from being let out to leaving. What
// takes longer (the ledger's line, a processor that has other work) is noted, so
// that the visit after it waits from then.
const startFresh = 4 * time.Millisecond

// briskMargin is added in a brisk gait: there nothing else keeps the requests of
// two visits apart, and ours may have to wait for a processor.
const briskMargin = 100 * time.Millisecond

// start holds the first request of a visit back until the pause since the first
// request of the visit before it is over. Only where several visits may
// go at once: otherwise the turn itself comes after the pause.
func (p *Pass) start(ctx context.Context, host string) error {
	ask, first := p.firstRequest(host)
	if !first {
		return nil
	}
	began := time.Now()
	var asked time.Time
	for {
		asked = time.Now()
		wait, err := p.door.store.Start(ctx, ask, false)
		if err != nil {
			return err
		}
		if wait == 0 {
			break
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-p.ctx.Done():
			return errClosed
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held, p.turns[host].let = time.Since(began), asked
	return nil
}

// late reports whether the visit's first request to a host took long since it was
// let out. Call with mu held.
func (t *turn) late() bool { return !t.let.IsZero() && time.Since(t.let) > startFresh }

// startNow notes that a request leaves now, where its ledger line took long.
func (p *Pass) startNow(ctx context.Context, host string) error {
	p.mu.Lock()
	t := p.turns[host]
	late := t != nil && !t.borrowed && t.late()
	p.mu.Unlock()
	if !late {
		return nil
	}
	asked := time.Now()
	_, err := p.door.store.Start(ctx, t.ask, true)
	p.mu.Lock()
	defer p.mu.Unlock()
	t.let = asked
	return err
}

// firstRequest tells whether the next request to a host is the visit's first
// there and has to be spaced, and with which pause.
func (p *Pass) firstRequest(host string) (schema.PaceAsk, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.turns[host]
	if t == nil || t.borrowed || t.started {
		return schema.PaceAsk{}, false
	}
	t.started = true
	ask := t.ask
	if ask.Slots <= 1 || (ask.PauseMin == 0 && ask.PauseFactor == 0 && ask.CrawlDelay == 0) {
		return schema.PaceAsk{}, false
	}
	ask.PauseMin += startMargin
	if t.brisk {
		ask.PauseMin += briskMargin
	}
	return ask, true
}

// noteSent moves the time of the visit's first request to when it really left,
// where a connection had to be made first or it took long otherwise; in a brisk
// gait always.
func (p *Pass) noteSent(host string, fresh bool) {
	p.mu.Lock()
	t := p.turns[host]
	note := t != nil && t.started && !t.noted && !t.borrowed && t.ask.Slots > 1 && (fresh || t.brisk || t.late())
	if note {
		t.noted = true
	}
	if t != nil {
		t.let = time.Time{} // it has left
	}
	p.mu.Unlock()
	if !note {
		return
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), storeLimit)
		defer cancel()
		if _, err := p.door.store.Start(ctx, t.ask, true); err != nil {
			p.door.log.Error("note a visit's start", "host", host, "error", err)
		}
	}()
}
