package courtesy

import (
	"context"
	"fmt"
	"io"
	stdlog "log"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"visite/schema"
)

// run is a scan's browser side in this process: a forward proxy on a free
// loopback port, and the passes open now. Chromium's context knows no other way
// out. While no pass is open nothing leaves.
type run struct {
	door   *Door
	addr   string
	outer  *http.Server // what Chromium speaks to
	inner  *http.Server // what it says inside tunnels
	tunnel *tunnelListener
	slots  chan struct{} // requests under way

	mu     sync.Mutex
	passes []*Pass // in order of arrival
}

func openRun(ctx context.Context, d *Door) (*run, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("open the run's proxy: %w", err)
	}
	r := &run{door: d, addr: l.Addr().String(), tunnel: newTunnelListener(l.Addr()), slots: make(chan struct{}, d.bounds.FilesAtOnce)}
	r.outer = r.server(http.HandlerFunc(r.serveOuter))
	r.outer.ConnContext = withPeer
	r.inner = r.server(http.HandlerFunc(r.serveInner))
	r.inner.ConnContext = withTunnel
	go func() { _ = r.outer.Serve(l) }()        // ends with close
	go func() { _ = r.inner.Serve(r.tunnel) }() // ends with close
	return r, nil
}

// server bounds what a page may do to the proxy itself.
func (r *run) server(h http.Handler) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: 30 * time.Second, IdleTimeout: 5 * time.Minute, MaxHeaderBytes: 256 << 10,
		// Its words would be about broken connections of a closed tab, with addresses.
		ErrorLog: stdlog.New(io.Discard, "", 0),
	}
}

func (r *run) close() {
	_ = r.outer.Close() // what is still under way is broken off
	_ = r.inner.Close()
	r.tunnel.close()
}

func (r *run) join(p *Pass) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.passes = append(r.passes, p)
}

func (r *run) leave(p *Pass) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.passes = slices.DeleteFunc(r.passes, func(q *Pass) bool { return q == p })
}

// whose finds the pass a request belongs to, and whether it is that visit's
// document. A document is known by its address. A file belongs to the visit
// that loaded the address its Referer names, else to the one that came first.
func (r *run) whose(req *http.Request, u *url.URL) (p *Pass, isDocument bool) {
	r.mu.Lock()
	passes := slices.Clone(r.passes)
	r.mu.Unlock()
	if mayBeDocument(req) {
		for _, p := range passes {
			if p.doc.awaits(u) {
				return p, true
			}
		}
	}
	if len(passes) == 0 {
		return nil, false
	}
	if referer := req.Header.Get("Referer"); referer != "" && len(passes) > 1 {
		for _, p := range passes {
			if p.hasLoaded(referer) {
				return p, false
			}
		}
	}
	return passes[0], false
}

// mayBeDocument goes by what Chromium says of its request, where it says
// anything: only to https and this machine does it.
func mayBeDocument(req *http.Request) bool {
	dest := req.Header.Get("Sec-Fetch-Dest")
	return req.Method == http.MethodGet && (dest == "" || dest == "document")
}

const loadedMost = 5000

func (p *Pass) noteLoaded(u *url.URL) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.loaded) < loadedMost {
		p.loaded[plainAddress(u)] = true
	}
}

func (p *Pass) hasLoaded(address string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.loaded[address]
}

// serveOuter takes a proxy request: CONNECT, or an address in absolute form.
func (r *run) serveOuter(w http.ResponseWriter, req *http.Request) {
	if !fromOurUser(req.Context()) {
		refuse(w, http.StatusForbidden)
		return
	}
	if req.Method == http.MethodConnect {
		r.connect(w, req)
		return
	}
	if req.URL.Scheme != "http" || req.URL.Host == "" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	r.serve(w, req, req.URL)
}

// serve judges one request of Chromium's and carries it out.
func (r *run) serve(w http.ResponseWriter, req *http.Request, u *url.URL) {
	u.User, u.Fragment = nil, ""
	p, isDocument := r.whose(req, u)
	switch {
	case p == nil: // a late beacon, or a page that outlived its visit
		refuse(w, http.StatusForbidden)
	case !allowedMethod(req.Method) || req.Header.Get("Upgrade") != "":
		p.countRefused(u, req.Header.Get("Sec-Fetch-Dest") == "report")
		refuse(w, http.StatusForbidden)
	case isDocument:
		p.serveDocument(w, req, u)
	case strings.HasPrefix(req.Header.Get("Sec-Purpose"), "prefetch"): // pages nobody opened
		refuse(w, http.StatusForbidden)
	case req.Header.Get("Sec-Fetch-Dest") == "document" && schema.HostKey(u) != p.own: // a page sending its visitor away
		refuse(w, http.StatusNoContent)
	default:
		p.serveFile(w, req, u)
	}
}

// refuse answers without a word.
func refuse(w http.ResponseWriter, status int) {
	w.Header()["Content-Type"] = nil
	w.WriteHeader(status)
}
