package fixturesite

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

const small = `Comment.
-- / --
<!doctype html><title>Start</title><a href="{{base}}/b">b</a>
-- /b status=410 type="text/html; charset=iso-8859-1" header="X-Robots-Tag: noindex, nofollow" --
gone
-- /old location=/b status=301 --
-- /list?page=2 --
second
-- /list --
first
-- /dot.bin encoding=base64 --
AAEC
-- /style.css gzip header="ETag: \"1\"" --
a{}
-- /slow delay=80ms --
slow
`

func get(t *testing.T, url string, header ...string) (*http.Response, string) {
	t.Helper()
	return do(t, http.MethodGet, url, header...)
}

func do(t *testing.T, method, url string, header ...string) (*http.Response, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // whatever hangs fails its own test
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	client := &http.Client{
		Transport:     &http.Transport{DisableCompression: true, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	res, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(body)
}

func TestArchiveIsServedAsWritten(t *testing.T) {
	site := Serve(t, small)
	for _, c := range []struct {
		path   string
		status int
		header string // "Name: value"
		body   string
	}{
		{"/", 200, "Content-Type: text/html; charset=utf-8", "<!doctype html><title>Start</title><a href=\"" + site.URL("/b") + "\">b</a>\n"},
		{"/b", 410, "X-Robots-Tag: noindex, nofollow", "gone\n"},
		{"/b", 410, "Content-Type: text/html; charset=iso-8859-1", "gone\n"},
		{"/old", 301, "Location: /b", ""},
		{"/list?page=2", 200, "Content-Length: 7", "second\n"},
		{"/list?page=3", 200, "Content-Length: 6", "first\n"},
		{"/dot.bin", 200, "Content-Type: application/octet-stream", "\x00\x01\x02"},
		{"/nowhere", 404, "Content-Type: text/html; charset=utf-8", "<!doctype html><html lang=\"en\"><title>Not found</title><h1>Not found</h1><p>There is nothing at this address.</p></html>"},
	} {
		res, body := get(t, site.URL(c.path))
		name, value, _ := strings.Cut(c.header, ": ")
		if res.StatusCode != c.status || res.Header.Get(name) != value || body != c.body {
			t.Errorf("%s: %d, %s %q, body %q; want %d, %q, %q", c.path, res.StatusCode, name, res.Header.Get(name), body, c.status, value, c.body)
		}
	}
	res, body := get(t, site.URL("/style.css"))
	if res.Header.Get("Content-Encoding") != "gzip" || !strings.HasPrefix(body, "\x1f\x8b") {
		t.Errorf("/style.css is not packed: %v", res.Header)
	}
	if res, _ := get(t, site.URL("/style.css"), "If-None-Match", `"1"`); res.StatusCode != 304 {
		t.Errorf("conditional GET: %d, want 304", res.StatusCode)
	}
	if res, body := do(t, "HEAD", site.URL("/list")); res.StatusCode != 200 || res.ContentLength != 6 || body != "" {
		t.Errorf("HEAD: %d, length %d, body %q", res.StatusCode, res.ContentLength, body)
	}
	if res, _ := do(t, "POST", site.URL("/list")); res.StatusCode != 405 {
		t.Errorf("POST: %d, want 405", res.StatusCode)
	}
}

func TestBrokenArchivesAreNamed(t *testing.T) {
	for archive, want := range map[string]string{
		"-- b.html --\n":                         `member "b.html": the address must begin with a slash`,
		"-- /b colour=red --\n":                  `member "/b colour=red": option "colour" is unknown`,
		"-- /b fast --\n":                        `member "/b fast": option "fast" is unknown`,
		"-- /b status=soon --\n":                 `member "/b status=soon": option "status": strconv.Atoi: parsing "soon": invalid syntax`,
		"-- /b header=\"x --\n":                  `member "/b header=\"x": quote not closed after "header="`,
		"-- /b encoding=base64 --\n***\n":        `member "/b encoding=base64": option "encoding": illegal base64 data at input byte 0`,
		"-- /b header=X-Robots-Tag-noindex --\n": `member "/b header=X-Robots-Tag-noindex": header "X-Robots-Tag-noindex" has no colon`,
	} {
		if _, err := Parse(archive); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", archive, err, want)
		}
	}
}

func TestArrivalsAreRecorded(t *testing.T) {
	site := Serve(t, small)
	begin := time.Now()
	get(t, site.URL("/robots.txt"), "User-Agent", "A/1")
	get(t, site.URL("/old?x=1"), "User-Agent", "A/1", "Accept-Language", "de")
	get(t, site.URL("/b"), "User-Agent", "A/1", "Sec-Fetch-Dest", "document")
	get(t, site.URL("/style.css"), "User-Agent", "B/1", "Sec-Fetch-Dest", "style")
	do(t, "HEAD", site.URL("/slow"), "User-Agent", "A/1")
	got := site.Arrivals()
	want := []string{"GET /robots.txt", "GET /old?x=1", "GET /b", "GET /style.css", "HEAD /slow"}
	if fmt.Sprint(got.Requests()) != fmt.Sprint(want) {
		t.Fatalf("arrived %v, want %v", got.Requests(), want)
	}
	for i, kind := range []Kind{KindRobots, KindDocument, KindDocument, KindFile, KindDocument} {
		if got[i].Kind != kind {
			t.Errorf("%s is a %s, want %s", got[i].Request(), got[i].Kind, kind)
		}
		if got[i].Seq != i+1 || got[i].In.Before(begin) || got[i].Out.Before(got[i].In) {
			t.Errorf("%s: seq %d, in %v, out %v", got[i].Request(), got[i].Seq, got[i].In, got[i].Out)
		}
	}
	if a := got[1]; a.Status != 301 || a.Header.Get("Accept-Language") != "de" || "http://"+a.Host != site.URL("") {
		t.Errorf("recorded %+v", a)
	}
	if got[2].Follows != 2 || got[3].Follows != 0 {
		t.Errorf("follows: %d, %d, want 2, 0", got[2].Follows, got[3].Follows)
	}
	if d := got[4].Out.Sub(got[4].In); d < 80*time.Millisecond {
		t.Errorf("/slow took %s, want 80ms at least", d)
	}
	if v := got.Visits().Requests(); fmt.Sprint(v) != "[GET /robots.txt GET /old?x=1 HEAD /slow]" {
		t.Errorf("visits %v", v)
	}
	if n := got.Count("/b"); n != 1 {
		t.Errorf("/b counted %d times", n)
	}
	if n := len(got.After(got[2].In)); n != 2 {
		t.Errorf("%d after the third, want 2", n)
	}
	if site.Connections() != 5 {
		t.Errorf("%d connections, want 5", site.Connections())
	}
	site.Forget()
	if len(site.Arrivals()) != 0 {
		t.Error("Forget left arrivals")
	}
}

func TestOverlapIsSeen(t *testing.T) {
	site := New()
	arrived, release := make(chan struct{}, 3), make(chan struct{})
	site.HandleFunc("/held/*", func(w http.ResponseWriter, r *http.Request) { arrived <- struct{}{}; <-release })
	site.Start(t)
	var wg sync.WaitGroup
	for _, path := range []string{"/held/a", "/held/b", "/held/c.png"} {
		wg.Add(1)
		go func() { defer wg.Done(); get(t, site.URL(path)) }()
	}
	for range 3 {
		select {
		case <-arrived:
		case <-time.After(time.Minute):
			close(release)
			t.Fatal("waited a minute for three requests to be under way")
		}
	}
	if n := site.InFlight(); n != 3 {
		t.Errorf("%d in flight, want 3", n)
	}
	close(release)
	wg.Wait()
	get(t, site.URL("/after"))
	if docs, all := site.Arrivals().MaxInFlight(); docs != 2 || all != 3 {
		t.Errorf("%d documents, %d in all at once; want 2, 3", docs, all)
	}
}

// A visitor that opens each address only after the answer before must never
// look as if it had two open.
func TestOneAfterTheOtherIsNoOverlap(t *testing.T) {
	site := Serve(t, small)
	site.Handle("/big", Big(1<<20, "text/html"))
	for range 30 {
		get(t, site.URL("/"))
		get(t, site.URL("/big"))
	}
	if docs, all := site.Arrivals().MaxInFlight(); docs != 1 || all != 1 {
		t.Errorf("%d documents, %d in all at once; want 1, 1", docs, all)
	}
	for _, g := range site.Arrivals().Gaps() {
		if g.Idle < 0 {
			t.Errorf("gap before %s is %s", g.After.Request(), g.Idle)
		}
	}
}

// noted is a TB that keeps what an assertion says.
type noted struct{ said []string }

func (n *noted) Helper()                       {}
func (n *noted) Cleanup(func())                {}
func (n *noted) Errorf(f string, a ...any)     { n.said = append(n.said, fmt.Sprintf(f, a...)) }
func (n *noted) Fatalf(f string, a ...any)     { n.Errorf(f, a...) }
func (n *noted) count(f func(TB)) (faults int) { n.said = nil; f(n); return len(n.said) }

func TestAssertionsCanFail(t *testing.T) {
	at := func(ms int) time.Time { return time.Unix(0, 0).Add(time.Duration(ms) * time.Millisecond) }
	arrival := func(seq, in, out int, method, path, ua string, kind Kind) Arrival {
		return Arrival{Seq: seq, In: at(in), Out: at(out), Method: method, Path: path, Host: "h", Kind: kind, Header: http.Header{"User-Agent": {ua}}}
	}
	robots := arrival(1, 0, 100, "GET", "/robots.txt", "V/1", KindRobots)
	page := arrival(2, 400, 500, "GET", "/", "V/1", KindDocument)
	file := arrival(3, 600, 700, "GET", "/a.css", "V/1", KindFile)
	next := arrival(4, 900, 1000, "POST", "/b", "X", KindDocument)
	all := Arrivals{robots, page, file, next}
	n := &noted{}
	for _, c := range []struct {
		name   string
		assert func(TB)
		faults int
	}{
		{"robots first", func(t TB) { all.RobotsFirst(t) }, 0},
		{"robots last", func(t TB) { all[1:].RobotsFirst(t) }, 1},
		{"robots, nothing came", func(t TB) { Arrivals{}.RobotsFirst(t) }, 1},
		{"agents", func(t TB) { all.AllUserAgents(t, regexp.MustCompile(`^V/1$`)) }, 1},
		{"agents, nothing came", func(t TB) { Arrivals{}.AllUserAgents(t, regexp.MustCompile(`.`)) }, 1},
		{"methods", func(t TB) { all.NoMethodsBut(t, "GET", "HEAD") }, 1},
		{"gap kept", func(t TB) { all.MinGap(t, 200*time.Millisecond) }, 0},
		{"gap from the last file", func(t TB) { all.MinGap(t, 201*time.Millisecond) }, 1},
		{"start gap kept", func(t TB) { all.MinStartGap(t, 400*time.Millisecond) }, 0},
		{"start gap", func(t TB) { all.MinStartGap(t, 401*time.Millisecond) }, 1},
	} {
		if got := n.count(c.assert); got != c.faults {
			t.Errorf("%s: %d faults %q, want %d", c.name, got, n.said, c.faults)
		}
	}
	if got := all.BusyShare(); got != 0.4 {
		t.Errorf("busy share %g, want 0.4", got)
	}
}

func TestContentChangesWhileServing(t *testing.T) {
	site := Serve(t, small)
	site.SetText("/robots.txt", "User-agent: *\nDisallow: /\n")
	if res, body := get(t, site.URL("/robots.txt")); res.StatusCode != 200 || body != "User-agent: *\nDisallow: /\n" {
		t.Errorf("%d %q", res.StatusCode, body)
	}
	site.Remove("/robots.txt")
	if res, _ := get(t, site.URL("/robots.txt")); res.StatusCode != 404 {
		t.Errorf("%d, want 404", res.StatusCode)
	}
}

func TestTLSSite(t *testing.T) {
	files, err := Parse(small)
	if err != nil {
		t.Fatal(err)
	}
	site := New(files...).StartTLS(t)
	if _, err := bounded.Get(site.URL("/list")); err == nil {
		t.Error("a stranger's certificate was accepted")
	}
	transport := (http.DefaultTransport.(*http.Transport)).Clone()
	transport.TLSClientConfig.RootCAs = site.Roots()
	defer transport.CloseIdleConnections()
	res, err := (&http.Client{Transport: transport}).Get(site.URL("/"))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, _ := io.ReadAll(res.Body)
	if !strings.Contains(string(body), site.URL("/b")) || !site.Arrivals()[0].TLS {
		t.Errorf("body %q, arrivals %+v", body, site.Arrivals())
	}
}

func TestOnlyLoopback(t *testing.T) {
	site := New()
	defer site.Close()
	if _, err := site.Listen("0.0.0.0:0"); err == nil {
		t.Error("a site for the whole network was opened")
	}
}
