package postgres_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"visite/internal/postgres"
	"visite/schema"
)

// proves R-31: eight workers at once never get one address twice, and never
// more than the page limit.
func TestNoAddressIsClaimedTwiceAndTheLimitHolds(t *testing.T) {
	w := newWorld(t)
	const limit, found = 57, 120
	scan := w.running(limit)
	var all []schema.Candidate
	for i := range found - 1 {
		all = append(all, fromLink("http://127.0.0.1:8080/p%d", i))
	}
	n, err := w.AddCandidates(w.ctx, scan.ID, all)
	must(t, err)
	equal(t, "added", n, found-1)

	var mu sync.Mutex
	claimed := map[int64]string{}
	var lanes sync.WaitGroup
	for lane := range 8 {
		lanes.Go(func() {
			for turn := 0; ; turn++ {
				ticket := fmt.Sprintf("%d.%d", lane, turn)
				c, err := w.Claim(w.ctx, scan.ID, ticket)
				if err != nil {
					t.Error(err)
					return
				}
				if !c.Found {
					if c.Pending {
						continue
					}
					return
				}
				mu.Lock()
				if other, taken := claimed[c.ID]; taken {
					t.Errorf("%s was given to %s and %s", c.URL, other, ticket)
				}
				claimed[c.ID] = ticket
				mu.Unlock()
			}
		})
	}
	lanes.Wait()
	equal(t, "claimed", len(claimed), limit)
	for id, ticket := range claimed {
		equal(t, "address of "+ticket+" asked again", w.claim(scan, ticket).ID, id)
	}
	equal(t, "found", w.progress(scan).Found, found)
}

func TestOneTicketAtOnceFromTwoSidesIsOneClaim(t *testing.T) {
	w := newWorld(t)
	scan := w.running(100)
	_, err := w.AddCandidates(w.ctx, scan.ID, []schema.Candidate{fromLink("http://127.0.0.1:8080/a"), fromLink("http://127.0.0.1:8080/b")})
	must(t, err)
	for round := range 3 {
		ids := make([]int64, 6)
		var both sync.WaitGroup
		for i := range ids {
			both.Go(func() {
				c, err := w.Claim(w.ctx, scan.ID, fmt.Sprint("t", round))
				for err == nil && c.Pending { // the other has it in hand, and nothing else is left
					c, err = w.Claim(w.ctx, scan.ID, fmt.Sprint("t", round))
				}
				if err != nil {
					t.Error(err)
				}
				ids[i] = c.ID
			})
		}
		both.Wait()
		for _, id := range ids {
			if id == 0 || id != ids[0] {
				t.Fatalf("round %d: one ticket got %v", round, ids)
			}
		}
	}
	equal(t, "left", w.claim(scan, "more").Found, false)
}

func TestClaimsGoByDepthAndThenByOrderFound(t *testing.T) {
	w := newWorld(t)
	scan := w.running(100)
	_, err := w.AddCandidates(w.ctx, scan.ID, []schema.Candidate{
		{URL: "http://127.0.0.1:8080/deep", Depth: 2, Via: schema.ViaLink},
		{URL: "http://127.0.0.1:8080/z", Depth: 1, Via: schema.ViaSitemap},
		{URL: "http://127.0.0.1:8080/a", Depth: 1, Via: schema.ViaLink},
	})
	must(t, err)
	for i, want := range []schema.Claim{
		{URL: scan.URL, Depth: 0, Via: schema.ViaSeed}, {URL: "http://127.0.0.1:8080/z", Depth: 1, Via: schema.ViaSitemap},
		{URL: "http://127.0.0.1:8080/a", Depth: 1, Via: schema.ViaLink}, {URL: "http://127.0.0.1:8080/deep", Depth: 2, Via: schema.ViaLink},
	} {
		got := w.claim(scan, fmt.Sprint("t", i))
		want.Found, want.ScanID, want.ID = true, scan.ID, got.ID
		equal(t, "claim", got, want)
	}
}

func TestPendingTellsWhetherMoreMayCome(t *testing.T) {
	w := newWorld(t)
	scan := w.running(2)
	seed := w.claim(scan, "t0")
	equal(t, "while the seed loads", w.claim(scan, "t1"), schema.Claim{Pending: true})
	w.record(seed, analysed(seed.URL), fromLink("http://127.0.0.1:8080/a"), fromLink("http://127.0.0.1:8080/b"))
	equal(t, "the seed's link", w.claim(scan, "t1").URL, "http://127.0.0.1:8080/a")
	equal(t, "at the limit", w.claim(scan, "t2"), schema.Claim{})
}

// proves R-31, S-37: a load cut off by our crash leaves its mark, one the server
// refused takes it back.
func TestLoadsCutOffAreCountedAndRefusedOnesAreNot(t *testing.T) {
	w := newWorld(t)
	scan := w.running(10)
	c := w.claim(scan, "t0")
	equal(t, "loads before the first", c.Loads, 0)
	begin := func() int {
		t.Helper()
		n, err := w.BeginLoad(w.ctx, c)
		must(t, err)
		return n
	}
	equal(t, "first load", begin(), 1)
	c = w.claim(scan, "t0") // the worker died and another took over
	equal(t, "loads after a crash", c.Loads, 1)
	equal(t, "second load", begin(), 2)
	must(t, w.PutOff(w.ctx, c, instant))
	must(t, w.PutOff(w.ctx, c, instant)) // the step was repeated

	c = w.claim(scan, "t0")
	equal(t, "loads after the refusal", c.Loads, 1)
	equal(t, "refusals", c.Refused, 1)
	if !c.NotUntil.Equal(instant.Truncate(time.Microsecond)) {
		t.Errorf("not until %v, want %v", c.NotUntil, instant)
	}
	w.record(c, analysed(c.URL))
	if _, err := w.BeginLoad(w.ctx, c); !errors.Is(err, postgres.ErrNotClaimed) {
		t.Errorf("a load of a recorded page began: %v", err)
	}
}

func TestOneAddressHowEverItIsWritten(t *testing.T) {
	w := newWorld(t)
	scan := w.running(10)
	n, err := w.AddCandidates(w.ctx, scan.ID, []schema.Candidate{
		fromLink("http://127.0.0.1:8080/a"), fromLink("http://127.0.0.1:8080/a?utm_source=mail"), fromLink("http://127.0.0.1:8080/a?gclid=1"), fromLink("http://127.0.0.1:8080"),
	})
	must(t, err)
	equal(t, "new beside the seed", n, 1)
}

// W08: filters and page numbers in queries make no pages without end.
func TestLinksToEndlessQueriesOfOnePathAreBounded(t *testing.T) {
	w := newWorld(t)
	scan := w.running(10)
	page := w.claim(scan, "t0")
	var many []schema.Candidate
	for i := range 150 {
		many = append(many, fromLink("http://127.0.0.1:8080/calendar?day=%d", i))
	}
	w.record(page, analysed(page.URL), many...)
	equal(t, "found after the first page", w.progress(scan).Found, 151)

	var more []schema.Candidate
	for i := range 150 {
		more = append(more, fromLink("http://127.0.0.1:8080/calendar?day=%d", 1000+i), fromLink("http://127.0.0.1:8080/plain/%d", i))
	}
	next := w.claim(scan, "t1")
	w.record(next, analysed(next.URL), more...)
	equal(t, "found after the second", w.progress(scan).Found, 1+200+150)

	var named []schema.Candidate
	for i := range 300 {
		named = append(named, schema.Candidate{URL: fmt.Sprintf("http://127.0.0.1:8080/calendar?id=%d", i), Depth: 1, Via: schema.ViaSitemap})
	}
	n, err := w.AddCandidates(w.ctx, scan.ID, named)
	must(t, err)
	equal(t, "named in a sitemap", n, 300)
}

func TestLinksToEndlessPathsOfOneFormAreBounded(t *testing.T) {
	w := newWorld(t)
	scan := w.running(10)
	var many []schema.Candidate
	for i := range 1100 {
		many = append(many, fromLink("http://127.0.0.1:8080/item/%d?sort=up&page=%d", i, i))
	}
	n, err := w.AddCandidates(w.ctx, scan.ID, many)
	must(t, err)
	equal(t, "queued", n, 1000)
	n, err = w.AddCandidates(w.ctx, scan.ID, []schema.Candidate{fromLink("http://127.0.0.1:8080/item/5000?page=1&sort=down"), fromLink("http://127.0.0.1:8080/item/5000?other=1")})
	must(t, err)
	equal(t, "of another form", n, 1)
}

func TestLinksOfAPageSeenBeforeAreNotFollowed(t *testing.T) {
	w := newWorld(t)
	scan := w.running(10)
	c := w.claim(scan, "t0")
	page := analysed(c.URL)
	page.ContentHash = 77
	w.record(c, page, fromLink("http://127.0.0.1:8080/loop/1"))

	c = w.claim(scan, "t1")
	twin := analysed(c.URL)
	twin.ContentHash = 77
	w.record(c, twin, fromLink("http://127.0.0.1:8080/loop/2"))
	equal(t, "found after the twin", w.progress(scan), schema.Progress{Found: 2, Done: 2, Analysed: 2})

	other := w.newSite(w.workspace, "http://127.0.0.1:8081/", "127.0.0.1:8081", true)
	w2 := w
	w2.site = other
	scan2 := w2.running(10)
	c = w2.claim(scan2, "t0")
	page = analysed(c.URL)
	page.ContentHash = 77
	w2.record(c, page, fromLink("http://127.0.0.1:8081/x"))
	equal(t, "found in another scan", w2.progress(scan2).Found, 2)
}

// proves S-40
func TestWhatIsSkippedShowsAsNotAnalysedWithItsReason(t *testing.T) {
	w := newWorld(t)
	scan := w.running(10)
	seed := w.claim(scan, "t0")
	w.record(seed, analysed(seed.URL), fromLink("http://127.0.0.1:8080/a"), fromLink("http://127.0.0.1:8080/b"), fromLink("http://127.0.0.1:8080/c"))
	loading := w.claim(scan, "t1")
	must(t, w.SkipQueued(w.ctx, scan.ID, schema.ReasonCancelled))
	must(t, w.SkipQueued(w.ctx, scan.ID, schema.ReasonCancelled))
	equal(t, "progress", w.progress(scan), schema.Progress{Found: 4, Done: 3, Analysed: 1, NotAnalysed: 2})
	equal(t, "to claim", w.claim(scan, "t2"), schema.Claim{Pending: true})
	for _, p := range w.pages(scan)[1:] {
		equal(t, "outcome of "+p.URL, p.Outcome, schema.OutcomeNotAnalysed)
		equal(t, "reason of "+p.URL, p.Reason, schema.ReasonCancelled)
	}

	must(t, w.Finish(w.ctx, scan.ID, schema.ScanCancelled, "on wish"))
	equal(t, "progress at the end", w.progress(scan), schema.Progress{Found: 4, Done: 4, Analysed: 1, NotAnalysed: 3})
	w.record(loading, analysed(loading.URL)) // a straggler changes nothing
	equal(t, "progress after a straggler", w.progress(scan), schema.Progress{Found: 4, Done: 4, Analysed: 1, NotAnalysed: 3})
}
