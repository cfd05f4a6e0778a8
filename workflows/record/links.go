package main

import (
	"context"
	"time"

	"go.temporal.io/sdk/client"

	"visite/activities"
	"visite/schema"
	"visite/workflows"
)

// registerLinks scripts the steps about links to other servers.
func (s *script) registerLinks(add func(string, any)) {
	look := func() (activities.LinksOutput, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.link < len(s.links) {
			s.link++
			return s.links[s.link-1], nil
		}
		return activities.LinksOutput{}, nil
	}
	add("OrderLinks", func(context.Context, activities.OrderLinksInput) (activities.LinksOutput, error) { return look() })
	add("PendingLinks", func(context.Context, activities.ScanRef) (activities.LinksOutput, error) { return look() })
	add("PlanLinks", func(context.Context, activities.LinkServerRef) (schema.LinkPlan, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.plan++
		return s.server[min(s.plan, len(s.server))-1], nil
	})
	add("EndLinks", func(context.Context, activities.LinkServerRef) (activities.LinkVisitOutput, error) {
		return activities.LinkVisitOutput{Over: true}, nil
	})
	add("CheckLink", func(context.Context, activities.LinkVisitInput) (activities.LinkVisitOutput, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.check++
		switch s.check {
		case 2:
			return activities.LinkVisitOutput{Wait: &activities.Wait{Until: time.Now().Add(time.Second), Words: "example.com asked for a rest"}}, nil
		case 3:
			return activities.LinkVisitOutput{Failed: true}, nil
		case 4, 7:
			return activities.LinkVisitOutput{Over: true}, nil
		}
		return activities.LinkVisitOutput{}, nil
	})
}

// recordServer runs a story of LinkServer, woken as scans do it.
func (s story) recordServer(ctx context.Context, c client.Client, path string) error {
	id := workflows.LinkServerWorkflowID(s.name)
	policy := workflows.DefaultLinkPolicy()
	if s.limit > 0 {
		policy.HistoryLimit = s.limit
	}
	run, err := c.SignalWithStartWorkflow(ctx, id, workflows.LinkServerSignal, nil, client.StartWorkflowOptions{TaskQueue: workflows.QueueScan},
		workflows.LinkServerName, workflows.LinkServerInput{Server: "example.com", Policy: policy})
	if err != nil {
		return err
	}
	first := run.GetRunID()
	if err := run.Get(ctx, nil); err != nil {
		return err
	}
	return save(ctx, c, id, first, path)
}
