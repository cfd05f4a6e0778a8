package main

import (
	"github.com/spf13/cobra"

	"visite/api"
)

func openapiCommand(std streams) *cobra.Command {
	return &cobra.Command{
		Use:   "openapi",
		Short: "Print the API's description (OpenAPI 3.1, YAML)",
		Args:  takes(0, ""),
		RunE: func(*cobra.Command, []string) error {
			spec, err := api.SpecYAML()
			if err != nil {
				return err
			}
			_, err = std.out.Write(spec)
			return err
		},
	}
}
