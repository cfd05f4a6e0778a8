package robots

import (
	"compress/flate"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"visite/schema"
)

const rules = "User-agent: *\nDisallow: /intern\n"

// steady is a clock that stands still.
func steady(at time.Time) func() time.Time { return func() time.Time { return at } }

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// proves S-27, S-28, R-03
func TestReadByStatus(t *testing.T) {
	for status, want := range map[int]schema.RobotsOutcome{
		200: schema.RobotsParse, 203: schema.RobotsParse, 206: schema.RobotsParse,
		300: schema.RobotsDenyAll, 304: schema.RobotsDenyAll, 305: schema.RobotsDenyAll, 306: schema.RobotsDenyAll, 399: schema.RobotsDenyAll,
		400: schema.RobotsAllowAll, 401: schema.RobotsAllowAll, 403: schema.RobotsAllowAll, 404: schema.RobotsAllowAll,
		418: schema.RobotsAllowAll, 451: schema.RobotsAllowAll, 499: schema.RobotsAllowAll,
		429: schema.RobotsDenyAll, 500: schema.RobotsDenyAll, 503: schema.RobotsDenyAll, 530: schema.RobotsDenyAll, 600: schema.RobotsDenyAll, 999: schema.RobotsDenyAll,
	} {
		w := newWorld(t, func(rw http.ResponseWriter, _ *http.Request) {
			rw.WriteHeader(status)
			_, _ = io.WriteString(rw, rules)
		})
		got := w.read(t, &Reader{Now: steady(noon)}, "http://a.test", nil)
		c := got.Copy
		if c.Outcome != want || c.Status != status || c.Origin != "http://a.test" || !c.ReadAt.Equal(noon) {
			t.Errorf("%d: %+v", status, c)
		}
		if (want == schema.RobotsParse) != (string(c.Body) == rules) {
			t.Errorf("%d: body %q", status, c.Body)
		}
		if w.requests() != 1 {
			t.Errorf("%d: %d requests", status, w.requests())
		}
	}
}

// proves S-25, S-26, R-03
func TestReadFollowsRedirects(t *testing.T) {
	for _, c := range []struct {
		name     string
		next     map[string]string // host and path to Location
		requests int
		outcome  schema.RobotsOutcome
		reason   schema.Reason
	}{
		{"relative", map[string]string{"a.test/robots.txt": "/x?y"}, 2, schema.RobotsParse, ""},
		{"other host, upper case, user and fragment", map[string]string{"a.test/robots.txt": "HTTPS://u:p@b.test/r#x"}, 2, schema.RobotsParse, ""},
		{"five", chain(5), 6, schema.RobotsParse, ""},
		{"six", chain(6), 6, schema.RobotsDenyAll, schema.ReasonTooManyRedirects},
		{"to itself", map[string]string{"a.test/robots.txt": "robots.txt"}, 1, schema.RobotsDenyAll, schema.ReasonRedirectLoop},
		{"in a ring", map[string]string{"a.test/robots.txt": "//b.test/r", "b.test/r": "http://a.test/robots.txt#again"}, 2, schema.RobotsDenyAll, schema.ReasonRedirectLoop},
		{"without Location", map[string]string{"a.test/robots.txt": ""}, 1, schema.RobotsDenyAll, schema.ReasonBadRedirect},
		{"to a file", map[string]string{"a.test/robots.txt": "file:///etc/passwd"}, 1, schema.RobotsDenyAll, schema.ReasonBadRedirect},
		{"to no host", map[string]string{"a.test/robots.txt": "http://"}, 1, schema.RobotsDenyAll, schema.ReasonBadRedirect},
		{"to no address", map[string]string{"a.test/robots.txt": "http://[::1"}, 1, schema.RobotsDenyAll, schema.ReasonBadRedirect},
		{"to a name that is not there", map[string]string{"a.test/robots.txt": "http://gone.test/robots.txt"}, 1, schema.RobotsDenyAll, schema.ReasonConnection},
	} {
		for _, status := range []int{301, 302, 303, 307, 308} {
			w := newWorld(t, func(rw http.ResponseWriter, r *http.Request) {
				next, ok := c.next[r.Host+r.URL.Path]
				if !ok {
					_, _ = io.WriteString(rw, rules)
					return
				}
				if next != "" {
					rw.Header().Set("Location", next)
				}
				rw.WriteHeader(status)
			})
			w.broken["gone.test"] = "dns_nxdomain"
			got := w.read(t, &Reader{}, "http://a.test", nil)
			if got.Copy.Outcome != c.outcome || got.Copy.Reason != c.reason || got.Failure != c.reason || w.requests() != c.requests {
				t.Errorf("%s, %d: %s %q after %d requests", c.name, status, got.Copy.Outcome, got.Copy.Reason, w.requests())
			}
			if got.Copy.Origin != "http://a.test" || len(got.Hops) == 0 || got.Hops[0] != (schema.Hop{URL: "http://a.test/robots.txt", Status: status}) {
				t.Errorf("%s, %d: origin %s, hops %v", c.name, status, got.Copy.Origin, got.Hops)
			}
		}
	}
}

func chain(n int) map[string]string {
	next := map[string]string{"a.test/robots.txt": "/r1"}
	for i := 1; i < n; i++ {
		next[fmt.Sprintf("a.test/r%d", i)] = fmt.Sprintf("/r%d", i+1)
	}
	return next
}

// proves S-28, R-03
func TestReadThroughTrouble(t *testing.T) {
	for kind, want := range map[string]schema.Reason{
		"connect_timeout": schema.ReasonTimeout, "response_timeout": schema.ReasonTimeout, "body_stall": schema.ReasonTimeout,
		"refused": schema.ReasonConnection, "reset": schema.ReasonConnection, "truncated": schema.ReasonConnection,
		"dns_nxdomain": schema.ReasonConnection, "dns_servfail": schema.ReasonConnection,
		"tls_cert_expired": schema.ReasonConnection, "tls_wrong_host": schema.ReasonConnection, "tls_none": schema.ReasonConnection,
		"corrupt_gzip": schema.ReasonDecoding,
	} {
		w := newWorld(t, nil)
		w.handler = func(rw http.ResponseWriter, _ *http.Request) { w.trouble(rw, kind, rules) }
		w.broken["a.test"] = kind
		r := &Reader{}
		if want == schema.ReasonTimeout {
			r.HopTimeout = 300 * time.Millisecond
		}
		got := w.read(t, r, "https://a.test", nil)
		if got.Copy.Outcome != schema.RobotsDenyAll || got.Copy.Reason != want || got.Copy.Body != nil {
			t.Errorf("%s: %s %q", kind, got.Copy.Outcome, got.Copy.Reason)
		}
	}
	w := newWorld(t, func(http.ResponseWriter, *http.Request) {})
	w.broken["a.test"] = "refused"
	named := &Reader{Reason: func(error) schema.Reason { return schema.ReasonGuarded }}
	if got := w.read(t, named, "http://a.test", nil); got.Copy.Reason != schema.ReasonGuarded {
		t.Errorf("the caller's own table: %q", got.Copy.Reason)
	}
}

// proves S-26, R-03
func TestReadBodies(t *testing.T) {
	packed := func(format string, s string) string {
		var b strings.Builder
		var z io.WriteCloser = zlib.NewWriter(&b)
		if format == "bare" {
			z, _ = flate.NewWriter(&b, 5)
		}
		_, _ = io.WriteString(z, s)
		_ = z.Close()
		return b.String()
	}
	gz := func(s string) string { return string(gzipped(s)) }
	long := strings.Repeat("# comment\n", 200_000)
	for _, c := range []struct {
		name    string
		coding  string
		body    string
		outcome schema.RobotsOutcome
		kept    string
	}{
		{"plain", "", rules, schema.RobotsParse, rules},
		{"identity", "identity", rules, schema.RobotsParse, rules},
		{"gzip", "gzip", gz(rules), schema.RobotsParse, rules},
		{"gzip, old name, other case", "X-GZip", gz(rules), schema.RobotsParse, rules},
		{"gzip unannounced", "", gz(rules), schema.RobotsParse, rules},
		{"gzip twice, once announced", "gzip", gz(gz(rules)), schema.RobotsParse, rules},
		{"gzip twice", "gzip, gzip", gz(gz(rules)), schema.RobotsParse, rules},
		{"gzip in two members", "gzip", gz("User-agent: *\n") + gz("Disallow: /intern\n"), schema.RobotsParse, rules},
		{"deflate", "deflate", packed("zlib", rules), schema.RobotsParse, rules},
		{"deflate, bare", "deflate", packed("bare", rules), schema.RobotsParse, rules},
		{"gzip announced, nothing came", "gzip", "", schema.RobotsAllowAll, ""},
		{"gzip announced, plain came", "gzip", rules, schema.RobotsDenyAll, ""},
		{"gzip cut short", "gzip", gz(rules)[:30], schema.RobotsDenyAll, ""},
		{"gzip with a broken sum", "gzip", gz(rules)[:len(gz(rules))-8] + "\x00\x00\x00\x00\x00\x00\x00\x00", schema.RobotsDenyAll, ""},
		{"brotli was not asked for", "br", "\x0b\x02\x80Hello\x03", schema.RobotsDenyAll, ""},
		{"unknown coding", "lzma", rules, schema.RobotsDenyAll, ""},
		{"too many codings", "gzip,gzip,gzip,gzip", gz(gz(gz(gz(rules)))), schema.RobotsDenyAll, ""},
		{"empty", "", "", schema.RobotsAllowAll, ""},
		{"comments only", "", "# nothing\n\n", schema.RobotsAllowAll, ""},
		{"an error page under 200", "", "<!doctype html><p>Not found</p>", schema.RobotsAllowAll, ""},
		{"a Sitemap line only", "", "Sitemap: /s.xml\n", schema.RobotsParse, "Sitemap: /s.xml\n"},
		{"cut line dropped", "", long[:MaxBody-5] + "Disallow: /x\n", schema.RobotsParse, long[:(MaxBody-5)/10*10]},
		{"bomb", "gzip", gz(rules + strings.Repeat("\n", 8<<20)), schema.RobotsParse, rules + strings.Repeat("\n", MaxBody-len(rules))},
	} {
		w := newWorld(t, func(rw http.ResponseWriter, r *http.Request) {
			if got := r.Header.Get("Accept-Encoding"); got != "gzip" {
				t.Errorf("asked for %q", got)
			}
			if c.coding != "" {
				rw.Header().Set("Content-Encoding", c.coding)
			}
			_, _ = io.WriteString(rw, c.body)
		})
		got := w.read(t, &Reader{}, "http://a.test", nil)
		if got.Copy.Outcome != c.outcome || string(got.Copy.Body) != c.kept {
			t.Errorf("%s: %s, %d octets, reason %q", c.name, got.Copy.Outcome, len(got.Copy.Body), got.Copy.Reason)
		}
		if len(got.Copy.Body) > MaxBody {
			t.Errorf("%s: keeps %d octets", c.name, len(got.Copy.Body))
		}
	}
}

// proves R-03
func TestReadStopsInAnEndlessBody(t *testing.T) {
	w := newWorld(t, nil)
	w.handler = func(rw http.ResponseWriter, _ *http.Request) { w.trouble(rw, "endless_body", rules) }
	got := w.read(t, &Reader{}, "http://a.test", nil)
	if got.Copy.Outcome != schema.RobotsParse || Of(got.Copy).Decide([]string{"x"}, "/intern").Allow {
		t.Errorf("%s %q", got.Copy.Outcome, got.Copy.Reason)
	}
}

// proves R-05
func TestReadIsConditional(t *testing.T) {
	kept := schema.RobotsCopy{Origin: "http://a.test", Outcome: schema.RobotsParse, Status: 200, Body: []byte(rules), ReadAt: noon.Add(-time.Hour)}
	with := func(change func(*schema.RobotsCopy)) *schema.RobotsCopy {
		c := kept
		change(&c)
		return &c
	}
	tag := with(func(c *schema.RobotsCopy) { c.ETag, c.LastModified = `W/"1"`, "Sun, 01 Mar 2026 10:00:00 GMT" })
	date := with(func(c *schema.RobotsCopy) { c.LastModified = "Sun, 01 Mar 2026 10:00:00 GMT" })
	for _, c := range []struct {
		name       string
		previous   *schema.RobotsCopy
		match      string
		since      string
		unmodified bool
	}{
		{"nothing kept", nil, "", "", false},
		{"a tag", tag, `W/"1"`, "", true},
		{"a date", date, "", "Sun, 01 Mar 2026 10:00:00 GMT", true},
		{"no validators, yet a 304", &kept, "", "", true},
		{"kept as without rules", with(func(c *schema.RobotsCopy) { c.Outcome, c.Body, c.ETag = schema.RobotsAllowAll, nil, `"2"` }), `"2"`, "", true},
		{"kept from a 404", with(func(c *schema.RobotsCopy) { c.Outcome, c.Status, c.ETag = schema.RobotsAllowAll, 404, `"2"` }), "", "", false},
		{"kept as unreachable", with(func(c *schema.RobotsCopy) { c.Outcome, c.Status, c.ETag = schema.RobotsDenyAll, 200, `"2"` }), "", "", false},
		{"kept for another origin", with(func(c *schema.RobotsCopy) { c.Origin, c.ETag = "https://a.test", `"2"` }), "", "", false},
	} {
		w := newWorld(t, func(rw http.ResponseWriter, r *http.Request) {
			if r.Header.Get("If-None-Match") != c.match || r.Header.Get("If-Modified-Since") != c.since {
				t.Errorf("%s: conditions %q and %q", c.name, r.Header.Get("If-None-Match"), r.Header.Get("If-Modified-Since"))
			}
			rw.WriteHeader(http.StatusNotModified)
		})
		got := w.read(t, &Reader{Now: steady(noon), Strict: true}, "http://a.test", c.previous)
		if got.NotModified != c.unmodified {
			t.Errorf("%s: not modified %v", c.name, got.NotModified)
		}
		if !c.unmodified {
			if got.Copy.Outcome != schema.RobotsDenyAll {
				t.Errorf("%s: %s", c.name, got.Copy.Outcome)
			}
			continue
		}
		want := *c.previous
		want.ReadAt = noon
		if !reflect.DeepEqual(got.Copy, want) {
			t.Errorf("%s: %+v", c.name, got.Copy)
		}
	}
}

func TestReadKeepsValidators(t *testing.T) {
	w := newWorld(t, func(rw http.ResponseWriter, r *http.Request) {
		if r.Host == "a.test" {
			if r.Header.Get("If-Modified-Since") != "" {
				rw.Header().Set("X-Asked", "date")
			}
			rw.Header().Set("ETag", `"redirect"`)
			http.Redirect(rw, r, "http://b.test/r", http.StatusFound)
			return
		}
		if r.Header.Get("If-Modified-Since") != "" {
			t.Error("the date went on behind the redirect")
		}
		rw.Header().Set("ETag", `"`+strings.Repeat("x", 300)+`"`)
		rw.Header().Set("Last-Modified", "Sun, 01 Mar 2026 10:00:00 GMT")
		_, _ = io.WriteString(rw, rules)
	})
	first := w.read(t, &Reader{}, "http://a.test", nil)
	if first.Copy.ETag != "" || first.Copy.LastModified != "Sun, 01 Mar 2026 10:00:00 GMT" {
		t.Errorf("kept %q and %q", first.Copy.ETag, first.Copy.LastModified)
	}
	if second := w.read(t, &Reader{}, "http://a.test", &first.Copy); second.NotModified || string(second.Copy.Body) != rules {
		t.Errorf("second read: %+v", second.Copy)
	}
}

// proves R-06, S-28
func TestLastGoodCopyStandsIn(t *testing.T) {
	w := newWorld(t, func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusInternalServerError) })
	for _, c := range []struct {
		name     string
		outcome  schema.RobotsOutcome
		age      time.Duration
		strict   bool
		standsIn bool
	}{
		{"young", schema.RobotsParse, 24 * time.Hour, false, true},
		{"no robots.txt known", schema.RobotsAllowAll, time.Hour, false, true},
		{"old", schema.RobotsParse, 24*time.Hour + time.Second, false, false},
		{"not wanted", schema.RobotsParse, 0, true, false},
		{"no good copy", schema.RobotsDenyAll, time.Hour, false, false},
	} {
		previous := &schema.RobotsCopy{Origin: "http://a.test", Outcome: c.outcome, Status: 200, Body: []byte(rules), ReadAt: noon.Add(-c.age)}
		got := w.read(t, &Reader{Now: steady(noon), Strict: c.strict}, "http://a.test", previous)
		if got.StandIn != c.standsIn || got.Failure != schema.ReasonRobotsUnreached {
			t.Errorf("%s: stands in %v, failure %q", c.name, got.StandIn, got.Failure)
		}
		if c.standsIn && !reflect.DeepEqual(got.Copy, *previous) || !c.standsIn && got.Copy.Outcome != schema.RobotsDenyAll {
			t.Errorf("%s: %+v", c.name, got.Copy)
		}
	}
}

// proves S-34, S-35, R-03, R-04
func TestReadTellsTheWishForRest(t *testing.T) {
	for _, c := range []struct {
		status int
		header string
		want   *Rest
	}{
		{429, "120", &Rest{"b.test", 429, 120 * time.Second, true}},
		{503, "Sun, 01 Mar 2026 12:01:30 GMT", &Rest{"b.test", 503, 90 * time.Second, true}},
		{503, "Sun, 01 Mar 2026 11:00:00 GMT", &Rest{"b.test", 503, 0, true}},
		{429, "", &Rest{"b.test", 429, 0, false}},
		{503, "", &Rest{"b.test", 503, 0, false}},
		{429, "-5", &Rest{"b.test", 429, 0, false}},
		{429, "99999999999999999999", &Rest{"b.test", 429, maxDelay, true}},
		{500, "120", nil},
		{404, "120", nil},
	} {
		w := newWorld(t, func(rw http.ResponseWriter, r *http.Request) {
			if r.Host == "a.test" {
				http.Redirect(rw, r, "http://b.test/robots.txt", http.StatusFound)
				return
			}
			rw.Header().Set("Retry-After", c.header)
			rw.WriteHeader(c.status)
		})
		got := w.read(t, &Reader{Now: steady(noon)}, "http://a.test", nil)
		if !reflect.DeepEqual(got.Rest, c.want) {
			t.Errorf("%d %q: %+v", c.status, c.header, got.Rest)
		}
		if c.want != nil && got.Copy.Reason != schema.ReasonRefusedForNow {
			t.Errorf("%d %q: reason %q", c.status, c.header, got.Copy.Reason)
		}
	}
}

func TestOurOwnTroubleIsAnError(t *testing.T) {
	r := &Reader{}
	own := errors.New("database gone")
	_, err := r.Read(context.Background(), func(*http.Request) (*http.Response, error) {
		return nil, fmt.Errorf("door: %w", &Fault{Err: own})
	}, mustURL(t, "http://a.test"), nil)
	if !errors.Is(err, own) {
		t.Errorf("error %v", err)
	}
	w := newWorld(t, nil)
	w.handler = func(rw http.ResponseWriter, _ *http.Request) { w.trouble(rw, "body_stall", rules) }
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err = r.Read(ctx, w.send, mustURL(t, "http://a.test"), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
}
