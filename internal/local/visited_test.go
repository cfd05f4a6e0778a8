package local

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"visite/api"
	"visite/internal/config"
	"visite/internal/courtesy"
	"visite/internal/pgtest"
	"visite/internal/postgres"
	"visite/schema"
)

// visitedSite is a site on loopback, with the real door before it.
type visitedSite struct {
	t        *testing.T
	host     string
	origin   string
	door     *courtesy.Door
	ledger   *postgres.CourtesyStore
	profile  schema.Profile
	mu       sync.Mutex
	robots   string
	file     string
	arrivals []string
	agents   []string
}

func newVisitedSite(t *testing.T) *visitedSite {
	t.Helper()
	s := &visitedSite{t: t, ledger: postgres.NewCourtesyStore(pgtest.DB(t))}
	server := httptest.NewServer(http.HandlerFunc(s.answer))
	t.Cleanup(server.Close)
	s.origin, s.host = server.URL, strings.TrimPrefix(server.URL, "http://")
	door, err := courtesy.New(courtesy.Options{Store: s.ledger, AllowLoopback: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = door.Close() })
	s.door = door
	profiles, err := config.LoadProfiles("")
	if err != nil {
		t.Fatal(err)
	}
	s.profile, _ = profiles.Profile("visite")
	s.profile.Info = "https://visite.example/bot"
	return s
}

func (s *visitedSite) answer(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.arrivals, s.agents = append(s.arrivals, r.Method+" "+r.URL.Path), append(s.agents, r.UserAgent())
	switch {
	case r.URL.Path == "/robots.txt" && s.robots != "":
		_, _ = w.Write([]byte(s.robots))
	case r.URL.Path == "/.well-known/visite-visited.txt" && s.file != "":
		_, _ = w.Write([]byte(s.file))
	default:
		http.NotFound(w, r)
	}
}

// arrived compares what came in, and the User-Agents it came with, with what is
// wanted, and forgets it.
func (s *visitedSite) arrived(want ...string) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Equal(s.arrivals, want) {
		s.t.Errorf("arrived %v, want %v", s.arrivals, want)
	}
	for _, agent := range s.agents {
		if agent != s.profile.ClientUserAgent() {
			s.t.Errorf("User-Agent %q, want %q", agent, s.profile.ClientUserAgent())
		}
	}
	s.arrivals, s.agents = nil, nil
}

// lines lists purpose and cause of the site's ledger lines, oldest first.
func (s *visitedSite) lines() []string {
	s.t.Helper()
	list, err := s.ledger.HostLines(s.t.Context(), s.host, schema.Range{Limit: 100})
	if err != nil {
		s.t.Fatal(err)
	}
	var out []string
	for _, l := range slices.Backward(list) {
		out = append(out, string(l.Purpose)+" for "+string(l.Cause))
	}
	return out
}

// proves R-13: the file that proves a host is read like any page, robots.txt
// first and obeyed, under our own name, with a line in the ledger.
func TestProofByFileGoesThroughTheDoor(t *testing.T) {
	s := newVisitedSite(t)
	checker := hostProofs(s.door)
	challenge := checker.Challenge(s.host, "")
	s.file = challenge.Word + "\n"
	got, err := checker.CheckFile(t.Context(), challenge, s.origin, s.profile)
	if err != nil || !got.Proved {
		t.Fatalf("%+v %v", got, err)
	}
	s.arrived("GET /robots.txt", "GET /.well-known/visite-visited.txt")
	if want := []string{"robots for host_proof", "proof for host_proof"}; !slices.Equal(s.lines(), want) {
		t.Errorf("ledger %v, want %v", s.lines(), want)
	}
}

// proves R-13
func TestProofByFileObeysRobots(t *testing.T) {
	s := newVisitedSite(t)
	s.robots = "User-agent: visite\nDisallow: /.well-known/\n"
	checker := hostProofs(s.door)
	challenge := checker.Challenge(s.host, "")
	s.file = challenge.Word
	got, err := checker.CheckFile(t.Context(), challenge, s.origin, s.profile)
	if err != nil || got.Proved || got.Admission.Kind != schema.AdmissionDenied || got.Admission.Reason != schema.ReasonRobots {
		t.Errorf("%+v %v", got, err)
	}
	s.arrived("GET /robots.txt")
}

// A question about robots.txt reads that file alone, once for all addresses of
// an origin.
func TestExplainingReadsNothingButRobots(t *testing.T) {
	s := newVisitedSite(t)
	s.robots = "User-agent: *\nDisallow: /\n\nUser-agent: visite\nCrawl-delay: 2.5\nDisallow: /x\nAllow: /x/y\n"
	port := robotsPort{door: s.door}
	verdicts, rest, err := port.ExplainRobots(t.Context(), api.RobotsQuestion{
		WorkspaceID: "w", Profile: s.profile, Tokens: s.profile.Tokens, Addresses: []string{s.origin + "/x/1", s.origin + "/x/y", s.origin + "/"},
	})
	if err != nil || !rest.IsZero() || len(verdicts) != 3 {
		t.Fatalf("%+v %v %v", verdicts, rest, err)
	}
	delay := 2.5
	source := s.origin + "/robots.txt: parse, status 200"
	for i, want := range []api.RobotsVerdict{
		{URL: s.origin + "/x/1", Allow: false, Group: "visite", Rule: "Disallow: /x", Line: 6, Source: source},
		{URL: s.origin + "/x/y", Allow: true, Group: "visite", Rule: "Allow: /x/y", Line: 7, Source: source},
		{URL: s.origin + "/", Allow: true, Group: "visite", Source: source},
	} {
		got := verdicts[i]
		if got.CrawlDelay == nil || *got.CrawlDelay != delay {
			t.Errorf("Crawl-delay %v, want %v", got.CrawlDelay, delay)
		}
		if got.CrawlDelay = nil; got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	s.arrived("GET /robots.txt")
	if want := []string{"robots for robots_explain"}; !slices.Equal(s.lines(), want) {
		t.Errorf("ledger %v, want %v", s.lines(), want)
	}
	if _, _, err := port.ExplainRobots(t.Context(), api.RobotsQuestion{Given: true, Robots: s.robots, Tokens: []string{"other"}, Addresses: []string{s.origin + "/"}}); err != nil {
		t.Error(err)
	}
	s.arrived()
}

// proves C-43: whoever objects is asked nothing more, not even for robots.txt.
func TestExplainingStopsForAnObjection(t *testing.T) {
	s := newVisitedSite(t)
	u, err := url.Parse(s.origin)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.ledger.AddObjection(t.Context(), schema.Objection{Host: schema.HostKey(u), Kind: schema.ObjectionStop}); err != nil {
		t.Fatal(err)
	}
	_, _, err = robotsPort{door: s.door}.ExplainRobots(t.Context(), api.RobotsQuestion{Profile: s.profile, Tokens: s.profile.Tokens, Addresses: []string{s.origin + "/"}})
	declined, ok := err.(*schema.Refusal)
	if !ok || declined.Kind != schema.RefusalForbidden || declined.Code != "host-not-visited" {
		t.Errorf("%v", err)
	}
	s.arrived()
}
