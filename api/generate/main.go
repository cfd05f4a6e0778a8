// Command generate writes what is made from the API's code: openapi.yaml and the
// Go client. It runs in the api folder, by go generate.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"visite/api"
)

// generator reads OpenAPI 3.0 only, so it gets the description in that form.
const generator = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2"

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	spec, err := api.SpecYAML()
	if err != nil {
		return fmt.Errorf("describe the API: %w", err)
	}
	if err := os.WriteFile("openapi.yaml", spec, 0o644); err != nil {
		return err
	}
	older, err := api.Spec30JSON()
	if err != nil {
		return fmt.Errorf("describe the API in 3.0: %w", err)
	}
	folder, err := os.MkdirTemp("", "visite-client")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	input := filepath.Join(folder, "openapi.json")
	if err := os.WriteFile(input, older, 0o600); err != nil {
		return err
	}
	command := exec.Command("go", "run", generator, "-config", "client/generator.yaml", input)
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	return command.Run()
}
