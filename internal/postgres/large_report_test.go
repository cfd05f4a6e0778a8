package postgres_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"visite/internal/postgres"
	"visite/internal/report"
	"visite/schema"
)

// reports reads a scan as the API does.
type reports struct {
	*postgres.Store
	ledger *postgres.CourtesyStore
}

func (r reports) HostTotals(ctx context.Context, scanID string) ([]schema.HostTotals, error) {
	return r.ledger.HostTotals(ctx, scanID)
}

// hostile is text that must not get through as anything but text.
const hostile = "<script>alert(1)</script>\u202e=cmd|' /C calc'!A0\u2066\"'><img src=x onerror=alert(1)>"

// largeScan is a finished scan of so many pages in 40 folders, with 8 findings a
// page of 60 rules, hostile titles, and one page with 3,000 findings. Its rows are
// made in PostgreSQL.
func largeScan(t testing.TB, w world, pages int) schema.Scan {
	t.Helper()
	scan := w.running(pages)
	var seq int32
	must(t, w.pool.QueryRow(w.ctx, `SELECT seq FROM scans WHERE id = $1`, scan.ID).Scan(&seq))
	for _, sql := range []string{
		`INSERT INTO addresses (scan, in_scope, key_hash, url) SELECT $1, true, substring(sha256(g::text::bytea) for 16), 'http://127.0.0.1:8080/folder-' || chr(97 + g % 40 % 26) || chr(97 + g % 40 / 26) || '/page-' || g FROM generate_series(1, $2) g`,
		`INSERT INTO frontier (address_id, scan, depth, via, state, ticket, template_hash) SELECT id, scan, 1, 'link', 1, 'g' || id, id % 40 FROM addresses WHERE scan = $1 AND $2 > 0 AND url LIKE '%/folder-%'`,
		`INSERT INTO pages (id, scan, outcome, status, inspected_at, title, description, structure, load_us) SELECT id, scan, 'analysed', 200, now(), '` + strings.ReplaceAll(hostile, "'", "''") + `' || id, 'x', 1, 200000 FROM addresses WHERE scan = $1 AND $2 > 0 AND url LIKE '%/folder-%'`,
		`INSERT INTO rules (hash, rule, engine, category, severity, outcome, help, title) SELECT substring(sha256(('rule' || g)::bytea) for 16), 'large-rule-' || g, 'visite', (ARRAY['accessibility', 'seo', 'technical', 'links', 'security', 'performance'])[1 + g % 6], g % 5, CASE WHEN g % 10 = 9 THEN 'needs_review' ELSE 'failed' END, 'Mend it', 'Fault number ' || g FROM generate_series(1, 60) g WHERE $1 > 0 AND $2 > 0 ON CONFLICT DO NOTHING`,
		`INSERT INTO findings (scan, page_id, rule_id, selector, detail) SELECT $1, p.id, r.id, 'main > div:nth-child(' || (p.id % 9) || ') > img', '612 ms' FROM pages p JOIN rules r ON r.rule LIKE 'large-rule-%' AND (r.id + p.id) % 60 < 8 WHERE p.scan = $1 AND $2 > 0`,
		`INSERT INTO findings (scan, page_id, rule_id, selector, detail) SELECT $1, (SELECT min(id) FROM pages WHERE scan = $1), (SELECT min(id) FROM rules WHERE rule LIKE 'large-rule-%' AND $2 > 0), 'a:nth-child(' || g || ') ` + strings.ReplaceAll(hostile, "'", "''") + `', '' FROM generate_series(1, 3000) g`,
		`UPDATE tallies SET found = $2, done = $2, analysed = $2 WHERE scan = $1 AND shard = 0`,
	} {
		if _, err := w.pool.Exec(w.ctx, sql, seq, pages); err != nil {
			t.Fatalf("%v in %.80s", err, sql)
		}
	}
	must(t, w.Finish(w.ctx, scan.ID, schema.ScanFinished, ""))
	_, err := w.pool.Exec(w.ctx, `ANALYZE`)
	must(t, err)
	scan, err = w.Scan(w.ctx, scan.ID)
	must(t, err)
	return scan
}

// largePages is how many pages the tests of large scans have: few enough for every
// run of the tests, or as many as VISITE_TEST_PAGES says.
func largePages(t *testing.T, few int) int {
	t.Helper()
	said := os.Getenv("VISITE_TEST_PAGES")
	if said == "" {
		return few
	}
	pages, err := strconv.Atoi(said)
	must(t, err)
	return pages
}

// counted counts and remembers the most that was held meanwhile.
type counted struct {
	n    int64
	peak uint64
	next int64
}

func (c *counted) Write(b []byte) (int, error) {
	if c.n += int64(len(b)); c.n >= c.next {
		c.next = c.n + 1<<20
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		c.peak = max(c.peak, m.HeapInuse)
	}
	return len(b), nil
}

// The page for people stays small however large the site, and what visited pages
// say is text in it and nothing else.
func TestTheReportOfALargeSiteIsBounded(t *testing.T) {
	w := newWorld(t)
	r := report.Renderer{Source: reports{w.Store, postgres.NewCourtesyStore(w.pool)}}
	pages := largePages(t, 1500)
	scan := largeScan(t, w, pages)
	var page bytes.Buffer
	must(t, r.Render(w.ctx, &page, scan, report.Request{Format: report.FormatHTML}))
	if page.Len() > 2<<20 {
		t.Errorf("the page of %d pages has %d bytes", pages, page.Len())
	}
	for _, raw := range []string{"<script", "onerror=alert(1)>", "\u202e", "\u2066"} {
		if strings.Contains(page.String(), raw) {
			t.Errorf("the page contains %q", raw)
		}
	}
	if !strings.Contains(page.String(), "&lt;script&gt;") {
		t.Error("the hostile titles are not in the page")
	}
	for _, f := range []report.Format{report.FormatCSV, report.FormatSARIF, report.FormatJUnit, report.FormatEARL, report.FormatJSON} {
		var out bytes.Buffer
		must(t, r.Render(w.ctx, &out, scan, report.Request{Format: f}))
		if f != report.FormatJSON && f != report.FormatSARIF && f != report.FormatEARL && strings.ContainsRune(out.String(), '\u202e') {
			t.Errorf("%s turns the reading direction", f)
		}
		if f == report.FormatCSV && strings.Contains(out.String(), "\n=") {
			t.Errorf("%s has a formula", f)
		}
	}
}

// A large scan's findings fold to the same items whether they are kept at its end
// or, as those of a scan from before there was such a thing, folded when asked for;
// kept ones are read without its findings.
func TestItemsOfALargeSiteAreKept(t *testing.T) {
	w := newWorld(t)
	pages := largePages(t, 5000)
	r := report.Renderer{Source: reports{w.Store, postgres.NewCourtesyStore(w.pool)}}
	scan := largeScan(t, w, pages)
	read := func() []report.ComparedItem {
		t.Helper()
		items, err := r.Items(w.ctx, scan, nil, report.English)
		must(t, err)
		return items
	}
	folded := read()
	same := func(what string) {
		t.Helper()
		if got := read(); !reflect.DeepEqual(got, folded) {
			t.Errorf("%s: %d items, %d when they were folded, or others", what, len(got), len(folded))
		}
	}
	places, most := 0, 0
	for _, i := range folded {
		places += i.Places
		most = max(most, i.Pages)
		if len(i.Examples) != min(i.Pages, schema.ItemExamples) || i.Title == "" || i.Template == "" {
			t.Errorf("%+v", i)
		}
	}
	equal(t, "findings folded", places, pages*8+3000)
	if most < pages/200 || len(folded) > 60*40+60 {
		t.Errorf("%d items, the largest of %d pages", len(folded), most)
	}
	for range 2 { // repeating is harmless
		must(t, w.FoldItems(w.ctx, scan.ID))
	}
	same("kept items")
	_, err := w.pool.Exec(w.ctx, `DELETE FROM findings`)
	must(t, err)
	same("kept items without findings")
	fold, err := w.Items(w.ctx, scan.ID)
	must(t, err)
	equal(t, "templates", len(fold.Templates), 40)
}

// BenchmarkReportOf50000Pages tells what the largest scan's reports cost.
func BenchmarkReportOf50000Pages(b *testing.B) {
	w := newWorld(b)
	r := report.Renderer{Source: reports{w.Store, postgres.NewCourtesyStore(w.pool)}}
	scan := largeScan(b, w, schema.MaxPagesLimit)
	measure := func(name string, do func(io.Writer) error) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				out := &counted{}
				runtime.GC()
				began := time.Now()
				if err := do(out); err != nil {
					b.Fatal(err)
				}
				_, _ = out.Write(nil)
				b.ReportMetric(time.Since(began).Seconds(), "s")
				b.ReportMetric(float64(out.n)/1e6, "MB")
				b.ReportMetric(float64(out.peak)/1e6, "heap-MB")
			}
		})
	}
	measure("scores", func(io.Writer) error { _, err := w.ScoreFacts(w.ctx, scan.ID); return err })
	must(b, w.FoldItems(w.ctx, scan.ID))
	measure("fold", func(io.Writer) error { return w.FoldItems(w.ctx, scan.ID) })
	measure("items", func(out io.Writer) error {
		items, err := r.Items(w.ctx, scan, nil, report.English)
		_, _ = fmt.Fprint(out, len(items))
		return err
	})
	for _, f := range []report.Format{report.FormatHTML, report.FormatJSON, report.FormatCSV, report.FormatSARIF} {
		measure(string(f), func(out io.Writer) error {
			return r.Render(w.ctx, out, scan, report.Request{Format: f})
		})
	}
}
