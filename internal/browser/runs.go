package browser

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/go-rod/rod/lib/proto"
)

// errRunEnded is the cause of a visit whose run was ended under it.
var errRunEnded = errors.New("browser: the run was ended")

// run is one scan's browser context.
type run struct {
	instance *instance
	id       proto.BrowserBrowserContextID
	proxy    string
	tabs     map[*tab]struct{}
	users    int
	idle     *time.Timer
	banners  banners
	sizes    sizes
	stored   stored
	begun    atomic.Bool // a visit began
}

// EndRun closes a run's context: its cache, its cookies, and tabs still open.
func (b *Browser) EndRun(scanID string) {
	b.mu.Lock()
	r := b.runs[scanID]
	delete(b.runs, scanID)
	b.mu.Unlock()
	if r != nil {
		b.dispose(r)
	}
}

// enter returns the run's context, made where there is none, or where its
// Chromium died or its proxy is another.
func (b *Browser) enter(ctx context.Context, v Visit) (*run, error) {
	if err := b.take(ctx); err != nil {
		return nil, err
	}
	defer b.give()
	i, err := b.living(ctx)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	r := b.runs[v.ScanID]
	if r != nil && r.instance == i && r.proxy == v.ProxyAddr {
		r.users++
		r.idle.Stop()
		b.mu.Unlock()
		return r, nil
	}
	delete(b.runs, v.ScanID)
	b.mu.Unlock()
	if r != nil {
		b.dispose(r)
	}
	return b.open(ctx, i, v)
}

func (b *Browser) open(ctx context.Context, i *instance, v Visit) (*run, error) {
	ch := i.channel(ctx, "").within(b.limits.answer)
	c, err := proto.TargetCreateBrowserContext{DisposeOnDetach: true, ProxyServer: "http://" + v.ProxyAddr, ProxyBypassList: "<-loopback>"}.Call(ch)
	if err != nil {
		i.suspect(err)
		return nil, err
	}
	if err := errors.Join(
		proto.BrowserSetDownloadBehavior{Behavior: proto.BrowserSetDownloadBehaviorBehaviorDeny, BrowserContextID: c.BrowserContextID}.Call(ch),
		// Granting none refuses all: no prompt ever waits for an answer.
		proto.BrowserGrantPermissions{Permissions: []proto.BrowserPermissionType{}, BrowserContextID: c.BrowserContextID}.Call(ch),
	); err != nil {
		return nil, err
	}
	r := &run{instance: i, id: c.BrowserContextID, proxy: v.ProxyAddr, tabs: map[*tab]struct{}{}, users: 1}
	r.idle = time.AfterFunc(b.limits.idle, func() { b.expire(v.ScanID, r) })
	r.idle.Stop()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.runs[v.ScanID] = r
	return r, nil
}

func (b *Browser) track(r *run, t *tab, on bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if on {
		r.tabs[t] = struct{}{}
	} else {
		delete(r.tabs, t)
	}
}

func (b *Browser) leave(scanID string, r *run) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if r.users--; r.users == 0 && b.runs[scanID] == r {
		r.idle.Reset(b.limits.idle)
	}
}

// expire closes a context nobody used for a while.
func (b *Browser) expire(scanID string, r *run) {
	b.mu.Lock()
	idle := r.users == 0 && b.runs[scanID] == r
	if idle {
		delete(b.runs, scanID)
	}
	b.mu.Unlock()
	if idle {
		b.dispose(r)
	}
}

// dispose closes a context that is no longer in b.runs.
func (b *Browser) dispose(r *run) {
	r.idle.Stop()
	b.mu.Lock()
	for t := range r.tabs {
		t.cancel(errRunEnded)
	}
	b.mu.Unlock()
	_ = proto.TargetDisposeBrowserContext{BrowserContextID: r.id}.Call(r.instance.channel(r.instance.ctx, ""))
}
