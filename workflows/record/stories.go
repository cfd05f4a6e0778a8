package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/api/temporalproto"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"visite/activities"
	"visite/schema"
	"visite/workflows"
)

// story is one scan with scripted activities.
type story struct {
	name   string
	engine schema.Engine
	lanes  int
	limit  int // events after which it continues as new
	robots []activities.RobotsOutput
	visits func(n int) (activities.VisitOutput, error)
	links  []activities.LinksOutput // answers about links to other servers
	server []schema.LinkPlan        // a story of LinkServer: what it plans
	cancel time.Duration            // after which the scan is cancelled; 0: never

	probeWait time.Duration // the site asks for a rest while its connections are looked at
	cause     schema.Cause
}

const (
	loaded    = activities.StepLoaded
	notLoaded = activities.StepNotLoaded
)

// pages answers as many visits with a page each, then with an empty frontier.
func pages(steps ...activities.Step) func(int) (activities.VisitOutput, error) {
	return func(n int) (activities.VisitOutput, error) {
		total := len(steps)
		if n >= total {
			return activities.VisitOutput{Exhausted: true, Progress: schema.Progress{Found: total, Done: total, Analysed: total}}, nil
		}
		time.Sleep(30 * time.Millisecond) // so that lanes overlap
		return activities.VisitOutput{Steps: steps[n : n+1], Progress: schema.Progress{Found: total, Done: n + 1, Analysed: n + 1}}, nil
	}
}

func many(n int) []activities.Step {
	steps := make([]activities.Step, n)
	for i := range steps {
		steps[i] = loaded
	}
	return steps
}

func stories() []story {
	return []story{
		{name: "scan-finished", engine: schema.EngineBrowser, lanes: 2, visits: pages(many(12)...)},
		{name: "scan-one-lane-http", engine: schema.EngineHTTP, lanes: 1, visits: pages(many(4)...)},
		{name: "scan-stopped-after-three", engine: schema.EngineBrowser, lanes: 2, visits: pages(loaded, notLoaded, loaded, notLoaded, notLoaded, notLoaded, loaded)},
		{name: "scan-refused-by-robots", engine: schema.EngineBrowser, lanes: 2, robots: []activities.RobotsOutput{{Reason: schema.ReasonRobots, Rule: "Disallow: /"}}, visits: pages()},
		{name: "scan-robots-unreachable", engine: schema.EngineBrowser, lanes: 2, robots: []activities.RobotsOutput{{Reason: schema.ReasonRobotsUnreached, Cause: schema.ReasonTimeout}}, visits: pages()},
		{name: "scan-robots-behind-bad-tls", engine: schema.EngineBrowser, lanes: 2, robots: []activities.RobotsOutput{{Reason: schema.ReasonRobotsUnreached, Cause: schema.ReasonTLS}}, visits: pages()},
		{name: "scan-waits-for-connections", engine: schema.EngineHTTP, lanes: 1, probeWait: time.Second, visits: pages(many(2)...)},
		{name: "scan-waits", engine: schema.EngineHTTP, lanes: 2,
			robots: []activities.RobotsOutput{wait(time.Second), {Sitemaps: []string{"https://example.com/sitemap.xml"}}},
			visits: func(n int) (activities.VisitOutput, error) {
				if n == 1 || n == 4 {
					return activities.VisitOutput{Wait: wait(time.Second).Wait, Progress: schema.Progress{Found: 6, Done: n}}, nil
				}
				return pages(many(6)...)(n)
			}},
		{name: "scan-repeats-after-our-trouble", engine: schema.EngineBrowser, lanes: 2, visits: func(n int) (activities.VisitOutput, error) {
			if n == 2 {
				return activities.VisitOutput{}, temporal.NewApplicationErrorWithCause("visit page: database away", activities.ErrTypeFault, errors.New("away"))
			}
			return pages(many(6)...)(n)
		}},
		{name: "scan-moves-to-sister-host", engine: schema.EngineBrowser, lanes: 2, visits: func(n int) (activities.VisitOutput, error) {
			out, err := pages(many(5)...)(n)
			if n == 0 {
				out.ScopeMoved = "www.example.com"
			}
			return out, err
		}},
		{name: "scan-waits-for-links", engine: schema.EngineHTTP, lanes: 1, visits: pages(many(2)...), links: []activities.LinksOutput{{Pending: 3}, {Pending: 1}, {}}},
		{name: "scan-leaves-links", engine: schema.EngineHTTP, lanes: 1, visits: pages(many(2)...), links: []activities.LinksOutput{{Forbidden: schema.ReasonRobots}}},
		{name: "links-visit-rest-visit", server: []schema.LinkPlan{{Visit: 1, Since: time.Now()}, {RestUntil: time.Now().Add(4 * time.Second)}, {Visit: 2, Since: time.Now()}, {Over: true}, {Over: true}}},
		{name: "links-continue-as-new", limit: 10, server: []schema.LinkPlan{{Visit: 1, Since: time.Now()}, {Visit: 2, Since: time.Now()}, {Over: true}, {Over: true}}},
		{name: "scan-continues-as-new", engine: schema.EngineHTTP, lanes: 2, limit: 40, visits: pages(many(20)...)},
		{name: "free-analysis", engine: schema.EngineBrowser, lanes: 2, cause: schema.CauseFree, visits: pages(loaded)},
		{name: "free-analysis-of-a-resting-host", engine: schema.EngineBrowser, lanes: 2, cause: schema.CauseFree, robots: []activities.RobotsOutput{wait(time.Hour)}, visits: pages()},
		{name: "scan-cancelled", engine: schema.EngineBrowser, lanes: 2, cancel: time.Second, visits: func(n int) (activities.VisitOutput, error) {
			if n < 3 {
				return pages(many(50)...)(n)
			}
			return activities.VisitOutput{Wait: wait(time.Hour).Wait, Progress: schema.Progress{Found: 50, Done: 3}}, nil
		}},
	}
}

func wait(d time.Duration) activities.RobotsOutput {
	return activities.RobotsOutput{Wait: &activities.Wait{Until: time.Now().Add(d), Words: "example.com asked for a rest"}}
}

func (s story) record(ctx context.Context, c client.Client, path string) error {
	w := s.worker(c)
	if err := w.Start(); err != nil {
		return err
	}
	defer w.Stop()
	if len(s.server) > 0 {
		return s.recordServer(ctx, c, path)
	}
	limits := schema.ContractLimits()
	limits.PagesAtOnce = s.lanes
	policy := workflows.DefaultScanPolicy()
	if s.limit > 0 {
		policy.HistoryLimit = s.limit
	}
	id := workflows.ScanWorkflowID("example.com", s.name)
	run, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: id, TaskQueue: workflows.QueueScan}, workflows.ScanSiteName, workflows.ScanInput{
		ScanID: s.name, WorkspaceID: "workspace", SiteID: "site", URL: "https://example.com/", Host: "example.com",
		Engine: s.engine, Device: schema.DeviceDesktop, MaxPages: 200, Profile: schema.Profile{Name: "visite", Limits: limits}, Policy: policy, Cause: s.cause,
	})
	if err != nil {
		return err
	}
	first := run.GetRunID()
	if s.cancel > 0 {
		time.Sleep(s.cancel)
		if err := c.CancelWorkflow(ctx, id, ""); err != nil {
			return err
		}
	}
	var cancelled *temporal.CanceledError
	if err := run.Get(ctx, nil); err != nil && !errors.As(err, &cancelled) {
		return err
	}
	return save(ctx, c, id, first, path)
}

// worker hosts the story's workflow and scripted activities on all queues.
func (s story) worker(c client.Client) group {
	script := &script{story: s}
	var g group
	for _, queue := range []string{workflows.QueueScan, workflows.QueueFetch, workflows.QueueBrowser, workflows.QueueLinks} {
		w := worker.New(c, queue, worker.Options{})
		w.RegisterWorkflowWithOptions(workflows.ScanSite, workflow.RegisterOptions{Name: workflows.ScanSiteName})
		w.RegisterWorkflowWithOptions(workflows.LinkServer, workflow.RegisterOptions{Name: workflows.LinkServerName})
		script.register(w)
		g = append(g, w)
	}
	return g
}

type group []worker.Worker

func (g group) Start() error {
	for _, w := range g {
		if err := w.Start(); err != nil {
			return err
		}
	}
	return nil
}

func (g group) Stop() {
	for _, w := range g {
		w.Stop()
	}
}

// script answers the activities.
type script struct {
	story
	mu     sync.Mutex
	visit  int
	robot  int
	link   int
	plan   int
	check  int
	probed int
}

func (s *script) register(w worker.Worker) {
	add := func(name string, fn any) { w.RegisterActivityWithOptions(fn, activity.RegisterOptions{Name: name}) }
	add("Begin", func(context.Context, activities.ScanRef) (activities.BeginOutput, error) {
		return activities.BeginOutput{ScopeHost: "example.com"}, nil
	})
	add("ReadRobots", func(context.Context, activities.RobotsInput) (activities.RobotsOutput, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.robot < len(s.robots) {
			s.robot++
			return s.robots[s.robot-1], nil
		}
		return activities.RobotsOutput{Sitemaps: []string{fmt.Sprintf("https://example.com/sitemap-%d.xml", s.robot)}}, nil
	})
	add("ProbeSecurity", func(context.Context, activities.ProbeInput) (activities.ProbeOutput, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.probed++
		if s.probed == 1 && s.probeWait > 0 {
			return activities.ProbeOutput{Wait: wait(s.probeWait).Wait}, nil
		}
		return activities.ProbeOutput{}, nil
	})
	add("ReadSitemap", func(context.Context, activities.SitemapInput) (activities.SitemapOutput, error) {
		return activities.SitemapOutput{Added: 3}, nil
	})
	add("VisitPages", func(context.Context, activities.VisitInput) (activities.VisitOutput, error) {
		s.mu.Lock()
		n := s.visit
		s.visit++
		s.mu.Unlock()
		return s.visits(n)
	})
	s.registerLinks(add)
	add("Conclude", func(_ context.Context, in activities.ConcludeInput) (activities.ConcludeOutput, error) {
		return activities.ConcludeOutput{State: in.State}, nil
	})
}

// save writes one run's history as JSON.
func save(ctx context.Context, c client.Client, id, runID, path string) error {
	var h history.History
	it := c.GetWorkflowHistory(ctx, id, runID, false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for it.HasNext() {
		event, err := it.Next()
		if err != nil {
			return err
		}
		h.Events = append(h.Events, event)
	}
	raw, err := temporalproto.CustomJSONMarshalOptions{}.Marshal(&h)
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(raw, '\n'), 0o644)
}
