package local

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Restart bounds: a part that ends is started again after a pause that doubles,
// up to longPause times the first; one that ends once more after maxRestarts of
// them, without steadyFor of service in between, ends the stack.
const (
	firstPause  = 250 * time.Millisecond
	longPause   = 20
	maxRestarts = 10
	steadyFor   = 10 * time.Second
)

// supervisor keeps the parts of a stack running.
type supervisor struct {
	tell    func(format string, args ...any) // for people, one line each
	changed func()                           // after a part's process id changed
	failed  chan error                       // the first part that could not be kept running
	pause   time.Duration                    // before the first restart

	mu    sync.Mutex
	parts []*supervised // in starting order
}

type supervised struct {
	part    part
	now     running
	stopped chan struct{} // closed: end it
	over    chan struct{} // closed when its watch has ended
	err     error         // how its stop went; read after over
}

func newSupervisor(tell func(string, ...any), changed func()) *supervisor {
	return &supervisor{tell: tell, changed: changed, failed: make(chan error, 1), pause: firstPause}
}

// launch starts a part for the first time and watches over it from then on. A
// first start that fails is not repeated: its cause is for a person to mend.
func (s *supervisor) launch(ctx context.Context, p part) error {
	r, err := p.start(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	kept := &supervised{part: p, now: r, stopped: make(chan struct{}), over: make(chan struct{})}
	s.mu.Lock()
	s.parts = append(s.parts, kept)
	s.mu.Unlock()
	s.changed()
	go s.watch(kept)
	return nil
}

func (s *supervisor) watch(k *supervised) {
	defer close(k.over)
	restarts, since := 0, time.Now()
	for {
		select {
		case <-k.stopped:
			k.err = k.now.stop()
			return
		case <-k.now.done:
		}
		if time.Since(since) > steadyFor {
			restarts = 0
		}
		_ = k.now.stop() // frees what it held
		if !s.restart(k, &restarts) {
			return
		}
		since = time.Now()
	}
}

// restart starts a part again, as often as the bounds allow; false where the
// watch is over.
func (s *supervisor) restart(k *supervised, restarts *int) bool {
	cause := errors.New("ended by itself")
	for ; *restarts < maxRestarts; *restarts++ {
		pause := min(s.pause<<*restarts, longPause*s.pause)
		s.tell("%s: %v; starting it again in %s", k.part.name, cause, pause)
		select {
		case <-k.stopped:
			return false
		case <-time.After(pause):
		}
		r, err := s.startUnlessStopped(k)
		if err == nil {
			*restarts++
			s.mu.Lock()
			k.now = r
			s.mu.Unlock()
			s.tell("%s: serves again", k.part.name)
			s.changed()
			return true
		}
		cause = err
	}
	select {
	case s.failed <- fmt.Errorf("%s ended %d times in a row: %w", k.part.name, *restarts+1, cause):
	default:
	}
	return false
}

func (s *supervisor) startUnlessStopped(k *supervised) (running, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-k.stopped:
			cancel()
		case <-ctx.Done():
		}
	}()
	return k.part.start(ctx)
}

// pids tells the parts' process ids by name.
func (s *supervisor) pids() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := make(map[string]int, len(s.parts))
	for _, k := range s.parts {
		m[k.part.name] = k.now.pid
	}
	return m
}

// stop ends all parts, the last started first.
func (s *supervisor) stop() error {
	s.mu.Lock()
	parts := s.parts
	s.mu.Unlock()
	var errs []error
	for i := len(parts) - 1; i >= 0; i-- {
		close(parts[i].stopped)
		<-parts[i].over
		if parts[i].err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", parts[i].part.name, parts[i].err))
		}
	}
	return errors.Join(errs...)
}
