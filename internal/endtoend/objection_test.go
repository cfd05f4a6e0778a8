package endtoend_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"visite/internal/fixturesite"
	"visite/internal/postgres"
	"visite/schema"
)

// courtesyStore is the deployment's database as the door sees it.
func (d *deployment) courtesyStore() *postgres.CourtesyStore {
	d.t.Helper()
	pool, err := postgres.Connect(d.t.Context(), d.database)
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(pool.Close)
	return postgres.NewCourtesyStore(pool)
}

func (d *deployment) object(store *postgres.CourtesyStore, o schema.Objection) (at time.Time) {
	d.t.Helper()
	if _, err := store.AddObjection(d.t.Context(), o); err != nil {
		d.t.Fatal(err)
	}
	return time.Now()
}

// onItsWay is how long a request whose ledger line was written just before an
// objection may take to arrive.
const onItsWay = 100 * time.Millisecond

func hostOf(site *fixturesite.Site) string {
	return strings.TrimSuffix(strings.TrimPrefix(site.URL("/"), "http://"), "/")
}

// An objection in the middle of two customers' scans of one host ends both
// before their next request, and no further scan is taken.
// proves C-43, S-49
func TestAnObjectionStopsEveryCustomersScan(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"browser", "http"} {
		t.Run(engine, func(t *testing.T) {
			site := fixturesite.Generated(200).Start(t)
			d := deploy(t)
			other := d.otherWorkspace()
			scans := map[string]*deployment{d.scan(order{"url": site.URL("/"), "engine": engine}).ID: d}
			scans[other.scan(order{"url": site.URL("/"), "engine": engine}).ID] = other
			for id, of := range scans {
				d.eventually(2*time.Minute, "some pages of each", func() bool {
					s, ok := of.status(id)
					return ok && s.Progress.Analysed >= 3
				})
			}
			at := d.object(d.courtesyStore(), schema.Objection{Host: hostOf(site), Kind: schema.ObjectionStop})
			for id, of := range scans {
				s := of.finish(id, 90*time.Second)
				if s.State != "stopped" || s.StateReason != "objected" {
					t.Errorf("ended %s (%s)", s.State, s.StateReason)
				}
				wantRestUnvisited(t, of.report(id))
			}
			if status, raw := d.request(http.MethodPost, "/v1/scans", d.token, order{"url": site.URL("/"), "engine": engine}); status != http.StatusForbidden || !strings.Contains(string(raw), "host-objected") {
				t.Errorf("ordered afterwards: %d %s", status, raw)
			}
			if after := site.Arrivals().After(at.Add(onItsWay)); len(after) > 0 {
				t.Errorf("%d requests arrived after the objection: %q", len(after), after.Requests())
			}
		})
	}
}

// otherWorkspace is the same deployment for another customer.
func (d *deployment) otherWorkspace() *deployment {
	d.t.Helper()
	other := *d
	var made struct {
		Token string `json:"token"`
	}
	d.call(http.MethodPost, "/v1/workspaces", bootstrapToken, map[string]string{"name": "other"}, &made)
	other.token = made.Token
	return &other
}

func wantRestUnvisited(t *testing.T, r report) {
	t.Helper()
	left := 0
	for _, p := range r.Pages {
		switch {
		case p.Outcome == "analysed":
		case p.Outcome == "not_analysed" && p.Reason == "objection":
			left++
		default:
			t.Errorf("%s has outcome %s (%s)", p.URL, p.Outcome, p.Reason)
		}
	}
	if left == 0 {
		t.Error("no page is marked as left alone")
	}
}

// proves S-49: quiet hours are waited for on a durable timer, which people see,
// and the scan goes on after them; a slower pace lengthens the gaps from then on.
func TestQuietHoursAndASlowerPace(t *testing.T) {
	t.Parallel()
	const pages, slower = 14, 8
	site := fixturesite.Generated(pages).Start(t)
	d := deploy(t)
	store := d.courtesyStore()
	s := d.scan(order{"url": site.URL("/"), "engine": "http"})
	d.eventually(time.Minute, "some pages", func() bool {
		now, ok := d.status(s.ID)
		return ok && now.Progress.Analysed >= 4
	})
	end := time.Now().Add(15 * time.Second).Truncate(time.Minute).Add(time.Minute)
	quiet := schema.Objection{Host: hostOf(site), Kind: schema.ObjectionQuietHours, From: end.Add(-2 * time.Hour).UTC().Format("15:04"), To: end.UTC().Format("15:04"), Zone: "UTC"}
	at := d.object(store, quiet)
	d.eventually(20*time.Second, "the wait to be told", func() bool {
		_, raw := d.request(http.MethodGet, "/v1/scans/"+s.ID, d.token, nil)
		var shown struct {
			State        string     `json:"state"`
			WaitingFor   string     `json:"waiting_for"`
			WaitingUntil *time.Time `json:"waiting_until"`
		}
		if err := json.Unmarshal(raw, &shown); err != nil {
			t.Fatal(err)
		}
		return shown.State == "running" && strings.Contains(shown.WaitingFor, "quiet hours") && shown.WaitingUntil != nil && shown.WaitingUntil.Sub(end).Abs() < 2*time.Second
	})
	d.worker.kill() // the wait is nobody's memory but Temporal's
	d.worker = d.start("worker")
	slow := d.object(store, schema.Objection{Host: hostOf(site), Kind: schema.ObjectionSlower, Factor: slower})
	if done := d.finish(s.ID, 3*time.Minute); done.State != "finished" || done.Progress.Analysed != pages {
		t.Fatalf("ended %+v", done)
	}
	var quietly, later fixturesite.Arrivals
	for _, a := range site.Arrivals().After(at.Add(onItsWay)) {
		if a.In.Before(end) {
			quietly = append(quietly, a)
		} else {
			later = append(later, a)
		}
	}
	if len(quietly) > 0 {
		t.Errorf("%d requests in the quiet hours: %q", len(quietly), quietly.Requests())
	}
	if len(later) < 3 || slow.After(later[0].In) {
		t.Fatalf("%d requests after the quiet hours", len(later))
	}
	later.MinStartGap(t, slower*pausePage)
}

// Quiet hours that begin in the middle of a visit: its next request does not
// leave, and the page is visited anew when they are over.
// proves S-49
func TestQuietHoursInTheMiddleOfAVisit(t *testing.T) {
	t.Parallel()
	site := fixturesite.Serve(t, "\n-- /robots.txt --\nUser-agent: *\nDisallow: /private/\n-- / --\n<!doctype html><title>Home</title><a href=\"/moved\">on</a>\n-- /target --\n<!doctype html><title>Target</title>\n")
	site.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(3 * time.Second)
		http.Redirect(w, r, "/target", http.StatusFound)
	})
	d := deploy(t)
	store := d.courtesyStore()
	s := d.scan(order{"url": site.URL("/"), "engine": "http"})
	d.eventually(time.Minute, "the redirect to be asked for", func() bool { return site.Arrivals().Count("/moved") > 0 })
	end := time.Now().Add(15 * time.Second).Truncate(time.Minute).Add(time.Minute)
	at := d.object(store, schema.Objection{Host: hostOf(site), Kind: schema.ObjectionQuietHours, From: end.Add(-2 * time.Hour).UTC().Format("15:04"), To: end.UTC().Format("15:04"), Zone: "UTC"})
	if done := d.finish(s.ID, 3*time.Minute); done.State != "finished" || done.Progress.NotAnalysed != 0 {
		t.Errorf("ended %+v", done)
	}
	for _, a := range site.Arrivals().After(at.Add(onItsWay)) {
		if a.In.Before(end) {
			t.Errorf("%s arrived in the quiet hours", a.Request())
		}
	}
	if p := d.report(s.ID).page(t, site.URL("/target")); p.Outcome != "analysed" {
		t.Errorf("the page ended %s (%s)", p.Outcome, p.Reason)
	}
	if moved, target := site.Arrivals().Count("/moved"), site.Arrivals().Count("/target"); moved != 2 || target != 1 {
		t.Errorf("asked for %d and %d times", moved, target)
	}
}
