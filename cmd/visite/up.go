package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"visite/internal/config"
	"visite/internal/local"
)

// startPatience bounds waiting for a local stack to become ready; the first
// start makes a database cluster.
const startPatience = 3 * time.Minute

func upCommand(std streams) *cobra.Command {
	var detach bool
	c := &cobra.Command{
		Use:   "up",
		Short: "Run the local stack: PostgreSQL, Temporal with its Web UI, worker and API",
		Long: `Run everything on this machine under one data folder (VISITE_DATA_DIR): a private
PostgreSQL cluster, the Temporal dev server with its Web UI, the worker and the API.
Ctrl-C or ` + "`visite down`" + ` ends it; the data stays. Where one runs already, its addresses
are printed.`,
		Args: takes(0, ""),
		RunE: func(c *cobra.Command, _ []string) error {
			if detach {
				ctx, stop := untilStopped(c.Context())
				defer stop()
				state, _, err := ensureLocal(ctx, std)
				if err != nil {
					return err
				}
				printState(std.out, state, true)
				return nil
			}
			return runUp(c.Context(), std)
		},
	}
	c.Flags().BoolVarP(&detach, "detach", "d", false, "run in the background; returns once everything serves")
	return c
}

func runUp(ctx context.Context, std streams) error {
	ctx, stop := untilStopped(ctx)
	defer stop()
	folder, err := startableFolder()
	if err != nil {
		return err
	}
	program, err := local.Program()
	if err != nil {
		return err
	}
	err = local.Up(ctx, local.Options{
		Folder:  folder,
		Program: program,
		Environ: os.Environ(),
		Tell:    teller(std.err),
		Ready:   func(s local.State) { printState(std.out, s, false) },
	})
	if errors.Is(err, local.ErrRunning) {
		fmt.Fprintln(std.err, "visite: a local stack runs already")
		wait, cancel := context.WithTimeout(ctx, startPatience)
		defer cancel()
		state, err := folder.WaitReady(wait, func(string) {})
		if err != nil {
			return err
		}
		printState(std.out, state, true)
		return nil
	}
	return err
}

func downCommand(std streams) *cobra.Command {
	return &cobra.Command{
		Use:   "down",
		Short: "End the local stack; its data stays",
		Args:  takes(0, ""),
		RunE: func(c *cobra.Command, _ []string) error {
			folder, err := localFolder()
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeoutCause(c.Context(), 90*time.Second, errors.New("it takes longer than 90 s"))
			defer cancel()
			found, err := local.Down(ctx, folder)
			switch {
			case err != nil:
				return err
			case !found:
				fmt.Fprintf(std.out, "No local stack runs on %s.\n", folder)
			default:
				fmt.Fprintln(std.out, "The local stack has ended; its data stays.")
			}
			return nil
		},
	}
}

// localFolder is the data folder as the settings name it; all settings are
// checked on the way, since the stack's parts will read them too.
func localFolder() (local.Folder, error) {
	cfg, err := config.Load(os.Environ())
	if err != nil {
		return "", &codedError{exitUsage, err}
	}
	return local.DataFolder(cfg.DataDir)
}

// startableFolder is the data folder, where a stack runs or the programs for one
// are there.
func startableFolder() (local.Folder, error) {
	cfg, err := config.Load(os.Environ())
	if err != nil {
		return "", &codedError{exitUsage, err}
	}
	folder, err := local.DataFolder(cfg.DataDir)
	if err != nil {
		return "", err
	}
	if _, running, err := folder.Running(); err != nil || running {
		return folder, err
	}
	return folder, local.CheckPrograms(cfg)
}

// ensureLocal starts the local stack in the background where none runs.
func ensureLocal(ctx context.Context, std streams) (state local.State, started bool, err error) {
	folder, err := startableFolder()
	if err != nil {
		return local.State{}, false, err
	}
	program, err := local.Program()
	if err != nil {
		return local.State{}, false, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, startPatience, errors.New("it takes longer than 3 min"))
	defer cancel()
	return local.Ensure(ctx, folder, program, os.Environ(), teller(std.err))
}

// localClient is a client of the local stack's API.
func localClient(ctx context.Context, std streams) (*client, local.State, error) {
	state, started, err := ensureLocal(ctx, std)
	if err != nil {
		return nil, state, err
	}
	if started {
		fmt.Fprintf(std.err, "local stack: ready, Web UI %s; `%s down` ends it\n", state.UI, calledAs())
	}
	token, err := state.Token()
	if err != nil {
		return nil, state, err
	}
	c, err := newClient(state.API, token)
	return c, state, err
}

func teller(w io.Writer) func(string, ...any) {
	return func(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }
}

func printState(w io.Writer, s local.State, background bool) {
	self := calledAs()
	end := self + " down"
	if !background {
		end = "Ctrl-C here, or `" + end + "`"
	}
	fmt.Fprintf(w, `Visite runs on this machine.

  API        %s
  API docs   %s/docs
  Web UI     %s
  token      %s
  data       %s

  scan       %s scan http://127.0.0.1:3000/
  end        %s
`, s.API, s.API, s.UI, s.TokenFile, s.Data, self, end)
}
