package api

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"visite/schema"
	"visite/workflows"
)

// ErrScanEnded says that a scan's workflow has run and ended before.
var ErrScanEnded = errors.New("the scan's workflow has ended")

// startWithin bounds one call to Temporal.
const startWithin = 10 * time.Second

// TemporalScans starts and cancels scans as Temporal workflows (Scans).
type TemporalScans struct{ Client client.Client }

var _ Scans = TemporalScans{}

// Start makes sure the scan's workflow runs. One that runs already is left as it
// is; one that has ended is not run again: ErrScanEnded.
func (t TemporalScans) Start(ctx context.Context, in workflows.ScanInput, scan schema.Scan) error {
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	_, err := t.Client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID:                                       workflowID(scan),
		TaskQueue:                                workflows.QueueScan,
		WorkflowIDConflictPolicy:                 enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		WorkflowIDReusePolicy:                    enums.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE,
		WorkflowExecutionErrorWhenAlreadyStarted: true,
		TypedSearchAttributes: temporal.NewSearchAttributes(
			workflows.AttrWorkspace.ValueSet(scan.WorkspaceID),
			workflows.AttrSite.ValueSet(scan.SiteID),
			workflows.AttrHost.ValueSet(seedHost(scan)),
			workflows.AttrKind.ValueSet(kindOf(scan)),
		),
		StaticSummary: summary(scan),
		StaticDetails: details(scan),
	}, workflows.ScanSiteName, in)
	var started *serviceerror.WorkflowExecutionAlreadyStarted
	if errors.As(err, &started) {
		return ErrScanEnded
	}
	return err
}

// Open looks whether the scan's workflow runs.
func (t TemporalScans) Open(ctx context.Context, scan schema.Scan) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	d, err := t.Client.DescribeWorkflow(ctx, workflowID(scan), "")
	if gone(err) {
		return false, nil
	}
	return err == nil && d.Status == enums.WORKFLOW_EXECUTION_STATUS_RUNNING, err
}

func gone(err error) bool {
	var none *serviceerror.NotFound
	return errors.As(err, &none)
}

// Cancel asks the workflow to end early. It looks first: the server takes a
// cancellation of an ended workflow without a word.
func (t TemporalScans) Cancel(ctx context.Context, scan schema.Scan) (bool, error) {
	if open, err := t.Open(ctx, scan); !open {
		return false, err
	}
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	err := t.Client.CancelWorkflow(ctx, workflowID(scan), "")
	if gone(err) {
		return false, nil
	}
	return err == nil, err
}

// Brisk sends the order as an update of the scan's workflow and waits for its
// answer.
func (t TemporalScans) Brisk(ctx context.Context, scan schema.Scan, id string, o schema.BriskOrder) (workflows.BriskGrant, error) {
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	var grant workflows.BriskGrant
	update, err := t.Client.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{
		UpdateID: id, WorkflowID: workflowID(scan), UpdateName: workflows.BriskUpdateName, Args: []any{o}, WaitForStage: client.WorkflowUpdateStageCompleted,
	})
	if err == nil {
		err = update.Get(ctx, &grant)
	}
	return grant, declined(err)
}

// declined makes a refusal of what a workflow, or its absence, says.
func declined(err error) error {
	var (
		app  *temporal.ApplicationError
		none *serviceerror.NotFound
	)
	switch {
	case errors.As(err, &none):
		return refuse(schema.RefusalConflict, codeScanNotRunning, "")
	case errors.As(err, &app) && app.Type() == workflows.RefusalType && app.HasDetails():
		var refusal schema.Refusal
		if app.Details(&refusal) == nil {
			return &refusal
		}
	}
	return err
}

// Ping reports whether Temporal answers.
func (t TemporalScans) Ping(ctx context.Context) error {
	_, err := t.Client.CheckHealth(ctx, &client.CheckHealthRequest{})
	return err
}

// workflowID names the host the scan was ordered for: the scope may move with a
// redirect, the id must not.
func workflowID(scan schema.Scan) string { return workflows.ScanWorkflowID(seedHost(scan), scan.ID) }

func seedHost(scan schema.Scan) string {
	u, err := url.Parse(scan.URL)
	if err != nil {
		return scan.ScopeHost
	}
	return schema.HostKey(u)
}

func kindOf(s schema.Scan) string {
	if s.Cause == schema.CauseFree {
		return workflows.KindFree
	}
	return workflows.KindScan
}

// summary is the workflow's line in the Temporal Web UI.
func summary(s schema.Scan) string {
	if s.Cause == schema.CauseFree {
		return fmt.Sprintf("Free analysis of one page of %s", seedHost(s))
	}
	engine := string(s.Engine)
	if s.Engine == schema.EngineBrowser && s.Device == schema.DeviceMobile {
		engine += " (mobile)"
	}
	pages := fmt.Sprintf("up to %d pages", s.MaxPages)
	if s.MaxPages == 1 {
		pages = "1 page"
	}
	return fmt.Sprintf("Scan of %s, %s, %s", seedHost(s), engine, pages)
}

// details are markdown for operators: what was ordered and on what basis.
func details(s schema.Scan) string {
	basis := "own site"
	if s.Basis.Kind == schema.BasisPermission {
		basis = "permission of " + inline(s.Basis.Party)
	}
	if s.Basis.Kind == schema.BasisNone {
		basis = "none declared: a free analysis"
	}
	rows := [][2]string{
		{"Begins at", inline(schema.RedactAddress(s.URL))},
		{"Engine", fmt.Sprintf("%s, %s", s.Engine, s.Device)},
		{"Pages", fmt.Sprintf("%d at most", s.MaxPages)},
		{"Profile", inline(s.Profile.Name)},
		{"Basis", basis},
		{"Scan", inline(s.ID)},
	}
	if s.Contact != "" {
		rows = append(rows, [2]string{"Contact for the site", inline(s.Contact)})
	}
	var b strings.Builder
	for _, row := range rows {
		fmt.Fprintf(&b, "- **%s**: %s\n", row[0], row[1])
	}
	return b.String()
}

// inline shows a value as code, so that nothing in it is read as markdown.
func inline(value string) string { return "`" + strings.ReplaceAll(value, "`", "'") + "`" }
