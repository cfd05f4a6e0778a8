// Package worker says which process polls which task queue, with how many
// slots, and registers workflows and activities there.
package worker

import (
	"context"
	"fmt"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"visite/activities"
	"visite/workflows"
)

// Slots bound how much one process does at once.
type Slots struct {
	Browser int // pages open in Chromium; fixed, 1..32
	Fetch   int // robots.txt, sitemaps and pages without rendering
	Links   int // links to other servers
	Own     int // steps that touch only our records
}

// DefaultSlots suits a machine with two cores.
func DefaultSlots() Slots { return Slots{Browser: 4, Fetch: 32, Links: 32, Own: 16} }

// Steps is the activities with their dependencies.
type Steps struct {
	Scans *activities.Scans
	Sites *activities.Sites
	Pages *activities.Pages
	House *activities.Housekeeping

	LinkOrders *activities.LinkOrders
	LinkChecks *activities.LinkChecks
	// LinkPolicy is what servers' workflows are started with; zero: the default.
	LinkPolicy workflows.LinkPolicy
	Security   *activities.Security
}

// Group is the workers of one process, one a task queue.
type Group struct {
	workers []worker.Worker
}

// stickyWait bounds how long a workflow task waits for a worker that died
// before another may take it: a cancellation right after a crash must not be late.
const stickyWait = 2 * time.Second

// New registers everything. It polls nothing before Start.
func New(c client.Client, steps Steps, slots Slots) *Group {
	steps = wakingServers(c, steps)
	options := guarded()
	options.MaxConcurrentActivityExecutionSize = slots.Own
	options.StickyScheduleToStartTimeout = stickyWait
	own := worker.New(c, workflows.QueueScan, options)
	own.RegisterWorkflowWithOptions(workflows.ScanSite, workflow.RegisterOptions{Name: workflows.ScanSiteName})
	own.RegisterWorkflowWithOptions(workflows.Housekeeping, workflow.RegisterOptions{Name: workflows.HousekeepingName})
	own.RegisterWorkflowWithOptions(workflows.LinkServer, workflow.RegisterOptions{Name: workflows.LinkServerName})
	own.RegisterActivity(steps.Scans)
	own.RegisterActivity(steps.LinkOrders)
	own.RegisterActivity(steps.House)

	fetch := worker.New(c, workflows.QueueFetch, visiting(slots.Fetch))
	fetch.RegisterActivity(steps.Sites)
	fetch.RegisterActivity(steps.Security)
	fetch.RegisterActivity(steps.Pages)

	browser := worker.New(c, workflows.QueueBrowser, visiting(slots.Browser))
	browser.RegisterActivity(steps.Pages)

	links := worker.New(c, workflows.QueueLinks, visiting(slots.Links))
	links.RegisterActivity(steps.LinkChecks)
	// The steps that touch our own records only are asked for with the workflows.
	own.RegisterActivity(steps.LinkChecks)
	return &Group{workers: []worker.Worker{own, fetch, browser, links}}
}

// KeepHouse sees to it that the deployment's one Housekeeping workflow runs; all
// workers may call it.
func KeepHouse(ctx context.Context, c client.Client) error {
	_, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: workflows.HousekeepingID, TaskQueue: workflows.QueueScan,
		WorkflowIDConflictPolicy: enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		WorkflowIDReusePolicy:    enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
	}, workflows.HousekeepingName)
	if err != nil {
		return fmt.Errorf("start housekeeping: %w", err)
	}
	return nil
}

// heartbeatThrottle is short because the answer to a heartbeat is how a visit
// learns that it was cancelled; visits to the site must end within 5 s.
const heartbeatThrottle = time.Second

// guarded is what all our workers have in common.
func guarded() worker.Options {
	return worker.Options{
		MaxHeartbeatThrottleInterval:     heartbeatThrottle,
		DefaultHeartbeatThrottleInterval: heartbeatThrottle,
		Interceptors:                     []interceptor.WorkerInterceptor{&quietPanics{}},
	}
}

// visiting is a worker that hosts only activities.
func visiting(slots int) worker.Options {
	options := guarded()
	options.DisableWorkflowWorker = true
	options.MaxConcurrentActivityExecutionSize = slots
	options.WorkerStopTimeout = stopTimeout
	return options
}

// stopTimeout is how long a stopping worker lets visits under way end.
const stopTimeout = 20 * time.Second

// Start begins polling; it returns the first worker's error.
func (g *Group) Start() error {
	for i, w := range g.workers {
		if err := w.Start(); err != nil {
			for _, started := range g.workers[:i] {
				started.Stop()
			}
			return fmt.Errorf("start worker: %w", err)
		}
	}
	return nil
}

// Stop ends polling and waits for what is under way, at most stopTimeout.
func (g *Group) Stop() {
	for i := len(g.workers) - 1; i >= 0; i-- {
		g.workers[i].Stop()
	}
}
