// Record runs each story of the workflows with scripted activities on a Temporal
// dev server and writes the histories that the replay test replays. Histories of
// earlier versions stay: a change that cannot replay them must be versioned.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/testsuite"
)

func main() {
	dir := flag.String("dir", "workflows/testdata/histories", "where the histories go")
	version := flag.String("version", "", "name of the folder for this version's histories, e.g. 2; existing folders are never overwritten")
	flag.Parse()
	if err := record(*dir, *version); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

func record(dir, version string) error {
	if version == "" {
		return errors.New("-version is missing; name the version whose histories are recorded, e.g. -version 2")
	}
	folder := filepath.Join(dir, version)
	if _, err := os.Stat(folder); err == nil {
		return fmt.Errorf("%s is there already; histories of a version are kept, record under a new one", folder)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	cli, err := exec.LookPath("temporal")
	if err != nil {
		return fmt.Errorf("%w; run it as `make record`, which knows where the Temporal CLI is", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	server, err := testsuite.StartDevServer(ctx, testsuite.DevServerOptions{
		ExistingPath: cli, LogLevel: "error", ClientOptions: &client.Options{Logger: quiet{}},
	})
	if err != nil {
		return err
	}
	defer func() { _ = server.Stop() }()
	for _, s := range stories() {
		if err := s.record(ctx, server.Client(), filepath.Join(folder, s.name+".json")); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		fmt.Println("recorded", s.name)
	}
	return nil
}

// quiet drops the SDK's log.
type quiet struct{}

func (quiet) Debug(string, ...any) {}
func (quiet) Info(string, ...any)  {}
func (quiet) Warn(string, ...any)  {}
func (quiet) Error(string, ...any) {}

var _ log.Logger = quiet{}
