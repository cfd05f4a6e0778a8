package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// calledAs is what to type to call this program again from the same folder: the
// path as it was typed, or visite where the PATH led to it.
func calledAs() string {
	if len(os.Args) > 0 && strings.ContainsRune(os.Args[0], os.PathSeparator) {
		return shellWord(os.Args[0])
	}
	return "visite"
}

// shellWord quotes what a shell would not take as one plain word.
func shellWord(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:@%,=", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// onlySubcommands refuses a word that is no command, naming those alike.
func onlySubcommands(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return unknownCommand(c, args[0])
}

func unknownCommand(c *cobra.Command, word string) error {
	c.SuggestionsMinimumDistance = 2
	alike := c.SuggestionsFor(word)
	if len(alike) == 0 {
		return usagef("unknown command %q; `%s --help` lists the commands", word, c.CommandPath())
	}
	for i, name := range alike {
		alike[i] = "`" + c.CommandPath() + " " + name + "`"
	}
	return usagef("unknown command %q; did you mean %s?", word, strings.Join(alike, " or "))
}

func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about a command",
		RunE: func(c *cobra.Command, args []string) error {
			at := c.Root()
			for _, word := range args {
				next, _, err := at.Find([]string{word})
				if err != nil || next == at {
					return unknownCommand(at, word)
				}
				at = next
			}
			at.InitDefaultHelpFlag()
			return at.Help()
		},
	}
}

// flagFault words what the flag parser found.
func flagFault(c *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	if !errors.As(err, &value) {
		return usagef("%w; `%s --help` lists the flags", err, c.CommandPath())
	}
	flag := "--" + value.GetFlag().Name
	switch {
	case errors.Is(err, strconv.ErrRange):
		return usagef("%s: %s is out of range; `%s --help` says what it takes", flag, value.GetValue(), c.CommandPath())
	case value.GetFlag().Value.Type() == "int64":
		return usagef("%s: %q is no whole number; write one such as 200", flag, value.GetValue())
	case value.GetFlag().Value.Type() == "bool":
		return usagef("%s: %q is neither true nor false; write the flag alone, or leave it out", flag, value.GetValue())
	}
	return usagef("%s: %q cannot be read; `%s --help` says what it takes", flag, value.GetValue(), c.CommandPath())
}

// noEmptyFlags refuses a flag that is given without a value, as from a shell
// variable that is not set.
func noEmptyFlags(c *cobra.Command) error {
	var errs []error
	c.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.String() == "" {
			errs = append(errs, fmt.Errorf("--%s: is empty; give a value or leave the flag out", f.Name))
		}
	})
	return usageOf(errs...)
}

// usageOf joins faults of a command line, one line each; nil where there are none.
func usageOf(errs ...error) error {
	if err := errors.Join(errs...); err != nil {
		return &codedError{exitUsage, errors.New(strings.ReplaceAll(err.Error(), "\n", "\nvisite: "))}
	}
	return nil
}

// reason is an error of the file system without the operation and the path.
func reason(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
