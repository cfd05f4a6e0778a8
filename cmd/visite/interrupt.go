package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// interrupts tells a first Ctrl-C (or SIGTERM) from a second one.
type interrupts struct {
	first   <-chan struct{} // closed by the first
	release func()
}

// onInterrupt returns a context that the second interrupt ends, so that after
// the first there is time to cancel and to write what was found.
func onInterrupt(parent context.Context) (context.Context, interrupts) {
	ctx, cancel := context.WithCancel(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	first := make(chan struct{})
	go func() {
		for n := 0; ; n++ {
			select {
			case <-signals:
			case <-ctx.Done():
				return
			}
			if n == 0 {
				close(first)
				continue
			}
			cancel()
		}
	}()
	return ctx, interrupts{first: first, release: func() { signal.Stop(signals); cancel() }}
}

// untilStopped returns a context that Ctrl-C or SIGTERM ends.
func untilStopped(parent context.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(parent, os.Interrupt, syscall.SIGTERM)
}
