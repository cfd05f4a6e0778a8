package fixturesite

import (
	"regexp"
	"slices"
	"strconv"
	"time"
)

// Arrivals are requests in order of arrival, to be narrowed down and asserted
// on. Every assertion reports through Errorf and names the request at fault.
type Arrivals []Arrival

// Filter keeps what f accepts.
func (as Arrivals) Filter(f func(Arrival) bool) Arrivals {
	out := Arrivals{}
	for _, a := range as {
		if f(a) {
			out = append(out, a)
		}
	}
	return out
}

// After keeps what came in later than t.
func (as Arrivals) After(t time.Time) Arrivals {
	return as.Filter(func(a Arrival) bool { return a.In.After(t) })
}

// Kinds keeps the kinds given.
func (as Arrivals) Kinds(kinds ...Kind) Arrivals {
	return as.Filter(func(a Arrival) bool { return slices.Contains(kinds, a.Kind) })
}

// Path keeps the arrivals of one path, whatever their query.
func (as Arrivals) Path(path string) Arrivals {
	return as.Filter(func(a Arrival) bool { return a.Path == path })
}

// Count is how often a path was asked for, by whatever method and query.
func (as Arrivals) Count(path string) int { return len(as.Path(path)) }

// Requests lists method, path and query of each arrival.
func (as Arrivals) Requests() []string {
	out := make([]string, len(as))
	for i, a := range as {
		out[i] = a.Request()
	}
	return out
}

// Visits keeps what begins a visit: documents, robots.txt and sitemaps, but not
// the address a redirect led to.
func (as Arrivals) Visits() Arrivals {
	return as.Filter(func(a Arrival) bool { return a.Kind != KindFile && a.Follows == 0 })
}

// Gap lies between two visits that followed each other.
type Gap struct {
	Before, After Arrival
	Start         time.Duration // arrival to arrival
	Idle          time.Duration // from the last answer of any kind to the arrival; negative where they overlap
}

// Gaps lists the gaps between visits, in order.
func (as Arrivals) Gaps() []Gap {
	visits := as.Visits()
	var gaps []Gap
	for i := 1; i < len(visits); i++ {
		before, after := visits[i-1], visits[i]
		gaps = append(gaps, Gap{Before: before, After: after, Start: after.In.Sub(before.In), Idle: after.In.Sub(as.lastOut(after))})
	}
	return gaps
}

// lastOut is when the site had last answered before an arrival; the arrival
// itself where something was still under way.
func (as Arrivals) lastOut(before Arrival) time.Time {
	var last time.Time
	for _, a := range as {
		if a.Seq >= before.Seq {
			break
		}
		if a.Out.IsZero() {
			return before.In
		}
		if a.Out.After(last) {
			last = a.Out
		}
	}
	return last
}

// MinGap asserts that the site was left alone for at least d before each visit
// but the first. For one visit at a time.
func (as Arrivals) MinGap(t TB, d time.Duration) {
	t.Helper()
	for _, g := range as.Gaps() {
		if g.Idle < d {
			t.Errorf("%s came %s after the last answer (visit before: %s), want at least %s", g.After.Request(), g.Idle, g.Before.Request(), d)
		}
	}
}

// MinStartGap asserts that visits began at least d apart. For several visits at
// a time.
func (as Arrivals) MinStartGap(t TB, d time.Duration) {
	t.Helper()
	for _, g := range as.Gaps() {
		if g.Start < d {
			t.Errorf("%s began %s after %s, want at least %s", g.After.Request(), g.Start, g.Before.Request(), d)
		}
	}
}

// MaxInFlight is the most documents and the most requests of any kind that were
// under way at one time.
func (as Arrivals) MaxInFlight() (documents, all int) {
	return as.Kinds(KindDocument).overlap(), as.overlap()
}

// overlap is the largest number of arrivals under way at one time.
func (as Arrivals) overlap() int {
	type edge struct {
		at    time.Time
		delta int
	}
	var edges []edge
	for _, a := range as {
		edges = append(edges, edge{a.In, 1})
		if !a.Out.IsZero() {
			edges = append(edges, edge{a.Out, -1})
		}
	}
	// At the same instant an end comes before a start.
	slices.SortFunc(edges, func(a, b edge) int {
		if c := a.at.Compare(b.at); c != 0 {
			return c
		}
		return a.delta - b.delta
	})
	now, most := 0, 0
	for _, e := range edges {
		now += e.delta
		most = max(most, now)
	}
	return most
}

// BusyShare is the share of the time from first arrival to last answer in which
// at least one request was under way (C-45); 0 for fewer than two arrivals.
func (as Arrivals) BusyShare() float64 {
	if len(as) < 2 {
		return 0
	}
	sorted := slices.SortedFunc(slices.Values(as), func(a, b Arrival) int { return a.In.Compare(b.In) })
	start, end := sorted[0].In, sorted[0].In
	var busy time.Duration
	for _, a := range sorted {
		from := a.In
		if from.Before(end) {
			from = end
		}
		if a.Out.After(from) {
			busy += a.Out.Sub(from)
			end = a.Out
		}
	}
	if !end.After(start) {
		return 0
	}
	return float64(busy) / float64(end.Sub(start))
}

// RobotsFirst asserts that of each host robots.txt was asked for first, and
// that something came at all (S-25).
func (as Arrivals) RobotsFirst(t TB) {
	t.Helper()
	if len(as) == 0 {
		t.Errorf("nothing arrived; want robots.txt first")
	}
	seen := map[string]bool{}
	for _, a := range as {
		if !seen[a.Host] && a.Kind != KindRobots {
			t.Errorf("first request to %s was %s, want GET /robots.txt", a.Host, a.Request())
		}
		seen[a.Host] = true
	}
}

// AllUserAgents asserts that every User-Agent matches, and that something came.
func (as Arrivals) AllUserAgents(t TB, pattern *regexp.Regexp) {
	t.Helper()
	if len(as) == 0 {
		t.Errorf("nothing arrived; want requests with a User-Agent like %s", pattern)
	}
	for _, a := range as {
		if !pattern.MatchString(a.UserAgent()) {
			t.Errorf("%s (%s) came with User-Agent %s, want one like %s", a.Request(), a.Kind, strconv.Quote(a.UserAgent()), pattern)
		}
	}
}

// NoMethodsBut asserts that no other method arrived.
func (as Arrivals) NoMethodsBut(t TB, methods ...string) {
	t.Helper()
	for _, a := range as {
		if !slices.Contains(methods, a.Method) {
			t.Errorf("%s arrived, want none but %v", a.Request(), methods)
		}
	}
}
