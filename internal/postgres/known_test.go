package postgres_test

import (
	"fmt"
	"reflect"
	"sync"
	"testing"

	"visite/internal/postgres"
	"visite/schema"
)

// linksOf reads the addresses that a page's record points to, in its order.
func (w world) linksOf(id int64) (urls []string) {
	w.t.Helper()
	const q = `SELECT ARRAY(SELECT a.url FROM unnest(p.link_ids) WITH ORDINALITY AS k (id, n) JOIN addresses a ON a.id = k.id ORDER BY k.n) FROM pages p WHERE p.id = $1`
	must(w.t, w.pool.QueryRow(w.ctx, q, id).Scan(&urls))
	return urls
}

// Addresses met on earlier pages are not looked up again, by the process that met
// them; pages read the same as those of a process that knows nothing.
func TestLinksMetBeforeAreRecordedAlike(t *testing.T) {
	w := newWorld(t)
	scan := w.running(20)
	address := func(i int) string { return fmt.Sprintf("http://127.0.0.1:8080/p%d", i) }
	page := func(url string, to ...int) (schema.Page, []schema.Candidate) {
		p := analysed(url)
		var next []schema.Candidate
		for _, i := range to {
			p.Links = append(p.Links, schema.PageLink{URL: address(i), Kind: schema.LinkAnchor, InScope: true})
			if i < 10 { // the others are only pointed to
				next = append(next, fromLink("%s", address(i)))
			}
		}
		return p, next
	}
	var others []schema.Candidate
	for i := range 7 {
		others = append(others, fromLink("http://127.0.0.1:8080/other%d", i))
	}
	_, err := w.AddCandidates(w.ctx, scan.ID, others)
	must(t, err)
	beside := postgres.New(w.pool) // another process
	for i, turn := range []struct {
		store *postgres.Store
		to    []int
		found int
	}{
		{w.Store, []int{1, 2, 11, 1}, 10},
		{w.Store, []int{2, 1, 11}, 10},        // committed, and not yet told for sure
		{w.Store, []int{1, 2, 11}, 10},        // known by now
		{w.Store, []int{11, 3, 2, 12, 3}, 11}, // some are
		{beside, []int{1, 2, 3, 11, 12}, 11},
		{beside, []int{4, 12, 1}, 12},
		{w.Store, []int{4, 5, 12, 1}, 13}, // what the other added
	} {
		c := w.claim(scan, fmt.Sprint("t", i))
		if !c.Found {
			t.Fatalf("turn %d: nothing to claim", i)
		}
		p, next := page(c.URL, turn.to...)
		must(t, turn.store.RecordPage(w.ctx, c, p, next))
		if i > 0 {
			must(t, turn.store.Flush(w.ctx))
		}
		var want []string
		for _, to := range turn.to {
			want = append(want, address(to))
		}
		if got := w.linksOf(c.ID); !reflect.DeepEqual(got, want) {
			t.Errorf("turn %d points to %v, want %v", i, got, want)
		}
		equal(t, fmt.Sprintf("found after turn %d", i), w.progress(scan).Found, turn.found)
	}
	// An address only pointed to becomes a page when it is found as one.
	n, err := w.AddCandidates(w.ctx, scan.ID, []schema.Candidate{fromLink("%s", address(11)), fromLink("%s", address(1))})
	must(t, err)
	equal(t, "new candidates", n, 1)
	last := w.claim(scan, "last")
	p, next := page(last.URL, 11, 12)
	must(t, w.RecordPage(w.ctx, last, p, append(next, fromLink("%s", address(12)), fromLink("%s", address(11)))))
	equal(t, "found in the end", w.progress(scan).Found, 15)
}

// One statement claims for several tickets: the page limit holds to the last
// place, also where another process claims beside it, and a ticket asked for
// twice has one address.
// proves R-31
func TestClaimsMadeTogether(t *testing.T) {
	w := newWorld(t)
	scan := w.running(10)
	var found []schema.Candidate
	for i := range 30 {
		found = append(found, fromLink("http://127.0.0.1:8080/p%d", i))
	}
	_, err := w.AddCandidates(w.ctx, scan.ID, found)
	must(t, err)
	others := postgres.New(w.pool)
	var mu sync.Mutex
	byTicket := map[string]int64{}
	var lanes sync.WaitGroup
	for i := range 40 {
		ticket := fmt.Sprint("t", i/2) // each from two sides
		store := []*postgres.Store{w.Store, others}[i/2%2]
		lanes.Go(func() {
			c, err := store.Claim(w.ctx, scan.ID, ticket)
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			if have, twice := byTicket[ticket]; twice && c.Found && have != 0 && have != c.ID {
				t.Errorf("ticket %s has the addresses %d and %d", ticket, have, c.ID)
			}
			if c.Found {
				byTicket[ticket] = c.ID
			}
		})
	}
	lanes.Wait()
	addresses := map[int64]bool{}
	for _, id := range byTicket {
		addresses[id] = true
	}
	if len(byTicket) != 10 || len(addresses) != 10 {
		t.Errorf("%d tickets have %d addresses, want 10 each", len(byTicket), len(addresses))
	}
}

// Loads begun together are each counted, and only those of claimed addresses.
// proves R-31
func TestLoadsBegunTogether(t *testing.T) {
	w := newWorld(t)
	scan := w.running(20)
	for i := range 19 {
		_, err := w.AddCandidates(w.ctx, scan.ID, []schema.Candidate{fromLink("http://127.0.0.1:8080/p%d", i)})
		must(t, err)
	}
	var lanes sync.WaitGroup
	for i := range 20 {
		c := w.claim(scan, fmt.Sprint("t", i))
		if i == 7 {
			w.record(c, analysed(c.URL))
		}
		for range 2 {
			lanes.Go(func() {
				loads, err := w.BeginLoad(w.ctx, c)
				if i == 7 && err == nil || i != 7 && (err != nil || loads < 1 || loads > 2) {
					t.Errorf("address %d: %d loads, %v", i, loads, err)
				}
			})
		}
	}
	lanes.Wait()
	for i := range 20 {
		if c := w.claim(scan, fmt.Sprint("t", i)); i != 7 && c.Loads != 2 {
			t.Errorf("address %d: %d loads in the end, want 2", i, c.Loads)
		}
	}
}
