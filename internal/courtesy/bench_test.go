package courtesy_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"visite/internal/courtesy"
	"visite/internal/fixturesite"
	"visite/internal/pgtest"
	"visite/internal/postgres"
	"visite/schema"
)

// BenchmarkVisits tells how many visits a second the http engine can make, one
// page each with all that belongs to it, without pauses, eight at once.
func BenchmarkVisits(b *testing.B) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			_, _ = w.Write([]byte("User-agent: *\nDisallow: /private/\n"))
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<!doctype html><title>A small page</title><p>Hello"))
	}))
	defer site.Close()
	h := newHarness(b, courtesy.Options{})
	h.load(visit(site.URL+"/", free()))
	b.ResetTimer()
	const atOnce = 8
	var next atomic.Int64
	var all sync.WaitGroup
	for range atOnce {
		all.Go(func() {
			for next.Add(1) <= int64(b.N) {
				v := visit(fmt.Sprintf("%s/%d", site.URL, next.Load()), free())
				pass, admission, err := h.Enter(b.Context(), v)
				if err != nil || pass == nil {
					b.Errorf("%+v %v", admission, err)
					return
				}
				if _, _, err := get(b, pass, v.URL); err != nil {
					b.Error(err)
				}
				if err := pass.Leave(b.Context()); err != nil {
					b.Error(err)
				}
				if pass.Document().Outcome != schema.OutcomeAnalysed {
					b.Errorf("%+v", pass.Document())
				}
			}
		})
	}
	all.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "visits/s")
}

// BenchmarkReservations tells how many turns a second the pacer gives out and
// takes back, by the number of workers, each with a pool of its own. Hosts are
// many, as in a deployment; nobody waits for a pause.
func BenchmarkReservations(b *testing.B) {
	for _, workers := range []int{1, 2, 4} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			url := pgtest.URL(b)
			var next atomic.Int64
			var all sync.WaitGroup
			stores := make([]*postgres.CourtesyStore, workers)
			for i := range stores {
				pool, err := postgres.Connect(b.Context(), url)
				if err != nil {
					b.Fatal(err)
				}
				b.Cleanup(pool.Close)
				stores[i] = postgres.NewCourtesyStore(pool)
			}
			b.ResetTimer()
			for _, store := range stores {
				for range 4 {
					all.Go(func() {
						for n := next.Add(1); n <= int64(b.N); n = next.Add(1) {
							ask := schema.PaceAsk{Host: fmt.Sprintf("%d.example", n%500), IP: fmt.Sprintf("192.0.2.%d", n%100), Holder: fmt.Sprint(n), Slots: 16, IPSlots: 64, TTL: time.Minute}
							grant, err := store.Reserve(b.Context(), ask)
							if err == nil && !grant.Granted {
								err = fmt.Errorf("not granted: %+v", grant)
							}
							if err == nil {
								err = store.Release(b.Context(), []schema.PaceDone{{Host: ask.Host, IP: ask.IP, Holder: ask.Holder, ResponseTime: time.Millisecond, Loaded: true}}, nil)
							}
							if err != nil {
								b.Error(err)
								return
							}
						}
					})
				}
			}
			all.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "reservations/s")
		})
	}
}

// BenchmarkAddedLatency tells what the door adds to a request when nothing has
// to wait: medians of the same request straight and through a pass, ledger line
// included, in ms.
func BenchmarkAddedLatency(b *testing.B) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<!doctype html><title>A small page</title><p>Hello"))
	}))
	defer site.Close()
	h := newHarness(b, courtesy.Options{})
	h.load(visit(site.URL+"/", free()))
	pass := h.enter(visit(site.URL+"/", free()))
	direct := &http.Transport{}
	defer direct.CloseIdleConnections()
	median := func(t http.RoundTripper) float64 {
		took := make([]time.Duration, b.N)
		for i := range took {
			req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, site.URL+"/", nil)
			if err != nil {
				b.Fatal(err)
			}
			began := time.Now()
			resp, err := t.RoundTrip(req)
			if err != nil {
				b.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
			took[i] = time.Since(began)
		}
		slices.Sort(took)
		return float64(took[len(took)/2].Microseconds()) / 1000
	}
	b.ResetTimer()
	straight, through := median(direct), median(pass)
	b.ReportMetric(straight, "straight-ms")
	b.ReportMetric(through, "through-ms")
	b.ReportMetric(through-straight, "added-ms")
	if added := through - straight; b.N >= 100 && added > 2 {
		b.Errorf("the door adds %.2f ms to a request, want at most 2", added)
	}
}

// BenchmarkConnectionShare tells which share of one connection a host sees used
// at normal gait: at most a quarter, quick or slow as it may be.
func BenchmarkConnectionShare(b *testing.B) {
	for _, answer := range []time.Duration{10 * time.Millisecond, 100 * time.Millisecond, 300 * time.Millisecond} {
		b.Run(answer.String(), func(b *testing.B) {
			site := fixturesite.Serve(b, small)
			site.Handle("/a", fixturesite.Slow(answer, fixturesite.HTML("<!doctype html><title>A</title>")))
			h := newHarness(b, courtesy.Options{})
			p := careful()
			p.Limits.PagesAtOnce = 1
			for range max(b.N, 5) {
				h.load(visit(site.URL("/a"), p))
			}
			share := site.Arrivals().BusyShare()
			b.ReportMetric(share, "connection-share")
			if share > 0.25 {
				b.Errorf("a connection was busy for %.2f of the time, want at most 0.25", share)
			}
		})
	}
}
