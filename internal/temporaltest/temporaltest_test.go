package temporaltest_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"visite/internal/temporaltest"
	"visite/workflows"
)

func waitForGo(ctx workflow.Context) (string, error) {
	var word string
	workflow.GetSignalChannel(ctx, "go").Receive(ctx, &word)
	return word, nil
}

func TestAttributesAreThoseOfTheWorkflows(t *testing.T) {
	if !slices.Equal(temporaltest.SearchAttributes, workflows.SearchAttributeNames()) {
		t.Errorf("registered %v, workflows use %v", temporaltest.SearchAttributes, workflows.SearchAttributeNames())
	}
}

func startWorker(t *testing.T, c client.Client, queue string) {
	w := worker.New(c, queue, worker.Options{})
	w.RegisterWorkflow(waitForGo)
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Stop)
}

func begin(t *testing.T, c client.Client, id string) client.WorkflowRun {
	run, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{
		ID: id, TaskQueue: "same", TypedSearchAttributes: temporal.NewSearchAttributes(workflows.AttrKind.ValueSet(id)),
	}, waitForGo)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func TestNamespacesKeepTestsApart(t *testing.T) {
	one, other := temporaltest.Client(t), temporaltest.Client(t)
	startWorker(t, one, "same")
	begin(t, other, "x") // nobody works there
	run := begin(t, one, "x")
	if err := one.SignalWorkflow(t.Context(), "x", "", "go", "done"); err != nil {
		t.Fatal(err)
	}
	var word string
	if err := run.Get(t.Context(), &word); err != nil || word != "done" {
		t.Errorf("%q, %v", word, err)
	}
	d, err := other.DescribeWorkflow(t.Context(), "x", "")
	if err != nil || d.HistoryLength != 2 {
		t.Errorf("the other namespace's workflow went on: %v, %v", d, err)
	}
}

func TestProcessOutlivesKill(t *testing.T) {
	p := temporaltest.StartProcess(t)
	c := temporaltest.Dial(t, p.Addr(), p.Namespace())
	run := begin(t, c, "y")
	address := p.Addr()
	p.Kill()
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	if err := c.SignalWorkflow(ctx, "y", "", "go", "early"); err == nil {
		t.Error("a killed server took a signal")
	}
	p.Restart(t, 0)
	if p.Addr() != address {
		t.Errorf("moved from %s to %s", address, p.Addr())
	}
	startWorker(t, c, "same")
	if err := c.SignalWorkflow(t.Context(), "y", "", "go", "late"); err != nil {
		t.Fatal(err)
	}
	var word string
	if err := run.Get(t.Context(), &word); err != nil || word != "late" {
		t.Errorf("%q, %v", word, err)
	}
}
