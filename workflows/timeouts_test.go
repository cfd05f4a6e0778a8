package workflows_test

import (
	"errors"
	"fmt"
	"testing"

	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"visite/activities"
	"visite/schema"
	"visite/workflows"
)

const slow = activities.StepTimedOut

// Three timeouts in a row, or five of the last twenty visits, abort the check:
// the last timeout is the last request, whatever the number of lanes.
// proves C-51, S-44, R-09, R-18, R-28
func TestScanSiteStopsWhereTimeoutsAreHeaped(t *testing.T) {
	many := func(n int, steps ...activities.Step) (out []activities.Step) {
		for range n {
			out = append(out, steps...)
		}
		return out
	}
	for _, lanes := range []int{1, 2} {
		for _, c := range []struct {
			name   string
			steps  []activities.Step
			calls  int // 0: all
			state  schema.ScanState
			reason string
		}{
			{"three in a row", []activities.Step{slow, slow, slow, ok, ok}, 3, schema.ScanStopped, "timeouts_heaped"},
			{"neutral ones in between", []activities.Step{slow, skip, slow, skip, slow, ok}, 5, schema.ScanStopped, "timeouts_heaped"},
			{"two and another failure", []activities.Step{slow, slow, fail, ok}, 3, schema.ScanStopped, "pages_not_loadable"},
			{"every third", many(6, slow, ok, ok), 13, schema.ScanStopped, "timeouts_heaped"},
			{"five of twenty", append(many(3, slow, ok, ok, ok, ok), slow, ok, ok, ok, slow, ok), 20, schema.ScanStopped, "timeouts_heaped"},
			{"five of twenty-one", many(5, slow, ok, ok, ok, ok), 0, schema.ScanFinished, ""},
			{"every sixth", many(8, slow, ok, ok, ok, ok, ok), 0, schema.ScanFinished, ""},
		} {
			t.Run(fmt.Sprintf("%s, %d lanes", c.name, lanes), func(t *testing.T) {
				f := &fakeSteps{visits: script(c.steps...)}
				runScan(t, f, scanInput(lanes), nil)
				end := f.concluded[0]
				if end.State != c.state || end.Reason != c.reason {
					t.Fatalf("ended %s (%s) after %d visits, want %s (%s)", end.State, end.Reason, len(f.calls), c.state, c.reason)
				}
				if c.calls > 0 && len(f.calls) != c.calls {
					t.Fatalf("%d visits, want exactly %d", len(f.calls), c.calls)
				}
				if c.state == schema.ScanStopped && end.SkipReason != schema.ReasonStopped {
					t.Fatalf("pages left over marked %q", end.SkipReason)
				}
			})
		}
	}
}

// Sitemaps are visits too.
// proves C-51
func TestScanSiteStopsWhereSitemapsTimeOut(t *testing.T) {
	f := &fakeSteps{robots: []activities.RobotsOutput{{Sitemaps: []string{"https://example.com/1.xml", "https://example.com/2.xml", "https://example.com/3.xml", "https://example.com/4.xml"}}}, visits: script(ok)}
	f.sitemap = activities.SitemapOutput{Reason: schema.ReasonTimeout}
	runScan(t, f, scanInput(2), nil)
	if end := f.concluded[0]; end.State != schema.ScanStopped || end.Reason != "timeouts_heaped" {
		t.Fatalf("ended %s (%s)", end.State, end.Reason)
	}
	if len(f.sitemaps) != 3 || len(f.calls) != 0 {
		t.Fatalf("%d sitemaps and %d pages asked for, want 3 and none", len(f.sitemaps), len(f.calls))
	}
}

// What timed out before the history was cut counts after it.
// proves C-51
func TestScanSiteCarriesTimeoutsThroughContinueAsNew(t *testing.T) {
	f := &fakeSteps{}
	var env *testsuite.TestWorkflowEnvironment
	f.visits = func(n int, in activities.VisitInput) (activities.VisitOutput, error) {
		if n == 1 {
			env.SetCurrentHistoryLength(2_001)
		}
		return activities.VisitOutput{Steps: []activities.Step{slow}}, nil
	}
	runScan(t, f, scanInput(1), func(e *testsuite.TestWorkflowEnvironment) { env = e })
	var again *workflow.ContinueAsNewError
	if err := env.GetWorkflowError(); !errors.As(err, &again) {
		t.Fatalf("ended with %v", err)
	}
	var next workflows.ScanInput
	if err := converter.GetDefaultDataConverter().FromPayloads(again.Input, &next); err != nil {
		t.Fatal(err)
	}
	g := &fakeSteps{visits: script(slow, ok, ok)}
	runScan(t, g, next, nil)
	if end := g.concluded[0]; end.Reason != "timeouts_heaped" || len(g.calls) != 1 {
		t.Fatalf("ended %q after %d more visits, want timeouts_heaped after 1", end.Reason, len(g.calls))
	}
}
