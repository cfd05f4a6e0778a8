package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// part is one piece of the stack: how to start it and know that it serves.
type part struct {
	name string
	// start returns once the part serves; ctx bounds the start, not the life.
	start func(ctx context.Context) (running, error)
}

// running is a part that serves.
type running struct {
	pid  int
	done <-chan struct{} // closed when it has ended, wished for or not
	stop func() error    // ends it in order, by force after its grace
}

// program is a part that is a child process of ours.
type program struct {
	path  string
	args  []string
	env   []string
	log   string                      // file for both outputs, appended to
	ready func(context.Context) error // nil once it serves
	grace time.Duration               // between asking it to end and ending it
}

const (
	startLimit = 60 * time.Second
	readyPoll  = 50 * time.Millisecond
	maxLog     = 8 << 20
)

// start starts the program and waits until it is ready, at most startLimit. The
// starting thread lives as long as the child: the kernel takes that thread's
// end for the parent's.
func (p program) start(ctx context.Context) (running, error) {
	log, err := openLog(p.log)
	if err != nil {
		return running{}, err
	}
	defer log.Close()
	cmd := exec.Command(p.path, p.args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = p.env, log, log
	cmd.SysProcAttr = childAttr()
	done, started := make(chan struct{}), make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with this goroutine, after the child
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // how it ended is read from ProcessState
			close(done)
		}
	}()
	if err := <-started; err != nil {
		return running{}, err
	}
	r := running{pid: cmd.Process.Pid, done: done, stop: func() error { return p.stop(cmd, done) }}
	if err := p.await(ctx, cmd, done); err != nil {
		return running{}, errors.Join(err, r.stop())
	}
	return r, nil
}

func (p program) await(ctx context.Context, cmd *exec.Cmd, done <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	tick := time.NewTicker(readyPoll)
	defer tick.Stop()
	for {
		err := p.ready(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-done:
			return fmt.Errorf("ended while starting (%s); the end of its log %s:\n%s", cmd.ProcessState, p.log, tail(p.log, 12))
		case <-ctx.Done():
			return fmt.Errorf("is not ready (%w); its log is %s", err, p.log)
		case <-tick.C:
		}
	}
}

// stop asks the program to end, and ends it and its group after the grace.
func (p program) stop(cmd *exec.Cmd, done <-chan struct{}) error {
	_ = cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-done:
	case <-time.After(p.grace):
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	select {
	case <-done:
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what it may have left behind
		return nil
	case <-time.After(5 * time.Second):
		return fmt.Errorf("process %d does not end", cmd.Process.Pid)
	}
}

// openLog appends to a log; one over 8 MiB is begun anew.
func openLog(path string) (*os.File, error) {
	flags := os.O_CREATE | os.O_WRONLY | os.O_APPEND
	if info, err := os.Stat(path); err == nil && info.Size() > maxLog {
		flags |= os.O_TRUNC
	}
	return os.OpenFile(path, flags, 0o600)
}
