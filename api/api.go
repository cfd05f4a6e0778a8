package api

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"

	"visite/internal/config"
	"visite/internal/conformance"
	"visite/workflows"
)

// Version is the API's own version; it grows by the rules of semantic versioning.
const Version = "1.0.0"

// maxBody bounds a request body in bytes.
const maxBody = 64 << 10

// Options are what the edge is made of. Store, Scans, Resolver, Reports and
// Profiles are needed; the rest has defaults.
type Options struct {
	Store    Store
	Scans    Scans
	Resolver Resolver
	Reports  Reports
	Profiles Profiles
	Log      *slog.Logger

	Visited    Visited        // what those who are visited may know and ask
	HostProofs HostProofs     // finds out who runs a host
	Robots     RobotsReader   // reads robots.txt through the door
	Egress     []netip.Prefix // addresses our requests come from; empty: none are fixed (S-10)
	LedgerDays int            // how long the ledger is kept; 0: not said

	TrustedProxies []netip.Prefix      // reverse proxies whose forwarding headers are believed; empty: none
	TestResults    conformance.Results // how the tests of this version last went; zero: the program carries none

	BootstrapToken  config.Secret // empty: no workspaces are made over HTTP
	AllowLoopback   bool          // this machine's own sites may be scanned, without a page limit (local stack)
	Contact         string        // for visited sites, where a scan names none
	PublicURL       string        // where people reach this API, without trailing slash; empty: http://localhost
	MaxPagesDefault int           // pages of a scan that names no number; 0: 200
	MaxPagesLimit   int           // most pages one scan may ask for; 0: schema.MaxPagesLimit

	Policy workflows.ScanPolicy // bounds of a scan's steps; zero: workflows.DefaultScanPolicy

	Now       func() time.Time // nil: time.Now
	Within    time.Duration    // longest time for an ordinary answer; 0: 20 s
	BodyTime  time.Duration    // longest time a body may take to arrive; 0: 5 s
	EventPoll time.Duration    // how often a stream looks for news; 0: 500 ms
	Heartbeat time.Duration    // longest silence of a stream; 0: 15 s
}

// API is the edge: one http.Handler over the ports.
type API struct {
	Options
	log       *slog.Logger
	now       func() time.Time
	router    *chi.Mux
	huma      huma.API
	badTries  *badTries
	rates     *rates
	streams   *streamCount
	freeWaits chan struct{} // pages that wait for the end of a free analysis
	closing   chan struct{} // closed when the server shuts down: ends the event streams
}

// New builds the edge.
func New(o Options) *API {
	a := &API{Options: o, log: o.Log, now: o.Now, badTries: newBadTries(), rates: newRates(), streams: newStreamCount(), closing: make(chan struct{})}
	if a.log == nil {
		a.log = slog.New(slog.DiscardHandler)
	}
	if a.now == nil {
		a.now = time.Now
	}
	setDefaults(&a.Options)
	a.router = chi.NewMux()
	a.router.Use(a.behindProxies, withCaller, a.withRequestID, a.accessLog, a.recoverPanics, securityHeaders, a.refuseCrossOrigin, a.boundRequest)
	a.router.NotFound(a.notFound)
	a.router.MethodNotAllowed(a.methodNotAllowed)
	a.huma = humachi.New(a.router, humaConfig())
	a.huma.UseMiddleware(a.authenticate, a.limitPublic)
	a.registerWorkspaces()
	a.registerSites()
	a.registerScans()
	a.registerGait()
	a.registerResults()
	a.registerReport()
	a.registerItems()
	a.registerItemStates()
	a.registerPreviews()
	a.registerEvents()
	a.registerProfiles()
	a.registerRobots()
	a.registerIdentify()
	a.registerHosts()
	a.registerProofs()
	a.registerObjections()
	a.registerFree()
	a.registerHealth()
	a.serveDocs()
	a.serveBot()
	a.serveFree()
	a.serveRules()
	return a
}

func setDefaults(o *Options) {
	if o.MaxPagesLimit == 0 {
		o.MaxPagesLimit = maxPagesLimit
	}
	if o.MaxPagesDefault == 0 {
		o.MaxPagesDefault = min(200, o.MaxPagesLimit)
	}
	if o.PublicURL == "" {
		o.PublicURL = "http://localhost"
	}
	if o.Policy == (workflows.ScanPolicy{}) {
		o.Policy = workflows.DefaultScanPolicy()
	}
	if o.Within == 0 {
		o.Within = 20 * time.Second
	}
	if o.BodyTime == 0 {
		o.BodyTime = 5 * time.Second
	}
	if o.EventPoll == 0 {
		o.EventPoll = 500 * time.Millisecond
	}
	if o.Heartbeat == 0 {
		o.Heartbeat = 15 * time.Second
	}
}

// ServeHTTP answers one request.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.router.ServeHTTP(w, r) }

// Server is the edge behind an http.Server with deadlines for slow clients; its
// Shutdown ends the event streams. Answers set their own write deadline, as a
// stream lives longer than a page of a list.
func (a *API) Server() *http.Server {
	s := &http.Server{
		Handler:           a,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       3 * a.BodyTime, // of a body no operation reads; net/http lifts it once a request is read
		IdleTimeout:       60 * time.Second,
		MaxHeaderBytes:    32 << 10,
		ErrorLog:          slog.NewLogLogger(a.log.Handler(), slog.LevelDebug),
	}
	s.RegisterOnShutdown(func() { close(a.closing) })
	return s
}

// handler does one operation; its errors are refusals or our own faults.
type handler[I, O any] func(context.Context, *I) (*O, error)

// register adds an operation whose errors go through the one translation table.
func register[I, O any](a *API, op huma.Operation, h handler[I, O]) {
	if op.MaxBodyBytes == 0 && (op.RequestBody != nil || op.Method == http.MethodPost) {
		op.MaxBodyBytes = maxBody + 1 // huma refuses a body of exactly the limit
	}
	op.RejectUnknownQueryParameters = true
	op.BodyReadTimeout = a.BodyTime
	huma.Register(a.huma, op, func(ctx context.Context, in *I) (*O, error) {
		ctx, cancel := context.WithTimeout(ctx, a.Within)
		defer cancel()
		out, err := h(ctx, in)
		if err != nil {
			return nil, a.problemOf(ctx, err)
		}
		return out, nil
	})
}
