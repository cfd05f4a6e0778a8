package browser

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/go-rod/rod/lib/proto"
)

// longPoll is the age at which a script's or a frame's request no longer keeps a
// page from being taken as loaded.
const longPoll = 2 * time.Second

// traffic knows which of a page's requests are under way.
type traffic struct {
	mu   sync.Mutex
	open map[proto.NetworkRequestID]request
	last time.Time // a request began or ended
	kick chan struct{}
}

type request struct {
	began    time.Time
	document bool
	ages     bool // its end may never come, or never be told
}

func (r *traffic) init() {
	r.open, r.kick = map[proto.NetworkRequestID]request{}, make(chan struct{}, 1)
}

func (r *traffic) event(method string, params json.RawMessage, now time.Time) {
	switch method {
	case "Network.requestWillBeSent", "Network.loadingFinished", "Network.loadingFailed":
	default:
		return
	}
	var e struct {
		RequestID proto.NetworkRequestID    `json:"requestId"`
		LoaderID  string                    `json:"loaderId"`
		Type      proto.NetworkResourceType `json:"type"`
	}
	if json.Unmarshal(params, &e) != nil || (method == "Network.requestWillBeSent" && e.LoaderID == "") {
		// A worker's script has no document, and its end is not reported here.
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if method != "Network.requestWillBeSent" {
		delete(r.open, e.RequestID)
	} else {
		switch e.Type {
		case proto.NetworkResourceTypeEventSource, proto.NetworkResourceTypeWebSocket, proto.NetworkResourceTypeMedia,
			proto.NetworkResourceTypePing, proto.NetworkResourceTypePrefetch, proto.NetworkResourceTypeCSPViolationReport:
			return // they end when they like, or never
		}
		document := e.Type == proto.NetworkResourceTypeDocument
		ages := document || e.Type == proto.NetworkResourceTypeFetch || e.Type == proto.NetworkResourceTypeXHR
		r.open[e.RequestID] = request{began: now, document: document, ages: ages}
	}
	r.last = now
	select {
	case r.kick <- struct{}{}:
	default:
	}
}

// loaded forgets the documents under way: the load event waited for frames, and
// the end of a frame that shows a sound or a film is not told.
func (r *traffic) loaded() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, q := range r.open {
		if q.document {
			delete(r.open, id)
		}
	}
}

// busyUntil is the earliest moment at which the page can count as quiet, as far
// as is known now: now or earlier means it is. A request that is awaited pushes
// it a long way off.
func (r *traffic) busyUntil(now time.Time, calm time.Duration) time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	until := r.last.Add(calm)
	for _, q := range r.open {
		end := now.Add(time.Hour)
		if q.ages {
			end = q.began.Add(longPoll)
		}
		if end.After(until) {
			until = end
		}
	}
	return until
}

// quiet waits until no request is under way and none began or ended for calm.
// It tells whether that came before limit.
func (r *traffic) quiet(ctx context.Context, calm, limit time.Duration) bool {
	end := time.NewTimer(limit)
	defer end.Stop()
	for {
		now := time.Now()
		until := r.busyUntil(now, calm)
		if !until.After(now) {
			return true
		}
		again := time.NewTimer(until.Sub(now))
		select {
		case <-again.C:
		case <-r.kick:
		case <-end.C:
			again.Stop()
			return false
		case <-ctx.Done():
			again.Stop()
			return false
		}
		again.Stop()
	}
}
