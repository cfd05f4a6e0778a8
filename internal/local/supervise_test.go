package local

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// flaky is a part that ends by itself as soon as it serves, for its first so many starts.
type flaky struct {
	starts, ends atomic.Int64
	endAtOnce    int64 // this many starts
	failFrom     int64 // starts from this one on fail; 0: none
	last         atomic.Pointer[chan struct{}]
}

func (f *flaky) start(context.Context) (running, error) {
	n := f.starts.Add(1)
	if f.failFrom > 0 && n >= f.failFrom {
		return running{}, errors.New("no ground to stand on")
	}
	done := make(chan struct{})
	f.last.Store(&done)
	if n <= f.endAtOnce {
		close(done)
	}
	return running{pid: int(n), done: done, stop: func() error { f.ends.Add(1); return nil }}, nil
}

func quickSupervisor(t *testing.T) *supervisor {
	s := newSupervisor(t.Logf, func() {})
	s.pause = time.Millisecond
	return s
}

func TestSupervisorRestartsAsOftenAsItsBoundAllows(t *testing.T) {
	for name, c := range map[string]struct {
		part   *flaky
		starts int64
		fails  string
	}{
		"recovers at the last restart": {&flaky{endAtOnce: maxRestarts}, maxRestarts + 1, ""},
		"ends once more":               {&flaky{endAtOnce: maxRestarts + 1}, maxRestarts + 1, "part ended 11 times in a row: ended by itself"},
		"cannot be started again":      {&flaky{endAtOnce: 1, failFrom: 2}, maxRestarts + 1, "part ended 11 times in a row: no ground to stand on"},
	} {
		t.Run(name, func(t *testing.T) {
			s := quickSupervisor(t)
			if err := s.launch(context.Background(), part{"part", c.part.start}); err != nil {
				t.Fatal(err)
			}
			if c.fails != "" {
				select {
				case err := <-s.failed:
					if err.Error() != c.fails {
						t.Errorf("failed with %q, want %q", err, c.fails)
					}
				case <-time.After(10 * time.Second):
					t.Fatal("no failure is told")
				}
			}
			within(t, 10*time.Second, "all starts", func() bool { return c.part.starts.Load() == c.starts })
			if err := s.stop(); err != nil {
				t.Errorf("stop: %v", err)
			}
			if got := c.part.starts.Load(); got != c.starts {
				t.Errorf("%d starts, want %d", got, c.starts)
			}
			select {
			case err := <-s.failed:
				t.Errorf("another failure: %v", err)
			default:
			}
		})
	}
}

func TestSupervisorDoesNotRepeatAFirstStart(t *testing.T) {
	s, p := quickSupervisor(t), &flaky{failFrom: 1}
	err := s.launch(context.Background(), part{"part", p.start})
	if err == nil || !strings.Contains(err.Error(), "part: no ground to stand on") || p.starts.Load() != 1 {
		t.Errorf("%v after %d starts", err, p.starts.Load())
	}
}

func TestSupervisorStopsLastFirst(t *testing.T) {
	s := quickSupervisor(t)
	var order []string
	for _, name := range []string{"first", "second", "third"} {
		err := s.launch(context.Background(), part{name, func(context.Context) (running, error) {
			return running{done: make(chan struct{}), stop: func() error { order = append(order, name); return nil }}, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(order, " "); got != "third second first" {
		t.Errorf("stopped in the order %s", got)
	}
}
