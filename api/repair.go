package api

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/api/serviceerror"

	"visite/schema"
	"visite/workflows"
)

// errAway says that Temporal did not take a scan now; it stays queued.
var errAway = errors.New("no answer from Temporal")

// start hands a recorded scan to Temporal; errAway where it may be tried again.
// Where Temporal declines for good, the scan is closed as our fault.
func (a *API) start(ctx context.Context, scan schema.Scan) error {
	err := a.Scans.Start(ctx, a.scanInputOf(scan), scan)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrScanEnded):
		return a.Store.Finish(ctx, scan.ID, schema.ScanFailed, "not_started") // unless it closed itself
	case !declinedForGood(err):
		return fmt.Errorf("%w: start scan %s: %w", errAway, scan.ID, err)
	}
	if finishErr := a.Store.Finish(ctx, scan.ID, schema.ScanFailed, "not_started"); finishErr != nil {
		err = errors.Join(err, finishErr)
	}
	return fmt.Errorf("start scan %s: %w", scan.ID, err)
}

// declinedForGood: that the namespace is not found is passing, Temporal says so
// while its own store is slow.
func declinedForGood(err error) bool {
	var invalid *serviceerror.InvalidArgument
	var denied *serviceerror.PermissionDenied
	return errors.As(err, &invalid) || errors.As(err, &denied)
}

// scanInputOf is the workflow's input; everything it needs is in the record and
// in our settings, so that a start can be made up for.
func (a *API) scanInputOf(s schema.Scan) workflows.ScanInput {
	return workflows.ScanInput{
		ScanID: s.ID, WorkspaceID: s.WorkspaceID, SiteID: s.SiteID, URL: s.URL, Host: s.ScopeHost,
		Engine: s.Engine, Device: s.Device, MaxPages: s.MaxPages, Profile: s.Profile, Policy: a.Policy, Cause: causeOf(s),
	}
}

// causeOf names the cause to the workflow only where it is another than a
// customer's order.
func causeOf(s schema.Scan) schema.Cause {
	if s.Cause == schema.CauseScan {
		return ""
	}
	return s.Cause
}

// RepairQueued starts the scans that were recorded at least age ago and have not
// begun: the API was killed, or Temporal away, between record and start. One that
// was started after all is left as it is. It returns how many it handed over.
func (a *API) RepairQueued(ctx context.Context, age time.Duration) (int, error) {
	scans, err := a.Store.QueuedScans(ctx, a.now().Add(-age), 500)
	if err != nil {
		return 0, fmt.Errorf("look for queued scans: %w", err)
	}
	var errs []error
	started := 0
	for _, scan := range scans {
		err := a.start(ctx, scan)
		if err == nil {
			started++
			continue
		}
		errs = append(errs, err)
		if errors.Is(err, errAway) {
			break // the others would only wait for the same
		}
	}
	return started, errors.Join(errs...)
}

// CloseAbandoned closes the scans that began at least age ago, are open in our
// records, and whose workflow is over all the same: it was terminated instead of
// cancelled, and could conclude nothing. It returns how many it closed.
func (a *API) CloseAbandoned(ctx context.Context, age time.Duration) (int, error) {
	const stretch = 200
	closed := 0
	for after := ""; ; {
		scans, err := a.Store.RunningScans(ctx, a.now().Add(-age), after, stretch)
		if err != nil {
			return closed, fmt.Errorf("look for abandoned scans: %w", err)
		}
		for _, scan := range scans {
			open, err := a.Scans.Open(ctx, scan)
			if err != nil {
				return closed, fmt.Errorf("look for the workflow of scan %s: %w", scan.ID, err)
			}
			if open {
				continue
			}
			if err := a.Store.Finish(ctx, scan.ID, schema.ScanFailed, "workflow_ended"); err != nil {
				return closed, err
			}
			closed++
		}
		if len(scans) < stretch {
			return closed, nil
		}
		after = scans[len(scans)-1].ID
	}
}

// abandonedEvery is how many rounds of repair come to one look for abandoned scans.
const abandonedEvery = 6

// KeepRepairing repairs at once and then every so often until ctx ends. Started
// scans leave the queue within seconds, so age keeps it off fresh ones.
func (a *API) KeepRepairing(ctx context.Context, every, age time.Duration) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for round := 0; ; round++ {
		if round%abandonedEvery == 0 {
			if n, err := a.CloseAbandoned(ctx, age); err != nil && ctx.Err() == nil {
				a.log.WarnContext(ctx, "not looked for all abandoned scans", "error", err)
			} else if n > 0 {
				a.log.WarnContext(ctx, "scans whose workflow is over were closed", "count", n)
			}
		}
		if n, err := a.RepairQueued(ctx, age); err != nil && ctx.Err() == nil {
			a.log.WarnContext(ctx, "queued scans not all started", "error", err)
		} else if n > 0 {
			a.log.InfoContext(ctx, "queued scans handed to Temporal", "count", n)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}
