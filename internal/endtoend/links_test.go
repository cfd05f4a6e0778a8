package endtoend_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"visite/internal/fixturesite"
	"visite/schema"
)

var clientAgent = regexp.MustCompile(`^` + regexp.QuoteMeta("Mozilla/5.0 (compatible; SiteNorma/1.0; +https://sitenorma.com/rastreador/)") + `$`)

// HEAD comes first; an error or a refused method is followed by one GET of the
// same address, whose body is not read; where the server asks for rest or says
// nothing, no GET follows and nothing is claimed. All by the second User-Agent,
// after robots.txt, one at a time with pauses.
//
// proves S-07, S-33, C-09, C-13, C-14, C-15, R-07, R-16
func TestALinkIsAskedForByHeadThenGet(t *testing.T) {
	t.Parallel()
	var read atomic.Int64
	big := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		for range 2000 {
			n, err := io.WriteString(w, strings.Repeat("canary ", 5000))
			read.Add(int64(n))
			if err != nil {
				return
			}
		}
	}
	silent := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	rest := func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Retry-After", "3"); w.WriteHeader(429) }
	away := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "https://elsewhere.test/now?token=abc")
		w.WriteHeader(301)
	}
	cases := []struct {
		ip      string
		head    http.HandlerFunc
		get     http.HandlerFunc
		gets    bool
		verdict schema.LinkVerdict
		status  int
		reason  schema.Reason
	}{
		{"127.0.1.1", status(200), status(500), false, schema.LinkOK, 200, ""},
		{"127.0.1.2", status(405), status(200), true, schema.LinkOK, 200, ""},
		{"127.0.1.3", status(501), status(200), true, schema.LinkOK, 200, ""},
		{"127.0.1.4", status(404), big, true, schema.LinkOK, 200, ""},
		{"127.0.1.5", status(500), status(500), true, schema.LinkBroken, 500, ""},
		{"127.0.1.6", status(404), status(404), true, schema.LinkBroken, 404, ""},
		{"127.0.1.7", status(403), status(403), true, schema.LinkRefused, 403, ""},
		{"127.0.1.8", rest, status(200), false, schema.LinkUnchecked, 429, schema.ReasonRefusedForNow},
		{"127.0.1.9", status(503), status(200), false, schema.LinkUnchecked, 503, schema.ReasonRefusedForNow},
		{"127.0.1.10", silent, status(200), false, schema.LinkUnchecked, 0, schema.ReasonTimeout},
		{"127.0.1.11", status(404), silent, true, schema.LinkUnchecked, 0, schema.ReasonTimeout},
		{"127.0.1.12", away, status(200), false, schema.LinkRedirects, 301, ""},
		{"127.0.1.13", status(301), status(301), true, schema.LinkBroken, 301, schema.ReasonBadRedirect},
	}
	r := newLinkRig(t, nil)
	var addresses []string
	var sites []*fixturesite.Site
	for _, c := range cases {
		site := fixturesite.New()
		site.HandleFunc("/x", byMethod(c.head, c.get))
		on(t, c.ip, site)
		sites, addresses = append(sites, site), append(addresses, site.URL("/x"))
	}
	links := r.scan(r.customer("one"), linking(t, addresses...))
	for i, c := range cases {
		wantLink(t, links, addresses[i], c.verdict, c.status, c.reason)
		want := []string{"HEAD /x"}
		if c.gets {
			want = append(want, "GET /x")
		}
		wantRequests(t, sites[i], want...)
		arrived := sites[i].Arrivals()
		arrived.RobotsFirst(t)
		arrived.AllUserAgents(t, clientAgent)
		if _, all := arrived.MaxInFlight(); all != 1 {
			t.Errorf("%s: %d requests at once", c.ip, all)
		}
		arrived.MinGap(t, 250*time.Millisecond)
		if links[addresses[i]].CheckedAt.IsZero() {
			t.Errorf("%s: no date", c.ip)
		}
	}
	if n := read.Load(); n > 32<<20 { // 70 MB were there to be had; what lies in the kernel's buffers is nobody's
		t.Errorf("%d bytes of a body were taken", n)
	}
	if got := links[addresses[11]].Target; got != "https://elsewhere.test/now?token=*" {
		t.Errorf("redirect's target %q", got)
	}
}

// Twelve links to one server: five are asked for, the most linked first; the rest
// is told with the date from which it can be. A second customer gets the verdict
// with its date and sends nothing.
//
// proves C-10, C-11, C-12, R-16, R-17
func TestAServerIsAskedForFiveAddresses(t *testing.T) {
	t.Parallel()
	other := fixturesite.New()
	other.Handle("/*", status(200))
	on(t, "127.0.2.1", other)
	var addresses []string
	for i := range 12 {
		addresses = append(addresses, other.URL(fmt.Sprintf("/%d", i)))
	}
	popular := ""
	for _, a := range addresses[7:] {
		popular += `<a href="` + a + `">there</a> `
	}
	site := linking(t, append(addresses, "/second")...)
	site.Set(plain("/second", popular))
	r := newLinkRig(t, nil)
	began := time.Now()
	links := r.scan(r.customer("one"), site)
	wantRequests(t, other, "HEAD /7", "HEAD /8", "HEAD /9", "HEAD /10", "HEAD /11")
	for i, a := range addresses {
		if i >= 7 {
			wantLink(t, links, a, schema.LinkOK, 200, "")
			continue
		}
		wantLink(t, links, a, schema.LinkUnchecked, 0, schema.ReasonServerResting)
		if next := links[a].NextAt; next.Before(began.Add(schema.LinkRest)) || next.After(time.Now().Add(schema.LinkRest)) {
			t.Errorf("%s: next check at %s", a, next)
		}
	}
	other.Forget()
	again := r.scan(r.customer("two"), linking(t, addresses[7], addresses[0]))
	wantLink(t, again, addresses[7], schema.LinkOK, 200, "")
	wantLink(t, again, addresses[0], schema.LinkUnchecked, 0, schema.ReasonServerResting)
	if !again[addresses[7]].CheckedAt.Equal(links[addresses[7]].CheckedAt) {
		t.Error("the verdict's date is not that of its check")
	}
	if n := len(other.Arrivals()); n != 0 {
		t.Errorf("the second customer's scan sent %q", other.Arrivals().Requests())
	}
}

// What robots.txt forbids is not asked for; a name that is not found is broken
// without a request; a redirect's target is a candidate of its own server, and the
// link leads to what that answers; www. is the same server.
//
// proves C-15, C-16, R-15, R-16
func TestRobotsNamesAndRedirectsOfForeignServers(t *testing.T) {
	t.Parallel()
	closed, away, end, folded := fixturesite.New(), fixturesite.New(), fixturesite.New(), fixturesite.New()
	closed.SetText("/robots.txt", "User-agent: SiteNormaBot\nDisallow: /private\n")
	closed.Handle("/*", status(200))
	on(t, "127.0.3.1", closed)
	end.Handle("/gone", status(404))
	on(t, "127.0.3.2", end)
	away.Handle("/moved", fixturesite.RedirectTo(301, end.URL("/gone")))
	on(t, "127.0.3.3", away)
	folded.Handle("/*", status(200))
	on(t, "127.0.3.4", folded)
	_, port, _ := strings.Cut(strings.TrimPrefix(folded.URL(""), "http://"), ":")
	r := newLinkRig(t, map[string]string{"shop.test": "127.0.3.4", "www.shop.test": "127.0.3.4"})
	shop := func(host, path string) string { return "http://" + host + ":" + port + path }
	addresses := []string{closed.URL("/private/a"), away.URL("/moved"), "https://nowhere.test/a",
		shop("shop.test", "/1"), shop("www.shop.test", "/2"), shop("shop.test", "/3"), shop("www.shop.test", "/4"), shop("shop.test", "/5"), shop("www.shop.test", "/6"),
		"https://share.test/?text=words", "http://10.0.0.1/"}
	links := r.scan(r.customer("one"), linking(t, addresses...))

	wantLink(t, links, addresses[0], schema.LinkDisallowed, 0, schema.ReasonRobots)
	wantRequests(t, closed)
	wantLink(t, links, addresses[2], schema.LinkBroken, 0, schema.ReasonNameNotFound)
	wantRequests(t, away, "HEAD /moved")
	wantLink(t, links, addresses[10], schema.LinkUnchecked, 0, schema.ReasonGuarded)
	wantLink(t, links, "https://share.test/?text=*", schema.LinkUnchecked, 0, schema.ReasonQueryNotKept)
	if r.names.asked["share.test"] > 0 {
		t.Error("an address that is not kept whole was looked up")
	}
	if n := len(requests(folded)); n != 5 {
		t.Errorf("%d requests with and without www., want 5 in all: %q", n, requests(folded))
	}
	if resting := 0; true {
		for _, a := range addresses[3:9] {
			if links[a].Reason == schema.ReasonServerResting {
				resting++
			}
		}
		if resting != 1 {
			t.Errorf("%d addresses wait for the rest to end, want 1", resting)
		}
	}
	r.eventually("the redirect's target to be checked", func() bool { return len(requests(end)) > 0 })
	time.Sleep(time.Second)
	wantRequests(t, end, "HEAD /gone", "GET /gone")
	later := r.scan(r.customer("two"), linking(t, addresses[1]))
	wantLink(t, later, addresses[1], schema.LinkBroken, 404, "")
	if later[addresses[1]].Target != end.URL("/gone") {
		t.Errorf("target %q", later[addresses[1]].Target)
	}
}

func (r *linkRig) eventually(what string, ok func() bool) {
	r.t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if ok() {
			return
		}
	}
	r.t.Fatalf("waited a minute for %s", what)
}

// A scan that is stopped after three pages, or cancelled while it waits, has no
// link checks from then on.
//
// proves S-44, R-18
func TestNoLinkChecksAfterTheStop(t *testing.T) {
	t.Parallel()
	other := fixturesite.New()
	other.HandleFunc("/*", func(w http.ResponseWriter, _ *http.Request) { time.Sleep(500 * time.Millisecond) })
	on(t, "127.0.4.1", other)
	var addresses []string
	for i := range 5 {
		addresses = append(addresses, other.URL(fmt.Sprintf("/%d", i)))
	}
	r := newLinkRig(t, nil)
	failing := linking(t, append(addresses, "/a", "/b", "/c", "/d")...)
	for _, p := range []string{"/a", "/b", "/c", "/d"} {
		failing.Handle(p, fixturesite.Drop())
	}
	stopped := r.scan(r.customer("one"), failing)
	for _, a := range addresses {
		wantLink(t, stopped, a, schema.LinkUnchecked, 0, schema.ReasonStopped)
	}
	if n := len(other.Arrivals()); n > 0 {
		t.Errorf("after the stop arrived %q", other.Arrivals().Requests())
	}
	scan, run := r.start(r.customer("two"), linking(t, addresses...))
	r.eventually("a first check", func() bool { return len(requests(other)) > 0 })
	if err := r.c.CancelWorkflow(t.Context(), run.GetID(), ""); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_ = run.Get(ctx, nil) // ends as cancelled
	time.Sleep(time.Second)
	other.Forget()
	time.Sleep(4 * time.Second)
	if n := len(other.Arrivals()); n > 0 {
		t.Errorf("after the cancellation of %s arrived %q", scan.ID, other.Arrivals().Requests())
	}
}

// Scans of several customers at once: one request at a time at the server, five
// addresses in all.
//
// proves S-33, C-10, C-12
func TestScansAtOnceShareAServersVisit(t *testing.T) {
	t.Parallel()
	other := fixturesite.New()
	other.HandleFunc("/*", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/robots.txt" {
			time.Sleep(150 * time.Millisecond)
		}
		w.WriteHeader(http.StatusNotFound) // HEAD and GET of each
	})
	on(t, "127.0.5.1", other)
	r := newLinkRig(t, nil)
	done := make(chan struct{})
	for i := range 4 {
		var addresses []string
		for j := range 4 {
			addresses = append(addresses, other.URL(fmt.Sprintf("/%d-%d", i, j)))
		}
		ws, site := r.customer(fmt.Sprint(i)), linking(t, addresses...)
		scan, run := r.start(ws, site)
		go func() { defer func() { done <- struct{}{} }(); r.links(scan, run) }()
	}
	for range 4 {
		<-done
	}
	arrived := other.Arrivals()
	if _, all := arrived.MaxInFlight(); all != 1 {
		t.Errorf("%d requests at once", all)
	}
	distinct := map[string]bool{}
	for _, a := range requests(other) {
		_, path, _ := strings.Cut(a, " ")
		distinct[path] = true
	}
	if len(distinct) != 5 || len(requests(other)) != 10 {
		t.Errorf("%d addresses, %q, want 5 addresses by HEAD and GET", len(distinct), requests(other))
	}
	arrived.RobotsFirst(t)
	arrived.MinGap(t, 250*time.Millisecond)
}
