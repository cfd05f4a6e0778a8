package robots

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/andybalholm/brotli"

	"visite/schema"
)

type fetchCase struct {
	ID          string
	Name        string
	Steps       []fetchStep
	Outcome     schema.RobotsOutcome
	RetryAfter  float64 `json:"retry_after_s"`
	MaxRequests int     `json:"max_requests"`
	// OtherReading says what else would be right where the RFC leaves room.
	OtherReading string `json:"other_reading"`
	Checks       []struct {
		URL   string
		Allow bool
	}
}

type fetchStep struct {
	URL           string
	Status        int
	Headers       map[string]string
	Body          string
	Informational []int
	Fault         string
	PartialBody   string `json:"partial_body"`
	Prefix        string
	Encode        string
	Gen           string
	Attempt       int
	CachedBody    string  `json:"cached_body"`
	CachedAge     float64 `json:"cached_age_h"`
	When          struct {
		Lacks    string `json:"user_agent_lacks"`
		Has      string `json:"user_agent_has"`
		NoCookie bool   `json:"no_cookie"`
		Cookie   string
	}
}

// carefulChoice lists the situations in which RFC 9309 gives leave ("MAY") and
// the contract does not use it. R-03: more than five redirects, or a redirect
// loop, is unreachable, and nothing is scanned. Section 2.3.1.2 would let such a
// file pass for unavailable (allow_all); it does not ask for it, and each of the
// three names deny_all as its other, careful reading. No page could tell that
// R-03 holds if they came out otherwise.
var carefulChoice = map[string]schema.RobotsOutcome{
	"f-39": schema.RobotsDenyAll, // six redirects
	"f-40": schema.RobotsDenyAll, // a loop
	"f-41": schema.RobotsDenyAll, // a loop for whoever keeps no cookies, as we do
}

// scanChoice lists where a scan, which is strict (S-28, R-03: on 5xx nothing is
// scanned), comes out otherwise than a Reader by itself, which may fall back on
// a copy of the last 24 h.
var scanChoice = map[string]schema.RobotsOutcome{
	"f-28": schema.RobotsDenyAll, // 503 with a good copy of two hours
}

// proves S-25, S-26, S-27, S-28, R-03, R-06
func TestFetchSituationsOfSharedCases(t *testing.T) {
	data, err := os.ReadFile(sharedCases(t, "fetch.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all struct{ Cases []fetchCase }
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	if len(all.Cases) != 80 {
		t.Errorf("%d situations, want 80", len(all.Cases))
	}
	for _, c := range all.Cases {
		t.Run(c.ID, func(t *testing.T) { c.run(t, false) })
		if want, ok := scanChoice[c.ID]; ok {
			t.Run(c.ID+" in a scan", func(t *testing.T) {
				c.Outcome, c.Checks = want, nil
				c.run(t, true)
			})
		}
	}
}

func (c fetchCase) run(t *testing.T, strict bool) {
	var attempt atomic.Int64
	attempts := 1
	w := newWorld(t, nil)
	w.handler = func(rw http.ResponseWriter, r *http.Request) {
		for _, s := range c.Steps {
			if s.answers(r, int(attempt.Load())) {
				s.serve(w, rw)
				return
			}
		}
		http.NotFound(rw, r)
	}
	now := time.Now()
	var previous *schema.RobotsCopy
	first := mustURL(t, c.Steps[0].URL)
	for _, s := range c.Steps {
		attempts = max(attempts, s.Attempt)
		if strings.HasPrefix(s.Fault, "tls_") || strings.HasPrefix(s.Fault, "dns_") || s.Fault == "refused" || s.Fault == "connect_timeout" {
			w.broken[mustURL(t, s.URL).Hostname()] = s.Fault
		}
		if s.CachedBody != "" {
			previous = &schema.RobotsCopy{
				Origin: schema.Origin(first), Outcome: schema.RobotsParse, Status: 200, Body: []byte(s.CachedBody),
				ReadAt: now.Add(-time.Duration(s.CachedAge * float64(time.Hour))),
			}
		}
	}
	r := &Reader{Now: func() time.Time { return now }, Strict: strict}
	if c.neverAnswers() {
		r.HopTimeout = 300 * time.Millisecond
	}
	var got Reading
	for n := 1; n <= attempts; n++ {
		attempt.Store(int64(n))
		got = w.read(t, r, c.Steps[0].URL, previous)
		if n < attempts && got.Copy.Outcome != schema.RobotsDenyAll {
			t.Errorf("attempt %d: %s", n, got.Copy.Outcome)
		}
	}
	want := c.Outcome
	if o, ok := carefulChoice[c.ID]; ok {
		want = o
		if c.Outcome != schema.RobotsAllowAll || !strings.Contains(c.OtherReading, "deny_all") {
			t.Errorf("%s: no longer a choice between %s and deny_all", c.Name, c.Outcome)
		}
	}
	if got.Copy.Outcome != want {
		t.Errorf("%s: outcome %s, want %s (status %d, reason %q)", c.Name, got.Copy.Outcome, want, got.Copy.Status, got.Copy.Reason)
	}
	if (got.Copy.Outcome == schema.RobotsDenyAll) != (got.Copy.Reason != schema.ReasonNone) {
		t.Errorf("%s: outcome %s with reason %q", c.Name, got.Copy.Outcome, got.Copy.Reason)
	}
	if c.RetryAfter != 0 && (got.Rest == nil || got.Rest.Asked.Seconds() != c.RetryAfter) {
		t.Errorf("%s: rest %+v, want %v s", c.Name, got.Rest, c.RetryAfter)
	}
	if n := w.requests(); c.MaxRequests != 0 && n > c.MaxRequests {
		t.Errorf("%s: %d requests", c.Name, n)
	}
	copies := map[string]schema.RobotsCopy{got.Copy.Origin: got.Copy}
	for _, check := range c.Checks {
		origin := schema.Origin(mustURL(t, check.URL))
		if _, ok := copies[origin]; !ok {
			copies[origin] = w.read(t, r, origin, nil).Copy
		}
		if d := Of(copies[origin]).Decide([]string{"anybot"}, check.URL); d.Allow != check.Allow {
			t.Errorf("%s: %s allow %v", c.Name, check.URL, d.Allow)
		}
	}
}

func (c fetchCase) neverAnswers() bool {
	switch c.Steps[0].Fault {
	case "connect_timeout", "response_timeout", "body_stall":
		return true
	}
	return false
}

func (s fetchStep) answers(r *http.Request, attempt int) bool {
	address := "http://" + r.Host + r.URL.Path
	if r.TLS != nil {
		address = "https://" + r.Host + r.URL.Path
	}
	agent, cookie := r.UserAgent(), r.Header.Get("Cookie")
	return address == s.URL && (s.Attempt == 0 || s.Attempt == attempt) &&
		(s.When.Has == "" || strings.Contains(agent, s.When.Has)) &&
		(s.When.Lacks == "" || !strings.Contains(agent, s.When.Lacks)) &&
		(!s.When.NoCookie || cookie == "") && (s.When.Cookie == "" || cookie == s.When.Cookie)
}

func (s fetchStep) serve(w *world, rw http.ResponseWriter) {
	for name, value := range s.Headers {
		rw.Header().Set(name, value)
	}
	if rw.Header().Get("Content-Type") == "" {
		rw.Header()["Content-Type"] = nil
	}
	for _, status := range s.Informational {
		rw.WriteHeader(status)
	}
	if s.Fault != "" {
		w.trouble(rw, s.Fault, s.PartialBody+s.Prefix)
		return
	}
	body := []byte(s.Body)
	if s.Gen != "" {
		body = generated(s.Gen)
	}
	rw.WriteHeader(s.Status)
	_, _ = rw.Write(encoded(body, s.Encode))
}

// generated makes the bodies that the cases only describe.
func generated(description string) []byte {
	rules, comment := "User-agent: *\nDisallow: /geheim\n", "# a comment line\n"
	comments := func(n int) string { return strings.Repeat(comment, n/len(comment)+1)[:n-1] + "\n" }
	switch {
	case strings.Contains(description, "1 GiB of newlines"):
		return []byte(rules + strings.Repeat("\n", 8<<20))
	case strings.HasPrefix(description, "400 KiB"):
		return []byte(comments(400<<10) + rules + comments(300<<10))
	case strings.HasPrefix(description, "600 KiB"):
		return []byte(comments(600<<10) + rules)
	case strings.Contains(description, "ends at octet 512000"):
		return []byte(comments(512000-len(rules)) + rules + comments(100<<10))
	case strings.Contains(description, "cuts 'Disallow: /geheim' after"):
		return []byte(comments(MaxBody-len("User-agent: *\nDisallow: /")) + rules + comments(100<<10))
	}
	panic("unknown body: " + description)
}

func encoded(body []byte, coding string) []byte {
	var b bytes.Buffer
	switch coding {
	case "":
		return body
	case "gzip":
		return gzipped(string(body))
	case "br":
		z := brotli.NewWriter(&b)
		_, _ = z.Write(body)
		_ = z.Close()
	case "utf-16le-bom":
		_ = binary.Write(&b, binary.LittleEndian, utf16.Encode([]rune("\uFEFF"+string(body))))
	case "latin-1":
		for _, r := range string(body) {
			b.WriteByte(byte(r))
		}
	default:
		panic("unknown coding " + coding)
	}
	return b.Bytes()
}
