package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"visite/schema"
)

// navigation follows the tab's one document. Guarded by tab.mu.
type navigation struct {
	document proto.NetworkRequestID // the granted navigation; its redirect hops carry the same id
	loader   proto.NetworkLoaderID  // of the document that is there
	strayed  bool                   // another document came in its place
	broken   bool                   // a navigation of the page's own was refused at the request
	parsed   chan struct{}          // DOMContentLoaded
	loaded   chan struct{}          // load event
	cut      chan struct{}          // parsing ended because the page began to leave
	redirect string                 // where the page wanted to go by itself
}

func (n *navigation) init() {
	n.parsed, n.loaded, n.cut = make(chan struct{}), make(chan struct{}), make(chan struct{})
}

// judge lets a document request go or not. The first of the main frame is ours,
// with its redirects. Any later one is the page leaving by itself (script, meta
// refresh, form, reload): it is not followed, so one visit is one document, and
// a page cannot load itself again and again.
func (t *tab) judge(e *proto.FetchRequestPaused) {
	if e.FrameID != t.main() || t.granted(e) {
		go func() { _ = proto.FetchContinueRequest{RequestID: e.RequestID}.Call(t.channel()) }()
		return
	}
	go func() {
		_ = proto.FetchFailRequest{RequestID: e.RequestID, ErrorReason: proto.NetworkErrorReasonAborted}.Call(t.channel())
	}()
}

func (t *tab) granted(e *proto.FetchRequestPaused) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := &t.nav
	if n.document == "" {
		n.document = e.NetworkID
	}
	if n.document == e.NetworkID {
		return true
	}
	n.broken = true
	if e.Request.Method != "GET" {
		t.counts.forms++
	} else if n.redirect == "" {
		n.redirect = e.Request.URL
	}
	return false
}

// refused adds what the page's own world was told of navigations it refused.
func (t *tab) refused(redirect string, forms int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts.forms += forms
	if strings.HasPrefix(redirect, "http") { // not mailto: and the like
		t.nav.redirect = redirect
	}
}

func (t *tab) navigated(method string, params json.RawMessage) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := &t.nav
	switch method {
	case "Page.frameNavigated":
		var e struct {
			Frame struct{ ID, ParentID, LoaderID string }
		}
		if json.Unmarshal(params, &e) != nil || e.Frame.ID != string(t.target) || n.document == "" {
			return
		}
		if n.loader != "" && n.loader != proto.NetworkLoaderID(e.Frame.LoaderID) {
			n.strayed = true // about:blank or a blob: no request to hold back
		}
		n.loader = proto.NetworkLoaderID(e.Frame.LoaderID)
	case "Page.frameStoppedLoading":
		var e struct{ FrameID string }
		if json.Unmarshal(params, &e) == nil && e.FrameID == string(t.target) && n.broken {
			closeOnce(n.cut)
		}
	case "Page.domContentEventFired":
		if n.loader != "" {
			closeOnce(n.parsed)
		}
	case "Page.loadEventFired":
		if n.loader != "" {
			t.traffic.loaded()
			closeOnce(n.parsed)
			closeOnce(n.loaded)
		}
	}
}

// closeOnce closes c unless it is; the caller holds the lock.
func closeOnce(c chan struct{}) {
	select {
	case <-c:
	default:
		close(c)
	}
}

// open navigates and tells whether a document came. Where none came the door
// knows why; out.Failure is set where only the browser knows.
func (t *tab) open(url string, limit time.Duration, out *Rendered) (bool, error) {
	res, err := proto.PageNavigate{URL: url}.Call(t.channel().within(limit))
	if err != nil {
		return false, err
	}
	text := strings.TrimPrefix(res.ErrorText, "net::")
	switch {
	case text == "":
		return res.LoaderID != "", nil
	case text == "ERR_HTTP_RESPONSE_CODE_FAILURE": // an error status without a body
	case text == "ERR_ABORTED": // 204, download, or a redirect that is not followed
	case strings.HasPrefix(text, "ERR_PROXY"), text == "ERR_MANDATORY_PROXY_CONFIGURATION_FAILED":
		return false, fmt.Errorf("browser: the run's proxy does not answer (%s)", text)
	case text == "ERR_TOO_MANY_REDIRECTS":
		out.Failure = schema.ReasonTooManyRedirects
	case text == "ERR_TIMED_OUT", text == "ERR_CONNECTION_TIMED_OUT":
		out.Failure = schema.ReasonTimeout
	case strings.Contains(text, "AUTH"):
		// A password is asked for: the door's 401 says so.
	default:
		out.Failure = schema.ReasonConnection
	}
	return false, nil
}

// awaitLoad waits for the load event. A document that was parsed but whose files
// do not come to an end is taken as it is; one that was not even parsed is not.
func (t *tab) awaitLoad(ctx context.Context, limit time.Duration, out *Rendered) error {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-t.nav.loaded:
		return nil
	case <-t.nav.cut:
		return t.afterCut()
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
	}
	select {
	case <-t.nav.parsed:
		out.note(schema.NoteHardLimit)
		return nil
	default:
		return errDeadline
	}
}

// errCut tells that the document stopped short because the page began to leave.
var errCut = errors.New("browser: the page left while it was being parsed")

// afterCut tells whether a document whose page began to leave is whole.
func (t *tab) afterCut() error {
	select {
	case <-t.nav.parsed:
		return nil
	default:
		return errCut
	}
}

// stray tells whether another document took the place of the one asked for.
func (t *tab) stray() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.nav.strayed
}
