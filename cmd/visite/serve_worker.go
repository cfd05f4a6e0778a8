package main

import (
	"github.com/spf13/cobra"

	"visite/internal/local"
)

func workerCommand(std streams) *cobra.Command {
	return serviceCommand(std, "worker", "Carry out scans: poll Temporal, open pages, record", local.RunWorker)
}
