package endtoend_test

import (
	"testing"
	"time"

	"go.temporal.io/api/common/v1"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"

	"visite/internal/fixturesite"
)

func TestAScanIsReadableInTemporal(t *testing.T) {
	t.Parallel()
	const pages = 40
	site := fixturesite.Generated(pages).Start(t)
	d := deploy(t)
	s := d.scan(order{"url": site.URL("/"), "engine": "browser"})
	if s = d.finish(s.ID, 3*time.Minute); s.State != "finished" || s.Progress.Analysed != pages {
		t.Fatalf("scan %+v", s)
	}
	c := d.temporalClient()
	if n := historyOf(t.Context(), t, c, workflowID(s)); n > 5*pages {
		t.Errorf("%d events for %d pages, want at most 5 a page", n, pages)
	}
	described, err := c.WorkflowService().DescribeWorkflowExecution(t.Context(), &workflowservice.DescribeWorkflowExecutionRequest{
		Namespace: d.temporal.Namespace(), Execution: &common.WorkflowExecution{WorkflowId: workflowID(s)},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := described.GetWorkflowExecutionInfo().GetStatus(); got != enums.WORKFLOW_EXECUTION_STATUS_COMPLETED {
		t.Errorf("workflow status %s", got)
	}
	for _, name := range []string{"VisiteWorkspace", "VisiteSite", "VisiteHost", "VisiteKind"} {
		if len(described.GetWorkflowExecutionInfo().GetSearchAttributes().GetIndexedFields()[name].GetData()) == 0 {
			t.Errorf("search attribute %s is missing", name)
		}
	}
	if len(described.GetExecutionConfig().GetUserMetadata().GetSummary().GetData()) == 0 {
		t.Error("static summary is missing")
	}
	summaries := 0
	for it := c.GetWorkflowHistory(t.Context(), workflowID(s), "", false, 0); it.HasNext(); {
		event, err := it.Next()
		if err != nil {
			t.Fatal(err)
		}
		if event.GetEventType() == enums.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED {
			if len(event.GetUserMetadata().GetSummary().GetData()) == 0 {
				t.Errorf("activity %s has no summary", event.GetActivityTaskScheduledEventAttributes().GetActivityType().GetName())
			}
			summaries++
		}
	}
	if summaries == 0 {
		t.Error("no activity in the history")
	}
}
