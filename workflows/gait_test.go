package workflows_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"visite/activities"
	"visite/schema"
	"visite/workflows"
)

var goodOrder = schema.BriskOrder{Reason: "The site's operators asked for it.", Minutes: 30, By: "Ada"}

// answer is what came back for an update.
type answer struct {
	grant    workflows.BriskGrant
	err      error
	rejected bool
}

// sendBrisk sends an order at the beginning of the first visit and keeps the answer.
func sendBrisk(env *testsuite.TestWorkflowEnvironment, id string, o schema.BriskOrder, after time.Duration) *answer {
	a := &answer{}
	env.RegisterDelayedCallback(func() {
		env.UpdateWorkflow(workflows.BriskUpdateName, id, &testsuite.TestUpdateCallback{
			OnAccept: func() {},
			OnReject: func(err error) { a.err, a.rejected = err, true },
			OnComplete: func(v any, err error) {
				a.err = err
				if grant, ok := v.(workflows.BriskGrant); ok {
					a.grant = grant
				}
			},
		}, o)
	}, after)
	return a
}

// granting is the step that records an order, counted.
func granting(env *testsuite.TestWorkflowEnvironment, f *fakeSteps) *atomic.Int64 {
	var recorded atomic.Int64
	env.RegisterActivityWithOptions(func(_ context.Context, in activities.BriskInput) (activities.BriskOutput, error) {
		recorded.Add(1)
		return activities.BriskOutput{Until: f.now().Add(time.Duration(in.Order.Minutes) * time.Minute)}, nil
	}, activity.RegisterOptions{Name: "GrantBrisk"})
	return &recorded
}

// busySite is a site of pages pages whose first visit waits, so that an order
// can come in between, and which counts how many visits go at once from then on.
func busySite(f *fakeSteps, pages int, wait time.Duration) {
	f.visits = func(n int, _ activities.VisitInput) (activities.VisitOutput, error) {
		out := activities.VisitOutput{Progress: schema.Progress{Found: pages, Done: min(n, pages)}}
		switch {
		case n == 0:
			out.Wait = &activities.Wait{Until: f.now().Add(wait), Words: "example.com asked for a rest"}
		case n > pages:
			out.Exhausted = true
		default:
			time.Sleep(20 * time.Millisecond) // real time: others begin meanwhile
			out.Steps = []activities.Step{ok}
		}
		return out, nil
	}
}

// proves C-48, C-49, R-08
func TestABriskGaitAddsALaneUntilItsEnd(t *testing.T) {
	for name, c := range map[string]struct {
		lanes int
		wait  time.Duration // of the site's own, after which the visits go on
		delay int64         // Crawl-delay in milliseconds
		order bool
		most  int
	}{
		"without":                {1, 10 * time.Minute, 0, false, 1},
		"in force":               {1, 10 * time.Minute, 0, true, 2},
		"over by then":           {1, 45 * time.Minute, 0, true, 1},
		"against a Crawl-delay":  {1, 10 * time.Minute, 7000, true, 1},
		"two lanes stay two":     {2, 10 * time.Minute, 0, true, 2},
		"two lanes without also": {2, 10 * time.Minute, 0, false, 2},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fakeSteps{robots: []activities.RobotsOutput{{DelayMS: c.delay}}}
			busySite(f, 12, c.wait)
			var a *answer
			var recorded *atomic.Int64
			runScan(t, f, scanInput(c.lanes), func(env *testsuite.TestWorkflowEnvironment) {
				recorded = granting(env, f)
				if c.order {
					a = sendBrisk(env, "order-1", goodOrder, time.Minute)
				}
			})
			if f.most != c.most {
				t.Errorf("%d visits at once, want %d", f.most, c.most)
			}
			if !c.order {
				return
			}
			if a.err != nil || recorded.Load() != 1 || a.grant.Until.IsZero() || a.grant.CrawlDelay != (c.delay > 0) {
				t.Errorf("answer %+v, recorded %d times", a, recorded.Load())
			}
		})
	}
}

// proves C-47: what lacks a reason, a name or an end within two hours is turned
// away before anything is recorded, and so is what comes at the wrong time.
func TestBriskOrdersAreJudged(t *testing.T) {
	with := func(f func(*schema.BriskOrder)) schema.BriskOrder { o := goodOrder; f(&o); return o }
	for code, o := range map[string]schema.BriskOrder{
		"reason-missing":   with(func(o *schema.BriskOrder) { o.Reason = " \n " }),
		"reason-length":    with(func(o *schema.BriskOrder) { o.Reason = "  because   " }),
		"brisk-too-long":   with(func(o *schema.BriskOrder) { o.Minutes = 121 }),
		"operator-unnamed": with(func(o *schema.BriskOrder) { o.By = "" }),
	} {
		f := &fakeSteps{}
		busySite(f, 2, 10*time.Minute)
		var a *answer
		var recorded *atomic.Int64
		runScan(t, f, scanInput(1), func(env *testsuite.TestWorkflowEnvironment) {
			recorded = granting(env, f)
			a = sendBrisk(env, "order-1", o, time.Minute)
		})
		wantRejection(t, a, code)
		if recorded.Load() != 0 {
			t.Errorf("%s: recorded", code)
		}
	}
}

func wantRejection(t *testing.T, a *answer, code string) {
	t.Helper()
	var app *temporal.ApplicationError
	var refusal schema.Refusal
	if !a.rejected || !errors.As(a.err, &app) || app.Type() != workflows.RefusalType {
		t.Errorf("%s: answer %+v", code, a)
		return
	}
	if err := app.Details(&refusal); err != nil || refusal.Code != code || refusal.Remedy == "" {
		t.Errorf("%s: refusal %+v, %v", code, refusal, err)
	}
}

// proves C-47, C-48
func TestOneBriskGaitAtATime(t *testing.T) {
	f := &fakeSteps{}
	busySite(f, 2, 90*time.Minute)
	var first, second, third *answer
	runScan(t, f, scanInput(1), func(env *testsuite.TestWorkflowEnvironment) {
		granting(env, f)
		first = sendBrisk(env, "order-1", goodOrder, time.Minute)
		second = sendBrisk(env, "order-2", goodOrder, 30*time.Minute)
		third = sendBrisk(env, "order-3", goodOrder, 32*time.Minute)
	})
	if first.err != nil || third.err != nil || !third.grant.Until.After(first.grant.Until) {
		t.Errorf("first %+v, third %+v", first, third)
	}
	wantRejection(t, second, "brisk-already")
}

// proves C-43, S-49
func TestScanSiteStopsWhereTheSiteObjects(t *testing.T) {
	t.Run("in the middle", func(t *testing.T) {
		f := &fakeSteps{}
		f.visits = func(n int, _ activities.VisitInput) (activities.VisitOutput, error) {
			out := activities.VisitOutput{Steps: []activities.Step{ok}, Progress: schema.Progress{Found: 20, Done: n}}
			if n >= 2 {
				out.Steps, out.Objected = []activities.Step{skip}, true
			}
			return out, nil
		}
		runScan(t, f, scanInput(1), nil)
		wantObjected(t, f, 3)
	})
	t.Run("before robots.txt", func(t *testing.T) {
		f := &fakeSteps{robots: []activities.RobotsOutput{{Reason: schema.ReasonObjection}}}
		runScan(t, f, scanInput(2), nil)
		wantObjected(t, f, 0)
	})
}

func wantObjected(t *testing.T, f *fakeSteps, visits int) {
	t.Helper()
	if len(f.calls) != visits {
		t.Errorf("%d visits, want %d", len(f.calls), visits)
	}
	end := f.concluded[0]
	if end.State != schema.ScanStopped || end.Reason != "objected" || end.SkipReason != schema.ReasonObjection {
		t.Errorf("ended %+v", end)
	}
}

// proves C-48: a brisk gait goes on when the workflow continues as new.
func TestABriskGaitIsTakenAlong(t *testing.T) {
	f := &fakeSteps{}
	busySite(f, 50, 10*time.Minute)
	in := scanInput(1)
	in.Policy.HistoryLimit = 30
	env := runScan(t, f, in, func(env *testsuite.TestWorkflowEnvironment) {
		granting(env, f)
		sendBrisk(env, "order-1", goodOrder, time.Minute)
		env.SetCurrentHistoryLength(10)
		env.RegisterDelayedCallback(func() { env.SetCurrentHistoryLength(1000) }, 10*time.Minute)
	})
	var again *workflow.ContinueAsNewError
	if err := env.GetWorkflowError(); !errors.As(err, &again) {
		t.Fatalf("ended with %v", err)
	}
	var next workflows.ScanInput
	if err := converter.GetDefaultDataConverter().FromPayloads(again.Input, &next); err != nil {
		t.Fatal(err)
	}
	if next.Carry == nil || next.Carry.Brisk == nil || next.Carry.Brisk.Order != goodOrder || next.Carry.Brisk.Until.IsZero() {
		t.Errorf("taken along: %+v", next.Carry)
	}
}
