package workflows_test

import (
	"testing"
	"time"

	"visite/activities"
	"visite/schema"
	"visite/workflows"
)

func freeInput() workflows.ScanInput {
	in := scanInput(2)
	in.Engine, in.MaxPages, in.Cause = schema.EngineBrowser, 1, schema.CauseFree
	return in
}

// proves S-16, R-11: robots.txt and the page, whatever robots.txt names besides;
// the sister host's page where the address leads there.
func TestAFreeAnalysisReadsNoSitemap(t *testing.T) {
	named := activities.RobotsOutput{Sitemaps: []string{"https://example.com/sitemap.xml"}}
	for _, moved := range []string{"", "www.example.com"} {
		f := &fakeSteps{robots: []activities.RobotsOutput{named, named}}
		f.visits = func(n int, in activities.VisitInput) (activities.VisitOutput, error) {
			out := activities.VisitOutput{Steps: []activities.Step{ok}, Progress: schema.Progress{Found: 1, Done: 1}}
			if n == 0 {
				if out.ScopeMoved = moved; in.AtMost != 1 {
					t.Errorf("the first step may take %d pages", in.AtMost)
				}
				return out, nil
			}
			return activities.VisitOutput{Exhausted: true, Progress: out.Progress}, nil
		}
		runScan(t, f, freeInput(), nil)
		if len(f.sitemaps) != 0 || f.concluded[0].State != schema.ScanFinished {
			t.Errorf("moved to %q: read %v, ended %+v", moved, f.sitemaps, f.concluded)
		}
	}
}

// A host that rests for longer than people wait ends a free analysis; a short rest
// is waited for.
func TestAFreeAnalysisDoesNotWaitForHours(t *testing.T) {
	for rest, state := range map[time.Duration]schema.ScanState{time.Minute: schema.ScanFinished, time.Hour: schema.ScanStopped} {
		f := &fakeSteps{}
		f.visits = func(n int, _ activities.VisitInput) (activities.VisitOutput, error) {
			switch n {
			case 0:
				return activities.VisitOutput{Wait: &activities.Wait{Until: f.now().Add(rest), Words: "example.com asked for a rest"}}, nil
			case 1:
				return activities.VisitOutput{Steps: []activities.Step{ok}, Progress: schema.Progress{Found: 1, Done: 1}}, nil
			}
			return activities.VisitOutput{Exhausted: true}, nil
		}
		runScan(t, f, freeInput(), nil)
		if end := f.concluded[0]; end.State != state || (state == schema.ScanStopped) != (end.Reason == workflows.ReasonHostResting) {
			t.Errorf("rest of %v: ended %+v", rest, end)
		}
		if state == schema.ScanStopped && len(f.calls) != 1 {
			t.Errorf("%d visits", len(f.calls))
		}
	}
}
