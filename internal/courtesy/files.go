package courtesy

import (
	"context"
	"errors"
	"sync"
	"time"
)

// After a host has refused a page's file, its files go two at a time, the
// wait is lengthened twice, each time doubled, and what is left of the
// page's files on that host is given up then (S-38).
const (
	filesSlowed  = 2
	lengthenings = 2
	slowedFor    = time.Hour // the slow-down of one refusal is over then, see courtesy_slow
	slowedMost   = 4096      // hosts remembered as slowed
)

// admitFile counts a file and reports whether it is within what one page may have
// loaded. Anybody can write a page and have it visited: it must not send us to
// other servers, or to its own, without end.
func (p *Pass) admitFile(host string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.filed >= p.door.bounds.Files || (host != p.own && p.files[host] >= p.door.bounds.FilesElsewhere) {
		p.totals.FilesOver++
		return false
	}
	p.filed++
	p.files[host]++
	return true
}

// errGivenUp: what is left of the page's files on a host is not asked for.
var errGivenUp = errors.New("courtesy: the page's files on this host are given up")

// refusals is what a host has refused of one page's files.
type refusals struct {
	mu    sync.Mutex
	round int           // refusals so far; several at a time are one
	wait  time.Duration // the latest
	until time.Time     // files are held back until then
	over  bool          // given up
}

// lengthen takes a refusal down and says how long the host rests: as stated, and
// at least twice as long as before. round is the one the request went out in:
// whatever else was under way then belongs to the same refusal.
func (r *refusals) lengthen(round int, stated time.Duration, most time.Duration) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if round != r.round {
		return stated
	}
	r.round++
	switch {
	case r.round > 1+lengthenings:
		r.over = true
		r.wait = max(stated, r.wait)
	case r.round > 1:
		r.wait = max(stated, 2*r.wait)
	default:
		r.wait = stated
	}
	if r.wait > most {
		r.over = true
	}
	// From now on, not from when the store knows: others wait here for their turn.
	if until := time.Now().Add(r.wait); until.After(r.until) {
		r.until = until
	}
	return r.wait
}

// rest holds the page's files back until a moment, or gives them up where that
// is too far off.
func (r *refusals) rest(until time.Time, most time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if until.After(r.until) {
		r.until = until
	}
	if time.Until(until) > most {
		r.over = true
	}
}

// await holds a request back until the host's rest is over, and names the round
// it goes out in.
func (r *refusals) await(ctx context.Context) (round int, err error) {
	for {
		r.mu.Lock()
		over, wait, round := r.over, time.Until(r.until), r.round
		r.mu.Unlock()
		switch {
		case over:
			return 0, errGivenUp
		case wait <= 0:
			return round, nil
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done(): // the page did not wait so long
			return 0, errGivenUp
		}
	}
}

func (r *refusals) giveUp() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
}

func (r *refusals) rounds() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.round
}

// refusalsOf is a host's refusals of this page's files.
func (p *Pass) refusalsOf(host string) *refusals {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.refused[host]
	if r == nil {
		r = &refusals{}
		p.refused[host] = r
	}
	return r
}

// sendFile sends a request of an open page. Where the site's own host refuses it
// for now it is held back for as long as the host rests, and sent again; other
// hosts are left alone at once, so that a page does not wait for third parties.
func (p *Pass) sendFile(ctx context.Context, o outgoing, host string) (*exchange, error) {
	r := p.refusalsOf(host)
	o.refusals = r
	for {
		began := time.Now()
		round, err := r.await(ctx)
		if err != nil {
			return nil, err
		}
		done, err := p.fileTurn(ctx, host)
		if err != nil {
			return nil, err
		}
		if r.rounds() != round { // refused while this one waited for its turn
			done()
			continue
		}
		o.round, o.waited = round, o.waited+time.Since(began)
		x, err := p.send(ctx, o)
		var parked *parkedError
		switch {
		case errors.As(err, &parked):
			p.rested(r, host, parked.until)
		case err != nil:
			done()
			return nil, err
		case x.retry == nil:
			x.endWith(done)
			return x, nil
		default:
			_ = x.resp.Body.Close() // an answer nobody is shown
			p.rested(r, host, x.retry.Until)
		}
		done()
	}
}

// rested is what follows for a page's files where their host asked for rest,
// through this visit or another.
func (p *Pass) rested(r *refusals, host string, until time.Time) {
	p.door.files.slow(host)
	if host != p.own || p.doc.refused() {
		r.giveUp()
		return
	}
	r.rest(until, p.visit.Profile.Limits.RetryAfterMax)
}

// fileTurn waits for a file's turn: one of the run's, and of the two at a host
// that is slowed.
func (p *Pass) fileTurn(ctx context.Context, host string) (done func(), err error) {
	leave, err := p.door.files.enter(ctx, host, p.slowed(host))
	if err != nil {
		return nil, err
	}
	select {
	case p.run.slots <- struct{}{}:
	case <-ctx.Done():
		leave()
		return nil, context.Cause(ctx)
	}
	return sync.OnceFunc(func() { <-p.run.slots; leave() }), nil
}

// slowed reports whether a host was slowed when the visit took its turn there.
func (p *Pass) slowed(host string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.turns[host]
	return t != nil && t.slowed
}

// endWith calls done when the exchange ends; a stream held open takes nobody's turn.
func (x *exchange) endWith(done func()) {
	if isStream(x.resp) {
		done()
		return
	}
	busy := x.endBusy
	x.endBusy = func() { busy(); done() }
}

// fileTurns counts the files under way at each host, over all runs of this
// process, and remembers which hosts are slowed.
type fileTurns struct {
	mu     sync.Mutex
	hosts  map[string]*hostFiles
	slowed map[string]time.Time // until when
}

type hostFiles struct {
	under, waiting int
	freed          chan struct{} // closed when one ends
}

func newFileTurns() *fileTurns {
	return &fileTurns{hosts: map[string]*hostFiles{}, slowed: map[string]time.Time{}}
}

// slow has a host's files go two at a time from now on.
func (f *fileTurns) slow(host string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.slowed) >= slowedMost {
		clear(f.slowed)
	}
	f.slowed[host] = time.Now().Add(slowedFor)
}

// enter waits for a turn at a host; slowed says what the visit knows of it.
func (f *fileTurns) enter(ctx context.Context, host string, slowed bool) (leave func(), err error) {
	f.mu.Lock()
	h := f.hosts[host]
	if h == nil {
		h = &hostFiles{freed: make(chan struct{})}
		f.hosts[host] = h
	}
	for h.under >= filesSlowed && (slowed || time.Now().Before(f.slowed[host])) {
		freed := h.freed
		h.waiting++
		f.mu.Unlock()
		select {
		case <-freed:
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
		f.mu.Lock()
		h.waiting--
		if err != nil {
			f.forget(host, h)
			f.mu.Unlock()
			return nil, err
		}
	}
	h.under++
	f.mu.Unlock()
	return func() { f.leave(host, h) }, nil
}

func (f *fileTurns) leave(host string, h *hostFiles) {
	f.mu.Lock()
	defer f.mu.Unlock()
	h.under--
	close(h.freed)
	h.freed = make(chan struct{})
	f.forget(host, h)
}

// forget drops a host nobody is at. Call with mu held.
func (f *fileTurns) forget(host string, h *hostFiles) {
	if h.under == 0 && h.waiting == 0 {
		delete(f.hosts, host)
	}
}

// refused reports whether the document itself was refused for now.
func (d *document) refused() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.facts.RetryAfter != nil
}
