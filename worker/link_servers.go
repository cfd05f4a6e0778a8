package worker

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"visite/schema"
	"visite/workflows"
)

// LinkServers wakes servers' workflows, or starts them (activities.LinkServers).
type LinkServers struct {
	Client client.Client
	Policy workflows.LinkPolicy
}

// wakingServers lets the steps wake servers' workflows over c, where nothing else
// was put in.
func wakingServers(c client.Client, steps Steps) Steps {
	if steps.LinkPolicy == (workflows.LinkPolicy{}) {
		steps.LinkPolicy = workflows.DefaultLinkPolicy()
	}
	servers := &LinkServers{Client: c, Policy: steps.LinkPolicy}
	if o := steps.LinkOrders; o != nil && o.Servers == nil {
		with := *o
		with.Servers = servers
		steps.LinkOrders = &with
	}
	if k := steps.LinkChecks; k != nil && k.Servers == nil {
		with := *k
		with.Servers = servers
		steps.LinkChecks = &with
	}
	return steps
}

// wakeAtOnce bounds how many calls of Temporal are under way.
const wakeAtOnce = 8

// Wake sees to it that each server's workflow looks who waits. Waking one that is
// awake is harmless.
func (l *LinkServers) Wake(ctx context.Context, servers []string) error {
	var (
		group sync.WaitGroup
		mu    sync.Mutex
		errs  []error
	)
	slots := make(chan struct{}, wakeAtOnce)
	for _, server := range servers {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			if err := l.wake(ctx, server); err != nil {
				mu.Lock()
				defer mu.Unlock()
				errs = append(errs, err)
			}
		})
	}
	group.Wait()
	return errors.Join(errs...)
}

func (l *LinkServers) wake(ctx context.Context, server string) error {
	_, err := l.Client.SignalWithStartWorkflow(ctx, workflows.LinkServerWorkflowID(server), workflows.LinkServerSignal, nil, client.StartWorkflowOptions{
		TaskQueue:     workflows.QueueScan,
		StaticSummary: "Links to " + server + ", for all customers",
		StaticDetails: fmt.Sprintf("- **Server**: `%s`, whatever scheme or port, with and without `www.`\n- **Visit**: robots.txt, then at most %d addresses, one request at a time\n- **Rest**: %d days from the last request",
			server, schema.LinkAddressesAVisit, int(schema.LinkRest.Hours()/24)),
		TypedSearchAttributes: temporal.NewSearchAttributes(workflows.AttrHost.ValueSet(server), workflows.AttrKind.ValueSet(workflows.KindLinks)),
	}, workflows.LinkServerName, workflows.LinkServerInput{Server: server, Policy: l.Policy})
	if err != nil {
		return fmt.Errorf("wake the workflow of a server: %w", err)
	}
	return nil
}
