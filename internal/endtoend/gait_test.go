package endtoend_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	sdkpb "go.temporal.io/api/sdk/v1"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"visite/internal/fixturesite"
	"visite/workflows"
)

// slowly is a site of many pages that each take their time.
func slowly(t *testing.T, takes time.Duration) *fixturesite.Site {
	t.Helper()
	site := fixturesite.Plan{Pages: 400, Sitemap: true}.Site()
	pages := site.Handler()
	slow := fixturesite.New()
	slow.Handle("/*", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/robots.txt" && r.URL.Path != "/sitemap.xml" {
			time.Sleep(takes)
		}
		pages.ServeHTTP(w, r)
	}))
	return slow.Start(t)
}

// A profile of one page at once goes briskly on an operator's order: two at once,
// never three, the least pause; the report and the Web UI tell of it, the worker
// may die in the middle, and the history with the update replays.
// proves C-46, C-47, C-48, R-08, R-31
func TestBriskGaitOrderedByTheOperator(t *testing.T) {
	const takes = 700 * time.Millisecond
	site := slowly(t, takes)
	d := deploy(t)
	s := d.scan(order{"url": site.URL("/"), "engine": "http", "profile": "conregio"})
	pages := func() int {
		now, _ := d.status(s.ID)
		return now.Progress.Analysed
	}
	d.eventually(time.Minute, "some pages", func() bool { return pages() >= 3 })
	before := site.Arrivals()
	before.MinStartGap(t, pausePage)
	if _, all := before.MaxInFlight(); all != 1 {
		t.Errorf("%d at once at the ordinary pace", all)
	}

	path, brisk := "/v1/scans/"+s.ID+"/brisk", order{"reason": "The site's operators asked for it.", "minutes": 1, "by": "Ada"}
	if status, raw := d.request(http.MethodPost, path, d.token, brisk); status != http.StatusForbidden {
		t.Errorf("with a workspace's token: %d %s", status, raw)
	}
	if status, raw := d.request(http.MethodPost, path, bootstrapToken, order{"minutes": 1, "by": "Ada"}); status != http.StatusUnprocessableEntity {
		t.Errorf("without reason: %d %s", status, raw)
	}
	var granted struct {
		Until time.Time `json:"until"`
	}
	d.call(http.MethodPost, path, bootstrapToken, brisk, &granted)
	if left := time.Until(granted.Until); left <= 50*time.Second || left > 61*time.Second {
		t.Errorf("granted for %s", left)
	}
	if status, raw := d.request(http.MethodPost, path, bootstrapToken, brisk); status != http.StatusConflict || !strings.Contains(string(raw), "brisk-already") {
		t.Errorf("a second time: %d %s", status, raw)
	}
	if details := d.currentDetails(s); !strings.Contains(details, "Brisk gait") || !strings.Contains(details, "Ada") || !strings.Contains(details, "asked for it") {
		t.Errorf("details: %s", details)
	}

	site.Forget()
	had := pages()
	d.eventually(30*time.Second, "brisk pages", func() bool { return pages() >= had+12 })
	d.worker.kill()
	d.worker = d.start("worker")
	time.Sleep(time.Until(granted.Until))
	during := site.Arrivals()
	during.MinStartGap(t, pausePage)
	if documents, _ := during.MaxInFlight(); documents != 2 {
		t.Errorf("%d at once in the brisk gait, want 2", documents)
	}

	time.Sleep(2 * time.Second) // a visit begun before the end
	site.Forget()
	time.Sleep(8 * time.Second)
	after := site.Arrivals()
	if documents, _ := after.MaxInFlight(); documents != 1 || len(after) > 4 { // one in 3.5 s
		t.Errorf("%d at once, %d requests in 8 s after its end", documents, len(after))
	}

	d.call(http.MethodPost, "/v1/scans/"+s.ID+"/cancel", d.token, nil, nil)
	d.finish(s.ID, time.Minute)
	if status, raw := d.request(http.MethodPost, path, bootstrapToken, brisk); status != http.StatusConflict || !strings.Contains(string(raw), "scan-not-running") {
		t.Errorf("after the end: %d %s", status, raw)
	}
	wantBriskReport(t, d.report(s.ID))
	d.replays(s)
}

// wantBriskReport looks for what was ordered and what came of it: declined,
// granted, declined twice.
func wantBriskReport(t *testing.T, r report) {
	t.Helper()
	raw, err := json.Marshal(r.Scan["brisk_gait"])
	if err != nil {
		t.Fatal(err)
	}
	var gaits []struct{ Outcome, Refusal, By, Reason, Held string }
	if err := json.Unmarshal(raw, &gaits); err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, g := range gaits {
		told = append(told, strings.TrimSpace(g.Outcome+" "+g.Refusal))
	}
	if got, want := strings.Join(told, ", "), "refused reason-missing, granted, refused brisk-already, refused scan-not-running"; got != want {
		t.Fatalf("report tells %s, want %s", got, want)
	}
	if g := gaits[1]; g.By != "Ada" || g.Reason != "The site's operators asked for it." || g.Held != "" {
		t.Errorf("report tells %+v", g)
	}
}

// currentDetails are what the Web UI shows of a running workflow.
func (d *deployment) currentDetails(s scanStatus) string {
	d.t.Helper()
	value, err := d.temporalClient().QueryWorkflow(d.t.Context(), workflowID(s), "", "__temporal_workflow_metadata")
	if err != nil {
		d.t.Fatal(err)
	}
	var meta sdkpb.WorkflowMetadata
	if err := value.Get(&meta); err != nil {
		d.t.Fatal(err)
	}
	return meta.GetCurrentDetails()
}

// replays checks that a scan's whole history replays.
func (d *deployment) replays(s scanStatus) {
	d.t.Helper()
	replayer := worker.NewWorkflowReplayer()
	replayer.RegisterWorkflowWithOptions(workflows.ScanSite, workflow.RegisterOptions{Name: workflows.ScanSiteName})
	c := d.temporalClient()
	if err := replayer.ReplayWorkflowExecution(d.t.Context(), c.WorkflowService(), nil, d.temporal.Namespace(), workflow.Execution{ID: workflowID(s)}); err != nil {
		d.t.Errorf("the history does not replay: %v", err)
	}
}
