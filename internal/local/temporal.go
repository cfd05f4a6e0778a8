package local

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"strconv"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"

	"visite/workflows"
)

// temporalServer is the dev server with a database file and the Web UI. The
// write-ahead log makes it take several times as many starts a second.
func temporalServer(cli string, f Folder, p ports) part {
	args := []string{"server", "start-dev",
		"--db-filename", f.temporalFile(),
		"--sqlite-pragma", "journal_mode=WAL", "--sqlite-pragma", "synchronous=NORMAL",
		"--ip", "127.0.0.1", "--port", strconv.Itoa(p.Temporal), "--ui-port", strconv.Itoa(p.UI),
		"--log-level", "error"}
	for _, name := range workflows.SearchAttributeNames() {
		args = append(args, "--search-attribute", name+"=Keyword")
	}
	address := loopback(p.Temporal)
	// Through a shell, for its umask: the server makes its file readable for all.
	private := []string{"-c", `umask 077 && exec "$0" "$@"`, cli}
	return part{name: "temporal", start: program{
		path: "/bin/sh", args: append(private, args...), env: os.Environ(), log: f.logFile("temporal"),
		ready: func(ctx context.Context) error { return askTemporal(ctx, address, checkHealth) },
		grace: 10 * time.Second,
	}.start}
}

// askTemporal asks one thing over a connection of its own.
func askTemporal(ctx context.Context, address string, ask func(context.Context, client.Client) error) error {
	c, err := client.NewLazyClient(client.Options{HostPort: address, Logger: sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler))})
	if err != nil {
		return err
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	return ask(ctx, c)
}

func checkHealth(ctx context.Context, c client.Client) error {
	_, err := c.CheckHealth(ctx, &client.CheckHealthRequest{})
	return err
}

// checkPollers reports whether a worker asks for scans.
func checkPollers(ctx context.Context, c client.Client) error {
	d, err := c.DescribeTaskQueue(ctx, workflows.QueueScan, enums.TASK_QUEUE_TYPE_WORKFLOW)
	if err != nil {
		return err
	}
	if len(d.GetPollers()) == 0 {
		return errors.New("no worker asks for scans yet")
	}
	return nil
}
