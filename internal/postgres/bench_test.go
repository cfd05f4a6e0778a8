package postgres_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"visite/schema"
)

// sitePage is page i of a site of n: 20 links in the navigation, 20 to pages
// near it, two findings.
func sitePage(url string, i, n int) (schema.Page, []schema.Candidate) {
	page := fullPage(url)
	page.FinalURL, page.Redirects, page.Notes, page.RobotsTags, page.ContentHash = url, nil, nil, nil, uint64(i+1)
	page.Findings[0].Selector = fmt.Sprintf("main > section:nth-child(%d) > img", i%7)
	var next []schema.Candidate
	for l := range 40 {
		to := l
		if l >= 20 {
			to = (i*3 + l) % n
		}
		address := pageURL(to)
		page.Links = append(page.Links, schema.PageLink{URL: address, Kind: schema.LinkAnchor, InScope: true})
		next = append(next, schema.Candidate{URL: address, Depth: 1, Via: schema.ViaLink})
	}
	return page, next
}

func pageURL(i int) string {
	return fmt.Sprintf("http://127.0.0.1:8080/section-%d/article-number-%d.html", i%10, i)
}

// BenchmarkScan runs Claim, BeginLoad and RecordPage for each page, eight at once.
func BenchmarkScan(b *testing.B) {
	w := newWorld(b)
	n := max(b.N, 50)
	scan, _, err := w.CreateScan(w.ctx, orderOf(w.site, min(n, schema.MaxPagesLimit)), schema.IdempotencyKey{}, 0)
	must(b, err)
	_, err = w.StartScan(w.ctx, scan.ID)
	must(b, err)
	var done atomic.Int64
	var claimNS, beginNS, recordNS atomic.Int64
	b.ResetTimer()
	var lanes sync.WaitGroup
	for lane := range 8 {
		lanes.Go(func() {
			for turn := 0; ; turn++ {
				t0 := time.Now()
				c, err := w.Claim(w.ctx, scan.ID, fmt.Sprintf("t%d.%d", lane, turn))
				if err != nil {
					b.Error(err)
					return
				}
				t1 := time.Now()
				if !c.Found {
					if c.Pending {
						time.Sleep(time.Millisecond)
						continue
					}
					return
				}
				if _, err := w.BeginLoad(w.ctx, c); err != nil {
					b.Error(err)
				}
				t2 := time.Now()
				page, next := sitePage(c.URL, int(done.Add(1)), n)
				t3 := time.Now()
				if err := w.RecordPage(w.ctx, c, page, next); err != nil {
					b.Error(err)
				}
				claimNS.Add(int64(t1.Sub(t0)))
				beginNS.Add(int64(t2.Sub(t1)))
				recordNS.Add(int64(time.Since(t3)))
			}
		})
	}
	lanes.Wait()
	b.StopTimer()
	pages := float64(done.Load())
	b.ReportMetric(float64(claimNS.Load())/pages/1e6, "claim-ms")
	b.ReportMetric(float64(beginNS.Load())/pages/1e6, "begin-ms")
	b.ReportMetric(float64(recordNS.Load())/pages/1e6, "record-ms")
	b.ReportMetric(pages/b.Elapsed().Seconds(), "pages/s")
	b.ReportMetric(bytesOf(b, w)/pages, "bytes/page")
}

func bytesOf(b *testing.B, w world) float64 {
	var total float64
	for _, table := range []string{"addresses", "frontier", "pages", "findings", "links", "rules", "tallies"} {
		var size int64
		must(b, w.pool.QueryRow(w.ctx, `SELECT pg_total_relation_size($1::regclass)`, table).Scan(&size))
		b.Logf("%-10s %8d bytes", table, size)
		total += float64(size)
	}
	return total
}
