package courtesy_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"visite/internal/courtesy"
	"visite/internal/fixturesite"
	"visite/internal/pgtest"
	"visite/internal/postgres"
	"visite/schema"
)

// paceFields decide how fast visits follow one another.
var paceFields = []string{"PauseMin", "PauseFactor", "Slots", "IPSlots", "PagesAtOnce", "VisitsPerIP"}

// paceSites finds every place of the packages between an order and a request
// that sets one of paceFields, or that names an exception from pacing.
func paceSites(t *testing.T) []string {
	t.Helper()
	var files []string
	for _, dir := range []string{".", "robots", "../postgres", "../../activities", "../../workflows", "../local", "../../worker"} {
		found, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(found) == 0 {
			t.Fatalf("no source in %s: %v", dir, err)
		}
		files = append(files, found...)
	}
	seen := map[string]bool{}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			name := "package"
			if f, ok := d.(*ast.FuncDecl); ok {
				name = f.Name.Name
			}
			ast.Inspect(d, func(n ast.Node) bool {
				for _, what := range paceChanges(n) {
					seen[fmt.Sprintf("%s %s: %s", filepath.Base(path), name, what)] = true
				}
				return true
			})
		}
	}
	var sites []string
	for s := range seen {
		sites = append(sites, s)
	}
	slices.Sort(sites)
	return sites
}

func paceChanges(n ast.Node) (what []string) {
	set := func(e ast.Expr) {
		if s, ok := e.(*ast.SelectorExpr); ok && slices.Contains(paceFields, s.Sel.Name) {
			what = append(what, "sets "+s.Sel.Name)
		}
	}
	switch n := n.(type) {
	case *ast.AssignStmt:
		for _, left := range n.Lhs {
			set(left)
		}
	case *ast.IncDecStmt:
		set(n.X)
	case *ast.UnaryExpr:
		if n.Op == token.AND { // whoever has its address may set it
			set(n.X)
		}
	case *ast.KeyValueExpr:
		if id, ok := n.Key.(*ast.Ident); ok && slices.Contains(paceFields, id.Name) {
			what = append(what, "gives "+id.Name)
		}
	case *ast.SelectorExpr:
		if strings.HasPrefix(n.Sel.Name, "Exception") && n.Sel.Name != "Exception" {
			what = append(what, "names "+n.Sel.Name)
		}
	}
	return what
}

// A visit's pace is its profile's. It is set where the door asks for a turn and
// repeated where the turn is given back; atPace alone alters it, for one of
// schema.PacingExceptions, or to slow it down. A further place has to be
// accounted for here. (The database's side: TestExactlyTwoExceptionsFromPacing.)
// proves C-46
func TestOnlyExceptionsAlterThePace(t *testing.T) {
	want := []string{
		"enter.go takeTurn: gives IPSlots", "enter.go takeTurn: gives PauseFactor", "enter.go takeTurn: gives PauseMin", "enter.go takeTurn: gives Slots",
		"gait.go atPace: names ExceptionBrisk",
		"gait.go atPace: sets PauseFactor", "gait.go atPace: sets PauseMin", "gait.go atPace: sets Slots",
		// Never faster than the contract's own pace, whatever the profile's.
		"link_checks.go linkVisit: sets PagesAtOnce", "link_checks.go linkVisit: sets PauseFactor", "link_checks.go linkVisit: sets PauseMin", "link_checks.go linkVisit: sets VisitsPerIP",
		"pass.go doneTurns: gives PauseFactor", "pass.go doneTurns: gives PauseMin",
		"start.go firstRequest: sets PauseMin", // adds a margin
	}
	if got := paceSites(t); !slices.Equal(got, want) {
		t.Errorf("found\n\t%s\nknown are\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
	if len(schema.PacingExceptions) != 2 {
		t.Errorf("%d exceptions", len(schema.PacingExceptions))
	}
}

// briskScan is a harness with a running scan of a slow site, under a profile of
// one page at once.
func briskScan(t *testing.T, site *fixturesite.Site) (*harness, *postgres.Store, schema.Scan) {
	t.Helper()
	pool := pgtest.DB(t)
	store, records := postgres.NewCourtesyStore(pool), postgres.New(pool)
	h := &harness{Door: newDoor(t, courtesy.Options{Store: store, AllowLoopback: true}), store: store, t: t}
	ctx := within(t)
	workspace, err := records.CreateWorkspace(ctx, "w", make([]byte, 32))
	fatal(t, err)
	host := strings.TrimSuffix(strings.TrimPrefix(site.URL("/"), "http://"), "/")
	of, err := records.UpsertSite(ctx, workspace.ID, site.URL("/"), host, true)
	fatal(t, err)
	profile := careful()
	profile.Limits.PagesAtOnce = 1
	scan, _, err := records.CreateScan(ctx, schema.Scan{
		WorkspaceID: workspace.ID, SiteID: of.ID, URL: of.URL, ScopeHost: host, Engine: schema.EngineHTTP, Device: schema.DeviceDesktop,
		MaxPages: 100, Basis: schema.Basis{Kind: schema.BasisOwn}, Profile: profile,
	}, schema.IdempotencyKey{}, 0)
	fatal(t, err)
	return h, records, scan
}

func fatal(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// visitAll loads pages in as many lanes, as a scan's visits.
func (h *harness) visitAll(scan schema.Scan, site *fixturesite.Site, lanes, pages int) {
	h.t.Helper()
	var done sync.WaitGroup
	for lane := range lanes {
		done.Go(func() {
			for i := range pages / lanes {
				v := visit(site.URL(fmt.Sprintf("/p?%d", lane*pages+i)), scan.Profile)
				v.Run.ScanID, v.MaxWait = scan.ID, time.Minute
				pass, admission, err := h.Enter(within(h.t), v)
				if err != nil || pass == nil {
					h.t.Errorf("enter: %+v %v", admission, err)
					return
				}
				_, _, _ = get(h.t, pass, v.URL) // what came of it is in the arrivals
				if err := pass.Leave(within(h.t)); err != nil {
					h.t.Error(err)
				}
			}
		})
	}
	together(h.t, &done)
}

const slowPage = 600 * time.Millisecond

func slowSite(t *testing.T, robots string) *fixturesite.Site {
	site := fixturesite.Serve(t, "\n-- /robots.txt --\n"+robots+"\n")
	site.HandleFunc("/p", func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(slowPage)
		w.Header().Set("Content-Type", "text/html")
	})
	return site
}

var briskFor = schema.BriskOrder{Reason: "The site's operators asked for it.", Minutes: 1, By: "Ada"}

// proves C-44, C-45, C-46, C-48, R-07, R-08: two at once and never three, the
// least pause instead of one that grows, by the site's own clock; and the
// ordinary pace before and after.
func TestBriskGaitAtTheSite(t *testing.T) {
	site := slowSite(t, "User-agent: *\nDisallow: /private/")
	h, records, scan := briskScan(t, site)
	h.visitAll(scan, site, 2, 2)
	ordinary := site.Arrivals().Kinds(fixturesite.KindDocument)
	atMost(t, ordinary, 1)
	ordinary.MinGap(t, 4*slowPage)

	_, err := records.GrantBrisk(within(t), "order", scan.ID, briskFor)
	fatal(t, err)
	site.Forget()
	began := time.Now()
	h.visitAll(scan, site, 3, 12)
	if took := time.Since(began); took > 30*time.Second { // 12 pages take 36 s at the ordinary pace
		t.Errorf("took %s", took)
	}
	brisk := site.Arrivals()
	atMost(t, brisk, 2)
	brisk.MinStartGap(t, 250*time.Millisecond)
}

// atMost checks how many requests were under way at once, at most and really.
func atMost(t *testing.T, as fixturesite.Arrivals, want int) {
	t.Helper()
	if _, all := as.MaxInFlight(); all != want {
		t.Errorf("%d at once, want %d", all, want)
	}
}

// proves C-49, C-52: a Crawl-delay is kept in spite of a brisk gait, and told.
func TestCrawlDelayCancelsABriskGait(t *testing.T) {
	site := slowSite(t, "User-agent: *\nCrawl-delay: 2")
	h, records, scan := briskScan(t, site)
	_, err := records.GrantBrisk(within(t), "order", scan.ID, briskFor)
	fatal(t, err)
	h.visitAll(scan, site, 2, 4)
	pages := site.Arrivals().Kinds(fixturesite.KindDocument)
	atMost(t, pages, 1)
	pages.MinStartGap(t, 2*time.Second)
	gaits, err := records.BriskGaits(within(t), scan.ID)
	fatal(t, err)
	if gaits[0].Held != schema.BriskHeldByCrawlDelay {
		t.Errorf("noted: %+v", gaits[0])
	}
}
