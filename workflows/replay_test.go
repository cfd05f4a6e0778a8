package workflows_test

import (
	"path/filepath"
	"strings"
	"testing"

	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"visite/workflows"
)

// storiesRecorded is how many histories version 1 has: a replay test over a
// pattern that matches nothing would pass.
const storiesRecorded = 9

func TestRecordedHistoriesReplay(t *testing.T) {
	files, err := filepath.Glob("testdata/histories/*/*.json")
	if err != nil {
		t.Fatal(err)
	}
	first := 0
	for _, file := range files {
		if filepath.Base(filepath.Dir(file)) == "1" {
			first++
		}
		t.Run(strings.TrimPrefix(file, "testdata/histories/"), func(t *testing.T) {
			replayer := worker.NewWorkflowReplayer()
			replayer.RegisterWorkflowWithOptions(workflows.ScanSite, workflow.RegisterOptions{Name: workflows.ScanSiteName})
			if err := replayer.ReplayWorkflowHistoryFromJSONFile(nil, file); err != nil {
				t.Error(err)
			}
		})
	}
	if first < storiesRecorded {
		t.Errorf("%d histories of version 1, want %d", first, storiesRecorded)
	}
}

func TestReplayNoticesAnotherStory(t *testing.T) {
	replayer := worker.NewWorkflowReplayer()
	replayer.RegisterWorkflowWithOptions(func(ctx workflow.Context, in workflows.ScanInput) (workflows.ScanResult, error) {
		return workflows.ScanResult{}, nil
	}, workflow.RegisterOptions{Name: workflows.ScanSiteName})
	if err := replayer.ReplayWorkflowHistoryFromJSONFile(nil, "testdata/histories/1/scan-finished.json"); err == nil {
		t.Error("a workflow that does nothing replayed the history of a scan")
	}
}
