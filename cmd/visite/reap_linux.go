package main

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// reapAsInit lets the command run as a child where we are process 1 (a
// container), handing signals on and taking in processes that lost their
// parent: Chromium leaves such, and nobody else would. done is false where we
// are not process 1.
func reapAsInit() (code int, done bool) {
	if os.Getpid() != 1 {
		return 0, false
	}
	return runAsInit(exec.Command("/proc/self/exe", os.Args[1:]...)), true
}

// runAsInit runs a command to its end and tells its exit code, 128 and the
// signal's number where a signal ended it.
func runAsInit(cmd *exec.Cmd) int {
	signals := make(chan os.Signal, 16)
	signal.Notify(signals)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		fmt.Fprintf(os.Stderr, "visite: %v\n", err)
		return exitFailed
	}
	for s := range signals {
		if s != syscall.SIGCHLD {
			if s != syscall.SIGURG { // the Go runtime's own
				_ = cmd.Process.Signal(s)
			}
			continue
		}
		if code, ended := reap(cmd.Process.Pid); ended {
			return code
		}
	}
	return exitFailed
}

// reap takes in every child that has ended, and tells how the main one did.
func reap(main int) (code int, ended bool) {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil || pid <= 0:
			return code, ended
		case pid == main && status.Signaled():
			code, ended = 128+int(status.Signal()), true
		case pid == main:
			code, ended = status.ExitStatus(), true
		}
	}
}
