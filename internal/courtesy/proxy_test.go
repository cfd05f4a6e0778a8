package courtesy_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"visite/internal/courtesy"
	"visite/internal/fixturesite"
	"visite/schema"
)

func spkiIs(want string) func(tls.ConnectionState) error {
	return func(s tls.ConnectionState) error {
		hash := sha256.Sum256(s.PeerCertificates[0].RawSubjectPublicKeyInfo)
		if base64.StdEncoding.EncodeToString(hash[:]) != want {
			return errors.New("another key than the proxy's")
		}
		return nil
	}
}

// ask sends a request as Chromium would, with headers "Name: value".
func ask(t testing.TB, client *http.Client, method, address string, headers ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(within(t), method, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatalf("%s %s: %v", method, address, err)
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body) // a body that breaks off is told apart by the facts
	return resp, string(body)
}

// proves S-02, S-03, S-04, S-05, S-24, R-24
func TestProxyPlainAndTLS(t *testing.T) {
	for _, secure := range []bool{false, true} {
		t.Run(fmt.Sprintf("https %v", secure), func(t *testing.T) {
			var site *fixturesite.Site
			files, err := fixturesite.Parse(small)
			if err != nil {
				t.Fatal(err)
			}
			if secure {
				site = fixturesite.New(files...).StartTLS(t)
			} else {
				site = fixturesite.New(files...).Start(t)
			}
			h := newHarness(t, courtesy.Options{Roots: site.Roots()})
			pass := h.enter(inBrowser(visit(site.URL("/"), free())))
			client := proxied(t, h.Door, pass)
			resp, body := ask(t, client, "GET", site.URL("/"), "User-Agent: HeadlessChrome/156", "Authorization: Basic eDp5", "Proxy-Authorization: Basic eDp5",
				"Sec-Fetch-Dest: document", "Sec-CH-UA: \"Chromium\";v=\"156\", \"HeadlessChrome\";v=\"156\", \"Not A\";v=\"8\"", "Accept-Encoding: gzip, dcb")
			if resp.StatusCode != 200 || !strings.Contains(body, "<title>Home</title>") || resp.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("document: %d %q %v", resp.StatusCode, body, resp.Header)
			}
			resp, body = ask(t, client, "GET", site.URL("/style.css"), "Referer: "+site.URL("/"), "Sec-Fetch-Dest: style")
			if resp.StatusCode != 200 || !strings.Contains(body, "color: black") {
				t.Errorf("file: %d %q", resp.StatusCode, body)
			}
			ask(t, client, "GET", site.URL("/missing.png"), "Sec-Fetch-Dest: image")
			if err := pass.Leave(within(t)); err != nil {
				t.Fatal(err)
			}
			facts, totals := pass.Document(), pass.Totals()
			if facts.Outcome != schema.OutcomeAnalysed || facts.Bytes == 0 || facts.Bytes != facts.WireBytes || facts.Final != site.URL("/") {
				t.Errorf("facts: %+v", facts)
			}
			if secure && facts.Protocol != "HTTP/2.0" {
				t.Errorf("protocol %s, want HTTP/2.0", facts.Protocol)
			}
			if totals.Requests != 3 || totals.RefusedCalls != 0 || totals.FailedFiles[site.URL("/missing.png")] != 404 || len(totals.Insecure) != 0 {
				t.Errorf("totals: %+v", totals)
			}
			for _, a := range site.Arrivals() {
				want := chromeAgent
				if a.Path == "/robots.txt" {
					want = free().ClientUserAgent()
				}
				if a.UserAgent() != want {
					t.Errorf("%s came as %q, want %q", a.Request(), a.UserAgent(), want)
				}
				if a.Header.Get("Authorization") != "" || a.Header.Get("Proxy-Authorization") != "" || a.Header.Get("Proxy-Connection") != "" {
					t.Errorf("%s came with %v", a.Request(), a.Header)
				}
				if a.Path == "/" && (a.Header.Get("Sec-Ch-Ua") != `"Chromium";v="156", "Not A";v="8"` || a.Header.Get("Accept-Encoding") != "gzip") {
					t.Errorf("%s came with %v", a.Request(), a.Header)
				}
			}
			var purposes []string
			for _, l := range h.lines() {
				purposes = append(purposes, string(l.Purpose)+" "+strconv.Itoa(l.Status))
			}
			if got, want := strings.Join(purposes, ", "), "robots 200, page 200, page_file 200, page_file 404"; got != want {
				t.Errorf("ledger: %s, want %s", got, want)
			}
		})
	}
}

// proves S-19, R-24
func TestProxyLetsOutReadingMethodsOnly(t *testing.T) {
	site := fixturesite.Serve(t, small)
	other := fixturesite.Serve(t, small)
	h := newHarness(t, courtesy.Options{})
	pass := h.enter(inBrowser(visit(site.URL("/"), free())))
	client := proxied(t, h.Door, pass)
	ask(t, client, "GET", site.URL("/"))
	for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "BREW"} {
		if resp, _ := ask(t, client, method, site.URL("/a")); resp.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %d, want 403", method, resp.StatusCode)
		}
	}
	ask(t, client, "POST", other.URL("/collect"))
	ask(t, client, "POST", site.URL("/csp"), "Sec-Fetch-Dest: report")
	ask(t, client, "HEAD", site.URL("/a"))
	ask(t, client, "OPTIONS", site.URL("/a"))
	site.Arrivals().NoMethodsBut(t, "GET", "HEAD", "OPTIONS")
	if n := len(other.Arrivals()); n != 0 {
		t.Errorf("%d requests arrived at the other site", n)
	}
	if totals := pass.Totals(); totals.RefusedCalls != 9 || totals.OwnRefused != 7 || totals.Requests != 3 {
		t.Errorf("totals: %+v, want 9 refused, 7 of them own, 3 sent", totals)
	}
}

// proves R-24
func TestProxyRefusesSocketsAndTunnels(t *testing.T) {
	site := fixturesite.Serve(t, small)
	h := newHarness(t, courtesy.Options{})
	pass := h.enter(inBrowser(visit(site.URL("/"), free())))
	host := strings.TrimPrefix(site.URL(""), "http://")
	site.Forget()
	dial := func(first string) *bufio.Reader {
		conn, err := net.DialTimeout("tcp", pass.ProxyAddr(), patience)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, first); err != nil {
			t.Fatal(err)
		}
		return bufio.NewReader(conn)
	}
	statusOf := func(r *bufio.Reader) int {
		resp, err := http.ReadResponse(r, nil)
		if err != nil {
			return 0
		}
		return resp.StatusCode
	}
	upgrade := "GET /socket HTTP/1.1\r\nHost: " + host + "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
	connect := "CONNECT " + host + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n"

	r := dial(connect + upgrade)
	if got := statusOf(r); got != 200 {
		t.Errorf("CONNECT: %d", got)
	}
	if got := statusOf(r); got != http.StatusForbidden {
		t.Errorf("WebSocket in a tunnel: %d, want 403", got)
	}
	r = dial(connect + "SSH-2.0-client\r\n\r\n")
	_ = statusOf(r)
	if got := statusOf(r); got != http.StatusBadRequest {
		t.Errorf("another protocol in a tunnel: %d, want 400", got)
	}
	r = dial(connect + "GET / HTTP/1.1\r\nHost: other.example\r\n\r\n")
	_ = statusOf(r)
	if got := statusOf(r); got != http.StatusBadRequest {
		t.Errorf("another host in the tunnel: %d, want 400", got)
	}
	if got := statusOf(dial("GET / HTTP/1.1\r\nHost: " + pass.ProxyAddr() + "\r\n\r\n")); got != http.StatusBadRequest {
		t.Errorf("the proxy asked as a server: %d, want 400", got)
	}
	if got := statusOf(dial("GET ftp://" + host + "/ HTTP/1.1\r\nHost: " + host + "\r\n\r\n")); got != http.StatusBadRequest {
		t.Errorf("another scheme: %d, want 400", got)
	}
	if n := len(site.Arrivals()); n != 0 {
		t.Errorf("%d requests arrived", n)
	}
	if totals := pass.Totals(); totals.RefusedCalls != 1 || totals.OwnRefused != 1 {
		t.Errorf("totals: %+v", totals)
	}
}

// proves S-47, R-24
func TestOwnFilesObeyRobots(t *testing.T) {
	site := fixturesite.Serve(t, small)
	other := fixturesite.Serve(t, small)
	h := newHarness(t, courtesy.Options{})
	pass := h.enter(inBrowser(visit(site.URL("/"), free())))
	client := proxied(t, h.Door, pass)
	if resp, _ := ask(t, client, "GET", site.URL("/private/x.css")); resp.StatusCode != http.StatusForbidden {
		t.Errorf("own file: %d, want 403", resp.StatusCode)
	}
	if resp, _ := ask(t, client, "GET", other.URL("/private/x.css")); resp.StatusCode != 200 {
		t.Errorf("third party's file: %d, want 200", resp.StatusCode)
	}
	if n := site.Arrivals().Count("/private/x.css"); n != 0 {
		t.Errorf("the own file was asked for")
	}
	if n := other.Arrivals().Count("/robots.txt"); n != 0 {
		t.Errorf("the third party's robots.txt was asked for")
	}
	if totals := pass.Totals(); totals.DisallowedFiles != 1 || totals.Requests != 1 {
		t.Errorf("totals: %+v", totals)
	}
}

// What a document can turn out to be, seen by both engines alike.
// proves S-23, S-40
func TestDocumentOutcomes(t *testing.T) {
	page := fixturesite.HTML("<!doctype html><title>T</title>")
	other := fixturesite.Serve(t, small)
	shared := newHarness(t, courtesy.Options{Bounds: courtesy.Bounds{Document: 4 << 20, DocumentBody: 3 * time.Second, ResponseHeader: 3 * time.Second}})
	t.Cleanup(func() {
		if n := len(other.Arrivals()); n != 0 {
			t.Errorf("%d requests arrived out of scope", n)
		}
	})
	for _, c := range []struct {
		name    string
		answer  http.Handler
		outcome schema.Outcome
		reason  schema.Reason
		status  int
	}{
		{"page", page, schema.OutcomeAnalysed, "", 200},
		{"out of scope", fixturesite.RedirectTo(301, other.URL("/a?x=1")), schema.OutcomeRedirected, "", 301},
		{"chain", fixturesite.RedirectTo(302, "/a"), schema.OutcomeAnalysed, "", 200},
		{"loop", fixturesite.RedirectTo(302, "/doc"), schema.OutcomeNotAnalysed, schema.ReasonRedirectLoop, 302},
		{"to forbidden", fixturesite.RedirectTo(302, "/private/page"), schema.OutcomeDisallowed, schema.ReasonRobots, 302},
		{"no location", status(302), schema.OutcomeNotAnalysed, schema.ReasonBadRedirect, 302},
		{"other scheme", fixturesite.RedirectTo(302, "mailto:a@example.com"), schema.OutcomeNotAnalysed, schema.ReasonBadRedirect, 302},
		{"not found", status(404), schema.OutcomeErrorAnswer, schema.ReasonErrorStatus, 404},
		{"server error", status(500), schema.OutcomeErrorAnswer, schema.ReasonErrorStatus, 500},
		{"unavailable", status(503), schema.OutcomeErrorAnswer, schema.ReasonErrorStatus, 503},
		{"999", status(999), schema.OutcomeErrorAnswer, schema.ReasonErrorStatus, 999},
		{"login", fixturesite.BasicAuth("staging"), schema.OutcomePasswordWall, "", 401},
		{"download", fixturesite.Attachment("x.pdf", "application/pdf", 1<<20), schema.OutcomeNotPage, schema.ReasonDownload, 200},
		{"html download", fixturesite.Attachment("x.html", "text/html", 100), schema.OutcomeNotPage, schema.ReasonDownload, 200},
		{"image", fixturesite.Big(1000, "image/png"), schema.OutcomeNotPage, schema.ReasonMediaType, 200},
		{"no content", status(204), schema.OutcomeNotPage, schema.ReasonMediaType, 204},
		{"untyped page", untyped("<!doctype html><title>T</title>"), schema.OutcomeAnalysed, "", 200},
		{"untyped binary", untyped("\x89PNG\r\n\x1a\n0000"), schema.OutcomeNotPage, schema.ReasonMediaType, 200},
		{"dropped", fixturesite.Drop(), schema.OutcomeNotAnalysed, schema.ReasonConnection, 0},
		{"dropped in mid", fixturesite.DropMid(), schema.OutcomeNotAnalysed, schema.ReasonConnection, 200},
		{"garbled", fixturesite.Garbled(), schema.OutcomeNotAnalysed, schema.ReasonProtocol, 0},
		{"silent", fixturesite.Silent(), schema.OutcomeNotAnalysed, schema.ReasonTimeout, 0},
		{"endless", fixturesite.Endless(20 * time.Millisecond), schema.OutcomeNotAnalysed, schema.ReasonEndless, 200},
		{"too large", fixturesite.BigPage(5 << 20), schema.OutcomeNotAnalysed, schema.ReasonTooLarge, 200},
	} {
		for _, browser := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s browser=%v", c.name, browser), func(t *testing.T) {
				t.Parallel()
				site := fixturesite.Serve(t, small)
				site.Handle("/doc", c.answer)
				h := shared.with(t)
				v := visit(site.URL("/doc"), free())
				var facts schema.DocumentFacts
				if browser {
					v = inBrowser(v)
					pass := h.enter(v)
					follow(t, proxied(t, h.Door, pass), v.URL, c.outcome)
					if err := pass.Leave(within(t)); err != nil {
						t.Fatal(err)
					}
					facts = pass.Document()
				} else {
					facts, _ = h.load(v)
				}
				if facts.Outcome != c.outcome || facts.Reason != c.reason || facts.Status != c.status {
					t.Errorf("outcome %q, reason %q, status %d; want %q, %q, %d", facts.Outcome, facts.Reason, facts.Status, c.outcome, c.reason, c.status)
				}
				if c.outcome == schema.OutcomeRedirected && facts.Final != other.URL("/a?x=1") {
					t.Errorf("final %s", facts.Final)
				}
				if n := site.Arrivals().Count("/private/page"); n != 0 {
					t.Errorf("the forbidden page was asked for")
				}
			})
		}
	}
}

// follow loads a document as a browser does, and checks that what is no page
// leaves the tab empty.
func follow(t *testing.T, client *http.Client, address string, outcome schema.Outcome) {
	t.Helper()
	for range 20 {
		req, err := http.NewRequestWithContext(within(t), http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(req)
		if err != nil {
			return // broken off
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode < 300 || resp.StatusCode >= 400 {
			if outcome == schema.OutcomeNotPage || outcome == schema.OutcomeRedirected || outcome == schema.OutcomeDisallowed || outcome == schema.OutcomePasswordWall {
				if resp.StatusCode != http.StatusNoContent || resp.Header.Get("Www-Authenticate") != "" {
					t.Errorf("the browser got %d %v, want 204", resp.StatusCode, resp.Header)
				}
			}
			return
		}
		u, err := req.URL.Parse(resp.Header.Get("Location"))
		if err != nil {
			t.Fatal(err)
		}
		address = u.String()
	}
	t.Error("redirects without end")
}

func untyped(body string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = nil
		_, _ = io.WriteString(w, body)
	})
}

func TestProxyUndoesContentCodings(t *testing.T) {
	page := []byte("<!doctype html><title>Coded</title>" + strings.Repeat("<p>a paragraph", 2000))
	gz := fixturesite.Packed(t, "gzip", page)
	shared := newHarness(t, courtesy.Options{})
	for _, c := range []struct {
		name, coding string
		body         []byte
		reason       schema.Reason
	}{
		{"gzip", "gzip", gz, ""},
		{"x-gzip", "x-gzip", gz, ""},
		{"zlib", "deflate", fixturesite.Packed(t, "deflate", page), ""},
		{"bare deflate", "deflate", fixturesite.Packed(t, fixturesite.BareDeflate, page), ""},
		{"brotli", "br", fixturesite.Packed(t, "br", page), ""},
		{"zstd", "zstd", fixturesite.Packed(t, "zstd", page), ""},
		{"two on top", "gzip, br", fixturesite.Packed(t, "br", gz), ""},
		{"rubbish behind", "gzip", append(bytes.Clone(gz), "rubbish"...), ""},
		{"two members", "gzip", append(fixturesite.Packed(t, "gzip", page[:100]), fixturesite.Packed(t, "gzip", page[100:])...), ""},
		{"unknown coding", "rot13", page, ""},
		{"identity", "identity", page, ""},
		{"empty", "gzip", nil, ""},
		{"cut short", "gzip", gz[:len(gz)/2], schema.ReasonDecoding},
		{"no gzip at all", "gzip", page, schema.ReasonDecoding},
		{"too many", "gzip, gzip, gzip, gzip", gz, schema.ReasonDecoding},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			site := fixturesite.Serve(t, small)
			site.HandleFunc("/doc", func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				w.Header().Set("Content-Encoding", c.coding)
				_, _ = w.Write(c.body)
			})
			h := shared.with(t)
			pass := h.enter(inBrowser(visit(site.URL("/doc"), free())))
			resp, body, err := getWith(t, proxied(t, h.Door, pass), site.URL("/doc"))
			facts := pass.Document()
			if c.reason != "" {
				if facts.Reason != c.reason || (err == nil && resp.StatusCode == 200) {
					t.Errorf("reason %q, answer %v %v", facts.Reason, resp, err)
				}
				return
			}
			want := page
			if c.body == nil {
				want = nil
			}
			if err != nil || body != string(want) || resp.Header.Get("Content-Encoding") != "" {
				t.Errorf("got %d bytes %v (%v), want %d", len(body), resp, err, len(want))
			}
			if facts.Encoding != c.coding || facts.WireBytes != int64(len(c.body)) || facts.Bytes != int64(len(want)) || facts.Outcome != schema.OutcomeAnalysed {
				t.Errorf("facts: %+v", facts)
			}
			if kept := pass.Source(); !bytes.Equal(kept, want) {
				t.Errorf("%d bytes of the source are kept, want %d", len(kept), len(want))
			}
		})
	}
}

// The source is kept as long as it is no burden.
func TestLargeAndBrokenSourcesAreNotKept(t *testing.T) {
	site := fixturesite.Serve(t, small)
	site.HandleFunc("/large", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, strings.Repeat("<p>large", 300_000))
	})
	site.Handle("/half", fixturesite.DropMid())
	h := newHarness(t, courtesy.Options{})
	for _, path := range []string{"/large", "/half"} {
		pass := h.enter(inBrowser(visit(site.URL(path), free())))
		_, _, _ = getWith(t, proxied(t, h.Door, pass), site.URL(path))
		if kept := pass.Source(); kept != nil {
			t.Errorf("%s: %d bytes of the source are kept", path, len(kept))
		}
		_ = pass.Leave(within(t))
	}
}

func TestProxyStopsBombs(t *testing.T) {
	site := fixturesite.Serve(t, small)
	site.Handle("/bomb", fixturesite.GzipBomb(300<<20))
	site.Handle("/bomb.css", fixturesite.GzipBomb(300<<20))
	h := newHarness(t, courtesy.Options{Bounds: courtesy.Bounds{File: 1 << 20}})
	pass := h.enter(inBrowser(visit(site.URL("/bomb"), free())))
	client := proxied(t, h.Door, pass)
	_, body, err := getWith(t, client, site.URL("/bomb"))
	if err == nil || len(body) > 20<<20 {
		t.Errorf("%d bytes of the bomb reached the browser whole (%v)", len(body), err)
	}
	if facts := pass.Document(); facts.Outcome != schema.OutcomeNotAnalysed || facts.Reason != schema.ReasonTooLarge {
		t.Errorf("facts: %+v", facts)
	}
	_, body, err = getWith(t, client, site.URL("/bomb.css"))
	if err == nil || len(body) > 1<<20 {
		t.Errorf("%d bytes of the file reached the browser whole (%v)", len(body), err)
	}
}

// A stream of events reaches the page as it comes, ends with the visit, and is
// not taken for a slow server.
func TestProxyStreams(t *testing.T) {
	site := fixturesite.Serve(t, small)
	site.Handle("/sse", fixturesite.EventStream(20*time.Millisecond))
	h := newHarness(t, courtesy.Options{})
	pass := h.enter(inBrowser(visit(site.URL("/"), free())))
	client := proxied(t, h.Door, pass)
	ask(t, client, "GET", site.URL("/"))
	resp, err := client.Get(site.URL("/sse"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	began := time.Now()
	if _, err := io.ReadFull(resp.Body, make([]byte, 10)); err != nil || time.Since(began) > 20*time.Second {
		t.Errorf("first event: %v after %v", err, time.Since(began))
	}
	time.Sleep(300 * time.Millisecond)
	left := time.Now()
	if err := pass.Leave(within(t)); err != nil || time.Since(left) > 20*time.Second {
		t.Errorf("leave: %v after %v", err, time.Since(left))
	}
	if _, err := io.Copy(io.Discard, resp.Body); err == nil {
		t.Error("the stream ended as if whole")
	}
	if rt := pass.Totals().ResponseTime; rt > 250*time.Millisecond {
		t.Errorf("response time %v counts the stream", rt)
	}
	if n := site.InFlight(); n != 0 {
		t.Errorf("%d requests still under way at the site", n)
	}
}

// proves C-04
func TestNothingLeavesBetweenVisits(t *testing.T) {
	site := fixturesite.Serve(t, small)
	h := newHarness(t, courtesy.Options{})
	pass := h.enter(inBrowser(visit(site.URL("/"), free())))
	client := proxied(t, h.Door, pass)
	for _, headers := range [][]string{
		{"Sec-Purpose: prefetch"},
		{"Sec-Fetch-Dest: document", "Sec-Purpose: prefetch;prerender"},
	} {
		if resp, _ := ask(t, client, "GET", site.URL("/a"), headers...); resp.StatusCode != http.StatusForbidden {
			t.Errorf("%v: %d, want 403", headers, resp.StatusCode)
		}
	}
	other := fixturesite.Serve(t, small)
	if resp, _ := ask(t, client, "GET", other.URL("/"), "Sec-Fetch-Dest: document"); resp.StatusCode != http.StatusNoContent {
		t.Errorf("sent away by the page: %d, want 204", resp.StatusCode)
	}
	if err := pass.Leave(within(t)); err != nil {
		t.Fatal(err)
	}
	site.Forget()
	if resp, _ := ask(t, client, "GET", site.URL("/beacon")); resp.StatusCode != http.StatusForbidden {
		t.Errorf("late beacon: %d, want 403", resp.StatusCode)
	}
	if n := len(site.Arrivals()) + len(other.Arrivals()); n != 0 {
		t.Errorf("%d requests arrived", n)
	}
	h.EndRun("scan")
	if conn, err := net.DialTimeout("tcp", pass.ProxyAddr(), time.Second); err == nil {
		_ = conn.Close()
		t.Error("the proxy still listens after the run")
	}
}

// Two visits of a run share its proxy; each gets its own document and files.
func TestTwoVisitsAtOnce(t *testing.T) {
	site := fixturesite.Serve(t, small)
	h := newHarness(t, courtesy.Options{})
	first := h.enter(inBrowser(visit(site.URL("/"), free())))
	second := h.enter(inBrowser(visit(site.URL("/a"), free())))
	if first.ProxyAddr() != second.ProxyAddr() {
		t.Error("two proxies for one run")
	}
	client := proxied(t, h.Door, second)
	ask(t, client, "GET", site.URL("/a"))
	ask(t, client, "GET", site.URL("/"))
	ask(t, client, "GET", site.URL("/style.css"), "Referer: "+site.URL("/a"))
	ask(t, client, "GET", site.URL("/gone.png"), "Referer: "+site.URL("/style.css"))
	if a, b := first.Totals().Requests, second.Totals().Requests; a != 1 || b != 3 {
		t.Errorf("%d and %d requests, want 1 and 3", a, b)
	}
	if a, b := first.Document(), second.Document(); a.Final != site.URL("/") || b.Final != site.URL("/a") || a.Status != 200 || b.Status != 200 {
		t.Errorf("%+v\n%+v", a, b)
	}
}

// proves S-20
func TestInsecureFilesAndBadCertificate(t *testing.T) {
	plain := fixturesite.Serve(t, small)
	files, err := fixturesite.Parse(small)
	if err != nil {
		t.Fatal(err)
	}
	site := fixturesite.New(files...).StartTLS(t)
	h := newHarness(t, courtesy.Options{Roots: site.Roots()})
	pass := h.enter(inBrowser(visit(site.URL("/"), free())))
	client := proxied(t, h.Door, pass)
	ask(t, client, "GET", site.URL("/"))
	ask(t, client, "GET", plain.URL("/style.css"))
	ask(t, client, "GET", plain.URL("/style.css"))
	if got := pass.Totals().Insecure; len(got) != 1 || got[0] != plain.URL("/style.css") {
		t.Errorf("insecure files: %v", got)
	}
	// A door that does not know the certificate's root.
	strict := newHarness(t, courtesy.Options{})
	reading, _, err := strict.ReadRobots(within(t), visit(site.URL("/"), free()))
	if err != nil || reading.Copy.Outcome != schema.RobotsDenyAll || reading.Copy.Reason != schema.ReasonTLS {
		t.Errorf("robots.txt behind a bad certificate: %+v %v", reading.Copy, err)
	}
}

// Addresses that a browser escapes in its own way are still known as the
// visit's document.
func TestDocumentIsKnownHoweverEscaped(t *testing.T) {
	site := fixturesite.Serve(t, small)
	site.Handle("/caf*", fixturesite.HTML("<!doctype html><title>C</title>"))
	h := newHarness(t, courtesy.Options{})
	pass := h.enter(inBrowser(visit(site.URL("/caf%c3%a9?q=a|b%20c&d=%7e"), free())))
	ask(t, proxied(t, h.Door, pass), "GET", site.URL("/caf%C3%A9?q=a%7Cb%20c&d=~"))
	if facts := pass.Document(); facts.Status != 200 || facts.Outcome != schema.OutcomeAnalysed {
		t.Errorf("%+v", facts)
	}
	if u, _ := url.Parse(pass.Document().Final); u.Path != "/café" {
		t.Errorf("final %s", pass.Document().Final)
	}
}

// A file over another scheme has another robots.txt. It is read within the
// visit's own turn: with one turn at the host, nobody waits for himself.
func TestOtherOriginOfTheSameHost(t *testing.T) {
	site := fixturesite.Serve(t, small)
	h := newHarness(t, courtesy.Options{})
	p := free()
	p.Limits.PagesAtOnce = 1
	pass := h.enter(inBrowser(visit(site.URL("/"), p)))
	client := proxied(t, h.Door, pass)
	began := time.Now()
	resp, _ := ask(t, client, "GET", strings.Replace(site.URL("/style.css"), "http:", "https:", 1))
	if resp.StatusCode != http.StatusForbidden || time.Since(began) > 20*time.Second {
		t.Errorf("%d after %v, want 403 at once: no TLS there, so no robots.txt", resp.StatusCode, time.Since(began))
	}
	if totals := pass.Totals(); totals.DisallowedFiles != 1 {
		t.Errorf("totals: %+v", totals)
	}
}
