package local

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/sethvargo/go-retry"
	"go.temporal.io/sdk/client"

	"visite/activities"
	"visite/internal/browser"
	"visite/internal/config"
	"visite/internal/courtesy"
	"visite/internal/fetch"
	"visite/internal/postgres"
	"visite/schema"
)

// temporalPatience bounds how long a starting worker waits for Temporal.
const temporalPatience = time.Minute

// openDatabase connects and makes sure that the database has the shape this
// version needs.
func openDatabase(ctx context.Context, cfg config.Config) (*pgxpool.Pool, error) {
	url := cfg.DatabaseURL.Reveal()
	pool, err := postgres.Connect(ctx, url)
	if err != nil {
		return nil, err
	}
	state, err := postgres.MigrationState(ctx, url)
	if err == nil && !state.UpToDate() {
		err = fmt.Errorf("the database is at step %d of %d; run `visite migrate`", state.Current, state.Latest)
	}
	if err != nil {
		pool.Close()
		return nil, err
	}
	return pool, nil
}

func temporalOptions(cfg config.Config, log *slog.Logger) client.Options {
	return client.Options{HostPort: cfg.TemporalAddress, Namespace: cfg.TemporalNamespace, Logger: temporalLogger(log)}
}

// dialTemporal connects, waiting for a server that is just starting.
func connectTemporal(ctx context.Context, cfg config.Config, log *slog.Logger) (client.Client, error) {
	wait := retry.WithMaxDuration(temporalPatience, retry.WithCappedDuration(2*time.Second, retry.NewExponential(100*time.Millisecond)))
	c, err := retry.DoValue(ctx, wait, func(ctx context.Context) (client.Client, error) {
		c, err := client.DialContext(ctx, temporalOptions(cfg, log))
		return c, retry.RetryableError(err)
	})
	if err != nil {
		return nil, fmt.Errorf("no answer from Temporal at %s: %w", cfg.TemporalAddress, err)
	}
	return c, nil
}

// doorPort gives the door the shape that activities ask for.
type doorPort struct{ *courtesy.Door }

func (d doorPort) Enter(ctx context.Context, v schema.Visit) (activities.Pass, schema.Admission, error) {
	pass, admission, err := d.Door.Enter(ctx, v)
	if pass == nil { // a nil *courtesy.Pass must not become a Pass that is not nil
		return nil, admission, err
	}
	return pass, admission, err
}

func (d doorPort) ReadRobots(ctx context.Context, v schema.Visit) (activities.RobotsReading, schema.Admission, error) {
	reading, admission, err := d.Door.ReadRobots(ctx, v)
	return activities.RobotsReading(reading), admission, err
}

// fetchPort gives the http engine the shape that activities ask for.
type fetchPort struct{ fetch.Client }

func (f fetchPort) Get(ctx context.Context, pass activities.Pass, url string, limit int64) (activities.Fetched, error) {
	got, err := f.Client.Get(ctx, pass, url, limit)
	return activities.Fetched(got), err
}

// browserPort gives Chromium the shape that activities ask for.
type browserPort struct{ *browser.Browser }

func (b browserPort) Visit(ctx context.Context, v activities.BrowserVisit) (activities.Rendered, error) {
	visit := browser.Visit{ScanID: v.ScanID, ProxyAddr: v.ProxyAddr, URL: v.URL, Device: v.Device, UserAgent: v.UserAgent, Deadline: v.Deadline, Markup: v.Markup}
	if v.Preview != nil {
		visit.Preview = func(r browser.Rendered) []string { return v.Preview(renderedOf(r)) }
	}
	got, err := b.Browser.Visit(ctx, visit)
	return renderedOf(got), err
}

func renderedOf(got browser.Rendered) activities.Rendered {
	return activities.Rendered{
		HTML: got.HTML, HTMLCut: got.HTMLCut, Elements: got.Elements, ClientRedirect: got.ClientRedirect, LoadMS: got.LoadMS, Axe: got.Axe, QualWeb: got.QualWeb, Checks: got.Checks, Validity: got.Validity, Observed: got.Observed, AxeEngine: got.AxeEngine,
		ConsoleErrors: got.ConsoleErrors, Dialogs: got.Dialogs, Popups: got.Popups, RefusedForms: got.RefusedForms, Notes: got.Notes, FramesSkipped: got.FramesSkipped,
		Failure: got.Failure, OurFault: got.OurFault, Preview: got.Preview,
	}
}

// closing runs the ends of what was opened, last first.
type closing []func() error

func (c *closing) add(end func() error) { *c = append(*c, end) }

func (c closing) close() error {
	var errs []error
	for i := len(c) - 1; i >= 0; i-- {
		errs = append(errs, c[i]())
	}
	return errors.Join(errs...)
}
