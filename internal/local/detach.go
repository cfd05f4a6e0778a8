package local

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// Ensure returns the state of the folder's stack once it is ready, starting one
// in the background (`program up`, out of the terminal's reach) where none runs.
// started tells which it was.
func Ensure(ctx context.Context, f Folder, program string, environ []string, tell func(format string, args ...any)) (s State, started bool, err error) {
	if _, found, err := f.Running(); err != nil {
		return State{}, false, err
	} else if found {
		s, err = f.WaitReady(ctx, func(doing string) { tell("local stack: %s", doing) })
		return s, false, err
	}
	if err := f.make(); err != nil {
		return State{}, false, err
	}
	tell("no local stack runs on %s; starting one in the background", string(f))
	ended, err := startDetached(f, program, environ)
	if err != nil {
		return State{}, true, fmt.Errorf("start the local stack: %w", err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		if why := <-ended; why != nil {
			cancel(why)
		}
	}()
	s, err = f.WaitReady(ctx, func(doing string) { tell("local stack: %s", doing) })
	return s, true, err
}

// startDetached starts `program up` in a session of its own; the channel tells
// how it ended, should that happen while this process lives.
func startDetached(f Folder, program string, environ []string) (<-chan error, error) {
	log, err := openLog(f.logFile("up"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd := exec.Command(program, "up")
	cmd.Env = append(environ, "VISITE_DATA_DIR="+string(f))
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	ended := make(chan error, 1)
	go func() {
		defer close(ended)
		if err := cmd.Wait(); err != nil {
			ended <- fmt.Errorf("it ended at once (%w); the end of its log:\n%s", err, tail(f.logFile("up"), 8))
		}
	}()
	return ended, nil
}

// Program is the path of the running binary, for starting it anew.
func Program() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find our own program: %w", err)
	}
	return path, nil
}
