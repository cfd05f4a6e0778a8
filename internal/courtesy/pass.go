package courtesy

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"sync"
	"time"

	"visite/schema"
)

// Pass is one granted turn at a host, from Enter to Leave. It may be used by
// several goroutines at once.
type Pass struct {
	door      *Door
	visit     schema.Visit
	url       *url.URL
	own       string // HostKey of the visited site
	userAgent string
	reach     reach
	run       *run // set where Chromium visits
	doc       *document
	waited    time.Duration // for the turn
	held      time.Duration // from the request to its leaving, see start; guarded by mu

	ctx   context.Context // ends with the visit
	stop  context.CancelFunc
	under sync.WaitGroup // requests under way

	mu      sync.Mutex
	closed  bool
	turns   map[string]*turn     // by host
	rules   map[string]*rulebook // by origin
	loaded  map[string]bool      // files seen, to tell whose a request is
	files   map[string]int       // let through to be asked for, by host
	filed   int                  // of these over all hosts
	refused map[string]*refusals // of the page's files, by host
	lines   []schema.LedgerLine  // completed, not written yet
	written time.Time            // when lines were written last
	totals  schema.VisitTotals
	fault   error // our own, the first

	objected schema.Reason // the site objected in the middle of the visit
}

// linesKept and linesAge bound how many completed ledger lines, and how long,
// wait to be written together.
const (
	linesKept = 50
	linesAge  = time.Second
)

func (d *Door) newPass(v schema.Visit, u *url.URL, r reach) *Pass {
	ctx, stop := context.WithCancel(context.Background())
	own := v.ScopeHost
	if own == "" {
		own = schema.HostKey(u)
	}
	agent := v.Profile.ClientUserAgent()
	if v.Browser {
		agent = v.UserAgent
	}
	return &Pass{
		door: d, visit: v, url: u, own: own, userAgent: agent, reach: r, doc: newDocument(v, u), ctx: ctx, stop: stop,
		turns: map[string]*turn{}, rules: map[string]*rulebook{}, loaded: map[string]bool{}, refused: map[string]*refusals{}, files: map[string]int{}, written: time.Now(),
	}
}

// Document tells what the network saw of the visit's document so far.
func (p *Pass) Document() schema.DocumentFacts {
	facts := p.doc.read()
	p.mu.Lock()
	defer p.mu.Unlock()
	facts.Held = p.held
	return underObjection(facts, p.objected)
}

// Source is the document as it was served to Chromium, decoded from its content
// coding, in memory only: at most 2 MiB; nil where it is larger, did not come
// whole or the http engine read it by itself.
func (p *Pass) Source() []byte {
	p.doc.mu.Lock()
	defer p.doc.mu.Unlock()
	return p.doc.source
}

// Totals tells what the visit cost so far.
func (p *Pass) Totals() schema.VisitTotals {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.totals
	t.Insecure = append([]string(nil), t.Insecure...)
	t.Uncompressed, t.Uncached = maps.Clone(p.totals.Uncompressed), slices.Clone(p.totals.Uncached)
	t.FailedFiles = make(map[string]int, len(p.totals.FailedFiles))
	for k, v := range p.totals.FailedFiles {
		t.FailedFiles[k] = v
	}
	if held := p.turns[p.own]; held != nil {
		t.ResponseTime = held.clock.elapsed()
	}
	return t
}

// Fault tells of trouble of our own that kept a request from leaving, such as a
// ledger that could not be written; nil where there was none. The http engine
// gets it as an error too; Chromium cannot be told, so ask after its visit.
func (p *Pass) Fault() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.fault
}

// blame notes trouble of our own. That a visit was over, or its caller gave up,
// is none.
func (p *Pass) blame(err error) {
	if errors.Is(err, context.Canceled) || (errors.Is(err, errClosed) && p.isClosed()) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fault == nil {
		p.fault = err
	}
}

func (p *Pass) isClosed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.closed
}

// ProxyAddr is "127.0.0.1:port", the only way out for the run's Chromium
// context; empty unless Visit.Browser.
func (p *Pass) ProxyAddr() string {
	if p.run == nil {
		return ""
	}
	return p.run.addr
}

// Renew keeps the turn while the visit goes on; call at least every 10 s. Once a
// turn has lapsed the pass lets nothing out any more, and Renew says so.
func (p *Pass) Renew(ctx context.Context) error {
	p.mu.Lock()
	held := make([]*turn, 0, len(p.turns))
	for _, t := range p.turns {
		held = append(held, t)
	}
	p.mu.Unlock()
	for _, t := range held {
		asked := time.Now()
		kept, err := p.door.store.Renew(ctx, t.ask.Host, t.ask.Holder, t.ask.TTL)
		if err != nil {
			return err
		}
		if !kept {
			p.stop()
			return errClosed
		}
		t.keepUntil(asked.Add(t.ask.TTL))
	}
	return nil
}

// Leave gives the turn back, sets the pause that follows, and completes the
// ledger. Requests still under way are broken off. Safe to call twice; a ctx
// that has ended does not keep it from leaving.
func (p *Pass) Leave(ctx context.Context) error {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil
	}
	p.closed = true
	p.mu.Unlock()
	p.stop()
	if p.run != nil {
		p.run.leave(p)
	}
	p.waitForRequests()
	if p.keepWarm() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeLimit)
	defer cancel()
	p.mu.Lock()
	done, lines := p.doneTurns(), p.lines
	p.lines = nil
	p.mu.Unlock()
	err := p.door.store.Release(ctx, done, lines)
	for _, d := range done {
		p.door.waiters.wake(d.Host)
	}
	return err
}

// leaveWait is how long Leave waits for requests it has broken off.
const leaveWait = 2 * time.Second

func (p *Pass) waitForRequests() {
	idle := make(chan struct{})
	go func() { p.under.Wait(); close(idle) }()
	select {
	case <-idle:
	case <-time.After(leaveWait):
	}
}

// doneTurns is what to give back. Call with mu held.
func (p *Pass) doneTurns() []schema.PaceDone {
	facts := p.doc.read()
	var done []schema.PaceDone
	for _, t := range p.turns {
		if t.borrowed {
			continue
		}
		done = append(done, schema.PaceDone{
			Host: t.ask.Host, IP: t.ask.IP, Holder: t.ask.Holder, ResponseTime: t.clock.elapsed(),
			Loaded:   facts.Status != 0 && facts.RetryAfter == nil,
			PauseMin: t.ask.PauseMin, PauseFactor: t.ask.PauseFactor, CrawlDelay: t.ask.CrawlDelay,
		})
	}
	return done
}

// begin notes that a request is about to leave; end must follow.
func (p *Pass) begin() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.ctx.Err() != nil {
		return errClosed
	}
	for _, t := range p.turns {
		if t.lapsed() {
			return errClosed
		}
	}
	p.under.Add(1)
	return nil
}

func (p *Pass) end() { p.under.Done() }

func (p *Pass) hold(t *turn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.turns[t.ask.Host] = t
}

func (p *Pass) holds(host string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.turns[host] != nil
}

// clock is the busy clock of a host the pass has a turn at, else nil.
func (p *Pass) clock(host string) *busyClock {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t := p.turns[host]; t != nil {
		return t.clock
	}
	return nil
}

// plannedIP is the address a turn was asked for; empty for other hosts.
func (p *Pass) plannedIP(host string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t := p.turns[host]; t != nil {
		return t.ask.IP
	}
	return ""
}

// completed keeps a ledger line to be written with others.
func (p *Pass) completed(line schema.LedgerLine) {
	p.mu.Lock()
	p.lines = append(p.lines, line)
	due := p.closed || ((p.visit.Browser || p.visit.Onward) && (len(p.lines) >= linesKept || time.Since(p.written) >= linesAge))
	var lines []schema.LedgerLine
	if due {
		lines, p.lines, p.written = p.lines, nil, time.Now()
	}
	p.mu.Unlock()
	if lines != nil {
		p.door.write(lines)
	}
}

// write completes ledger lines. A failure loses how requests ended, not that
// they were made; it is ours alone and is logged.
func (d *Door) write(lines []schema.LedgerLine) {
	ctx, cancel := context.WithTimeout(context.Background(), storeLimit)
	defer cancel()
	if err := d.store.Release(ctx, nil, lines); err != nil {
		d.log.Error("complete ledger lines", "lines", len(lines), "error", err)
	}
}

// localAnswer is an answer of the door's own, without body or headers.
func localAnswer(req *http.Request, status int) *http.Response {
	return &http.Response{
		Status: http.StatusText(status), StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: http.NoBody, Request: req,
	}
}

// firstIP is the address a visit will most likely use.
func firstIP(addrs []netip.Addr) string {
	if len(addrs) == 0 {
		return ""
	}
	return addrs[0].String()
}
