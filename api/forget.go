package api

import (
	"context"
	"errors"
	"time"

	"visite/schema"
)

// forgetAtOnce bounds how many results are deleted in one transaction.
const forgetAtOnce = 100

// Forget deletes results of free analyses that have expired, and ends those that
// expired before their end: there is nobody left to visit for; and previews whose
// time is over. It returns how many were deleted.
func (a *API) Forget(ctx context.Context) (int, error) {
	free, err := a.forgetFree(ctx)
	previews, failed := a.Store.ForgetPreviews(ctx)
	return free + previews, errors.Join(err, failed)
}

func (a *API) forgetFree(ctx context.Context) (int, error) {
	overdue, err := a.Store.FreeOverdue(ctx, forgetAtOnce)
	if err != nil {
		return 0, err
	}
	var errs []error
	for _, scan := range overdue {
		_, err := a.Scans.Cancel(ctx, scan)
		errs = append(errs, err, a.Store.Finish(ctx, scan.ID, schema.ScanCancelled, "expired"))
	}
	forgotten := 0
	for {
		n, err := a.Store.ForgetFree(ctx, forgetAtOnce)
		forgotten += n
		if errs = append(errs, err); err != nil || n < forgetAtOnce {
			return forgotten, errors.Join(errs...)
		}
	}
}

// KeepForgetting forgets at once and then every so often until ctx ends; any
// number of processes may.
func (a *API) KeepForgetting(ctx context.Context, every time.Duration) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		if n, err := a.Forget(ctx); err != nil && ctx.Err() == nil {
			a.log.WarnContext(ctx, "expired free analyses and previews not all deleted", "error", err)
		} else if n > 0 {
			a.log.InfoContext(ctx, "expired free analyses and previews deleted", "count", n)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}
