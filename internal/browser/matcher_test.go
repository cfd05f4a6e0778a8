package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"visite/schema"
)

// The lists of the tests: hosts, an exception, and words that name no host.
const (
	testPrivacy = "[Adblock Plus 1.1]\n! Title: a list\n||tracker.example^$third-party\n||mixed.example/count^\n||spared.example^\n-analytics.js\n/stats/*\n##.banner\n"
	testAds     = "||ads.example^$script\n@@||spared.example/needed/$domain=site.example\n||mixed.example/advert/\n"
)

// hostsAsked are those that the distribution's lists are asked about.
var hostsAsked = regexp.MustCompile(`google-analytics|hotjar|doubleclick|googleapis|jsdelivr|stripe`)

// loadedMatcher makes a matcher in a Chromium, beside its own.
func loadedMatcher(t *testing.T, b *Browser, o Options) *matcher {
	t.Helper()
	i, err := b.running(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if o.Log == nil {
		o.Log = b.opts.Log
	}
	m := &matcher{ready: make(chan struct{})}
	close(m.ready)
	if err := m.load(i, o, b.scripts.trackers); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.world.tab.close)
	return m
}

func judged(t *testing.T, m *matcher, urls ...string) string {
	t.Helper()
	var asks []question
	for _, u := range urls {
		asks = append(asks, question{URL: u, Type: "script"})
	}
	lists, err := m.judge(t.Context(), "site.example", asks)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%q", lists)
}

func TestListsNameHostsThatTrack(t *testing.T) {
	b := plainBrowser(t)
	cache := t.TempDir()
	o := Options{Lists: listsOf(t, testPrivacy, testAds), CacheDir: cache}
	asked := []string{
		"http://tracker.example/t.js?id=1", "http://sub.tracker.example/", "http://ads.example/a", "http://cdn.example/lib-analytics.js",
		"http://cdn.example/stats/a.js", "http://spared.example/needed/a", "http://spared.example/other", "http://mixed.example/count/1", "http://mixed.example/advert/1", "http://mixed.example/lib.js",
	}
	const want = `["EasyPrivacy" "EasyPrivacy" "EasyList" "" "" "" "EasyPrivacy" "EasyPrivacy" "EasyList" ""]`
	m := loadedMatcher(t, b, o)
	if got := judged(t, m, asked...); got != want {
		t.Errorf("compiled: %s", got)
	}
	if got := judged(t, m, "http://site.example/x"); got != `[""]` {
		t.Errorf("the site itself: %s", got)
	}
	var reached atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	defer server.Close()
	var answered bool
	if err := m.world.run(callLimit, "fetch("+literal(server.URL)+", {mode: 'no-cors'}).then(() => true, () => false)", &answered); err != nil || answered || reached.Load() != 0 {
		t.Errorf("the tab reaches the network: %v %v %d", answered, err, reached.Load())
	}

	// The second time they come from the file: one made of the first lists is found under the names of others.
	lists, err := readLists(o.Lists)
	if err != nil {
		t.Fatal(err)
	}
	text, ok := compiledOf(cache, b.scripts.trackers, lists).read()
	if !ok {
		t.Fatal("the compiled lists were not kept")
	}
	o.Lists = listsOf(t, "||nobody.example^", "")
	lists[0], lists[1] = "||nobody.example^", ""
	other := compiledOf(cache, b.scripts.trackers, lists)
	if err := other.write(text); err != nil {
		t.Fatal(err)
	}
	if got := judged(t, loadedMatcher(t, b, o), asked...); got != want {
		t.Errorf("from the file: %s", got)
	}
	if err := other.write("bm90aGluZw==.AAAA"); err != nil { // well kept, but nothing the matcher knows
		t.Fatal(err)
	}
	if got := judged(t, loadedMatcher(t, b, o), "http://nobody.example/", "http://tracker.example/"); got != `["EasyPrivacy" ""]` {
		t.Errorf("after a file that cannot be used: %s", got)
	}
}

// What the lists say of a page's requests, before and after a refusal; no address is told.
func TestAVisitTellsWhomListsName(t *testing.T) {
	d := newDoor(t, http.HandlerFunc(shopWithTracker))
	b, err := New(Options{Lists: listsOf(t, testPrivacy, testAds)})
	if err != nil {
		missing(t, err)
	}
	t.Cleanup(func() { b.Close() })
	b.scripts.own, b.scripts.qualweb = noOwnChecks, noSecondEngine
	b.limits.lists = 5 * time.Minute // how long they take is not the test's matter
	v := visitOf(t, b, d, "/banner")
	v.Deadline = 10 * time.Minute
	out, err := b.Visit(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(out.Notes, schema.NoteBannerRejected) {
		t.Fatalf("the banner was not refused: %v", out.Notes)
	}
	c := contactOf(out, "tracker.example")
	if out.Observed.TrackersBy != schema.TrackersByLists || c.Listed != 2 || c.ListedRefused != 1 || c.List != schema.ListEasyPrivacy {
		t.Errorf("by %q: %+v", out.Observed.TrackersBy, c)
	}
	if own := contactOf(out, "site.example"); own.Listed != 0 || own.Requests == 0 {
		t.Errorf("the site itself: %+v", own)
	}
	if raw, err := json.Marshal(out.Observed); err != nil || strings.Contains(string(raw), "before?") || strings.Contains(string(raw), "/after") {
		t.Errorf("an address is told: %s %v", raw, err)
	}

	b.opts.Lists = "" // as where the distribution has none
	v.URL = "http://site.example/next"
	next, err := b.Visit(t.Context(), v)
	if c := contactOf(next, "tracker.example"); err != nil || next.Observed.TrackersBy != schema.TrackersByNames || c.Requests != 1 || c.Listed != 0 {
		t.Errorf("without lists: by %q: %+v %v", next.Observed.TrackersBy, c, err)
	}
}

// crash ends the renderer of a tab of ours, and waits until that is known.
func crash(t *testing.T, of *tab) {
	t.Helper()
	go func() { _ = proto.PageCrash{}.Call(of.channel()) }() // it gets no answer
	select {
	case <-of.ctx.Done():
	case <-time.After(patient):
		t.Fatal("the tab does not crash")
	}
}

// A matcher that crashed says so at once and in the log, and is not waited for.
func TestAMatcherThatCrashedIsNoticed(t *testing.T) {
	said := make(chan string, 10)
	o := Options{Lists: listsOf(t, testPrivacy, testAds), Log: slog.New(slog.NewTextHandler(lines(said), nil))}
	m := loadedMatcher(t, plainBrowser(t), o)
	<-said // that it is ready
	ctx, cancel := context.WithTimeout(t.Context(), patient)
	defer cancel()
	crash(t, m.world.tab)
	for range 2 {
		if _, err := m.judge(ctx, "site.example", []question{{URL: "http://tracker.example/", Type: "script"}}); !errors.Is(err, errCrashed) {
			t.Errorf("judged by a tab that crashed: %v", err)
		}
	}
	ends(t, func() {
		if line := <-said; !strings.Contains(line, "crashed") {
			t.Error(line)
		}
	})
	if len(said) > 0 {
		t.Error("said more than once: ", <-said)
	}
}

// lines takes what is logged.
type lines chan<- string

func (l lines) Write(b []byte) (int, error) {
	l <- string(b)
	return len(b), nil
}

// Lists that take long are waited for once, not by each page.
func TestPagesTogetherWaitOnceForTheLists(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
	defer cancel()
	m := &matcher{ready: make(chan struct{})}
	m.err = errors.New("no lists")
	waits := func(l limits) {
		t.Helper()
		p := &tab{ctx: ctx}
		p.asked.files = []file{{address: "http://tracker.example/", as: "script"}}
		var out Rendered
		ends(t, func() { p.listed(func() *matcher { return m }, l)(&out) })
		if out.Observed.TrackersBy != schema.TrackersByNames {
			t.Errorf("judged by %q", out.Observed.TrackersBy)
		}
	}
	waits(limits{lists: 50 * time.Millisecond})
	waits(limits{lists: time.Hour})
	close(m.ready)
	if p := m.patience(time.Hour); p != time.Hour {
		t.Errorf("once they are there, an answer may take %v", p)
	}
}

// The lists as the distribution has them: what they say of some hosts. All of it takes
// a slow machine minutes to compile, so only the lines that name those are.
func TestTheDistributionsListsNameTrackers(t *testing.T) {
	dir, err := FindLists("")
	if err != nil || dir == "" {
		t.Skip("the package webext-ublock-origin-chromium is not installed: trackers are judged by names alone here")
	}
	whole, err := readLists(dir)
	if err != nil {
		t.Fatal(err)
	}
	var lists [2]string
	for i, text := range whole {
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "[") || hostsAsked.MatchString(line) {
				lists[i] += line
			}
		}
	}
	m := loadedMatcher(t, plainBrowser(t), Options{Lists: listsOf(t, lists[0], lists[1])})
	got := judged(t, m, "https://www.google-analytics.com/analytics.js", "https://script.hotjar.com/modules.js", "https://securepubads.g.doubleclick.net/tag/js/gpt.js",
		"https://fonts.googleapis.com/css2?family=A", "https://cdn.jsdelivr.net/npm/vue", "https://js.stripe.com/v3/")
	// What the lists say of one host or another changes; not that they name this one, and not these.
	if !strings.HasPrefix(got, `["EasyPrivacy" `) || !strings.HasSuffix(got, ` "" "" ""]`) {
		t.Error(got)
	}
}
