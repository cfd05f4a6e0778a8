package courtesy

import (
	"context"
	"sync"
	"time"

	"visite/schema"
)

// warmTurns are turns handed from one visit of a run to its next on the same
// host, where no pause lies between them: profiles for this machine's own sites
// that ask for none. Giving a turn back to take it again at once would cost two
// round trips a page. Every request still has its ledger line first, and with it
// the look at objections and rests.
type warmTurns struct {
	mu   sync.Mutex
	free map[warmKey][]*warmTurn
}

type warmKey struct{ scan, host string }

// warmTurn is a turn between two visits, with the ledger lines still to complete.
type warmTurn struct {
	turn    *turn
	done    schema.PaceDone
	lines   []schema.LedgerLine
	written time.Time
	expiry  *time.Timer
}

const (
	warmIdle = 200 * time.Millisecond // without a visit for so long, a turn is given back
	warmLeft = turnTTL / 2            // and where less of it is left
)

// isWarm reports whether turns for such visits may be handed on.
func isWarm(v schema.Visit, ask schema.PaceAsk) bool {
	return v.Onward && v.Profile.LoopbackOnly && !v.Browser && v.Purpose == schema.PurposePage &&
		ask.PauseMin == 0 && ask.PauseFactor == 0 && ask.CrawlDelay == 0
}

// takeWarm takes over a turn for a visit, with the lines it has still to complete.
func (p *Pass) takeWarm(ask schema.PaceAsk) bool {
	if !isWarm(p.visit, ask) {
		return false
	}
	w := p.door.warm.take(warmKey{ask.ScanID, ask.Host})
	if w == nil {
		return false
	}
	p.hold(&turn{ask: w.turn.ask, clock: &busyClock{}, until: w.turn.until})
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lines, p.written = w.lines, w.written
	return true
}

func (t *warmTurns) take(key warmKey) *warmTurn {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := t.free[key]
	if len(list) == 0 {
		return nil
	}
	w := list[len(list)-1]
	if !w.expiry.Stop() {
		return nil // on its way back already
	}
	t.remove(key, w)
	return w
}

// remove takes a turn out of the list. Call with mu held.
func (t *warmTurns) remove(key warmKey, w *warmTurn) {
	list := t.free[key]
	for i, other := range list {
		if other == w {
			list = append(list[:i], list[i+1:]...)
			break
		}
	}
	if t.free[key] = list; len(list) == 0 {
		delete(t.free, key)
	}
}

// keepWarm keeps a visit's turn for the next one instead of giving it back. Call
// after the visit's requests have ended.
func (p *Pass) keepWarm() bool {
	facts := p.doc.read()
	switch facts.Reason {
	case schema.ReasonServerParked, schema.ReasonQuietHours, schema.ReasonObjection:
		// Nothing may leave for now: whoever comes next has to ask, and is told until when.
		p.door.endWarmAt(p.visit.Run.ScanID, p.own)
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.turns) != 1 || p.fault != nil || p.objected != schema.ReasonNone || facts.RetryAfter != nil {
		return false
	}
	for _, held := range p.turns {
		if held.borrowed || !isWarm(p.visit, held.ask) || time.Until(held.until) < warmLeft {
			return false
		}
		p.door.warm.keep(p.door, held, p.doneTurns()[0], p.lines, p.written)
		p.lines = nil
		return true
	}
	return false
}

func (t *warmTurns) keep(d *Door, held *turn, done schema.PaceDone, lines []schema.LedgerLine, written time.Time) {
	if len(lines) >= linesKept || time.Since(written) >= linesAge {
		d.write(lines)
		lines, written = nil, time.Now()
	}
	key := warmKey{held.ask.ScanID, held.ask.Host}
	w := &warmTurn{turn: held, done: done, lines: lines, written: written}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.free == nil {
		t.free = map[warmKey][]*warmTurn{}
	}
	t.free[key] = append(t.free[key], w)
	w.expiry = time.AfterFunc(warmIdle, func() {
		t.mu.Lock()
		t.remove(key, w)
		t.mu.Unlock()
		d.giveBack(w)
	})
}

// giveBack gives a turn back that no visit took over.
func (d *Door) giveBack(w *warmTurn) {
	ctx, cancel := context.WithTimeout(context.Background(), storeLimit)
	defer cancel()
	if err := d.store.Release(ctx, []schema.PaceDone{w.done}, w.lines); err != nil {
		d.log.Error("give a turn back", "host", w.done.Host, "error", err)
	}
	d.waiters.wake(w.done.Host)
}

// endWarm gives back what a run, or with "" every run, still holds.
func (d *Door) endWarm(scanID string) { d.endWarmAt(scanID, "") }

// endWarmAt gives back what a run still holds at a host; "" stands for any.
func (d *Door) endWarmAt(scanID, host string) {
	d.warm.mu.Lock()
	var all []*warmTurn
	for key, list := range d.warm.free {
		if (scanID != "" && key.scan != scanID) || (host != "" && key.host != host) {
			continue
		}
		for _, w := range list {
			if w.expiry.Stop() {
				all = append(all, w)
			}
		}
		delete(d.warm.free, key)
	}
	d.warm.mu.Unlock()
	for _, w := range all {
		d.giveBack(w)
	}
}
