package endtoend_test

import (
	"testing"
	"time"

	"visite/internal/fixturesite"
)

// cancelled scans a site and cancels after some pages; nothing may arrive later
// than 5 s after that, and the report is partial.
func cancelled(t *testing.T, engine string, cancel func(d *deployment, s scanStatus)) {
	site := fixturesite.Generated(60).Start(t)
	d := deploy(t)
	s := d.scan(order{"url": site.URL("/"), "engine": engine})
	d.eventually(time.Minute, "some pages", func() bool {
		now, ok := d.status(s.ID)
		return ok && now.Progress.Analysed >= 4
	})
	at := time.Now()
	cancel(d, s)
	end := d.finish(s.ID, 2*time.Minute)
	if end.State != "cancelled" {
		t.Fatalf("ended %s", end.State)
	}
	time.Sleep(time.Until(at.Add(6 * time.Second)))
	if late := site.Arrivals().After(at.Add(5 * time.Second)); len(late) > 0 {
		t.Errorf("%d requests came more than 5 s after the cancellation, first %s", len(late), late[0].Request())
	}
	r := d.report(s.ID)
	if r.Scan["partial"] != true || r.Scan["state"] != "cancelled" {
		t.Errorf("report says partial=%v state=%v", r.Scan["partial"], r.Scan["state"])
	}
	analysed, left := 0, 0
	for _, p := range r.Pages {
		switch {
		case p.Outcome == "analysed":
			analysed++
		case p.Outcome == "not_analysed" && p.Reason == "cancelled":
			left++
		default:
			t.Errorf("%s has outcome %s (%s)", p.URL, p.Outcome, p.Reason)
		}
	}
	if analysed < 4 || left == 0 {
		t.Errorf("%d pages analysed, %d left over", analysed, left)
	}
}

func TestCancellingInTemporalStopsTheVisits(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"browser", "http"} {
		t.Run(engine, func(t *testing.T) {
			cancelled(t, engine, func(d *deployment, s scanStatus) {
				if err := d.temporalClient().CancelWorkflow(t.Context(), workflowID(s), ""); err != nil {
					t.Fatal(err)
				}
			})
		})
	}
}

func TestCancellingOverTheAPIStopsTheVisits(t *testing.T) {
	t.Parallel()
	cancelled(t, "browser", func(d *deployment, s scanStatus) {
		d.call("POST", "/v1/scans/"+s.ID+"/cancel", d.token, nil, nil)
		d.call("POST", "/v1/scans/"+s.ID+"/cancel", d.token, nil, nil) // again is harmless
	})
}
