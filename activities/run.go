package activities

import (
	"cmp"
	"context"
	"time"

	"go.temporal.io/sdk/activity"

	"visite/schema"
)

var noTime time.Time

// Wait sends the workflow away until a moment; it becomes a durable timer.
type Wait struct {
	Until time.Time
	Words string // for people, without page text
}

// visitOf makes the question to the door from a scan.
func visitOf(scan schema.Scan, purpose schema.Purpose, url, holder string, maxWait time.Duration, since time.Time) schema.Visit {
	return schema.Visit{
		Run:         schema.RunRef{WorkspaceID: scan.WorkspaceID, SiteID: scan.SiteID, ScanID: scan.ID},
		Cause:       cmp.Or(scan.Cause, schema.CauseScan),
		Purpose:     purpose,
		Profile:     scan.Profile,
		URL:         url,
		ScopeHost:   scan.ScopeHost,
		Holder:      holder,
		MaxWait:     maxWait,
		RobotsSince: since,
	}
}

// heartbeatEvery is how often a visiting step tells Temporal that it lives, from
// its own goroutine: a cancellation is learnt with the answer.
const heartbeatEvery = time.Second

// keepAlive heartbeats until stop is called.
func keepAlive(ctx context.Context) (stop func()) {
	over, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(heartbeatEvery)
		defer tick.Stop()
		for {
			activity.RecordHeartbeat(ctx)
			select {
			case <-over:
				return
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	}()
	return func() { close(over); <-done }
}

// holdTurn renews a pass until stop is called, so that the turn does not lapse
// during a long page.
func holdTurn(ctx context.Context, pass Pass) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		tick := time.NewTicker(renewEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				// A turn that could not be renewed lapses; the next Enter then waits longer, never less.
				_ = pass.Renew(ctx)
			}
		}
	}()
	return cancel
}

const renewEvery = 8 * time.Second

// leaving gives a turn back in the background; the function it returns waits for that.
func leaving(ctx context.Context, pass Pass) (left func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		leave(ctx, pass)
	}()
	return func() { <-done }
}

// leave gives a turn back even when the step was cancelled.
func leave(ctx context.Context, pass Pass) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	_ = pass.Leave(ctx)
}
