package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"
	"github.com/go-rod/rod/lib/utils"

	"visite/schema"
)

// startLimit bounds a start, from exec to the first answer.
const startLimit = 30 * time.Second

// errGone is the cause of everything that ends because Chromium died.
var errGone = errors.New("browser: Chromium is gone")

// instance is one running Chromium.
type instance struct {
	proc   *process
	client *cdp.Client
	who    identity
	ctx    context.Context // ends with errGone
	gone   context.CancelCauseFunc

	mu       sync.Mutex
	tabs     map[proto.TargetSessionID]*tab
	byTarget map[proto.TargetTargetID]*tab
	reports  chan *proto.TargetAttachedToTarget // where new pages are reported while a tab is made
	visits   int

	making sync.Mutex

	matchOnce sync.Once
	matcher   *matcher
	validator *validator
}

func launch(ctx context.Context, o Options) (*instance, error) {
	plain := ""
	if who, err := ask(ctx, o.Path); err == nil {
		plain = who.userAgent(schema.DeviceDesktop)
	}
	proc, err := startProcess(o.Path, o.TempDir, func(dir string) []string {
		return flags(dir, plain, o.SPKI, os.Geteuid() == 0)
	})
	if err != nil {
		return nil, err
	}
	end, gone := context.WithCancelCause(context.Background())
	i := &instance{
		proc: proc, client: cdp.New().Logger(utils.LoggerQuiet).Start(proc.pipe), ctx: end, gone: gone,
		tabs: map[proto.TargetSessionID]*tab{}, byTarget: map[proto.TargetTargetID]*tab{}, validator: newValidator(),
	}
	go i.listen()
	if err := i.greet(ctx); err != nil {
		i.stop()
		return nil, fmt.Errorf("browser: %s does not come up: %w; it said: %q", o.Path, err, proc.stderr.String())
	}
	proc.stderr.close()
	return i, nil
}

// greet asks who answers and has every new page, whoever opens it, held before
// its first request.
func (i *instance) greet(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startLimit, errNoAnswer)
	defer cancel()
	ch := i.channel(ctx, "").within(startLimit)
	v, err := proto.BrowserGetVersion{}.Call(ch)
	if err != nil {
		return err
	}
	if i.who, err = newIdentity(v.Product); err != nil {
		return err
	}
	kinds := proto.TargetTargetFilter{{Type: "page"}, {Type: "service_worker"}, {Type: "shared_worker"}}
	return proto.TargetSetAutoAttach{AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: true, Filter: kinds}.Call(ch)
}

func (i *instance) channel(ctx context.Context, s proto.TargetSessionID) channel {
	return channel{client: i.client, session: s, ctx: ctx, limit: callLimit}
}

func (i *instance) alive() bool { return i.ctx.Err() == nil }

// suspect kills a Chromium that does not answer: the next visit starts another.
func (i *instance) suspect(err error) {
	if errors.Is(err, errNoAnswer) {
		i.gone(errGone)
		i.proc.kill()
	}
}

// watchShare is how many times within its limit Chromium is asked for a sign of life.
const watchShare = 6

// watch asks Chromium again and again whether it is there, and kills one that
// does not answer in time. A page can keep the process that all share from
// working: without this every visit under way would run into its own deadline,
// and be taken for a page that cannot be loaded. What is noticed here is noticed
// within the limit and a sixth, and is our own trouble.
func (i *instance) watch(limit time.Duration) {
	every := time.NewTicker(limit / watchShare)
	defer every.Stop()
	for {
		select {
		case <-i.ctx.Done():
			return
		case <-every.C:
		}
		_, err := proto.BrowserGetVersion{}.Call(i.channel(i.ctx, "").within(limit))
		i.suspect(err)
	}
}

// stop kills Chromium and waits until nothing of it is left.
func (i *instance) stop() { i.proc.stop() }

// listen hands events to their tabs until the pipe ends. It must never block.
func (i *instance) listen() {
	for e := range i.client.Event() {
		session := proto.TargetSessionID(e.SessionID)
		if session == "" {
			i.event(e.Method, e.Params)
			continue
		}
		i.mu.Lock()
		t := i.tabs[session]
		i.mu.Unlock()
		if t != nil {
			t.event(e.Method, e.Params)
		}
	}
	i.gone(errGone)
	i.proc.kill()
}

func (i *instance) event(method string, params json.RawMessage) {
	switch method {
	case "Target.attachedToTarget":
		if e, ok := decode[proto.TargetAttachedToTarget](params); ok {
			i.attached(e)
		}
	case "Target.detachedFromTarget":
		e, ok := decode[proto.TargetDetachedFromTarget](params)
		if !ok {
			return
		}
		i.mu.Lock()
		t := i.tabs[e.SessionID]
		delete(i.tabs, e.SessionID)
		if t != nil {
			delete(i.byTarget, t.target)
		}
		i.mu.Unlock()
		if t != nil {
			t.detached()
		}
	}
}

// attached decides about a target that was just made and is held: a tab of
// ours, a window a page opened, or a worker.
func (i *instance) attached(e *proto.TargetAttachedToTarget) {
	switch e.TargetInfo.Type {
	case proto.TargetTargetInfoTypePage:
		if !i.reported(e) {
			i.popup(e)
		}
	case proto.TargetTargetInfoTypeServiceWorker:
		go i.closeTarget(e.TargetInfo.TargetID)
	default:
		go func() {
			ch := i.channel(i.ctx, e.SessionID)
			if t := i.anyTab(e.TargetInfo.BrowserContextID); t != nil {
				_ = t.agent.Call(ch) // holds as long as we stay attached
			}
			_ = proto.RuntimeRunIfWaitingForDebugger{}.Call(ch)
		}()
	}
}

// reported hands a new page to who is making a tab, if anybody is.
func (i *instance) reported(e *proto.TargetAttachedToTarget) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	select {
	case i.reports <- e:
		return true
	default: // nobody waits (a nil channel), or a page opens windows by the thousand
		return false
	}
}

// popup closes a window a page opened; it is held and has sent nothing.
func (i *instance) popup(e *proto.TargetAttachedToTarget) {
	i.mu.Lock()
	t := i.byTarget[e.TargetInfo.OpenerID]
	i.mu.Unlock()
	if t == nil { // opened without telling its opener
		t = i.anyTab(e.TargetInfo.BrowserContextID)
	}
	if t != nil {
		t.count(func(c *counts) { c.popups++ })
	}
	go func() {
		// It shares a thread with its opener, which stands still until it may run: one
		// that is closed before that leaves its opener standing. So it runs, with each
		// request held that it makes, and is closed.
		ch := i.channel(i.ctx, e.SessionID)
		all := []*proto.FetchRequestPattern{{URLPattern: "*"}}
		held := proto.FetchEnable{Patterns: all}.Call(ch) == nil
		if held {
			_ = proto.RuntimeRunIfWaitingForDebugger{}.Call(ch.within(time.Second))
		}
		i.closeTarget(e.TargetInfo.TargetID)
		if !held {
			_ = proto.RuntimeRunIfWaitingForDebugger{}.Call(ch)
		}
	}()
}

func (i *instance) anyTab(context proto.BrowserBrowserContextID) *tab {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, t := range i.tabs {
		if t.context == context {
			return t
		}
	}
	return nil
}

func (i *instance) closeTarget(id proto.TargetTargetID) {
	_, _ = proto.TargetCloseTarget{TargetID: id}.Call(i.channel(i.ctx, ""))
}

// create opens a tab and returns it with its session. Tabs are made one at a
// time, so that what else attaches meanwhile was opened by pages. The report of
// a new tab may come before the answer to the call that made it, or after.
func (i *instance) create(ctx context.Context, in proto.BrowserBrowserContextID, answer time.Duration) (*tab, error) {
	i.making.Lock()
	defer i.making.Unlock()
	reports := make(chan *proto.TargetAttachedToTarget, 1024)
	i.divert(reports)
	defer func() {
		i.divert(nil)
		for len(reports) > 0 {
			i.popup(<-reports)
		}
	}()
	made, err := proto.TargetCreateTarget{URL: "about:blank", BrowserContextID: in, NewWindow: true}.Call(i.channel(ctx, "").within(answer))
	if err != nil {
		return nil, err
	}
	late := time.NewTimer(answer)
	defer late.Stop()
	for {
		select {
		case e := <-reports:
			if e.TargetInfo.TargetID == made.TargetID {
				return newTab(ctx, i, e), nil
			}
			i.popup(e)
			continue
		case <-ctx.Done():
			err = context.Cause(ctx)
		case <-i.ctx.Done():
			err = errGone
		case <-late.C:
			err = errNoAnswer
		}
		go i.closeTarget(made.TargetID)
		return nil, fmt.Errorf("browser: wait for a new tab: %w", err)
	}
}

// divert sends reports of new pages to a channel instead of taking them for
// windows that pages opened; nil ends it.
func (i *instance) divert(to chan *proto.TargetAttachedToTarget) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.reports = to
}

func decode[E any](params json.RawMessage) (*E, bool) {
	var e E
	if err := json.Unmarshal(params, &e); err != nil {
		return nil, false
	}
	return &e, true
}

// worn tells whether it has served long enough.
func (i *instance) worn() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.visits >= maxVisits
}
