package local

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"
)

// State is what a running local stack tells other processes about itself. It
// holds addresses and places, no secret.
type State struct {
	PID       int            `json:"pid"`
	StartedAt time.Time      `json:"started_at"`
	Ready     bool           `json:"ready"`
	Doing     string         `json:"doing,omitempty"` // what the start is busy with
	API       string         `json:"api"`             // http://127.0.0.1:port
	UI        string         `json:"ui"`              // Temporal Web UI
	Temporal  string         `json:"temporal"`        // host:port
	TokenFile string         `json:"token_file"`      // 0600
	Data      string         `json:"data"`
	Children  map[string]int `json:"children"` // process ids by name
}

// Running reads the state of the stack on this folder; found is false where none runs.
func (f Folder) Running() (s State, found bool, err error) {
	held, err := f.locked()
	if err != nil || !held {
		return State{}, false, err
	}
	if err := readJSON(f.stateFile(), &s); err != nil {
		return State{}, false, err
	}
	if s.PID != 0 && errors.Is(syscall.Kill(s.PID, 0), syscall.ESRCH) {
		return State{}, true, nil // an earlier stack's state; the new one has not written its own yet
	}
	return s, true, nil
}

// WaitReady returns once the stack on this folder is ready, telling what it is
// busy with meanwhile. It ends with an error where the stack ends or ctx does.
func (f Folder) WaitReady(ctx context.Context, tell func(doing string)) (State, error) {
	seen, last := false, ""
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		s, found, err := f.Running()
		switch {
		case err != nil:
			return State{}, err
		case found && s.Ready:
			return s, nil
		case found:
			seen = true
			if s.Doing != last && s.Doing != "" {
				last = s.Doing
				tell(last)
			}
		case seen:
			return State{}, fmt.Errorf("the local stack ended while starting; its log is %s", f.logFile("up"))
		}
		select {
		case <-ctx.Done():
			return State{}, fmt.Errorf("the local stack is not ready: %w; its log is %s", context.Cause(ctx), f.logFile("up"))
		case <-tick.C:
		}
	}
}

// Token reads the local workspace's API token.
func (s State) Token() (string, error) { return ReadToken(s.TokenFile) }
