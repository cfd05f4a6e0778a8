package endtoend_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/launcher"
	"github.com/go-rod/rod/lib/proto"
	"github.com/jackc/pgx/v5"
	"golang.org/x/net/html"

	"visite/internal/fixturesite"
	"visite/internal/pgcluster"
	"visite/internal/postgres"
)

// benchProfile has no pauses and as many pages at once as wanted.
func benchProfile(t testing.TB, dir string, lanes int) string {
	t.Helper()
	name := fmt.Sprintf("bench-%d", lanes)
	text := strings.NewReplacer("name: patient", "name: "+name, "pages_at_once: 2", fmt.Sprintf("pages_at_once: %d", lanes),
		"visits_per_ip: 4", "visits_per_ip: 16").Replace(patient)
	if err := os.WriteFile(filepath.Join(dir, name+".yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// durable deploys on a PostgreSQL that writes to disk as a real one does.
func durable(b *testing.B, profiles string, slots int) *deployment {
	b.Helper()
	// Open to others: PostgreSQL runs as another user where we are root.
	dir, err := os.MkdirTemp("", "visite-bench-")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		b.Fatal(err)
	}
	cluster, err := pgcluster.Open(b.Context(), pgcluster.Options{Dir: filepath.Join(dir, "postgres"), Durable: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = cluster.Stop() })
	if err := cluster.CreateDatabase(b.Context(), "visite"); err != nil {
		b.Fatal(err)
	}
	if _, err := postgres.Migrate(b.Context(), cluster.URL("visite")); err != nil {
		b.Fatal(err)
	}
	return deployOn(b, cluster.URL("visite"), "VISITE_PROFILES_DIR="+profiles, fmt.Sprintf("VISITE_BROWSER_SLOTS=%d", slots))
}

// spent is what a run took.
type spent struct {
	time      time.Duration
	processor time.Duration // of this process and its children: the site, Visite, PostgreSQL, Temporal, Chromium
}

// compare reports a scan beside a bare loop. The times of the processor hold on a
// machine that has other work, too.
func compare(b *testing.B, scan, bare spent) {
	b.Helper()
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(scan.time.Seconds(), "scan-s")
	b.ReportMetric(bare.time.Seconds(), "bare-s")
	b.ReportMetric(scan.time.Seconds()/bare.time.Seconds(), "times-bare")
	b.ReportMetric(scan.processor.Seconds(), "scan-cpu-s")
	b.ReportMetric(bare.processor.Seconds(), "bare-cpu-s")
}

// scanTime runs a scan and returns what it took from its start.
func scanTime(b *testing.B, d *deployment, o order, pages int) (spent, scanStatus) {
	b.Helper()
	used := processorTime(os.Getpid())
	s := d.scan(o)
	d.finish(s.ID, 10*time.Minute)
	used = processorTime(os.Getpid()) - used
	var times struct {
		StartedAt  time.Time `json:"started_at"`
		FinishedAt time.Time `json:"finished_at"`
	}
	d.call(http.MethodGet, "/v1/scans/"+s.ID, d.token, nil, &times)
	s, _ = d.status(s.ID)
	if s.Progress.Analysed != pages {
		b.Fatalf("analysed %d of %d pages (%s)", s.Progress.Analysed, pages, s.State)
	}
	return spent{times.FinishedAt.Sub(times.StartedAt), used}, s
}

// costs reports what a scan left behind.
func costs(b *testing.B, d *deployment, s scanStatus, pages int) {
	b.Helper()
	b.ReportMetric(float64(historyOf(b.Context(), b, d.temporalClient(), workflowID(s)))/float64(pages), "events/page")
	b.ReportMetric(float64(peakMemory(b, d.worker.cmd.Process.Pid))/(1<<20), "worker-peak-MiB")
	b.ReportMetric(float64(databaseBytes(b, d.database))/float64(pages), "db-bytes/page")
}

func peakMemory(b *testing.B, pid int) int64 {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Fatal(err)
	}
	var kb int64
	for _, line := range strings.Split(string(raw), "\n") {
		if strings.HasPrefix(line, "VmHWM:") {
			fmt.Sscanf(strings.TrimPrefix(line, "VmHWM:"), "%d", &kb)
		}
	}
	return kb << 10
}

// databaseBytes is the size of all tables with their indexes, the ledger included.
func databaseBytes(b *testing.B, url string) (n int64) {
	conn, err := pgx.Connect(b.Context(), url)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(b.Context()))
	const size = `SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'public' AND c.relkind = 'r'`
	if err := conn.QueryRow(b.Context(), size).Scan(&n); err != nil {
		b.Fatal(err)
	}
	return n
}

// BenchmarkBrowserScan: a scan of 40 pages against a bare go-rod loop that only
// loads the same pages and runs axe, at equal concurrency, pauses zero.
func BenchmarkBrowserScan(b *testing.B) {
	const pages = 40
	for _, lanes := range []int{1, 2} {
		b.Run(fmt.Sprintf("%d-at-once", lanes), func(b *testing.B) {
			for b.Loop() {
				plan := fixturesite.Plan{Pages: pages, Sitemap: true, Faults: true}
				site := plan.Site().Start(b)
				profiles := b.TempDir()
				profile := benchProfile(b, profiles, lanes)
				d := durable(b, profiles, lanes)
				scanTime(b, d, order{"url": site.URL("/"), "profile": profile, "max_pages": 2}, 2) // Chromium is up
				bare := bareBrowser(b, site, plan, lanes)
				scan, s := scanTime(b, d, order{"url": site.URL("/"), "profile": profile}, pages)
				again := bareBrowser(b, site, plan, lanes)
				bare = spent{min(bare.time, again.time), min(bare.processor, again.processor)}
				compare(b, scan, bare)
				costs(b, d, s, pages)
			}
		})
	}
}

// bareBrowser loads every page in a tab of its own and runs axe in it.
func bareBrowser(b *testing.B, site *fixturesite.Site, plan fixturesite.Plan, lanes int) spent {
	b.Helper()
	axe, err := os.ReadFile("../browser/scripts/dist/axe.js")
	if err != nil {
		b.Skipf("page scripts are not built: %v", err)
	}
	l := launcher.New().Bin("/usr/bin/chromium").Leakless(false).Headless(true).NoSandbox(os.Geteuid() == 0).Set("disable-gpu").Set("disable-background-networking")
	browser := rod.New().ControlURL(l.MustLaunch()).MustConnect()
	defer func() { browser.MustClose(); l.Kill(); l.Cleanup() }()
	work := make(chan string)
	var wg sync.WaitGroup
	began, used := time.Now(), processorTime(os.Getpid())
	for range lanes {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for address := range work {
				page := browser.MustPage()
				page.MustNavigate(address).MustWaitLoad()
				if _, err := (proto.RuntimeEvaluate{Expression: string(axe)}).Call(page); err != nil {
					b.Error(err)
				}
				if _, err := page.Evaluate(rod.Eval(`() => axe.run(document, {preload: false})`).ByPromise()); err != nil {
					b.Error(err)
				}
				page.MustClose()
			}
		}()
	}
	for i := range plan.Pages {
		work <- site.URL(plan.Path(i))
	}
	close(work)
	wg.Wait()
	return spent{time.Since(began), processorTime(os.Getpid()) - used}
}

// BenchmarkHTTPScan: a scan of 3,000 small pages with 40 links each, everything
// checked and recorded, against a bare net/http and x/net/html loop.
func BenchmarkHTTPScan(b *testing.B) {
	const (
		pages = 3_000
		lanes = 8
	)
	for b.Loop() {
		site := fixturesite.Plan{Pages: pages, Links: 40, Sitemap: true, Faults: true}.Site().Start(b)
		profiles := b.TempDir()
		profile := benchProfile(b, profiles, lanes)
		d := durable(b, profiles, 1)
		bare := bareHTTP(b, site.URL("/"), pages, lanes)
		scan, s := scanTime(b, d, order{"url": site.URL("/"), "profile": profile, "engine": "http", "max_pages": pages}, pages)
		compare(b, scan, bare)
		costs(b, d, s, pages)
	}
}

// bareHTTP crawls a site: get, parse, follow, keep nothing.
func bareHTTP(b *testing.B, start string, pages, lanes int) spent {
	b.Helper()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: lanes}}
	var (
		mu    sync.Mutex
		seen  = map[string]bool{start: true}
		queue = make(chan string, pages*2)
		left  sync.WaitGroup
		got   int
	)
	left.Add(1)
	queue <- start
	began, used := time.Now(), processorTime(os.Getpid())
	for range lanes {
		go func() {
			for address := range queue {
				for _, link := range linksOf(client, address) {
					mu.Lock()
					if !seen[link] {
						seen[link] = true
						left.Add(1)
						queue <- link
					}
					mu.Unlock()
				}
				mu.Lock()
				got++
				mu.Unlock()
				left.Done()
			}
		}()
	}
	left.Wait()
	close(queue)
	took := spent{time.Since(began), processorTime(os.Getpid()) - used}
	if got != pages {
		b.Fatalf("the bare loop got %d pages", got)
	}
	runtime.GC()
	return took
}

func linksOf(client *http.Client, address string) []string {
	resp, err := client.Get(address)
	if err != nil {
		return nil
	}
	defer resp.Body.Close()
	root, err := html.Parse(resp.Body)
	if err != nil {
		return nil
	}
	base, _ := url.Parse(address)
	var links []string
	for n := range root.Descendants() {
		if n.Type != html.ElementNode || n.Data != "a" {
			continue
		}
		for _, a := range n.Attr {
			if u, err := base.Parse(a.Val); a.Key == "href" && err == nil && u.Host == base.Host {
				u.Fragment = ""
				links = append(links, u.String())
			}
		}
	}
	return links
}
