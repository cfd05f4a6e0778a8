package browser

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"

	"visite/schema"
)

// maxVisits is after how many visits Chromium is replaced, once no run is open:
// what it leaks is bounded.
const maxVisits = 1000

// maxTempDir leaves room for our folder's and Chromium's names in the 107 bytes
// a Unix socket's address may have.
const maxTempDir = 40

// ErrClosed tells that the browser was closed.
var ErrClosed = errors.New("browser: closed")

// Options say which Chromium is used and what it trusts.
type Options struct {
	// Path of Chromium; empty: Find looks for it.
	Path string
	// SPKI are base64 SHA-256 hashes of public keys whose certificates Chromium
	// takes without further check: those of the door's proxy.
	SPKI []string
	// TempDir holds Chromium's folder, which goes with it; at most 40 bytes long,
	// because Chromium makes a socket below it. Empty: the system's, or /tmp.
	TempDir string
	// Lists is the folder of the lists of trackers, see FindLists; empty: none.
	Lists string
	// CacheDir keeps the lists compiled from one start to the next; empty: not kept.
	CacheDir string
	// Log takes starts and deaths of Chromium; nil: none.
	Log *slog.Logger
}

// Browser is Chromium behind the door. Safe for concurrent use. Chromium starts
// with the first visit and again after it died.
type Browser struct {
	opts    Options
	scripts scripts
	limits  limits
	ending  sync.WaitGroup // instances that are being cleared away
	start   chan struct{}  // holds one token: who has it starts Chromium or makes a context

	mu       sync.Mutex
	instance *instance
	runs     map[string]*run
	closed   bool
}

// New returns a Browser; it starts nothing yet. It fails where the page scripts
// are not in the build (ErrNoScripts) or no Chromium is found (ErrNoChromium).
func New(o Options) (*Browser, error) {
	s, err := loadScripts(dist)
	if err != nil {
		return nil, err
	}
	if o, err = o.complete(); err != nil {
		return nil, err
	}
	b := &Browser{opts: o, scripts: s, limits: defaultLimits, start: make(chan struct{}, 1), runs: map[string]*run{}}
	b.start <- struct{}{}
	return b, nil
}

// complete fills in what was left open.
func (o Options) complete() (Options, error) {
	if o.Path == "" {
		path, err := Find()
		if err != nil {
			return o, err
		}
		o.Path = path
	}
	if o.TempDir == "" {
		if o.TempDir = os.TempDir(); len(o.TempDir) > maxTempDir {
			o.TempDir = "/tmp"
		}
	}
	if len(o.TempDir) > maxTempDir {
		return o, fmt.Errorf("browser: temp folder %q is longer than %d bytes, too long for Chromium's socket; choose a shorter one", o.TempDir, maxTempDir)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o, nil
}

// UserAgent is the ordinary User-Agent of the Chromium really used, for the
// device, up to and including "Safari/537.36", without "Headless" (contract
// S-03, S-05, S-06). It starts Chromium where none runs.
func (b *Browser) UserAgent(ctx context.Context, d schema.Device) (string, error) {
	i, err := b.running(ctx)
	if err != nil {
		return "", err
	}
	return i.who.userAgent(d), nil
}

// Version is "Chromium 156.0.8078.114". It starts Chromium where none runs.
func (b *Browser) Version(ctx context.Context) (string, error) {
	i, err := b.running(ctx)
	if err != nil {
		return "", err
	}
	return "Chromium " + i.who.full, nil
}

// Visit opens one page in its run's context (made on first use), waits for it
// to settle, takes the document, runs the accessibility engine, and closes the
// tab. Cancelling ctx closes the tab at once and returns its cause. The page's
// trouble is in Rendered; an error is our own. No load is ever repeated.
func (b *Browser) Visit(ctx context.Context, v Visit) (Rendered, error) {
	if v.Deadline <= 0 {
		v.Deadline = DefaultDeadline
	}
	limited, cancel := context.WithTimeoutCause(ctx, v.Deadline, errDeadline)
	defer cancel()
	r, err := b.enter(limited, v)
	if errors.Is(err, errGone) && ctx.Err() == nil {
		return Rendered{Failure: schema.ReasonBrowserCrashed, OurFault: true}, nil
	}
	if err != nil {
		return Rendered{}, err
	}
	defer b.leave(v.ScanID, r)
	t, err := r.instance.create(limited, r.id, b.limits.answer)
	if err != nil {
		r.instance.suspect(err)
		if errors.Is(err, errGone) && ctx.Err() == nil {
			return Rendered{Failure: schema.ReasonBrowserCrashed, OurFault: true}, nil
		}
		return Rendered{}, err
	}
	b.track(r, t, true)
	defer b.track(r, t, false)
	defer t.close()
	t.agent = r.instance.who.override(v.UserAgent, v.Device)
	lists := func() *matcher { return r.instance.matching(b.opts, b.scripts.trackers) }
	out, err := t.visit(v, b.scripts, b.limits, r, lists)
	return verdict(ctx, t, out, err)
}

// Close ends all runs and Chromium, and waits until no process of it is left.
func (b *Browser) Close() error {
	b.mu.Lock()
	b.closed = true
	i := b.instance
	b.instance = nil
	for _, r := range b.runs {
		r.idle.Stop()
	}
	clear(b.runs)
	b.mu.Unlock()
	if i != nil {
		i.stop()
	}
	b.ending.Wait()
	return nil
}

// running returns the living Chromium, started where there is none.
func (b *Browser) running(ctx context.Context) (*instance, error) {
	if err := b.take(ctx); err != nil {
		return nil, err
	}
	defer b.give()
	return b.living(ctx)
}

func (b *Browser) take(ctx context.Context) error {
	select {
	case <-b.start:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("browser: wait for Chromium: %w", context.Cause(ctx))
	}
}

func (b *Browser) give() { b.start <- struct{}{} }

// living is running for who holds the token.
func (b *Browser) living(ctx context.Context) (*instance, error) {
	b.mu.Lock()
	i, closed, runs := b.instance, b.closed, len(b.runs)
	b.mu.Unlock()
	switch {
	case closed:
		return nil, ErrClosed
	case i == nil:
	case !i.alive():
		b.opts.Log.Warn("Chromium died and is started again")
		b.ending.Go(i.stop)
	case runs == 0 && i.worn():
		b.ending.Go(i.stop)
	default:
		return i, nil
	}
	i, err := launch(ctx, b.opts)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	if closed = b.closed; !closed {
		b.instance = i
	}
	b.mu.Unlock()
	if closed { // while it started
		i.stop()
		return nil, ErrClosed
	}
	go i.watch(b.limits.answer)
	b.opts.Log.Info("Chromium started", "version", i.who.full)
	return i, nil
}
