package local

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"visite/activities"
	"visite/internal/browser"
	"visite/internal/config"
	"visite/internal/courtesy"
	"visite/internal/nameservers"
	"visite/internal/postgres"
	"visite/worker"
	"visite/workflows"
)

// RunWorker hosts workflows and activities until ctx ends; then it lets the
// visits under way end.
func RunWorker(ctx context.Context, cfg config.Config, log *slog.Logger) (err error) {
	var opened closing
	defer func() { err = errors.Join(err, opened.close()) }()

	if err := forbidCoreDumps(); err != nil {
		return err
	}
	if err := checkChromium(cfg); err != nil {
		return err
	}
	pool, err := openDatabase(ctx, cfg)
	if err != nil {
		return err
	}
	opened.add(func() error { pool.Close(); return nil })
	ledger := postgres.NewCourtesyStore(pool)
	if err := ledger.EnsureLedger(ctx); err != nil {
		return err
	}
	steps, err := buildSteps(cfg, log, postgres.New(pool), ledger, &opened)
	if err != nil {
		return err
	}
	temporal, err := connectTemporal(ctx, cfg, log)
	if err != nil {
		return err
	}
	opened.add(func() error { temporal.Close(); return nil })

	slots := worker.DefaultSlots()
	slots.Browser = cfg.BrowserSlots
	group := worker.New(temporal, steps, slots)
	if err := group.Start(); err != nil {
		return err
	}
	if err := worker.KeepHouse(ctx, temporal); err != nil {
		group.Stop()
		return err
	}
	log.Info("worker ready", "temporal", cfg.TemporalAddress, "browser_slots", slots.Browser)
	<-ctx.Done()
	log.Info("worker stopping")
	group.Stop()
	return nil
}

// buildSteps makes the activities with the adapters they work with.
func buildSteps(cfg config.Config, log *slog.Logger, store *postgres.Store, ledger *postgres.CourtesyStore, opened *closing) (worker.Steps, error) {
	door, err := courtesy.New(courtesy.Options{Store: ledger, AllowLoopback: cfg.AllowLoopback, OwnPorts: ownPorts(cfg), Logger: log})
	if err != nil {
		return worker.Steps{}, err
	}
	opened.add(door.Close)
	lists, err := browser.FindLists(cfg.TrackerLists)
	if err != nil {
		return worker.Steps{}, fmt.Errorf("%sTRACKER_LISTS: %w", config.Prefix, err)
	}
	log.Info(TrackerLists(lists))
	chromium, err := browser.New(browser.Options{Path: cfg.Chromium, SPKI: []string{door.SPKI()}, Log: log, Lists: lists, CacheDir: cacheDir()})
	if err != nil {
		return worker.Steps{}, fmt.Errorf("browser: %w", err)
	}
	opened.add(chromium.Close)
	steps := VisitingSteps(store, door, chromium)
	names, err := nameservers.System()
	if err != nil {
		log.Warn("what DNS says of sites stays unknown", "error", err)
	}
	steps.Security.Names = names
	steps.LinkPolicy = workflows.DefaultLinkPolicy()
	steps.LinkPolicy.HeartbeatTimeout = cfg.HeartbeatTimeout
	steps.House = &activities.Housekeeping{Ledger: ledger, LedgerDays: cfg.LedgerDays}
	return steps, nil
}

// TrackerLists says by what trackers are told, where the lists' folder is this one.
func TrackerLists(folder string) string {
	if folder == "" {
		return "trackers are judged by the names of known companies alone: no lists are used (the package webext-ublock-origin-chromium brings them)"
	}
	return "trackers are judged by EasyPrivacy and EasyList in " + folder + ", and by the names of known companies"
}

// cacheDir is where what can be made again is kept; empty where the user has no
// such folder, as some service accounts.
func cacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "visite")
}

// VisitingSteps are the activities of a scan over a door and a browser; without
// one, nil, only the http engine works.
func VisitingSteps(store *postgres.Store, door *courtesy.Door, chromium *browser.Browser) worker.Steps {
	d, f, b := doorPort{door}, fetchPort{}, browserPort{chromium}
	return worker.Steps{
		Scans: &activities.Scans{Store: store, Links: store},
		Sites: &activities.Sites{Store: store, Door: d, Fetch: f},
		Pages: &activities.Pages{Store: store, Door: d, Fetch: f, Browser: b},

		LinkOrders: &activities.LinkOrders{Scans: store, Store: store, Door: d},
		LinkChecks: &activities.LinkChecks{Store: store, Door: d},
		Security:   &activities.Security{Store: store, Door: d, Fetch: f},
	}
}
