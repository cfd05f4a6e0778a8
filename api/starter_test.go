package api_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"visite/api"
	"visite/internal/temporaltest"
	"visite/schema"
	"visite/workflows"
)

func orderedScan() (schema.Scan, workflows.ScanInput) {
	scan := schema.Scan{
		ID: "01SCAN", WorkspaceID: "01WORKSPACE", SiteID: "01SITE", URL: "https://example.com/start?token=canary", ScopeHost: "example.com",
		Engine: schema.EngineBrowser, Device: schema.DeviceMobile, MaxPages: 200, Contact: "webmaster@example.org",
		Basis: schema.Basis{Kind: schema.BasisPermission, Party: "Example `Inc.`"}, Profile: schema.Profile{Name: "visite"},
	}
	return scan, workflows.ScanInput{ScanID: scan.ID, Host: scan.ScopeHost}
}

func TestScanStartsOnceInTemporal(t *testing.T) {
	c := temporaltest.Client(t)
	scans := api.TemporalScans{Client: c}
	scan, in := orderedScan()
	check(t, scans.Ping(t.Context()))
	check(t, scans.Start(t.Context(), in, scan))
	run := func() string {
		d, err := c.DescribeWorkflow(t.Context(), "scan/example.com/01SCAN", "")
		check(t, err)
		return d.WorkflowExecution.RunID
	}
	first := run()
	scan.ScopeHost = "www.example.com" // the seed redirected meanwhile
	check(t, scans.Start(t.Context(), in, scan))
	if run() != first {
		t.Error("starting again began another run")
	}

	d, err := c.DescribeWorkflow(t.Context(), "scan/example.com/01SCAN", "")
	check(t, err)
	summary, err := d.GetStaticSummary()
	check(t, err)
	if summary != "Scan of example.com, browser (mobile), up to 200 pages" {
		t.Errorf("summary %q", summary)
	}
	details, err := d.GetStaticDetails()
	check(t, err)
	if !strings.Contains(details, "- **Basis**: permission of `Example 'Inc.'`\n") || !strings.Contains(details, "- **Profile**: `visite`\n") || strings.Contains(details, "canary") {
		t.Errorf("details %q", details)
	}
	info := d.RawResponse.GetWorkflowExecutionInfo()
	if info.GetType().GetName() != "ScanSite" || info.GetTaskQueue() != "visite-scan" {
		t.Errorf("%v on %v", info.GetType(), info.GetTaskQueue())
	}
	for name, want := range map[string]string{"VisiteWorkspace": "01WORKSPACE", "VisiteSite": "01SITE", "VisiteHost": "example.com", "VisiteKind": "scan"} {
		var got string
		check(t, converter.GetDefaultDataConverter().FromPayload(info.GetSearchAttributes().GetIndexedFields()[name], &got))
		if got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
}

func TestCancelReachesTheWorkflow(t *testing.T) {
	c := temporaltest.Client(t)
	scans := api.TemporalScans{Client: c}
	scan, in := orderedScan()
	if found, err := scans.Cancel(t.Context(), scan); err != nil || found {
		t.Errorf("cancelling what never ran: %v, %v", found, err)
	}
	w := worker.New(c, workflows.QueueScan, worker.Options{})
	w.RegisterWorkflowWithOptions(func(ctx workflow.Context, in workflows.ScanInput) (workflows.ScanResult, error) {
		return workflows.ScanResult{}, workflow.Sleep(ctx, time.Hour)
	}, workflow.RegisterOptions{Name: workflows.ScanSiteName})
	check(t, w.Start())
	defer w.Stop()
	check(t, scans.Start(t.Context(), in, scan))
	scan.ScopeHost = "www.example.com" // the seed redirected meanwhile
	if found, err := scans.Cancel(t.Context(), scan); err != nil || !found {
		t.Fatalf("cancel: %v, %v", found, err)
	}
	err := c.GetWorkflow(t.Context(), "scan/example.com/01SCAN", "").Get(t.Context(), nil)
	var cancelled *temporal.CanceledError
	if !errors.As(err, &cancelled) {
		t.Errorf("the workflow ended with %v", err)
	}
	if found, err := scans.Cancel(t.Context(), scan); err != nil || found {
		t.Errorf("cancelling an ended one: %v, %v", found, err)
	}
	if err := scans.Start(t.Context(), in, scan); !errors.Is(err, api.ErrScanEnded) {
		t.Errorf("starting an ended one: %v", err)
	}
	d, err := c.DescribeWorkflow(t.Context(), "scan/example.com/01SCAN", "")
	check(t, err)
	if d.Status != enums.WORKFLOW_EXECUTION_STATUS_CANCELED {
		t.Errorf("status %v", d.Status)
	}
}

func TestPingSaysThatTemporalIsAway(t *testing.T) {
	c, err := client.NewLazyClient(client.Options{HostPort: "127.0.0.1:1"})
	check(t, err)
	defer c.Close()
	if err := (api.TemporalScans{Client: c}).Ping(t.Context()); err == nil {
		t.Error("nothing listens there")
	}
}
