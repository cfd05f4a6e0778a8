package postgres

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"pgregory.net/rapid"

	"visite/internal/pgtest"
	"visite/schema"
)

// paceClock sets the database's pacing clock.
type paceClock struct {
	pool *pgxpool.Pool
	now  time.Time
}

func newPaceClock(t testing.TB, pool *pgxpool.Pool) *paceClock {
	t.Helper()
	c := &paceClock{pool: pool}
	for _, sql := range []string{
		`CREATE TABLE pace_clock (now timestamptz)`,
		`INSERT INTO pace_clock VALUES ('epoch')`,
		`CREATE OR REPLACE FUNCTION courtesy_now() RETURNS timestamptz LANGUAGE sql VOLATILE AS 'SELECT now FROM pace_clock'`,
	} {
		if _, err := pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	c.set(t, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	return c
}

func (c *paceClock) set(t interface {
	Helper()
	Fatal(...any)
}, now time.Time) {
	t.Helper()
	c.now = now
	if _, err := c.pool.Exec(context.Background(), `UPDATE pace_clock SET now = $1`, now); err != nil {
		t.Fatal(err)
	}
}

func ask(host, holder string) schema.PaceAsk {
	return schema.PaceAsk{Host: host, IP: "192.0.2.1", Holder: holder, Slots: 1, IPSlots: 4, TTL: 30 * time.Second, PauseMin: 250 * time.Millisecond, PauseFactor: 4}
}

func done(a schema.PaceAsk, response time.Duration) []schema.PaceDone {
	return []schema.PaceDone{{Host: a.Host, IP: a.IP, Holder: a.Holder, ResponseTime: response, PauseMin: a.PauseMin, PauseFactor: a.PauseFactor, CrawlDelay: a.CrawlDelay}}
}

func reserve(t testing.TB, s *CourtesyStore, a schema.PaceAsk) schema.PaceGrant {
	t.Helper()
	g, err := s.Reserve(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func release(t testing.TB, s *CourtesyStore, a schema.PaceAsk, response time.Duration) {
	t.Helper()
	if err := s.Release(t.Context(), done(a, response), nil); err != nil {
		t.Fatal(err)
	}
}

// The pause after a visit is the longest of the least pause, four response
// times and Crawl-delay.
// proves C-44, C-52
func TestPauseFollowsResponseTime(t *testing.T) {
	pool := pgtest.DB(t)
	store, clock := NewCourtesyStore(pool), newPaceClock(t, pool)
	for _, c := range []struct {
		name            string
		response, delay time.Duration
		want            time.Duration
	}{
		{"quick answer", 10 * time.Millisecond, 0, 250 * time.Millisecond},
		{"one second", time.Second, 0, 4 * time.Second},
		{"five seconds", 5 * time.Second, 0, 20 * time.Second},
		{"crawl delay above", time.Second, 7 * time.Second, 7 * time.Second},
		{"crawl delay below", 2 * time.Second, 7 * time.Second, 8 * time.Second},
		{"absurd crawl delay", time.Second, 1000000 * time.Hour, 1000000 * time.Hour},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := ask(c.name, "first")
			a.CrawlDelay = c.delay
			if g := reserve(t, store, a); !g.Granted {
				t.Fatalf("first visit: %+v", g)
			}
			clock.set(t, clock.now.Add(c.response))
			release(t, store, a, c.response)
			a.Holder = "second"
			g := reserve(t, store, a)
			if g.Granted || g.In != min(c.want, 10*365*24*time.Hour) {
				t.Errorf("In = %v granted %v, want %v", g.In, g.Granted, c.want)
			}
			clock.set(t, clock.now.Add(g.In-time.Microsecond))
			if g := reserve(t, store, a); g.Granted {
				t.Errorf("granted a microsecond early")
			}
			clock.set(t, clock.now.Add(time.Microsecond))
			if g := reserve(t, store, a); !g.Granted {
				t.Errorf("not granted when due: %+v", g)
			}
		})
	}
}

// A holder that vanished blocks its turn for the TTL, not longer; asked again
// under the same name it has it back, at the host's pace.
func TestTurnsLapseAndAreTakenUpAgain(t *testing.T) {
	pool := pgtest.DB(t)
	store, clock := NewCourtesyStore(pool), newPaceClock(t, pool)
	a, b := ask("example.com", "a"), ask("example.com", "b")
	if g := reserve(t, store, a); !g.Granted {
		t.Fatalf("%+v", g)
	}
	if g := reserve(t, store, a); g.Granted || g.In != 250*time.Millisecond {
		t.Errorf("the same holder at once: %+v, want a wait of 250ms", g)
	}
	clock.set(t, clock.now.Add(10*time.Second))
	if g := reserve(t, store, b); g.Granted || !g.Busy {
		t.Errorf("another holder in between: %+v, want busy", g)
	}
	if g := reserve(t, store, a); !g.Granted {
		t.Errorf("the same holder later: %+v, want granted", g)
	}
	clock.set(t, clock.now.Add(29*time.Second))
	if kept, err := store.Renew(t.Context(), a.Host, a.Holder, a.TTL); err != nil || !kept {
		t.Errorf("renew in time: %v %v", kept, err)
	}
	clock.set(t, clock.now.Add(30*time.Second))
	if g := reserve(t, store, b); !g.Granted {
		t.Errorf("after the TTL: %+v, want granted", g)
	}
	if kept, err := store.Renew(t.Context(), a.Host, a.Holder, a.TTL); err != nil || kept {
		t.Errorf("renew of a lapsed turn: %v %v, want false", kept, err)
	}
	release(t, store, a, time.Second) // late: must not free b's turn
	clock.set(t, clock.now.Add(5*time.Second))
	if g := reserve(t, store, ask("example.com", "c")); g.Granted || !g.Busy {
		t.Errorf("after the late release: %+v, want busy", g)
	}
}

// proves S-36, R-04
func TestParkedHostRestsAndIsSlowedAfter(t *testing.T) {
	pool := pgtest.DB(t)
	store, clock := NewCourtesyStore(pool), newPaceClock(t, pool)
	park := func(wait time.Duration) {
		t.Helper()
		until, err := store.Park(t.Context(), "example.com", wait)
		if err != nil {
			t.Fatal(err)
		}
		if want := clock.now.Add(wait); !until.Equal(want) {
			t.Errorf("parked until %v, want %v", until, want)
		}
	}
	park(120 * time.Second)
	if until, err := store.Park(t.Context(), "example.com", 5*time.Second); err != nil || !until.Equal(clock.now.Add(120*time.Second)) {
		t.Errorf("a shorter wish must not shorten the rest: %v %v", until, err)
	}
	store = NewCourtesyStore(pool) // another process
	a := ask("example.com", "a")
	if g := reserve(t, store, a); g.Granted || g.In != 120*time.Second || g.Reason != schema.ReasonServerParked {
		t.Errorf("parked: %+v", g)
	}
	if g := reserve(t, store, ask("other.example", "x")); !g.Granted {
		t.Errorf("another host: %+v, want granted", g)
	}
	clock.set(t, clock.now.Add(120*time.Second))
	g := reserve(t, store, a)
	if !g.Granted || g.SlowFactor != 2 { // two refusals while at rest are one
		t.Fatalf("after the rest: %+v, want slow factor 2", g)
	}
	release(t, store, a, time.Second)
	if g := reserve(t, store, a); g.In != 8*time.Second {
		t.Errorf("pause after a refusal = %v, want 8s", g.In)
	}
	park(3 * time.Second)
	for _, c := range []struct {
		after time.Duration
		slow  float64
	}{{time.Minute, 4}, {59 * time.Minute, 2}, {time.Hour, 1}, {time.Hour, 1}} {
		clock.set(t, clock.now.Add(c.after))
		p, err := store.HostPace(t.Context(), "example.com")
		if err != nil || p.SlowFactor != c.slow {
			t.Errorf("slow factor %v after another %v, want %v (%v)", p.SlowFactor, c.after, c.slow, err)
		}
	}
}

// paceModel is what the pacer promises, written down a second time.
type paceModel struct {
	hosts map[string]*hostModel
	turns map[[2]string]*turnModel // host, holder
}

type hostModel struct {
	nextAt, lastAt, startedAt time.Time
	starting                  string // whose first request was let out and is not known to have left
	startingUntil             time.Time
	parked, slowSince         time.Time
	response                  time.Duration
	slow                      float64
}

type turnModel struct {
	ip      string
	expires time.Time
}

func (m *paceModel) host(name string) *hostModel {
	if m.hosts[name] == nil {
		m.hosts[name] = &hostModel{slow: 1}
	}
	return m.hosts[name]
}

func (h *hostModel) slowAt(now time.Time) float64 {
	hours := math.Floor(now.Sub(h.slowSince).Hours())
	if h.slow <= 1 {
		return 1
	}
	return math.Max(1, h.slow/math.Pow(2, hours))
}

func (h *hostModel) pause(a schema.PaceAsk, response time.Duration, now time.Time) time.Duration {
	longest := max(float64(a.PauseMin), a.PauseFactor*float64(response), float64(a.CrawlDelay))
	return time.Duration(longest * h.slowAt(now))
}

func (m *paceModel) busy(now time.Time, match func(host, holder, ip string) bool) int {
	n := 0
	for key, turn := range m.turns {
		if turn.expires.After(now) && match(key[0], key[1], turn.ip) {
			n++
		}
	}
	return n
}

// due is the wait until a visit may start, 0 when granted, -1 when all turns are taken.
func (m *paceModel) due(a schema.PaceAsk, now time.Time) time.Duration {
	h := m.host(a.Host)
	ready := h.nextAt
	for _, t := range []time.Time{h.parked, h.lastAt.Add(h.pause(a, h.response, now))} {
		if t.After(ready) {
			ready = t
		}
	}
	if ready.After(now) {
		return ready.Sub(now)
	}
	if m.busy(now, func(host, holder, _ string) bool { return host == a.Host && holder != a.Holder }) >= a.Slots {
		return -1
	}
	if m.busy(now, func(host, holder, ip string) bool { return ip == a.IP && (host != a.Host || holder != a.Holder) }) >= a.IPSlots {
		return -1
	}
	return 0
}

// The pacer does what the model says, whatever comes in what order: quick and
// slow answers, timeouts, refusals, workers that die or come too late.
// proves S-32, S-36, C-44, C-50, C-52, R-07, R-08
func TestPacerAgainstModel(t *testing.T) {
	pool := pgtest.DB(t)
	store, clock := NewCourtesyStore(pool), newPaceClock(t, pool)
	ctx := t.Context()
	rapid.Check(t, func(t *rapid.T) {
		if _, err := pool.Exec(ctx, `TRUNCATE courtesy_hosts, courtesy_turns`); err != nil {
			t.Fatal(err)
		}
		m := &paceModel{hosts: map[string]*hostModel{}, turns: map[[2]string]*turnModel{}}
		drawAsk := func(t *rapid.T) schema.PaceAsk {
			return schema.PaceAsk{
				Host:   rapid.SampledFrom([]string{"a.example", "b.example", "c.example"}).Draw(t, "host"),
				Holder: rapid.SampledFrom([]string{"1", "2", "3", "4"}).Draw(t, "holder"),
				IP:     rapid.SampledFrom([]string{"192.0.2.1", "192.0.2.2"}).Draw(t, "ip"),
				Slots:  rapid.IntRange(1, 2).Draw(t, "slots"), IPSlots: rapid.IntRange(1, 3).Draw(t, "ip slots"), TTL: 30 * time.Second,
				PauseMin:    time.Duration(rapid.IntRange(0, 500).Draw(t, "least pause")) * time.Millisecond,
				PauseFactor: float64(rapid.IntRange(0, 4).Draw(t, "factor")),
				CrawlDelay:  time.Duration(rapid.SampledFrom([]int{0, 0, 0, 1, 7}).Draw(t, "delay")) * time.Second,
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"pass time": func(t *rapid.T) {
				ms := rapid.SampledFrom([]int{1, 100, 250, 1000, 4000, 8000, 31_000, 3_600_000}).Draw(t, "ms")
				clock.set(t, clock.now.Add(time.Duration(ms)*time.Millisecond))
			},
			"ask": func(t *rapid.T) {
				a := drawAsk(t)
				g, err := store.Reserve(ctx, a)
				if err != nil {
					t.Fatal(err)
				}
				due := m.due(a, clock.now)
				switch {
				case due == 0:
					if !g.Granted {
						t.Fatalf("not granted: %+v", g)
					}
					h := m.host(a.Host)
					if next := clock.now.Add(h.pause(a, h.response, clock.now)); next.After(h.nextAt) {
						h.nextAt = next
					}
					h.lastAt = clock.now
					m.turns[[2]string{a.Host, a.Holder}] = &turnModel{ip: a.IP, expires: clock.now.Add(a.TTL)}
				case due < 0:
					if g.Granted || !g.Busy {
						t.Fatalf("all turns are taken, got %+v", g)
					}
				default:
					if g.Granted || g.In != due {
						t.Fatalf("got %+v, want a wait of %v", g, due)
					}
				}
			},
			"first request": func(t *rapid.T) { // of a visit: leaves, or is held back; or is told to have left
				a, sent := drawAsk(t), rapid.Bool().Draw(t, "sent")
				wait, err := store.Start(ctx, a, sent)
				if err != nil {
					t.Fatal(err)
				}
				h, known := m.hosts[a.Host]
				if !known {
					if wait != 0 {
						t.Fatalf("held back for %v at a host never visited", wait)
					}
					return
				}
				pause := h.pause(a, h.response, clock.now)
				if !sent && h.starting != a.Holder {
					due := h.startedAt.Add(pause).Sub(clock.now)
					if due <= 0 && h.starting != "" { // another's has been let out, and is not known to have left
						due = min(h.startingUntil.Sub(clock.now), 10*time.Millisecond)
					}
					if due > 0 {
						if wait != due {
							t.Fatalf("held back for %v, want %v", wait, due)
						}
						return
					}
				}
				if wait != 0 {
					t.Fatalf("held back for %v, want to leave", wait)
				}
				h.startedAt, h.lastAt = clock.now, clock.now
				if !sent {
					h.starting, h.startingUntil = a.Holder, clock.now.Add(time.Second)
				} else if h.starting == a.Holder {
					h.starting = ""
				}
				if next := clock.now.Add(pause); next.After(h.nextAt) {
					h.nextAt = next
				}
			},
			"renew": func(t *rapid.T) { // or come too late, as a worker that was held up
				a := drawAsk(t)
				kept, err := store.Renew(ctx, a.Host, a.Holder, a.TTL)
				if err != nil {
					t.Fatal(err)
				}
				turn := m.turns[[2]string{a.Host, a.Holder}]
				if alive := turn != nil && turn.expires.After(clock.now); kept != alive {
					t.Fatalf("renewed %v, want %v", kept, alive)
				}
				if kept {
					turn.expires = clock.now.Add(a.TTL)
				}
			},
			"give back": func(t *rapid.T) {
				a := drawAsk(t)
				response := time.Duration(rapid.SampledFrom([]int{0, 1, 40, 900, 2500, 60_000}).Draw(t, "response")) * time.Millisecond
				if err := store.Release(ctx, done(a, response), nil); err != nil {
					t.Fatal(err)
				}
				delete(m.turns, [2]string{a.Host, a.Holder})
				if m.hosts[a.Host] == nil || response == 0 {
					return
				}
				h := m.hosts[a.Host]
				h.response, h.lastAt = response, clock.now
				if next := clock.now.Add(h.pause(a, response, clock.now)); next.After(h.nextAt) {
					h.nextAt = next
				}
			},
			"refuse": func(t *rapid.T) {
				host := drawAsk(t).Host
				wait := time.Duration(rapid.IntRange(3, 40).Draw(t, "rest")) * time.Second
				h := m.host(host)
				if !h.parked.After(clock.now) {
					h.slow, h.slowSince = 2*h.slowAt(clock.now), clock.now
				}
				if until := clock.now.Add(wait); until.After(h.parked) {
					h.parked = until
				}
				if until, err := store.Park(ctx, host, wait); err != nil || !until.Equal(h.parked) {
					t.Fatalf("parked until %v, want %v (%v)", until, h.parked, err)
				}
			},
		})
	})
}
