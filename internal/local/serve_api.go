package local

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"go.temporal.io/sdk/client"

	"visite/api"
	"visite/internal/browser"
	"visite/internal/config"
	"visite/internal/conformance"
	"visite/internal/courtesy"
	"visite/internal/postgres"
	"visite/internal/report"
	"visite/schema"
	"visite/workflows"
)

const (
	// shutdownWithin lets answers under way end.
	shutdownWithin = 8 * time.Second
	// A scan recorded but not started (the API died in between) is started by
	// whichever API looks next.
	repairEvery = 10 * time.Second
	repairAge   = 5 * time.Second
	// Results of free analyses are not shown from their end on, and deleted soon after.
	forgetEvery = time.Minute
)

// RunAPI serves the API until ctx ends. Temporal may be away at its start: then
// it says so at /readyz.
func RunAPI(ctx context.Context, cfg config.Config, log *slog.Logger) (err error) {
	var opened closing
	defer func() { err = errors.Join(err, opened.close()) }()

	profiles, err := config.LoadProfiles(cfg.ProfilesDir)
	if err != nil {
		return err
	}
	pool, err := openDatabase(ctx, cfg)
	if err != nil {
		return err
	}
	opened.add(func() error { pool.Close(); return nil })
	temporal, err := client.NewLazyClient(temporalOptions(cfg, log))
	if err != nil {
		return fmt.Errorf("client of Temporal: %w", err)
	}
	opened.add(func() error { temporal.Close(); return nil })
	store, ledger := postgres.New(pool), postgres.NewCourtesyStore(pool)
	door, err := courtesy.New(courtesy.Options{Store: ledger, AllowLoopback: cfg.AllowLoopback, OwnPorts: ownPorts(cfg), Logger: log})
	if err != nil {
		return err
	}
	opened.add(door.Close)
	egress, err := cfg.Egress()
	if err != nil {
		return err
	}
	proxies, err := cfg.Proxies()
	if err != nil {
		return err
	}
	edge := api.New(api.Options{
		Store: store, Scans: api.TemporalScans{Client: temporal}, Resolver: door,
		Reports: report.Renderer{Source: reportSource{store, ledger}, Printer: printer(cfg, log), RulePages: api.RulePages(cfg.PublicURL)}, Profiles: profiles, Log: log,
		BootstrapToken: cfg.BootstrapToken, AllowLoopback: cfg.AllowLoopback, Contact: cfg.Contact, PublicURL: cfg.PublicURL,
		Visited: ledger, HostProofs: hostProofs(door), Robots: robotsPort{door, ledger}, Egress: egress, TrustedProxies: proxies, LedgerDays: cfg.LedgerDays, TestResults: conformance.Carried(),
		Policy: policyOf(cfg), MaxPagesDefault: cfg.MaxPagesDefault, MaxPagesLimit: cfg.MaxPagesLimit,
	})
	return serve(ctx, cfg.Listen, edge, log)
}

// policyOf is what scans ordered from now on are bounded by.
func policyOf(cfg config.Config) workflows.ScanPolicy {
	policy := workflows.DefaultScanPolicy()
	policy.PageDeadline, policy.HeartbeatTimeout = cfg.PageDeadline, cfg.HeartbeatTimeout
	return policy
}

func serve(ctx context.Context, address string, edge *api.API, log *slog.Logger) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("%sLISTEN: %w", config.Prefix, err)
	}
	server := edge.Server()
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	go edge.KeepRepairing(ctx, repairEvery, repairAge)
	go edge.KeepForgetting(ctx, forgetEvery)
	log.Info("API ready", "address", listener.Addr().String())
	select {
	case err := <-failed:
		return fmt.Errorf("serve the API: %w", err)
	case <-ctx.Done():
	}
	log.Info("API stopping")
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownWithin)
	defer cancel()
	if err := server.Shutdown(ending); err != nil {
		return errors.Join(server.Close(), ignoreDeadline(err))
	}
	return nil
}

// ignoreDeadline: answers that did not end in time are cut, which is no fault.
func ignoreDeadline(err error) error {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// reportSource is what reports read from: the scan's record, and the ledger's sums.
type reportSource struct {
	*postgres.Store
	ledger *postgres.CourtesyStore
}

// printer makes PDFs where this machine has a Chromium; nil where not.
func printer(cfg config.Config, log *slog.Logger) report.Printer {
	p, err := browser.NewPrinter(browser.Options{Path: cfg.Chromium, Log: log})
	if err != nil {
		log.Info("no PDF reports: no Chromium beside the API", "reason", err)
		return nil
	}
	return p
}

// HostTotals sums the scan's requests by host.
func (r reportSource) HostTotals(ctx context.Context, scanID string) ([]schema.HostTotals, error) {
	return r.ledger.HostTotals(ctx, scanID)
}
