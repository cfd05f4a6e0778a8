package courtesy

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"visite/schema"
)

// Options are what a Door is made of.
type Options struct {
	Store Store
	// AllowLoopback lets visits to sites of this machine out (127.0.0.0/8 and ::1,
	// any port), and their files. For the local stack and tests; without it
	// profiles marked LoopbackOnly go nowhere.
	AllowLoopback bool
	// OwnPorts are ports of this machine where our own parts listen: no scan is let
	// in there, whatever AllowLoopback says.
	OwnPorts []string
	// Resolver finds addresses; nil: Go's own, asking the system's name servers.
	Resolver Resolver
	// Roots vouches for certificates; nil: the system's store.
	Roots *x509.CertPool
	// Logger gets our own trouble; nil: slog.Default.
	Logger *slog.Logger
	// Bounds limits answers; zero fields take the defaults.
	Bounds Bounds
	// RobotsAge is how old a read robots.txt may become within a run; zero: 15 min
	// . Tests that watch rules change set it lower; no setting does.
	RobotsAge time.Duration
}

// Bounds limits what one answer may cost us.
type Bounds struct {
	Document       int64         // bytes of a document, decoded; 20 MiB
	File           int64         // bytes of any other file or sitemap, decoded; 50 MiB
	DocumentBody   time.Duration // for a document's body; 20 s
	ResponseHeader time.Duration // from the request to the answer's head; 30 s
	FilesAtOnce    int           // requests of one run's browser under way; 32
	Files          int           // a page's requests beside its document, whatever host they go to; schema.FilesAPage
	FilesElsewhere int           // of these, to one host other than the page's own; schema.FilesElsewhere
}

func (b Bounds) withDefaults() Bounds {
	if b.Document == 0 {
		b.Document = 20 << 20
	}
	if b.File == 0 {
		b.File = 50 << 20
	}
	if b.DocumentBody == 0 {
		b.DocumentBody = 20 * time.Second
	}
	if b.ResponseHeader == 0 {
		b.ResponseHeader = 30 * time.Second
	}
	if b.FilesAtOnce == 0 {
		b.FilesAtOnce = 32
	}
	if b.Files == 0 {
		b.Files = schema.FilesAPage
	}
	if b.FilesElsewhere == 0 {
		b.FilesElsewhere = schema.FilesElsewhere
	}
	return b
}

// Door is the only way out. One per process; safe for use by many goroutines.
type Door struct {
	store    Store
	local    bool
	names    *names
	library  *library
	ledger   *ledger
	waiters  waiters
	warm     warmTurns
	ownPorts map[string]bool
	files    *fileTurns
	bounds   Bounds
	rulesAge time.Duration // Options.RobotsAge
	log      *slog.Logger
	identity *certificates
	instance string // tells this process's reads of robots.txt from others'

	transports [3]*http.Transport // by reach
	onceOnly   [3]*http.Transport // likewise, for requests that must not be written twice

	mu     sync.Mutex
	runs   map[string]*run
	closed bool
}

// New makes a Door. Close it when nothing is visited any more.
func New(o Options) (*Door, error) {
	if o.Store == nil {
		return nil, errors.New("courtesy: a Door needs a Store")
	}
	identity, err := newCertificates()
	if err != nil {
		return nil, err
	}
	if o.Resolver == nil {
		o.Resolver = &net.Resolver{PreferGo: true}
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.RobotsAge == 0 {
		o.RobotsAge = schema.RobotsAge
	}
	d := &Door{
		store: o.Store, local: o.AllowLoopback, library: newLibrary(), ledger: newLedger(o.Store), bounds: o.Bounds.withDefaults(), rulesAge: o.RobotsAge, log: o.Logger,
		names:    &names{resolver: o.Resolver, known: map[string]found{}},
		waiters:  waiters{wait: map[string]chan struct{}{}},
		files:    newFileTurns(),
		identity: identity, instance: rand.Text(), runs: map[string]*run{}, ownPorts: map[string]bool{},
	}
	for r := range d.transports {
		d.transports[r] = d.newTransport(reach(r), o.Roots)
		// A request on a connection kept open is written again on another where the
		// first turns out closed; on one of its own it never is.
		d.onceOnly[r] = d.newTransport(reach(r), o.Roots)
		d.onceOnly[r].DisableKeepAlives = true
	}
	for _, port := range o.OwnPorts {
		d.ownPorts[port] = true
	}
	return d, nil
}

// maxResponseHeader bounds an answer's head in bytes; browsers stop at 256 KiB.
const maxResponseHeader = 512 << 10

// newTransport connects within one reach. Connections are kept apart by reach,
// so that one opened for a site of this machine serves no other visit.
func (d *Door) newTransport(r reach, roots *x509.CertPool) *http.Transport {
	return &http.Transport{
		Proxy:                  nil, // the environment's proxies are not asked: addresses must be ours to check
		DialContext:            (&dialer{names: d.names, reach: r}).dial,
		TLSClientConfig:        &tls.Config{RootCAs: roots},
		TLSHandshakeTimeout:    10 * time.Second,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true, // bodies are counted as they come
		MaxIdleConns:           256,
		MaxIdleConnsPerHost:    16,
		IdleConnTimeout:        20 * time.Second,
		ResponseHeaderTimeout:  d.bounds.ResponseHeader,
		MaxResponseHeaderBytes: maxResponseHeader,
	}
}

func (d *Door) transport(r reach, purpose schema.Purpose) *http.Transport {
	if purpose == schema.PurposeLink {
		return d.onceOnly[r]
	}
	return d.transports[r]
}

// SPKI is the base64 SHA-256 hash of the key that the door shows to Chromium,
// for --ignore-certificate-errors-spki-list. It changes with each process.
func (d *Door) SPKI() string { return d.identity.spki }

// EndRun closes what was held open for a run in this process: its proxy, and
// whatever its browser still has under way.
func (d *Door) EndRun(scanID string) {
	d.mu.Lock()
	r := d.runs[scanID]
	delete(d.runs, scanID)
	d.mu.Unlock()
	if r != nil {
		r.close()
	}
	d.endWarm(scanID)
}

// Close ends all runs and closes all connections. Passes still open let nothing
// out any more; leave them all the same.
func (d *Door) Close() error {
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return nil
	}
	d.closed = true
	runs := d.runs
	d.runs = map[string]*run{}
	d.mu.Unlock()
	for _, r := range runs {
		r.close()
	}
	d.endWarm("")
	d.ledger.close()
	for r := range d.transports {
		d.transports[r].CloseIdleConnections()
		d.onceOnly[r].CloseIdleConnections()
	}
	return nil
}

// joinRun puts a pass into its run, whose proxy is opened on first use.
func (d *Door) joinRun(ctx context.Context, p *Pass) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return errClosed
	}
	r := d.runs[p.visit.Run.ScanID]
	if r == nil {
		var err error
		if r, err = openRun(ctx, d); err != nil {
			return err
		}
		d.runs[p.visit.Run.ScanID] = r
	}
	p.run = r
	r.join(p)
	return nil
}
