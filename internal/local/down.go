package local

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"
)

// Down ends the stack of a folder and waits until it has; found is false where
// none runs. The lock, not the process id, says whether one runs.
func Down(ctx context.Context, f Folder) (found bool, err error) {
	s, found, err := f.Running()
	if err != nil || !found {
		return false, err
	}
	if s.PID == 0 {
		return true, fmt.Errorf("a stack is just starting on %s; try again in a moment", string(f))
	}
	if err := syscall.Kill(s.PID, syscall.SIGTERM); err != nil && !errors.Is(err, syscall.ESRCH) {
		return true, fmt.Errorf("end process %d: %w", s.PID, err)
	}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		held, err := f.locked()
		if err != nil || !held {
			return true, err
		}
		select {
		case <-ctx.Done():
			return true, fmt.Errorf("process %d has not ended: %w", s.PID, context.Cause(ctx))
		case <-tick.C:
		}
	}
}
