package local

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"

	"visite/workflows"
)

// EnvTemporal names the variable that says where the Temporal CLI is.
const EnvTemporal = "VISITE_TEMPORAL"

// ErrNoTemporal is returned where the Temporal CLI is not installed.
var ErrNoTemporal = errors.New("the Temporal CLI (temporal) was not found; run `make setup` or set " + EnvTemporal + " to the program")

// FindTemporal gives the path of the Temporal CLI: from VISITE_TEMPORAL,
// .tools/bin here, beside the program or in a folder above, PATH, or where
// `go install` puts programs. ErrNoTemporal otherwise.
func FindTemporal() (string, error) {
	if set := os.Getenv(EnvTemporal); set != "" {
		if !isProgram(set) {
			return "", fmt.Errorf("%s=%s is not a program", EnvTemporal, set)
		}
		return set, nil
	}
	for _, path := range temporalPlaces() {
		if isProgram(path) {
			return path, nil
		}
	}
	return "", ErrNoTemporal
}

func temporalPlaces() []string {
	var places []string
	for _, from := range []func() (string, error){os.Getwd, os.Executable} {
		dir, err := from()
		if err != nil {
			continue
		}
		for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			places = append(places, filepath.Join(dir, ".tools", "bin", "temporal"))
		}
	}
	if path, err := exec.LookPath("temporal"); err == nil {
		places = append(places, path)
	}
	if dir := os.Getenv("GOBIN"); dir != "" {
		places = append(places, filepath.Join(dir, "temporal"))
	}
	for _, dir := range filepath.SplitList(os.Getenv("GOPATH")) {
		places = append(places, filepath.Join(dir, "bin", "temporal"))
	}
	if home, err := os.UserHomeDir(); err == nil {
		places = append(places, filepath.Join(home, "go", "bin", "temporal"))
	}
	return places
}

func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

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
