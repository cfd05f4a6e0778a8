package courtesy_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"visite/internal/courtesy"
	"visite/internal/fixturesite"
	"visite/internal/pgtest"
	"visite/internal/postgres"
	"visite/schema"
)

// forbiddenPort is a port of this machine, on all its addresses, TCP and UDP,
// that nothing may reach. It is one a public site could have.
type forbiddenPort struct {
	port        string
	connections atomic.Int64
	packets     atomic.Int64
	mu          sync.Mutex
	first       string
	lines       []string // all that came
}

func guardPort(t *testing.T) *forbiddenPort {
	t.Helper()
	f := &forbiddenPort{}
	var l net.Listener
	var u net.PacketConn
	for _, port := range []string{"8888", "8088", "8081", "8008", "8880", "9443", "8443", "8080", "8000", "0"} {
		var err error
		if l, err = net.Listen("tcp", ":"+port); err != nil {
			continue
		}
		_, f.port, _ = net.SplitHostPort(l.Addr().String())
		if u, err = net.ListenPacket("udp", ":"+f.port); err == nil {
			break
		}
		_ = l.Close()
		l = nil
	}
	if l == nil || u == nil {
		t.Fatal("no port to guard")
	}
	t.Cleanup(func() { _, _ = l.Close(), u.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go f.note(c)
		}
	}()
	go func() {
		buffer := make([]byte, 2048)
		for {
			_, from, err := u.ReadFrom(buffer)
			if err != nil {
				return
			}
			f.packets.Add(1)
			f.keep("a packet from " + from.String())
		}
	}()
	f.provesItself(t)
	return f
}

func (f *forbiddenPort) note(c net.Conn) {
	defer c.Close()
	f.connections.Add(1)
	_ = c.SetReadDeadline(time.Now().Add(time.Second))
	line, _ := bufio.NewReader(c).ReadString('\n')
	f.keep(fmt.Sprintf("%q", line))
}

func (f *forbiddenPort) keep(what string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.first == "" {
		f.first = what
	}
	f.lines = append(f.lines, what)
}

// provesItself makes sure that the port would notice.
func (f *forbiddenPort) provesItself(t *testing.T) {
	t.Helper()
	c, err := net.DialTimeout("tcp", "127.0.0.1:"+f.port, patience)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = c.Write([]byte("x\n"))
	p, err := net.DialTimeout("udp", "127.0.0.1:"+f.port, patience)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = p.Write([]byte("x"))
	for deadline := time.Now().Add(30 * time.Second); f.connections.Load() != 1 || f.packets.Load() != 1; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the guarded port does not notice who comes")
		}
	}
	_, _ = c.Close(), p.Close()
	time.Sleep(20 * time.Millisecond)
	f.connections.Store(0)
	f.packets.Store(0)
	f.mu.Lock()
	f.first, f.lines = "", nil
	f.mu.Unlock()
}

func (f *forbiddenPort) untouched(t *testing.T, by string) {
	t.Helper()
	time.Sleep(100 * time.Millisecond)
	if c, p := f.connections.Load(), f.packets.Load(); c != 0 || p != 0 {
		f.mu.Lock()
		defer f.mu.Unlock()
		t.Errorf("%s: %d connections and %d packets arrived at the guarded port, first %s", by, c, p, f.first)
	}
}

// hostile resolves names as a hostile name server does: names that begin with
// "rebind" lead to the internet when asked first, and to this machine after.
type hostile struct {
	table
	mu     sync.Mutex
	rebind map[string]int
}

func (h *hostile) LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error) {
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	switch {
	case name == "site.test":
		return []netip.Addr{netip.MustParseAddr("192.0.32.7")}, nil
	case strings.HasPrefix(name, "rebind"):
		h.mu.Lock()
		defer h.mu.Unlock()
		h.rebind[name]++
		if h.rebind[name] == 1 {
			return []netip.Addr{netip.MustParseAddr("192.0.32.7")}, nil
		}
		to := map[bool]string{true: "::1", false: "127.0.0.1"}[strings.Contains(name, "six")]
		return []netip.Addr{netip.MustParseAddr(to)}, nil
	}
	return h.table.LookupNetIP(ctx, network, host)
}

// rebinders gives names not used before.
func rebinders(what string, n int) (names []string) {
	for i := range n {
		names = append(names, fmt.Sprintf("rebind-%s-%d.test", what, i), fmt.Sprintf("rebind-six-%s-%d.test", what, i))
	}
	return names
}

// public is a profile for the internet without pauses.
func public() schema.Profile {
	p := careful()
	p.Limits = free().Limits
	return p
}

// hostileSite is a site of the internet, as far as the door can tell, and a
// guarded port of this machine.
func hostileSite(t *testing.T) (h *harness, site *fixturesite.Site, guarded *forbiddenPort, names *hostile) {
	t.Helper()
	guarded = guardPort(t)
	names = &hostile{table: *guardTable(), rebind: map[string]int{}}
	site = fixturesite.New()
	site.SetText("/robots.txt", "User-agent: *\nAllow: /\n")
	site.HandleFunc("/redirect", func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Location"] = []string{r.URL.Query().Get("to")}
		w.WriteHeader(http.StatusFound)
	})
	secure := fixturesite.New()
	secure.HandleFunc("/*", site.Handler().ServeHTTP)
	secure.StartTLS(t)
	site.Start(t)
	store := postgres.NewCourtesyStore(pgtest.DB(t))
	h = &harness{Door: newDoor(t, courtesy.Options{Store: store, Resolver: names, Roots: secure.Roots(), Bounds: courtesy.Bounds{Files: 1 << 20, FilesElsewhere: 1 << 20}}), store: store, t: t}
	h.ServeAs("site.test:80", strings.TrimPrefix(site.URL(""), "http://"))
	h.ServeAs("site.test:443", strings.TrimPrefix(secure.URL(""), "https://"))
	return h, site, guarded, names
}

// payloads are the guarded hosts at the guarded port, and names that rebind.
func payloads(port, what string) (hosts []string) {
	for _, host := range slices.Concat(guardedHosts, rebinders(what, 4)) {
		hosts = append(hosts, host+":"+port)
	}
	return hosts
}

// Each payload as the address of an order, as the target of a redirect, and
// asked for outright in a visit under way, over both schemes.
func TestNoPayloadReachesThisMachineThroughTheHTTPEngine(t *testing.T) {
	h, site, guarded, names := hostileSite(t)
	tried := 0
	for _, scheme := range []string{"http", "https"} {
		for _, target := range payloads(guarded.port, "enter-"+scheme) {
			tried++
			pass, _, err := h.Enter(within(t), visit2(scheme+"://"+target+"/", public()))
			if pass != nil {
				t.Errorf("%s://%s/ was let in", scheme, target)
				_, _, _ = get(t, pass, scheme+"://"+target+"/")
				_ = pass.Leave(within(t))
			}
			if err != nil {
				t.Errorf("%s://%s/: %v", scheme, target, err)
			}
		}
		for _, target := range payloads(guarded.port, "redirect-"+scheme) {
			tried++
			v := visit("http://site.test/redirect?to="+url.QueryEscape(scheme+"://"+target+"/"), public())
			v.ScopeHost = "" // any redirect is followed
			if facts, _ := h.load(v); facts.Outcome != schema.OutcomeNotAnalysed && facts.Outcome != schema.OutcomeDisallowed {
				t.Errorf("redirect to %s: %+v", target, facts)
			}
		}
		pass := h.enter(visit2("http://site.test/", public()))
		for _, target := range payloads(guarded.port, "trip-"+scheme) {
			tried++
			req := &http.Request{Method: http.MethodGet, URL: &url.URL{Scheme: scheme, Host: target, Path: "/"}, Header: http.Header{}, Host: "site.test"}
			if resp, err := pass.RoundTrip(req.WithContext(within(t))); err == nil {
				_ = resp.Body.Close()
				if resp.StatusCode < 300 && resp.StatusCode != http.StatusNoContent {
					t.Errorf("%s://%s/ was answered with %d", scheme, target, resp.StatusCode)
				}
			}
		}
		if err := pass.Leave(within(t)); err != nil {
			t.Fatal(err)
		}
	}
	guarded.untouched(t, fmt.Sprintf("the http engine, %d attempts", tried))
	if want := 6 * (len(guardedHosts) + 8); tried != want {
		t.Errorf("%d attempts, want %d", tried, want)
	}
	if n := len(site.Arrivals().Path("/redirect")); n != 2*(len(guardedHosts)+8) {
		t.Errorf("the redirects were asked for %d times", n)
	}
	names.mu.Lock()
	defer names.mu.Unlock()
	for name, asked := range names.rebind {
		if asked < 2 {
			t.Errorf("%s was looked up %d times: it never came to lead to this machine", name, asked)
		}
	}
}

// Each payload put to the run's proxy as Chromium would, and in ways in which
// only somebody who has taken Chromium over would.
func TestNoPayloadReachesThisMachineThroughTheProxy(t *testing.T) {
	h, _, guarded, _ := hostileSite(t)
	pass := h.enter(inBrowser(visit("http://site.test/", public())))
	client := proxied(t, h.Door, pass)
	for _, scheme := range []string{"http", "https"} {
		for _, target := range payloads(guarded.port, "proxy-"+scheme) {
			u, err := url.Parse(scheme + "://" + target + "/")
			if err != nil {
				continue // what Go cannot write goes as it stands below
			}
			req := &http.Request{Method: http.MethodGet, URL: u, Header: http.Header{}}
			if resp, err := client.Do(req.WithContext(within(t))); err == nil {
				_ = resp.Body.Close()
				if resp.StatusCode < 400 {
					t.Errorf("%s: answered with %d", u, resp.StatusCode)
				}
			}
		}
	}
	raw := func(lines string, inside string) {
		t.Helper()
		c, err := net.DialTimeout("tcp", pass.ProxyAddr(), patience)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_ = c.SetDeadline(time.Now().Add(2 * time.Second))
		_, _ = c.Write([]byte(lines))
		answer := make([]byte, 512)
		n, _ := c.Read(answer)
		if inside == "" || !strings.Contains(string(answer[:n]), " 200 ") {
			return
		}
		if strings.HasPrefix(inside, "TLS ") {
			secure := tls.Client(c, &tls.Config{InsecureSkipVerify: true})
			_, _ = secure.Write([]byte(strings.TrimPrefix(inside, "TLS ")))
			_, _ = secure.Read(answer)
			return
		}
		_, _ = c.Write([]byte(inside))
		_, _ = c.Read(answer)
	}
	to := "127.0.0.1:" + guarded.port
	for _, host := range slices.Concat(guardedHosts, rebinders("raw", 2)) {
		target := host + ":" + guarded.port
		raw("GET http://"+target+"/raw HTTP/1.1\r\nHost: site.test\r\nConnection: close\r\n\r\n", "")
		raw("CONNECT "+target+" HTTP/1.1\r\nHost: "+target+"\r\n\r\n", "GET /raw HTTP/1.1\r\nHost: "+target+"\r\nConnection: close\r\n\r\n")
	}
	for _, c := range [][2]string{
		{"GET http://site.test/ HTTP/1.1\r\nHost: " + to + "\r\nConnection: close\r\n\r\n", ""},
		{"GET / HTTP/1.1\r\nHost: " + to + "\r\nConnection: close\r\n\r\n", ""},
		{"GET http://site.test@" + to + "/ HTTP/1.1\r\nHost: site.test\r\nConnection: close\r\n\r\n", ""},
		{"GET http://" + to + "#@site.test/ HTTP/1.1\r\nHost: site.test\r\nConnection: close\r\n\r\n", ""},
		{"GET http://" + to + "\\@site.test/ HTTP/1.1\r\nHost: site.test\r\nConnection: close\r\n\r\n", ""},
		{"GET ftp://" + to + "/ HTTP/1.1\r\nHost: site.test\r\nConnection: close\r\n\r\n", ""},
		{"GET gopher://" + to + "/ HTTP/1.1\r\nHost: site.test\r\nConnection: close\r\n\r\n", ""},
		{"GET unix:///run/docker.sock HTTP/1.1\r\nHost: site.test\r\nConnection: close\r\n\r\n", ""},
		{"CONNECT site.test:443 HTTP/1.1\r\nHost: site.test:443\r\n\r\n", "TLS GET http://" + to + "/ HTTP/1.1\r\nHost: " + to + "\r\n\r\n"},
		{"CONNECT site.test:443 HTTP/1.1\r\nHost: site.test:443\r\n\r\n", "TLS GET / HTTP/1.1\r\nHost: " + to + "\r\n\r\n"},
		{"CONNECT site.test:80 HTTP/1.1\r\nHost: site.test:80\r\n\r\n", "GET / HTTP/1.1\r\nHost: " + to + "\r\n\r\n"},
		{"CONNECT site.test:80@" + to + " HTTP/1.1\r\nHost: site.test\r\n\r\n", "GET / HTTP/1.1\r\nHost: " + to + "\r\n\r\n"},
		{"CONNECT " + to + "/site.test HTTP/1.1\r\nHost: site.test\r\n\r\n", "GET / HTTP/1.1\r\nHost: " + to + "\r\n\r\n"},
	} {
		raw(c[0], c[1])
	}
	guarded.untouched(t, "the proxy")
}
