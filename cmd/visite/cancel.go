package main

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/spf13/cobra"
)

func cancelCommand(std streams) *cobra.Command {
	var at deployment
	c := &cobra.Command{
		Use:   "cancel SCAN-ID",
		Short: "Cancel a scan that is queued or running",
		Long: `Cancel a scan: requests to the site stop within seconds, what was found stays as a
partial report. Cancelling again is the same.`,
		Args: takes(1, "the scan's id"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := noEmptyFlags(c); err != nil {
				return err
			}
			ctx, stop := untilStopped(c.Context())
			defer stop()
			api, _, err := at.connect(ctx, std)
			if err != nil {
				return err
			}
			if err := api.cancel(ctx, args[0]); err != nil {
				return cancelFault(args[0], err)
			}
			_, err = fmt.Fprintf(std.out, "Scan %s is being cancelled.\n", args[0])
			return err
		},
	}
	at.flags(c.Flags())
	return c
}

func cancelFault(id string, err error) error {
	var p *problem
	switch {
	case !errors.As(err, &p):
		return err
	case p.Status == http.StatusNotFound:
		return usagef("there is no scan %s here; `%s scan` prints the id of each scan it starts", id, calledAs())
	case p.refused():
		return usagef("scan %s cannot be cancelled: %w", id, err)
	}
	return err
}
