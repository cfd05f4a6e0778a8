// Command visite checks websites as a courteous guest: on one machine with
// `visite up` and `visite scan`, or as the parts of a deployment.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"visite/internal/config"
)

// version is set by the build; see Makefile.
var version = ""

// Exit codes, the same for every command.
const (
	exitOK       = 0
	exitFindings = 1 // a scan found something at or above --fail-on
	exitUsage    = 2 // wrong flags, wrong settings, or a request that is refused
	exitFailed   = 3 // what was asked for could not be done
)

// streams are what a command reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

func main() {
	if code, done := reapAsInit(); done {
		os.Exit(code)
	}
	os.Exit(execute(context.Background(), os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}))
}

// codedError is an error with an exit code of its own; without words nothing is printed.
type codedError struct {
	code int
	err  error
}

func (e *codedError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *codedError) Unwrap() error { return e.err }

// usagef says what is wrong with a command line or a setting, and the remedy.
func usagef(format string, args ...any) error {
	return &codedError{exitUsage, fmt.Errorf(format, args...)}
}

// execute runs one command line and tells the exit code.
func execute(ctx context.Context, args []string, std streams) int {
	root := newRoot(std)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	code := exitFailed
	var coded *codedError
	var setting *config.Fault
	switch {
	case errors.As(err, &coded):
		code = coded.code
	case errors.As(err, &setting):
		code = exitUsage
	}
	if text := err.Error(); text != "" {
		fmt.Fprintf(std.err, "visite: %s\n", text)
	}
	return code
}

func newRoot(std streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "visite",
		Short: "Courteous, durable checks of websites",
		Long: `Visite checks websites as a courteous guest: robots.txt obeyed, never in a hurry.

  visite scan https://example.org/ --contact you@example.org

Exit codes: 0 done (a scan: clean), 1 a scan found something at or above --fail-on,
2 wrong usage or a refused request, 3 it could not be done.`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: calledAs()},
		Args:          onlySubcommands,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetIn(std.in)
	root.SetOut(std.out)
	root.SetErr(std.err)
	root.SetFlagErrorFunc(flagFault)
	root.SetHelpCommand(helpCommand())
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(
		scanCommand(std), cancelCommand(std), upCommand(std), downCommand(std), demoCommand(std), apiCommand(std), workerCommand(std),
		migrateCommand(std), configCommand(std), openapiCommand(std), robotsCommand(std), versionCommand(std), licencesCommand(std),
	)
	return root
}

// takes checks the number of arguments, naming what is wanted.
func takes(n int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch {
		case len(args) < n:
			return usagef("%s is missing; `%s --help` shows an example", what, c.CommandPath())
		case len(args) > n && n == 0:
			return usagef("%q is not expected; %s takes no arguments", args[0], c.CommandPath())
		case len(args) > n:
			return usagef("%q is too much; %s takes only %s", args[n], c.CommandPath(), what)
		}
		return nil
	}
}
