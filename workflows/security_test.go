package workflows_test

import (
	"testing"
	"time"

	"visite/activities"
	"visite/schema"
	"visite/workflows"
)

func TestConnectionsAreLookedAtOnceAScan(t *testing.T) {
	f := &fakeSteps{visits: script(ok, ok)}
	env := runScan(t, f, scanInput(2), nil)
	if err := env.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	if len(f.probes) != 1 || f.probes[0].HandshakeOnly || f.probes[0].ScanID != "scan_1" {
		t.Errorf("%+v", f.probes)
	}
}

// The sister host's robots.txt is read; the site's connections were looked at.
func TestConnectionsAreNotLookedAtAgainOnASisterHost(t *testing.T) {
	f := &fakeSteps{visits: func(n int, in activities.VisitInput) (activities.VisitOutput, error) {
		if n == 0 {
			return activities.VisitOutput{Steps: []activities.Step{ok}, ScopeMoved: "www.example.com", Progress: schema.Progress{Found: 1}}, nil
		}
		return activities.VisitOutput{Exhausted: true}, nil
	}}
	runScan(t, f, scanInput(1), nil)
	if len(f.probes) != 1 {
		t.Errorf("looked %d times", len(f.probes))
	}
}

func TestALookAtConnectionsWaitsOnATimer(t *testing.T) {
	f := &fakeSteps{visits: script(ok)}
	f.probe = func(n int) activities.ProbeOutput {
		if n == 1 {
			return activities.ProbeOutput{Wait: &activities.Wait{Until: f.now().Add(time.Minute), Words: "example.com asked for rest"}}
		}
		return activities.ProbeOutput{}
	}
	env := runScan(t, f, scanInput(1), nil)
	if err := env.GetWorkflowError(); err != nil || len(f.probes) != 2 || len(f.calls) == 0 {
		t.Errorf("%v, %d looks, %d visits", err, len(f.probes), len(f.calls))
	}
}

// Where robots.txt cannot be read nothing is asked any more, and the scan ends.
func TestUnreadableRobotsLeaveAHandshakeAtMost(t *testing.T) {
	for name, c := range map[string]struct {
		url    string
		reason schema.Reason
		cause  schema.Reason
		looks  int
	}{
		"https, bad certificate": {"https://example.com/", schema.ReasonRobotsUnreached, schema.ReasonTLS, 1},
		"https, server error":    {"https://example.com/", schema.ReasonRobotsUnreached, schema.ReasonRobotsUnreached, 0},
		"https, timeout":         {"https://example.com/", schema.ReasonRobotsUnreached, schema.ReasonTimeout, 0},
		"https, no connection":   {"https://example.com/", schema.ReasonRobotsUnreached, schema.ReasonConnection, 0},
		"https, refused for now": {"https://example.com/", schema.ReasonRobotsUnreached, schema.ReasonRefusedForNow, 0},
		"http":                   {"http://example.com/", schema.ReasonRobotsUnreached, schema.ReasonTLS, 0},
		"forbidden":              {"https://example.com/", schema.ReasonRobots, "", 0},
		"objection":              {"https://example.com/", schema.ReasonObjection, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fakeSteps{robots: []activities.RobotsOutput{{Reason: c.reason, Cause: c.cause}}, visits: script()}
			in := scanInput(2)
			in.URL = c.url
			runScan(t, f, in, nil)
			if len(f.probes) != c.looks || len(f.calls) != 0 || (c.looks > 0 && !f.probes[0].HandshakeOnly) {
				t.Errorf("looks %+v, %d visits", f.probes, len(f.calls))
			}
			if len(f.concluded) != 1 || f.concluded[0].State == schema.ScanFinished {
				t.Errorf("concluded %+v", f.concluded)
			}
		})
	}
}

func TestALookAtConnectionsMayEndTheScan(t *testing.T) {
	for name, c := range map[string]struct {
		out    activities.ProbeOutput
		reason string
	}{
		"objection": {activities.ProbeOutput{Objected: true}, "objected"},
		"timeouts":  {activities.ProbeOutput{TimedOut: 3}, "timeouts_heaped"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fakeSteps{visits: script(ok), probe: func(int) activities.ProbeOutput { return c.out }}
			env := runScan(t, f, scanInput(1), nil)
			var result workflows.ScanResult
			if err := env.GetWorkflowResult(&result); err != nil {
				t.Fatal(err)
			}
			if result.State != schema.ScanStopped || result.Reason != c.reason || len(f.calls) != 0 {
				t.Errorf("%+v, %d visits", result, len(f.calls))
			}
		})
	}
}
