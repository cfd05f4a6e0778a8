package endtoend_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"visite/internal/fixturesite"
)

// freeAnalysis is what the tests look at of one.
type freeAnalysis struct {
	ID          string `json:"id"`
	State       string `json:"state"`
	StateReason string `json:"state_reason"`
	Profile     string `json:"profile"`
	Cached      bool   `json:"cached"`
	Problem     *struct {
		Type string `json:"type"`
	} `json:"problem"`
}

// free orders a free analysis without any token and gives the answer's status and
// problem type.
func (d *deployment) free(o order) (f freeAnalysis, status int, problem string) {
	d.t.Helper()
	status, raw := d.request(http.MethodPost, "/v1/free-analyses", "", o)
	var p struct{ Type string }
	for _, v := range []any{&f, &p} {
		if err := json.Unmarshal(raw, v); err != nil {
			d.t.Fatalf("%v: %s", err, raw)
		}
	}
	return f, status, strings.TrimPrefix(p.Type, "/problems/")
}

func (d *deployment) freeEnd(id string) (f freeAnalysis) {
	d.t.Helper()
	d.eventually(90*time.Second, "the free analysis to end", func() bool {
		status, raw := d.request(http.MethodGet, "/v1/free-analyses/"+id, "", nil)
		if status != http.StatusOK || json.Unmarshal(raw, &f) != nil {
			return false
		}
		return f.State != "queued" && f.State != "running"
	})
	return f
}

// One page for somebody without an account: robots.txt and exactly one document
// with its files, as a browser under the profile's identity, with a cause of its
// own in the ledger; nothing of what the page or robots.txt names besides, neither
// here nor elsewhere. The second order of the address sends nothing.
// proves S-03, S-04, S-07, S-11, S-16, R-11
func TestAFreeAnalysisIsOnePage(t *testing.T) {
	t.Parallel()
	elsewhere := fixturesite.New(plain("/", "elsewhere")).Start(t)
	site := fixturesite.New(plain("/page", `<p>`+fixturesite.CanaryParagraph+`</p><img src="/picture.png" alt="x"><a href="/second">second</a> <a href="`+elsewhere.URL("/")+`">elsewhere</a>`), plain("/second", ""))
	site.SetText("/robots.txt", "Sitemap: /sitemap.xml\nUser-agent: *\nAllow: /\n")
	site.Start(t)
	d := deploy(t)
	f, status, _ := d.free(order{"url": site.URL("/page?utm_source=x#top")})
	if status != http.StatusAccepted || f.Profile != "sitenorma" || f.Cached {
		t.Fatalf("%d %+v", status, f)
	}
	if f = d.freeEnd(f.ID); f.State != "finished" {
		t.Fatalf("ended %+v", f)
	}
	want := map[string]string{"/robots.txt": "(compatible; SiteNorma/1.0; +https://sitenorma.com/rastreador/)", "/page": "Safari/537.36 SiteNorma/1.0 (+https://sitenorma.com/rastreador/)",
		"/favicon.ico": "Safari/537.36 SiteNorma/1.0 (+https://sitenorma.com/rastreador/)", "/picture.png": "Safari/537.36 SiteNorma/1.0 (+https://sitenorma.com/rastreador/)"}
	arrivals := site.Arrivals()
	for _, a := range arrivals {
		if agent := want[a.Path]; agent == "" || !strings.HasSuffix(a.Header.Get("User-Agent"), agent) || a.Query != "" {
			t.Errorf("%s came as %q", a.Request(), a.Header.Get("User-Agent"))
		}
	}
	if arrivals.Count("/robots.txt") != 1 || arrivals.Count("/page") != 1 || arrivals[0].Path != "/robots.txt" {
		t.Errorf("arrived: %q", arrivals.Requests())
	}
	if n := len(elsewhere.Arrivals()); n != 0 {
		t.Errorf("%d requests to a host the page links to", n)
	}
	for _, accept := range []string{"text/html", "application/json"} {
		status, raw := d.request(http.MethodGet, "/v1/free-analyses/"+f.ID+"/report", "", nil, "Accept", accept)
		if status != http.StatusOK || !strings.Contains(string(raw), "Page /page") || strings.Contains(string(raw), fixturesite.CanaryParagraph) {
			t.Errorf("%s: %d %.200s", accept, status, raw)
		}
	}
	again, status, _ := d.free(order{"url": site.URL("/page")})
	if status != http.StatusOK || !again.Cached || again.ID != f.ID || len(site.Arrivals()) != len(arrivals) {
		t.Errorf("ordered again: %d %+v, %d new requests", status, again, len(site.Arrivals())-len(arrivals))
	}
	d.wantCauses(t, hostOf(site), "free_analysis")
	if status, _ := d.request(http.MethodGet, "/v1/free-analyses/AAAAAAAAAAAAAAAAAAAAAAAAAA", "", nil); status != http.StatusNotFound {
		t.Errorf("a guessed id: %d", status)
	}
}

// wantCauses looks into the ledger.
func (d *deployment) wantCauses(t *testing.T, host, cause string) {
	t.Helper()
	var answer struct {
		Requests []struct{ Cause, Purpose string } `json:"requests"`
	}
	for _, path := range []string{"/robots.txt", "/page"} {
		d.call(http.MethodPost, "/v1/requests:identify", "", map[string]any{"host": host, "at": time.Now().UTC().Format(time.RFC3339), "path": path, "method": "GET"}, &answer)
		if len(answer.Requests) != 1 || answer.Requests[0].Cause != cause {
			t.Errorf("the ledger on %s: %+v", path, answer)
		}
	}
}

// A block in robots.txt ends the free analysis, whoever asks; what is known of it
// is not asked for again. Objections, rests and used up budgets are told at once,
// without any request.
// proves S-46, S-48, S-16, R-11, C-43
func TestFreeAnalysesThatAreRefused(t *testing.T) {
	t.Parallel()
	blocked := fixturesite.New(plain("/", ""), plain("/other", ""))
	blocked.SetText("/robots.txt", "User-agent: SiteNormaBot\nDisallow: /\n")
	blocked.Start(t)
	d := deploy(t)
	f, status, problem := d.free(order{"url": blocked.URL("/")})
	if status != http.StatusAccepted {
		t.Fatalf("%d %s", status, problem)
	}
	if f = d.freeEnd(f.ID); f.State != "refused" || f.Problem == nil || f.Problem.Type != "/problems/robots-forbids" {
		t.Fatalf("ended %+v", f)
	}
	if status, raw := d.request(http.MethodGet, "/v1/free-analyses/"+f.ID+"/report", "", nil); status != http.StatusForbidden || !strings.Contains(string(raw), "Disallow: /") {
		t.Errorf("the report: %d %s", status, raw)
	}
	for _, path := range []string{"/", "/other"} {
		if _, status, problem := d.free(order{"url": blocked.URL(path)}); status != http.StatusForbidden || problem != "robots-forbids" {
			t.Errorf("%s asked for: %d %s", path, status, problem)
		}
	}
	if got := blocked.Arrivals().Requests(); len(got) != 1 || got[0] != "GET /robots.txt" {
		t.Errorf("arrived at the blocked site: %q", got)
	}

	quiet := fixturesite.New(plain("/", ""), plain("/a", ""), plain("/b", ""), plain("/c", "")).Start(t)
	store := d.courtesyStore()
	if _, err := store.Park(t.Context(), hostOf(quiet), time.Hour); err != nil {
		t.Fatal(err)
	}
	if _, status, problem := d.free(order{"url": quiet.URL("/")}); status != http.StatusTooManyRequests || problem != "host-resting" {
		t.Errorf("a resting host: %d %s", status, problem)
	}
	if got := quiet.Arrivals().Requests(); len(got) != 0 {
		t.Errorf("arrived at the resting host: %q", got)
	}

	budget := fixturesite.New(plain("/a", ""), plain("/b", ""), plain("/c", "")).Start(t)
	for i, path := range []string{"/a", "/b"} {
		f, status, problem := d.free(order{"url": budget.URL(path)})
		if status != http.StatusAccepted {
			t.Fatalf("analysis %d: %d %s", i+1, status, problem)
		}
		if f = d.freeEnd(f.ID); f.State != "finished" {
			t.Fatalf("analysis %d: %+v", i+1, f)
		}
	}
	before := len(budget.Arrivals())
	if _, status, problem := d.free(order{"url": budget.URL("/c")}); status != http.StatusTooManyRequests || problem != "free-host-used-up" {
		t.Errorf("a third of the host: %d %s", status, problem)
	}
	for body, want := range map[string]string{
		`{"url":""}`: "422 url-missing", `{"url":"ftp://example.com/"}`: "422 scheme-not-web", `{"url":"http://10.0.0.1/"}`: "422 guarded-address",
		`{"url":"https://example.com/?token=abc"}`: "422 url-secret", `{"url":"https://example.com/","profile":"conregio"}`: "403 free-analysis-not-offered",
	} {
		var o order
		if err := json.Unmarshal([]byte(body), &o); err != nil {
			t.Fatal(err)
		}
		if _, status, problem := d.free(o); fmt.Sprintf("%d %s", status, problem) != want {
			t.Errorf("%s: %d %s, want %s", body, status, problem, want)
		}
	}
	if len(budget.Arrivals()) != before {
		t.Error("a refused order sent requests")
	}
}
