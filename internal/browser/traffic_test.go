package browser

import (
	"encoding/json"
	"testing"
	"time"
)

func TestTrafficKnowsWhenAPageIsQuiet(t *testing.T) {
	start := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	at := func(ms int) time.Time { return start.Add(time.Duration(ms) * time.Millisecond) }
	type event struct {
		at               int
		method, id, kind string
	}
	begin, end := "requestWillBeSent", "loadingFinished"
	for name, c := range map[string]struct {
		events []event
		now    int
		quiet  bool
		loaded bool
	}{
		"nothing ever":             {now: 0, quiet: true},
		"an image under way":       {events: []event{{0, begin, "1", "Image"}}, now: 60_000, quiet: false},
		"just ended":               {events: []event{{0, begin, "1", "Image"}, {10, end, "1", ""}}, now: 109, quiet: false},
		"ended a while ago":        {events: []event{{0, begin, "1", "Image"}, {10, end, "1", ""}}, now: 110, quiet: true},
		"failed":                   {events: []event{{0, begin, "1", "Script"}, {10, "loadingFailed", "1", "Script"}}, now: 110, quiet: true},
		"a fetch under way":        {events: []event{{0, begin, "1", "Fetch"}}, now: 1999, quiet: false},
		"a long poll":              {events: []event{{0, begin, "1", "XHR"}}, now: 2000, quiet: true},
		"server-sent events":       {events: []event{{0, begin, "1", "EventSource"}}, now: 1, quiet: true},
		"a film":                   {events: []event{{0, begin, "1", "Media"}}, now: 1, quiet: true},
		"a frame under way":        {events: []event{{0, begin, "1", "Document"}}, now: 500, quiet: false},
		"a frame the load knew of": {events: []event{{0, begin, "1", "Document"}}, now: 500, quiet: true, loaded: true},
		"unknown end":              {events: []event{{0, end, "9", ""}}, now: 100, quiet: true},
	} {
		var r traffic
		r.init()
		for _, e := range c.events {
			params, err := json.Marshal(map[string]string{"requestId": e.id, "loaderId": "L", "type": e.kind})
			if err != nil {
				t.Fatal(err)
			}
			r.event("Network."+e.method, params, at(e.at))
		}
		if c.loaded {
			r.loaded()
		}
		if got := !r.busyUntil(at(c.now), 100*time.Millisecond).After(at(c.now)); got != c.quiet {
			t.Errorf("%s: quiet %v", name, got)
		}
	}
	var r traffic
	r.init()
	r.event("Network.requestWillBeSent", json.RawMessage(`{"requestId":"w","loaderId":"","type":"Script"}`), at(0))
	if !r.busyUntil(at(200), 0).Before(at(200)) {
		t.Error("a worker's script, whose end is not told, is waited for")
	}
}
