package courtesy

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"visite/schema"
)

// turnTTL is how long a turn lasts unless renewed: as long as a worker that
// died may keep its host waiting.
const turnTTL = 30 * time.Second

// turn is a place at a host, held in PostgreSQL.
type turn struct {
	ask      schema.PaceAsk
	clock    *busyClock
	borrowed bool // another pass of this process gives it back
	slowed   bool // the host had refused before (S-36)

	// Of the visit's first request; guarded by the pass.
	started bool           // it is about to be sent, or was
	spaced  schema.PaceAsk // with which it is let out, where others may go at once
	let     time.Time      // when it was asked for last and let out

	mu    sync.Mutex
	until time.Time
}

func (t *turn) keepUntil(until time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.until = until
}

func (t *turn) lapsed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return time.Now().After(t.until)
}

// take asks for a turn until it is granted, or until the next try would come
// after the deadline: then the wait comes back as a value.
func (d *Door) take(ctx context.Context, ask schema.PaceAsk, deadline time.Time) (*turn, schema.PaceGrant, schema.Admission, error) {
	for {
		woken := d.waiters.join(ask.Host)
		asked := time.Now()
		grant, err := d.store.Reserve(ctx, ask)
		if err != nil {
			return nil, grant, schema.Admission{}, err
		}
		if grant.Granted {
			return &turn{ask: atPace(ask, grant), clock: &busyClock{}, until: asked.Add(ask.TTL), slowed: grant.SlowFactor > 1}, grant, schema.Admission{Kind: schema.AdmissionGranted}, nil
		}
		if grant.Objection == schema.ObjectionStop || asked.Add(grant.In).After(deadline) {
			return nil, grant, waitFor(ask.Host, grant), nil
		}
		if !grant.Busy {
			woken = nil // a pause is not cut short
		}
		select {
		case <-time.After(grant.In):
		case <-woken:
		case <-ctx.Done():
			return nil, grant, schema.Admission{}, ctx.Err()
		}
	}
}

// busyRetry is when to come back where all turns are taken: nobody knows when
// one gets free.
const busyRetry = time.Second

func waitFor(host string, g schema.PaceGrant) schema.Admission {
	if g.Objection != "" {
		return (&objectedError{host: host, reason: g.Reason, until: time.Now().Add(g.In)}).admission()
	}
	a := schema.Admission{Kind: schema.AdmissionWait, Until: time.Now().Add(g.In), Reason: g.Reason}
	switch {
	case g.Busy:
		a.Until = time.Now().Add(max(g.In, busyRetry))
		a.Words = "waiting for a free turn at " + host
	case g.Reason == schema.ReasonServerParked:
		a.Words = fmt.Sprintf("%s asked for rest: %s left", host, wholeSeconds(g.In))
	default:
		a.Words = fmt.Sprintf("pausing for %s at %s", wholeSeconds(g.In), host)
	}
	return a
}

func wholeSeconds(d time.Duration) string { return fmt.Sprintf("%.0f s", math.Ceil(d.Seconds())) }

// waiters wakes those of this process who wait for a turn at a host when
// another gives one back. It only saves waiting: what counts is in the store.
type waiters struct {
	mu   sync.Mutex
	wait map[string]chan struct{}
}

// join gives a channel that is closed at the next wake.
func (w *waiters) join(host string) <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	c, ok := w.wait[host]
	if !ok {
		c = make(chan struct{})
		w.wait[host] = c
	}
	return c
}

func (w *waiters) wake(host string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c, ok := w.wait[host]; ok {
		close(c)
		delete(w.wait, host)
	}
}
