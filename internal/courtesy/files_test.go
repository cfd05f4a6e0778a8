package courtesy_test

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"visite/internal/courtesy"
	"visite/internal/fixturesite"
	"visite/schema"
)

// hasty is the free profile with a short rest where none is stated, so that
// lengthened waits fit into a test.
func hasty() schema.Profile {
	p := free()
	p.Limits.RetryAfterMin, p.Limits.RetryAfterNone = 300*time.Millisecond, 300*time.Millisecond
	return p
}

// loadFiles asks for a page and then for its files all at once, as Chromium
// does, and gives how each was answered.
func loadFiles(t *testing.T, h *harness, pass *courtesy.Pass, site *fixturesite.Site, n int) []int {
	t.Helper()
	client := proxied(t, h.Door, pass)
	if resp, _ := ask(t, client, "GET", site.URL("/")); resp.StatusCode != 200 {
		t.Fatalf("the page: %d", resp.StatusCode)
	}
	answers := make([]int, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			resp, _, err := getWith(t, client, site.URL(fmt.Sprintf("/file/%d", i)))
			if err != nil {
				t.Error(err)
				return
			}
			answers[i] = resp.StatusCode
		})
	}
	together(t, &all)
	return answers
}

// bursts groups arrivals that came close together: the first of each, and sizes.
func bursts(as fixturesite.Arrivals, within time.Duration) (starts []time.Time, sizes []int) {
	for i, a := range as {
		if i == 0 || a.In.Sub(as[i-1].In) > within {
			starts, sizes = append(starts, a.In), append(sizes, 0)
		}
		sizes[len(sizes)-1]++
	}
	return starts, sizes
}

func files(site *fixturesite.Site) fixturesite.Arrivals {
	return site.Arrivals().Filter(func(a fixturesite.Arrival) bool { return a.Path != "/" && a.Path != "/robots.txt" })
}

// A host that refuses a page's files for ever: three waits, each twice as long
// as the one before, two files at a time, and then no further request for them.
// proves S-34, S-35, S-38, R-08, R-09
func TestFilesRefusedForEverAreGivenUp(t *testing.T) {
	for _, status := range []int{429, 503} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			site := fixturesite.Serve(t, small)
			refusing := fixturesite.Refusing(-1, status, "", nil)
			if status == 503 {
				refusing = fixturesite.Refusing(-1, status, "0", nil) // stated, but less than the least
			}
			site.Handle("/file/*", refusing)
			h := newHarness(t, courtesy.Options{})
			pass := h.enter(inBrowser(visit(site.URL("/"), hasty())))
			answers := loadFiles(t, h, pass, site, 12)
			if want := slices.Repeat([]int{http.StatusForbidden}, 12); !slices.Equal(answers, want) {
				t.Errorf("the browser got %v, want 403 for each", answers)
			}
			starts, sizes := bursts(files(site), 150*time.Millisecond)
			if len(starts) != 4 {
				t.Fatalf("files arrived in %d bursts of %v, want 4: at once and after three waits", len(starts), sizes)
			}
			for i, least := range []time.Duration{300, 600, 1200} {
				if gap := starts[i+1].Sub(starts[i]); gap < least*time.Millisecond {
					t.Errorf("wait %d was %v, want at least %d ms", i+1, gap, least)
				}
				if sizes[i+1] > 2 {
					t.Errorf("%d files at a time after wait %d", sizes[i+1], i+1)
				}
			}
			before := len(site.Arrivals())
			client := proxied(t, h.Door, pass)
			if resp, _ := ask(t, client, "GET", site.URL("/style.css")); resp.StatusCode != http.StatusForbidden {
				t.Errorf("one more file: %d, want 403", resp.StatusCode)
			}
			if n := len(site.Arrivals()); n != before {
				t.Errorf("%d requests after the page's files were given up", n-before)
			}
			totals := pass.Totals()
			if totals.GivenUpFiles != 13 || totals.Requests != before-1 {
				t.Errorf("totals %+v, want 13 files given up and %d requests", totals, before-1)
			}
			if facts := pass.Document(); facts.Outcome != schema.OutcomeAnalysed || facts.RetryAfter != nil {
				t.Errorf("the document is blamed: %+v", facts)
			}
			if err := pass.Fault(); err != nil {
				t.Errorf("our fault: %v", err)
			}
			if arrived, lines := len(site.Arrivals()), len(h.lines()); arrived != lines {
				t.Errorf("%d requests arrived, %d ledger lines", arrived, lines)
			}
		})
	}
}

// A host that refuses once: the files wait, go two at a time, and all come; so
// do those of the next visit, in another process too.
// proves S-36, S-38, R-08
func TestFilesRefusedOnceComeTwoAtATime(t *testing.T) {
	site := fixturesite.Serve(t, small)
	var refusedAt atomic.Int64
	site.HandleFunc("/file/*", func(w http.ResponseWriter, r *http.Request) {
		if refusedAt.CompareAndSwap(0, time.Now().UnixNano()) {
			w.WriteHeader(429)
			return
		}
		time.Sleep(20 * time.Millisecond)
	})
	h := newHarness(t, courtesy.Options{})
	pass := h.enter(inBrowser(visit(site.URL("/"), hasty())))
	// The first file alone is refused; the others come when it has been.
	c := proxied(t, h.Door, pass)
	ask(t, c, "GET", site.URL("/"))
	first := make(chan int, 1)
	go func() {
		status := 0
		if resp, _, err := getWith(t, c, site.URL("/file/first")); err == nil {
			status = resp.StatusCode
		}
		first <- status
	}()
	await(t, "the first file to be refused", func() bool { return refusedAt.Load() != 0 })
	time.Sleep(30 * time.Millisecond)
	answers := loadFiles(t, h, pass, site, 10)
	if got := receive(t, "the first file", first); got != 200 || !slices.Equal(answers, slices.Repeat([]int{200}, 10)) {
		t.Errorf("answers %d and %v, want 200 for each", got, answers)
	}
	late := files(site)[1:]
	if wait := late[0].In.Sub(time.Unix(0, refusedAt.Load())); wait < 300*time.Millisecond {
		t.Errorf("the next file came %v after the refusal, want 300 ms", wait)
	}
	if _, most := late.MaxInFlight(); most != 2 {
		t.Errorf("%d files at a time after the refusal, want 2", most)
	}
	if totals := pass.Totals(); totals.GivenUpFiles != 0 {
		t.Errorf("%d files given up, want none", totals.GivenUpFiles)
	}
	if err := pass.Leave(within(t)); err != nil {
		t.Fatal(err)
	}

	other := &harness{Door: newDoor(t, courtesy.Options{Store: h.store, AllowLoopback: true}), store: h.store, t: t}
	site.Forget()
	later := other.enter(inBrowser(visit(site.URL("/"), hasty())))
	loadFiles(t, other, later, site, 10)
	if _, most := files(site).MaxInFlight(); most != 2 {
		t.Errorf("%d files at a time on a later visit in another process, want 2", most)
	}
}

// More than half a minute is not waited for: the page's files are given up at
// once, and the host rests for all that was stated.
// proves S-38, S-39, R-04
func TestFilesRefusedForLongAreGivenUpAtOnce(t *testing.T) {
	site := fixturesite.Serve(t, small)
	site.Handle("/file/*", fixturesite.Refusing(-1, 503, "31", nil))
	h := newHarness(t, courtesy.Options{})
	pass := h.enter(inBrowser(visit(site.URL("/"), hasty())))
	began := time.Now()
	client := proxied(t, h.Door, pass)
	ask(t, client, "GET", site.URL("/"))
	for range 3 {
		if resp, _ := ask(t, client, "GET", site.URL("/file/0")); resp.StatusCode != http.StatusForbidden {
			t.Errorf("answered %d, want 403", resp.StatusCode)
		}
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("took %v", took)
	}
	if n := len(files(site)); n != 1 {
		t.Errorf("%d requests for files arrived, want 1", n)
	}
	pace, err := h.store.HostPace(within(t), schemaHost(site.URL("/")))
	if left := time.Until(pace.ParkedUntil); err != nil || left < 28*time.Second || left > 32*time.Second {
		t.Errorf("the host rests for %v (%v), want 31 s", left, err)
	}
	if totals := pass.Totals(); totals.GivenUpFiles != 3 {
		t.Errorf("%d files given up, want 3", totals.GivenUpFiles)
	}
}

// A page closed while its files are held back: they are given up, and nothing
// leaves any more.
func TestHeldFilesGoWithTheirPage(t *testing.T) {
	site := fixturesite.Serve(t, small)
	site.Handle("/file/*", fixturesite.Refusing(-1, 429, "20", nil))
	h := newHarness(t, courtesy.Options{})
	pass := h.enter(inBrowser(visit(site.URL("/"), hasty())))
	client := proxied(t, h.Door, pass)
	ask(t, client, "GET", site.URL("/"))
	client.Timeout = 8 * time.Second
	if resp, _, err := getWith(t, client, site.URL("/file/0")); err == nil {
		t.Errorf("answered %d during the rest", resp.StatusCode)
	}
	deadline := time.Now().Add(30 * time.Second)
	for pass.Totals().GivenUpFiles == 0 && time.Now().Before(deadline) {
		time.Sleep(10 * time.Millisecond)
	}
	if n := pass.Totals().GivenUpFiles; n != 1 {
		t.Errorf("%d files given up, want 1", n)
	}
	if n := len(files(site)); n != 1 {
		t.Errorf("%d requests for files arrived, want 1", n)
	}
}
