package main

import (
	"context"
	"log/slog"

	"github.com/spf13/cobra"

	"visite/internal/config"
	"visite/internal/local"
)

func apiCommand(std streams) *cobra.Command {
	return serviceCommand(std, "api", "Serve the REST API against an existing PostgreSQL and Temporal", local.RunAPI)
}

func workerCommand(std streams) *cobra.Command {
	return serviceCommand(std, "worker", "Carry out scans: poll Temporal, open pages, record", local.RunWorker)
}

// serviceCommand is a part of a deployment: settings from the environment, log
// on stderr, an orderly end on SIGTERM.
func serviceCommand(std streams, name, short string, serve func(context.Context, config.Config, *slog.Logger) error) *cobra.Command {
	return &cobra.Command{
		Use:   name,
		Short: short,
		Long:  short + ".\n\nSettings are environment variables, see `visite config`. SIGTERM ends it in order.",
		Args:  takes(0, ""),
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := deploymentConfig()
			if err != nil {
				return err
			}
			ctx, stop := untilStopped(c.Context())
			defer stop()
			return serve(ctx, cfg, cfg.Logger(std.err))
		},
	}
}
