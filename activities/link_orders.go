package activities

import (
	"context"
	"time"

	"visite/schema"
)

// LinkOrders is the steps by which a scan asks for checks of its links to other
// servers. They touch our own records only, but for the site's robots.txt.
type LinkOrders struct {
	Scans   ScanStore
	Store   LinkStore
	Door    Door
	Servers LinkServers
	Now     func() time.Time // nil: time.Now
}

// OrderLinksInput asks for the checks a scan's links need.
type OrderLinksInput struct {
	ScanID  string
	Since   time.Time // when the scan began
	MaxWait time.Duration
}

// LinksOutput tells how many addresses the scan still waits for.
type LinksOutput struct {
	Pending int
	// Forbidden: the site asks us to stay away by now, so its links are let be.
	Forbidden schema.Reason
}

// OrderLinks asks for the checks and wakes the servers' workflows.
func (l *LinkOrders) OrderLinks(ctx context.Context, in OrderLinksInput) (LinksOutput, error) {
	if err := l.Scans.SetPhase(ctx, in.ScanID, schema.PhaseLinks, "", noTime); err != nil {
		return LinksOutput{}, asFault("set phase", err)
	}
	scan, err := l.Scans.Scan(ctx, in.ScanID)
	if err != nil {
		return LinksOutput{}, asFault("read scan", err)
	}
	reason, err := l.forbidden(ctx, scan, in)
	if err != nil || reason != schema.ReasonNone {
		return LinksOutput{Forbidden: reason}, asFault("read robots.txt", err)
	}
	asleep, err := l.Store.OrderLinks(ctx, in.ScanID, now(l.Now))
	if err != nil {
		return LinksOutput{}, asFault("order link checks", err)
	}
	if err := l.Servers.Wake(ctx, asleep); err != nil {
		return LinksOutput{}, asFault("wake servers", err)
	}
	return l.PendingLinks(ctx, ScanRef{ScanID: in.ScanID})
}

// forbidden reads the site's robots.txt where the copy at hand is old: a block that
// came in mid-scan ends its link checks too.
func (l *LinkOrders) forbidden(ctx context.Context, scan schema.Scan, in OrderLinksInput) (schema.Reason, error) {
	root, err := scopeRoot(scan)
	if err != nil {
		return schema.ReasonNone, err
	}
	visit := visitOf(scan, schema.PurposeRobots, root.String(), scan.ID+"/robots", in.MaxWait, in.Since)
	reading, admission, err := l.Door.ReadRobots(ctx, visit)
	switch {
	case err != nil:
		return schema.ReasonNone, err
	case admission.Kind == schema.AdmissionDenied:
		return admission.Reason, nil
	case admission.Kind == schema.AdmissionWait: // the copy that let the pages be loaded is the last word
		return schema.ReasonNone, nil
	case reading.Copy.Outcome == schema.RobotsDenyAll:
		return schema.ReasonRobotsUnreached, nil
	case !reading.Decision.Allow:
		return schema.ReasonRobots, nil
	}
	return schema.ReasonNone, nil
}

// PendingLinks counts what can still be had soon: addresses of resting servers are
// not waited for.
func (l *LinkOrders) PendingLinks(ctx context.Context, in ScanRef) (LinksOutput, error) {
	n, err := l.Store.PendingLinks(ctx, in.ScanID, now(l.Now))
	return LinksOutput{Pending: n}, asFault("count pending link checks", err)
}

func now(clock func() time.Time) time.Time {
	if clock == nil {
		return time.Now().UTC()
	}
	return clock().UTC()
}
