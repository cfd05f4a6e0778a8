package workflows

import (
	"strings"
	"time"

	"go.temporal.io/sdk/workflow"

	"visite/activities"
	"visite/schema"
)

// lookAtConnections looks once a scan at the connections of the site it began at:
// certificate, redirect to https, security.txt, name servers. Where robots.txt
// could not be read nothing is asked of the site any more; only where TLS itself
// was the cause handshakes are made, which may show why. ending is how the scan
// ends anyway, nil where it goes on.
func (r *scanRun) lookAtConnections(ctx workflow.Context, ending *scanEnding) (*scanEnding, error) {
	if r.onePage() { // robots.txt and the page, nothing else (S-16)
		return ending, nil
	}
	unread := ending != nil && ending.skip == schema.ReasonRobotsUnreached && strings.HasPrefix(r.in.URL, "https:")
	if ending != nil && !unread {
		return ending, nil
	}
	switch version := workflow.GetVersion(ctx, "security-probe", workflow.DefaultVersion, 2); {
	case version == workflow.DefaultVersion:
		return ending, nil
	case version >= 2 && unread && ending.cause != schema.ReasonTLS:
		return ending, nil
	}
	input := activities.ProbeInput{ScanID: r.in.ScanID, Since: r.carry.StartedAt, MaxWait: r.in.Policy.MaxWait, HandshakeOnly: unread}
	for {
		out, err := visit(ctx, r, "the site's connections", QueueFetch, 10*time.Minute, security.ProbeSecurity, input)
		if err != nil {
			return ending, err
		}
		for range out.TimedOut {
			r.carry.Timeouts = r.carry.Timeouts.with(true)
		}
		switch {
		case ending != nil:
			return ending, nil // not worth a wait
		case out.Objected:
			return objected(), nil
		case r.carry.Timeouts.heaped():
			return timeoutsHeaped(), nil
		case out.Wait == nil:
			return nil, nil
		}
		if err := r.waitFor(ctx, out.Wait); err != nil {
			return nil, err
		}
	}
}
