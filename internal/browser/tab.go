package browser

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/go-rod/rod/lib/proto"
	"golang.org/x/sync/errgroup"

	"visite/schema"
)

// maxConsole is how many console errors are counted before we stop listening.
const maxConsole = 1000

var (
	// errCrashed is the cause of everything that ends because the page's renderer died.
	errCrashed = errors.New("browser: the page's renderer crashed")
	// errDeadline is the cause of a visit that ran out of time.
	errDeadline = errors.New("browser: the visit's deadline has passed")
)

// counts is what a tab saw happen.
type counts struct {
	console, dialogs, popups, forms int
}

// tab is one page of one visit.
type tab struct {
	inst    *instance
	target  proto.TargetTargetID
	session proto.TargetSessionID
	context proto.BrowserBrowserContextID
	agent   proto.NetworkSetUserAgentOverride
	ctx     context.Context // ends with the visit, or with errCrashed or errGone
	cancel  context.CancelCauseFunc
	unbind  func() bool
	begun   bool // something was asked of the site
	sealed  bool // a document of ours: nothing may leave

	traffic traffic
	asked   wanted
	mu      sync.Mutex
	counts  counts
	nav     navigation
	own     *did // before our checks press keys; nil until then
}

// did is what a page did of itself.
type did struct {
	counts   counts
	redirect string
}

func newTab(ctx context.Context, i *instance, e *proto.TargetAttachedToTarget) *tab {
	t := &tab{inst: i, target: e.TargetInfo.TargetID, session: e.SessionID, context: e.TargetInfo.BrowserContextID}
	t.ctx, t.cancel = context.WithCancelCause(ctx)
	t.unbind = context.AfterFunc(i.ctx, func() { t.cancel(errGone) })
	t.traffic.init()
	t.asked.by = map[proto.NetworkRequestID]int{}
	t.nav.init()
	i.mu.Lock()
	defer i.mu.Unlock()
	i.tabs[t.session], i.byTarget[t.target] = t, t
	i.visits++
	return t
}

func (t *tab) channel() channel { return t.inst.channel(t.ctx, t.session) }

func (t *tab) main() proto.PageFrameID { return proto.PageFrameID(t.target) }

// left is the time the visit still has.
func (t *tab) left() time.Duration {
	deadline, _ := t.ctx.Deadline()
	return time.Until(deadline)
}

func (t *tab) count(f func(*counts)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f(&t.counts)
}

// prepare installs everything that must be there before the page is. The calls
// do not depend on each other and go out together.
func (t *tab) prepare(v Visit, s scripts) error {
	ch := t.channel().within(startLimit) // a new renderer comes up meanwhile
	none, mobile := 0, v.Device == schema.DeviceMobile
	var g errgroup.Group
	for _, call := range []func() error{
		func() error { return proto.PageEnable{}.Call(ch) },
		func() error { return proto.InspectorEnable{}.Call(ch) },
		func() error { return proto.RuntimeEnable{}.Call(ch) },
		// No bodies are kept for a debugger that never asks.
		func() error {
			return proto.NetworkEnable{MaxTotalBufferSize: &none, MaxResourceBufferSize: &none, MaxPostDataSize: &none}.Call(ch)
		},
		func() error { return proto.NetworkSetBypassServiceWorker{Bypass: true}.Call(ch) },
		func() error { return t.agent.Call(ch) },
		func() error { return screen(v.Device).Call(ch) },
		func() error { return proto.EmulationSetTouchEmulationEnabled{Enabled: mobile}.Call(ch) },
		func() error { return proto.EmulationSetFocusEmulationEnabled{Enabled: true}.Call(ch) },
		func() error {
			return proto.EmulationSetEmulatedMedia{Features: []*proto.EmulationMediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}}}.Call(ch)
		},
		func() error {
			_, err := proto.PageAddScriptToEvaluateOnNewDocument{Source: s.guard}.Call(ch)
			return err
		},
		func() error {
			_, err := proto.PageAddScriptToEvaluateOnNewDocument{Source: s.page, WorldName: worldName}.Call(ch)
			return err
		},
		func() error { return proto.PageSetInterceptFileChooserDialog{Enabled: true}.Call(ch) },
		// Only documents are held for judgement; a page's files pass without a round trip.
		func() error {
			return proto.FetchEnable{Patterns: []*proto.FetchRequestPattern{{URLPattern: "*", ResourceType: proto.NetworkResourceTypeDocument}}, HandleAuthRequests: true}.Call(ch)
		},
		func() error { return proto.RuntimeRunIfWaitingForDebugger{}.Call(ch) },
	} {
		g.Go(call)
	}
	return g.Wait()
}

// event takes one event of this tab. It must not block.
func (t *tab) event(method string, params json.RawMessage) {
	switch method {
	case "Inspector.targetCrashed":
		t.cancel(errCrashed)
	case "Page.javascriptDialogOpening":
		t.dialog(params)
	case "Runtime.consoleAPICalled", "Runtime.exceptionThrown":
		t.console(method, params)
	case "Page.frameNavigated", "Page.frameStoppedLoading", "Page.domContentEventFired", "Page.loadEventFired":
		t.navigated(method, params)
	case "Fetch.requestPaused":
		if e, ok := decode[proto.FetchRequestPaused](params); ok {
			if t.sealed {
				t.refuse(e)
				return
			}
			t.judge(e)
		}
	case "Fetch.authRequired":
		if e, ok := decode[proto.FetchAuthRequired](params); ok {
			answer := &proto.FetchAuthChallengeResponse{Response: proto.FetchAuthChallengeResponseResponseCancelAuth}
			go func() {
				_ = proto.FetchContinueWithAuth{RequestID: e.RequestID, AuthChallengeResponse: answer}.Call(t.channel())
			}()
		}
	default:
		if strings.HasPrefix(method, "Network.") {
			t.traffic.event(method, params, time.Now())
			t.asked.event(method, params, t.main())
		}
	}
}

// dialog answers a dialog at once: until it is answered the page's script
// stands still, and most protocol calls with it.
func (t *tab) dialog(params json.RawMessage) {
	e, ok := decode[proto.PageJavascriptDialogOpening](params)
	if !ok {
		return
	}
	leave := e.Type == proto.PageDialogTypeBeforeunload
	if !leave {
		t.count(func(c *counts) { c.dialogs++ })
	}
	go func() { _ = proto.PageHandleJavaScriptDialog{Accept: leave}.Call(t.channel()) }()
}

func (t *tab) console(method string, params json.RawMessage) {
	if method == "Runtime.consoleAPICalled" {
		var e struct{ Type string }
		if json.Unmarshal(params, &e) != nil || (e.Type != "error" && e.Type != "assert") {
			return
		}
	} else if strings.Contains(string(params), "service workers are off during this visit") {
		return // our own refusal, not the page's fault
	}
	t.count(func(c *counts) {
		if c.console++; c.console == maxConsole {
			go func() { _ = proto.RuntimeDisable{}.Call(t.channel()) }()
		}
	})
}

// detached tells that the target is gone. Where we closed it, the visit has
// another cause already.
func (t *tab) detached() { t.cancel(errCrashed) }

// closeLimit bounds how long a visit waits for its tab to go.
const closeLimit = time.Second

// close ends the tab, also one whose script never returns. The page's unload
// handlers do not run: they would send beacons after the visit.
func (t *tab) close() {
	t.unbind()
	t.cancel(context.Canceled)
	ctx, cancel := context.WithTimeoutCause(t.inst.ctx, closeLimit, errNoAnswer)
	defer cancel()
	// A script that never returns never answers either: this must be short.
	_ = proto.EmulationSetScriptExecutionDisabled{Value: true}.Call(t.inst.channel(ctx, t.session).within(100 * time.Millisecond))
	_, _ = proto.TargetCloseTarget{TargetID: t.target}.Call(t.inst.channel(ctx, ""))
}
