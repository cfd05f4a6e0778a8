package workflows_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"visite/activities"
	"visite/schema"
	"visite/workflows"
)

// fakeSteps stands in for the activities: visits answers each VisitPages call.
type fakeSteps struct {
	mu        sync.Mutex
	calls     []activities.VisitInput
	at        []time.Time
	inFlight  int
	most      int
	concluded []activities.ConcludeInput
	robots    []activities.RobotsOutput
	visits    func(n int, in activities.VisitInput) (activities.VisitOutput, error)
	now       func() time.Time
	sitemaps  []string
	sitemap   activities.SitemapOutput
	links     []activities.LinksOutput // answers about links, the order's first
	linksAt   []time.Time
	probes    []activities.ProbeInput
	probe     func(n int) activities.ProbeOutput
}

func (f *fakeSteps) register(env *testsuite.TestWorkflowEnvironment) {
	add := func(name string, fn any) {
		env.RegisterActivityWithOptions(fn, activity.RegisterOptions{Name: name})
	}
	add("Begin", func(context.Context, activities.ScanRef) (activities.BeginOutput, error) {
		return activities.BeginOutput{ScopeHost: "example.com"}, nil
	})
	add("ReadRobots", func(context.Context, activities.RobotsInput) (activities.RobotsOutput, error) {
		f.mu.Lock()
		defer f.mu.Unlock()
		if len(f.robots) == 0 {
			return activities.RobotsOutput{Sitemaps: []string{"https://example.com/sitemap.xml"}}, nil
		}
		out := f.robots[0]
		f.robots = f.robots[1:]
		return out, nil
	})
	add("ProbeSecurity", func(_ context.Context, in activities.ProbeInput) (activities.ProbeOutput, error) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.probes = append(f.probes, in)
		if f.probe == nil {
			return activities.ProbeOutput{}, nil
		}
		return f.probe(len(f.probes)), nil
	})
	add("ReadSitemap", func(_ context.Context, in activities.SitemapInput) (activities.SitemapOutput, error) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.sitemaps = append(f.sitemaps, in.URL)
		return f.sitemap, nil
	})
	add("VisitPages", func(_ context.Context, in activities.VisitInput) (activities.VisitOutput, error) {
		f.mu.Lock()
		n := len(f.calls)
		f.calls = append(f.calls, in)
		f.at = append(f.at, f.now())
		f.inFlight++
		f.most = max(f.most, f.inFlight)
		f.mu.Unlock()
		out, err := f.visits(n, in)
		f.mu.Lock()
		f.inFlight--
		f.mu.Unlock()
		return out, err
	})
	look := func() (activities.LinksOutput, error) {
		f.mu.Lock()
		defer f.mu.Unlock()
		n := len(f.linksAt)
		f.linksAt = append(f.linksAt, f.now())
		if n < len(f.links) {
			return f.links[n], nil
		}
		return activities.LinksOutput{}, nil
	}
	add("OrderLinks", func(context.Context, activities.OrderLinksInput) (activities.LinksOutput, error) { return look() })
	add("PendingLinks", func(context.Context, activities.ScanRef) (activities.LinksOutput, error) { return look() })
	add("Conclude", func(_ context.Context, in activities.ConcludeInput) (activities.ConcludeOutput, error) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.concluded = append(f.concluded, in)
		return activities.ConcludeOutput{State: in.State}, nil
	})
}

func scanInput(lanes int) workflows.ScanInput {
	limits := schema.ContractLimits()
	limits.PagesAtOnce = lanes
	return workflows.ScanInput{
		ScanID: "scan_1", WorkspaceID: "ws_1", SiteID: "site_1", URL: "https://example.com/", Host: "example.com",
		Engine: schema.EngineHTTP, Device: schema.DeviceDesktop, MaxPages: 100,
		Profile: schema.Profile{Name: "visite", Limits: limits}, Policy: workflows.DefaultScanPolicy(),
	}
}

func runScan(t *testing.T, f *fakeSteps, in workflows.ScanInput, prepare func(*testsuite.TestWorkflowEnvironment)) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	env.RegisterWorkflowWithOptions(workflows.ScanSite, workflow.RegisterOptions{Name: workflows.ScanSiteName})
	f.now = env.Now
	f.register(env)
	if prepare != nil {
		prepare(env)
	}
	env.ExecuteWorkflow(workflows.ScanSiteName, in)
	if !env.IsWorkflowCompleted() {
		t.Fatal("the scan did not end")
	}
	return env
}

// script answers the n-th visit with the n-th step, then with an empty frontier.
func script(steps ...activities.Step) func(int, activities.VisitInput) (activities.VisitOutput, error) {
	return func(n int, _ activities.VisitInput) (activities.VisitOutput, error) {
		if n >= len(steps) {
			return activities.VisitOutput{Exhausted: true, Progress: schema.Progress{Found: len(steps), Done: len(steps)}}, nil
		}
		return activities.VisitOutput{Steps: steps[n : n+1], Progress: schema.Progress{Found: len(steps), Done: n + 1}}, nil
	}
}

const (
	ok   = activities.StepLoaded
	fail = activities.StepNotLoaded
	skip = activities.StepNeutral
)

func TestScanSiteFinishesWhenTheFrontierIsEmpty(t *testing.T) {
	f := &fakeSteps{visits: script(ok, ok, ok, ok, ok)}
	env := runScan(t, f, scanInput(2), nil)
	if err := env.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	if len(f.concluded) != 1 || f.concluded[0].State != schema.ScanFinished {
		t.Fatalf("concluded %+v", f.concluded)
	}
	if f.most > 2 {
		t.Fatalf("%d visits at once, the profile allows 2", f.most)
	}
	if len(f.sitemaps) != 1 {
		t.Fatalf("sitemaps read: %v", f.sitemaps)
	}
}

// proves S-43, R-28
func TestScanSiteStopsAfterThreePagesInARow(t *testing.T) {
	for _, lanes := range []int{1, 2} {
		for _, c := range []struct {
			name  string
			steps []activities.Step
			calls int
			state schema.ScanState
		}{
			{"three in a row", []activities.Step{fail, fail, fail, ok, ok}, 3, schema.ScanStopped},
			{"a page between resets", []activities.Step{fail, fail, ok, fail, fail, fail, ok, ok}, 6, schema.ScanStopped},
			{"robots in between is neutral", []activities.Step{fail, skip, fail, skip, fail, ok, ok}, 5, schema.ScanStopped},
			{"two are not three", []activities.Step{fail, fail, ok}, 0, schema.ScanFinished},
		} {
			t.Run(fmt.Sprintf("%s, %d lanes", c.name, lanes), func(t *testing.T) {
				f := &fakeSteps{visits: script(c.steps...)}
				runScan(t, f, scanInput(lanes), nil)
				if f.concluded[0].State != c.state {
					t.Fatalf("ended %s, want %s", f.concluded[0].State, c.state)
				}
				if c.calls == 0 {
					return
				}
				if len(f.calls) != c.calls {
					t.Fatalf("%d visits, want exactly %d", len(f.calls), c.calls)
				}
				if got := f.concluded[0].SkipReason; got != schema.ReasonStopped {
					t.Fatalf("pages left over marked %q", got)
				}
			})
		}
	}
}

// proves S-39, R-04
func TestScanSiteWaitsOnADurableTimerAndTriesTheSameTicketAgain(t *testing.T) {
	const rest = 2 * time.Hour
	var until time.Time
	f := &fakeSteps{}
	f.visits = func(n int, in activities.VisitInput) (activities.VisitOutput, error) {
		switch n {
		case 0:
			until = f.now().Add(rest)
			return activities.VisitOutput{Wait: &activities.Wait{Until: until, Words: "example.com asked for a rest"}}, nil
		case 1:
			return activities.VisitOutput{Steps: []activities.Step{ok}}, nil
		}
		return activities.VisitOutput{Exhausted: true}, nil
	}
	runScan(t, f, scanInput(1), nil)
	if f.calls[0].Ticket != f.calls[1].Ticket {
		t.Fatalf("the page waited for under %s came back under %s", f.calls[0].Ticket, f.calls[1].Ticket)
	}
	if f.at[1].Before(until) {
		t.Fatalf("visited %s too early", until.Sub(f.at[1]))
	}
}

func TestScanSiteSendsAsManyLanesAsThereIsWorkFor(t *testing.T) {
	f := &fakeSteps{}
	f.visits = func(n int, in activities.VisitInput) (activities.VisitOutput, error) {
		if n == 0 && in.AtMost != 1 {
			t.Errorf("the first step takes %d pages", in.AtMost)
		}
		time.Sleep(20 * time.Millisecond)
		if n >= 9 {
			return activities.VisitOutput{Exhausted: true, Progress: schema.Progress{Found: 9, Done: 9}}, nil
		}
		return activities.VisitOutput{Steps: []activities.Step{ok}, Progress: schema.Progress{Found: 9, Done: n + 1}}, nil
	}
	runScan(t, f, scanInput(2), nil)
	if f.most != 2 {
		t.Fatalf("%d visits at once, want 2", f.most)
	}
	if len(f.calls) > 11 {
		t.Fatalf("%d steps for 9 pages", len(f.calls))
	}
}

func TestScanSiteLetsNobodyElseStartWhileItWaits(t *testing.T) {
	f := &fakeSteps{}
	var until time.Time
	f.visits = func(n int, in activities.VisitInput) (activities.VisitOutput, error) {
		if n == 0 {
			until = f.now().Add(time.Hour)
			return activities.VisitOutput{Wait: &activities.Wait{Until: until}}, nil
		}
		if n < 6 {
			return activities.VisitOutput{Steps: []activities.Step{ok}, Progress: schema.Progress{Found: 6, Done: n}}, nil
		}
		return activities.VisitOutput{Exhausted: true}, nil
	}
	runScan(t, f, scanInput(2), nil)
	early := 0
	for i, at := range f.at[1:] {
		if at.Before(until) {
			early++
			if i > 0 {
				t.Fatalf("visit %d started during the wait", i+1)
			}
		}
	}
	if early > 1 {
		t.Fatalf("%d visits started during the wait", early)
	}
}

// proves S-28, S-46
func TestScanSiteLoadsNothingWhereRobotsForbid(t *testing.T) {
	for _, reason := range []schema.Reason{schema.ReasonRobots, schema.ReasonRobotsUnreached} {
		f := &fakeSteps{robots: []activities.RobotsOutput{{Reason: reason}}, visits: script()}
		runScan(t, f, scanInput(2), nil)
		if len(f.calls) != 0 || len(f.sitemaps) != 0 {
			t.Fatalf("%s: visited %d pages and %d sitemaps", reason, len(f.calls), len(f.sitemaps))
		}
		if c := f.concluded[0]; c.State != schema.ScanRefused || c.Reason != string(reason) {
			t.Fatalf("%s: concluded %+v", reason, c)
		}
	}
}

// proves R-31
func TestScanSiteRepeatsAStepCutOffByOurCrashUnderTheSameTicket(t *testing.T) {
	f := &fakeSteps{}
	f.visits = func(n int, in activities.VisitInput) (activities.VisitOutput, error) {
		switch n {
		case 0, 1:
			return activities.VisitOutput{}, temporal.NewApplicationErrorWithCause("worker died", activities.ErrTypeFault, errors.New("x"))
		case 2:
			return activities.VisitOutput{Steps: []activities.Step{ok}}, nil
		}
		return activities.VisitOutput{Exhausted: true}, nil
	}
	env := runScan(t, f, scanInput(1), nil)
	if err := env.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	if f.calls[0].Ticket != f.calls[1].Ticket || f.calls[1].Ticket != f.calls[2].Ticket {
		t.Fatalf("tickets %s %s %s", f.calls[0].Ticket, f.calls[1].Ticket, f.calls[2].Ticket)
	}
	if f.concluded[0].State != schema.ScanFinished {
		t.Fatalf("ended %s", f.concluded[0].State)
	}
}

func TestScanSiteCancelledStillConcludes(t *testing.T) {
	f := &fakeSteps{}
	f.visits = func(n int, in activities.VisitInput) (activities.VisitOutput, error) {
		return activities.VisitOutput{Wait: &activities.Wait{Until: f.now().Add(24 * time.Hour)}}, nil
	}
	env := runScan(t, f, scanInput(2), func(env *testsuite.TestWorkflowEnvironment) {
		env.RegisterDelayedCallback(env.CancelWorkflow, time.Minute)
	})
	var cancelled *temporal.CanceledError
	if err := env.GetWorkflowError(); !errors.As(err, &cancelled) {
		t.Fatalf("ended with %v", err)
	}
	if len(f.concluded) != 1 || f.concluded[0].State != schema.ScanCancelled {
		t.Fatalf("concluded %+v", f.concluded)
	}
}

func TestScanSiteContinuesAsNewBeforeItsHistoryGrowsLong(t *testing.T) {
	f := &fakeSteps{}
	var env *testsuite.TestWorkflowEnvironment
	f.visits = func(n int, in activities.VisitInput) (activities.VisitOutput, error) {
		if n == 3 {
			env.SetCurrentHistoryLength(2_001)
		}
		return activities.VisitOutput{Steps: []activities.Step{ok}}, nil
	}
	runScan(t, f, scanInput(2), func(e *testsuite.TestWorkflowEnvironment) { env = e })
	var again *workflow.ContinueAsNewError
	if err := env.GetWorkflowError(); !errors.As(err, &again) {
		t.Fatalf("ended with %v", err)
	}
	if len(f.concluded) != 0 {
		t.Fatal("concluded although it goes on")
	}
	seen := map[string]bool{}
	for _, c := range f.calls {
		if seen[c.Ticket] {
			t.Fatalf("ticket %s used twice", c.Ticket)
		}
		seen[c.Ticket] = true
	}
}

func TestScanSiteFollowsTheSeedToItsSisterHost(t *testing.T) {
	f := &fakeSteps{robots: []activities.RobotsOutput{
		{Sitemaps: []string{"https://example.com/sitemap.xml"}},
		{Sitemaps: []string{"https://www.example.com/sitemap.xml"}},
	}}
	f.visits = func(n int, in activities.VisitInput) (activities.VisitOutput, error) {
		switch n {
		case 0:
			return activities.VisitOutput{Steps: []activities.Step{ok}, ScopeMoved: "www.example.com"}, nil
		case 1:
			return activities.VisitOutput{Steps: []activities.Step{ok}}, nil
		}
		return activities.VisitOutput{Exhausted: true}, nil
	}
	runScan(t, f, scanInput(1), nil)
	if len(f.sitemaps) != 2 || f.sitemaps[1] != "https://www.example.com/sitemap.xml" {
		t.Fatalf("sitemaps read: %v", f.sitemaps)
	}
	if len(f.robots) != 0 {
		t.Fatal("robots.txt of the sister host was not read")
	}
}

// A scan waits for verdicts on foreign links within its bound, and asks for none
// where it did not finish.
// proves S-44, R-18
func TestScanSiteWaitsForLinksWithinABound(t *testing.T) {
	pending := make([]activities.LinksOutput, 100)
	for i := range pending {
		pending[i].Pending = 3
	}
	for name, c := range map[string]struct {
		steps  []activities.Step
		links  []activities.LinksOutput
		looks  int // at least; the exact number is the workflow's affair
		within time.Duration
		left   schema.Reason
	}{
		"none to wait for":  {[]activities.Step{ok}, nil, 1, 0, ""},
		"two looks":         {[]activities.Step{ok}, pending[:2], 3, 10 * time.Second, ""},
		"no end":            {[]activities.Step{ok}, pending, 5, time.Minute, ""},
		"the site forbids":  {[]activities.Step{ok}, []activities.LinksOutput{{Forbidden: schema.ReasonRobots}}, 1, 0, schema.ReasonRobots},
		"stopped: no order": {[]activities.Step{fail, fail, fail}, pending, 0, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fakeSteps{visits: script(c.steps...), links: c.links}
			runScan(t, f, scanInput(1), nil)
			if len(f.linksAt) < c.looks || (c.looks == 0 && len(f.linksAt) > 0) {
				t.Fatalf("%d looks, want %d", len(f.linksAt), c.looks)
			}
			if n := len(f.linksAt); n > 0 && f.linksAt[n-1].Sub(f.linksAt[0]) > c.within {
				t.Errorf("waited %s, want %s at most", f.linksAt[n-1].Sub(f.linksAt[0]), c.within)
			}
			if got := f.concluded[0].LinksLeft; got != c.left {
				t.Errorf("links left because of %q, want %q", got, c.left)
			}
		})
	}
}
