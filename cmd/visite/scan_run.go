package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"
)

// Bounds of following a scan.
const (
	pollEvery      = 400 * time.Millisecond
	orderPatience  = 30 * time.Second // for an API that does not answer the order
	cancelPatience = 15 * time.Second // for a cancelled scan to come to its end
	partingWait    = 2 * time.Second  // for the API to hear of it when the person leaves at once
	longestPause   = 5 * time.Second  // between tries while the API is away
)

// scanRun orders a scan and follows it to its end.
type scanRun struct {
	api       *client
	show      *progress
	cancelled <-chan struct{} // closed when the person wants it to end
	lang      string          // of the report; empty: English
	again     string          // the command line that cancels, less the scan's id
}

// ending is how following a scan ended.
type ending struct {
	status    scanStatus
	cancelled bool // by the person here
	final     bool // false: the scan had not come to its end in time
}

// scan orders the scan and returns when it is over, or some seconds after it
// was cancelled. An API that goes away meanwhile is waited for.
func (r *scanRun) scan(ctx context.Context, o scanOrder) (ending, error) {
	defer r.show.end()
	s, err := r.place(ctx, o)
	if err != nil {
		return ending{}, err
	}
	r.show.scan(s)
	return r.follow(ctx, s)
}

// place orders the scan. One key for all tries: an order that arrived although
// its answer got lost is not placed twice.
func (r *scanRun) place(ctx context.Context, o scanOrder) (scanStatus, error) {
	ctx, stop := until(ctx, r.cancelled)
	defer stop()
	key, began := rand.Text(), time.Now()
	for try := 0; ; try++ {
		var s scanStatus
		err := r.previews(ctx, o)
		if err == nil {
			s, err = r.api.order(ctx, o, key)
		}
		if err == nil {
			return s, nil
		}
		var p *problem
		switch {
		case ctx.Err() != nil:
			return s, errors.New("cancelled before the scan was ordered")
		case errors.As(err, &p) && p.refused():
			if p.ScanID != "" {
				err = fmt.Errorf("%w `%s %s` cancels it", err, r.again, p.ScanID)
			}
			return s, &codedError{exitUsage, err}
		case time.Since(began) > orderPatience:
			return s, err
		}
		r.show.away(err, began)
		sleep(ctx, pauseAfter(try))
	}
}

// previews switches them on before the scan that is to draw them is ordered. A
// minute is left out of the days: the API's clock may be behind.
func (r *scanRun) previews(ctx context.Context, o scanOrder) error {
	if o.previews == 0 {
		return nil
	}
	return r.api.keepPreviews(ctx, o.url, time.Now().Add(time.Duration(o.previews)*24*time.Hour-time.Minute))
}

func (r *scanRun) follow(ctx context.Context, s scanStatus) (ending, error) {
	end := ending{status: s}
	cancelled := r.cancelled
	var deadline <-chan time.Time
	heard := make(chan struct{})
	var awaySince time.Time
	for try := 0; ; {
		now, err := r.api.status(ctx, s.ID)
		var p *problem
		pause := pollEvery
		switch {
		case err == nil:
			try, awaySince, end.status = 0, time.Time{}, now
			r.show.update(now)
			if now.State.Final() {
				end.final = true
				return end, nil
			}
		case ctx.Err() != nil:
			return end, r.parting(s.ID, heard)
		case errors.As(err, &p) && p.refused():
			return end, fmt.Errorf("scan %s cannot be followed: %w", s.ID, err)
		default:
			if awaySince.IsZero() {
				awaySince = time.Now()
			}
			pause = pauseAfter(try)
			try++
			r.show.away(err, awaySince)
		}
		select {
		case <-cancelled:
			cancelled, end.cancelled = nil, true
			deadline = time.After(cancelPatience)
			r.show.say("Cancelling the scan; the report of what was found follows (Ctrl-C again to leave at once)")
			go r.cancelUntil(context.WithoutCancel(ctx), s.ID, time.Now().Add(cancelPatience), heard)
		case <-deadline:
			return end, nil
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// parting is what is said to who leaves at once; the order to cancel may just
// be on its way.
func (r *scanRun) parting(id string, heard <-chan struct{}) error {
	select {
	case <-heard:
		return fmt.Errorf("left at once; scan %s is being cancelled", id)
	case <-time.After(partingWait):
		return fmt.Errorf("left at once; the API has not heard yet that scan %s is to be cancelled; `%s %s` tells it", id, r.again, id)
	}
}

// cancelUntil asks for the scan's end until the API has heard it, which closes heard.
func (r *scanRun) cancelUntil(ctx context.Context, id string, deadline time.Time, heard chan<- struct{}) {
	ctx, stop := context.WithDeadline(ctx, deadline)
	defer stop()
	for try := 0; ctx.Err() == nil; try++ {
		err := r.api.cancel(ctx, id)
		var p *problem
		if err == nil || errors.As(err, &p) && p.refused() {
			close(heard)
			return
		}
		sleep(ctx, pauseAfter(try))
	}
}

// pauseAfter grows from a quarter of a second to longestPause.
func pauseAfter(try int) time.Duration {
	return min(250*time.Millisecond<<min(try, 10), longestPause)
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// until is a context that also ends when the channel closes.
func until(parent context.Context, end <-chan struct{}) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(parent)
	go func() {
		select {
		case <-end:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}
