package main

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"text/tabwriter"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/spf13/cobra"

	"visite/cmd/visite/notices"
	"visite/internal/browser"
	"visite/internal/config"
	"visite/internal/local"
	"visite/internal/postgres/migrate"
)

func configCommand(std streams) *cobra.Command {
	return &cobra.Command{
		Use:   "config",
		Short: "List the settings (environment variables), their values and meaning",
		Args:  takes(0, ""),
		RunE: func(*cobra.Command, []string) error {
			c, err := config.Load(os.Environ())
			values := c.Values()
			w := tabwriter.NewWriter(std.out, 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "VARIABLE\tVALUE\tDEFAULT\tTYPE\tMEANING")
			for _, v := range config.Describe() {
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", v.Name, cmp.Or(values[v.Name], "-"), cmp.Or(v.Default, "-"), v.Type, v.Meaning)
			}
			if err := w.Flush(); err != nil {
				return err
			}
			if err == nil {
				err = tellLists(std, c)
			}
			if err != nil {
				return &codedError{exitUsage, err}
			}
			return nil
		},
	}
}

// tellLists says what VISITE_TRACKER_LISTS comes to on this machine.
func tellLists(std streams, c config.Config) error {
	folder, err := browser.FindLists(c.TrackerLists)
	if err != nil {
		return fmt.Errorf("%sTRACKER_LISTS: %w", config.Prefix, err)
	}
	_, err = fmt.Fprintf(std.out, "\nOn this machine %s.\n", local.TrackerLists(folder))
	return err
}

func migrateCommand(std streams) *cobra.Command {
	return &cobra.Command{
		Use:   "migrate",
		Short: "Bring the database (VISITE_DATABASE_URL) to the shape this version needs",
		Args:  takes(0, ""),
		RunE: func(c *cobra.Command, _ []string) error {
			ctx, stop := untilStopped(c.Context())
			defer stop()
			cfg, err := deploymentConfig()
			if err != nil {
				return err
			}
			state, err := migrate.Up(ctx, cfg.DatabaseURL.Reveal())
			if err != nil {
				return migrateFault(err)
			}
			fmt.Fprintf(std.out, "The database is at step %d of %d.\n", state.Current, state.Latest)
			return nil
		},
	}
}

// migrateFault puts a database that cannot be reached into one line; the driver
// has one for each address it tried.
func migrateFault(err error) error {
	var connect *pgconn.ConnectError
	if !errors.As(err, &connect) {
		return err
	}
	var answer *pgconn.PgError
	var network *net.OpError
	switch {
	case errors.As(err, &answer):
		return fmt.Errorf("the database that VISITE_DATABASE_URL names refuses the connection: %s", answer.Message)
	case errors.As(err, &network):
		return fmt.Errorf("the database that VISITE_DATABASE_URL names does not answer (%w); is it running?", network)
	}
	why, _, _ := strings.Cut(connect.Unwrap().Error(), "\n")
	return fmt.Errorf("the database that VISITE_DATABASE_URL names cannot be reached: %s", why)
}

// deploymentConfig reads the settings of a process that brings no database of its own.
func deploymentConfig() (config.Config, error) {
	cfg, err := config.Load(os.Environ())
	if err == nil {
		err = cfg.RequireDatabase()
	}
	if err != nil {
		return cfg, &codedError{exitUsage, err}
	}
	return cfg, nil
}

func versionCommand(std streams) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Say which version this is",
		Args:  takes(0, ""),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(std.out, "visite %s (%s, %s/%s)\n", programVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}

func licencesCommand(std streams) *cobra.Command {
	return &cobra.Command{
		Use:   "licences",
		Short: "Print the licences of what is built into this program",
		Args:  takes(0, ""),
		RunE: func(*cobra.Command, []string) error {
			text, err := notices.Text()
			if err != nil {
				return err
			}
			_, err = std.out.Write(text)
			return err
		},
	}
}

// programVersion is what the build was told, else what Go recorded.
func programVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return "unknown"
}
