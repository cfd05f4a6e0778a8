package workflows_test

import (
	"path/filepath"
	"strings"
	"testing"

	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"visite/workflows"
)

// storiesRecorded is how many histories the versions have: a replay test over a
// pattern that matches nothing would pass.
var storiesRecorded = map[string]int{"1": 9, "2": 13, "3": 11, "4": 17, "5": 18}

func TestRecordedHistoriesReplay(t *testing.T) {
	files, err := filepath.Glob("testdata/histories/*/*.json")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for _, file := range files {
		found[filepath.Base(filepath.Dir(file))]++
		t.Run(strings.TrimPrefix(file, "testdata/histories/"), func(t *testing.T) {
			replayer := worker.NewWorkflowReplayer()
			replayer.RegisterWorkflowWithOptions(workflows.ScanSite, workflow.RegisterOptions{Name: workflows.ScanSiteName})
			replayer.RegisterWorkflowWithOptions(workflows.LinkServer, workflow.RegisterOptions{Name: workflows.LinkServerName})
			if err := replayer.ReplayWorkflowHistoryFromJSONFile(nil, file); err != nil {
				t.Error(err)
			}
		})
	}
	for version, want := range storiesRecorded {
		if found[version] < want {
			t.Errorf("%d histories of version %s, want %d", found[version], version, want)
		}
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
