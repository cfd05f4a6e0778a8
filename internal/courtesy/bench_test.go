package courtesy_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"visite/internal/courtesy"
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
