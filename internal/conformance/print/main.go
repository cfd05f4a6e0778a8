// Command print lists every row of the courtesy contract with the tests that
// prove it and how those went when they last ran. It fails where a due row has no
// test, or a test that proves one failed.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"visite/internal/conformance"
)

func main() {
	results := flag.String("results", "test-results.json", "file with the last results, as the record command keeps them; none are known where it is missing")
	dir := flag.String("dir", ".", "root of the module")
	table := flag.String("table", "", "file to write the table to that the program carries; nothing is printed")
	carry := flag.Bool("carry", false, "make the next build carry the last results, if they are those of -version; nothing else is printed")
	version := flag.String("version", "", "version of the sources, as git describes them")
	flag.Parse()
	var err error
	switch {
	case *table != "":
		err = writeTable(*dir, *table)
	case *carry:
		err = carryResults(os.Stdout, *dir, *results, *version)
	default:
		err = run(os.Stdout, *dir, *results, *version)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "conformance: %v\n", err)
		os.Exit(1)
	}
}

func writeTable(root, file string) error {
	tests, err := conformance.FindTests(os.DirFS(root))
	if err != nil {
		return err
	}
	text, err := conformance.Written(tests)
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o644)
}

func carryResults(w io.Writer, root, results, version string) error {
	last, err := conformance.ReadResults(results)
	if err != nil {
		return err
	}
	carries, err := last.Carry(root, version)
	if err != nil || carries {
		return err
	}
	_, err = fmt.Fprintf(w, "no test results of version %s are at hand; the program will say so\n", version)
	return err
}

func run(w io.Writer, root, results, version string) error {
	tests, err := conformance.FindTests(os.DirFS(root))
	if err != nil {
		return err
	}
	last, err := conformance.ReadResults(results)
	if err != nil {
		return err
	}
	last.AddTo(tests)
	if err := printRows(w, tests, last, version); err != nil {
		return err
	}
	return faults(tests)
}

func printRows(w io.Writer, tests []conformance.Test, last conformance.Results, version string) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%s\n\n", origin(last, version))
	for _, r := range conformance.Rows {
		fmt.Fprintf(out, "%s  %-15s  %s%s\n", r.ID, r.Area, r.Promise, stage(r))
		for _, t := range tests {
			if slices.Contains(t.Rows, r.ID) {
				fmt.Fprintf(out, "      %s %s%s\n", t.Package, t.Name, result(t, last.Known()))
			}
		}
	}
	return out.Flush()
}

func stage(r conformance.Row) string {
	if r.Stage <= conformance.Due {
		return ""
	}
	return " (not due yet)"
}

// origin says of which version and time the results are.
func origin(last conformance.Results, version string) string {
	if !last.Known() {
		return "No test results are at hand; `make test` leaves them."
	}
	text := fmt.Sprintf("Last results: of version %s, %s to %s.", last.Version, last.From.UTC().Format(time.DateTime), last.To.UTC().Format(time.DateTime+" UTC"))
	switch {
	case version == "" || last.Version != version:
		return text + " The sources are now at another: " + version + "."
	case conformance.Dirty(version):
		return text + " The sources have changes that no version has, and may have changed since."
	}
	return text
}

func result(t conformance.Test, known bool) string {
	if t.Result == "" {
		if known {
			return ": not run"
		}
		return ""
	}
	return ": " + t.Result
}

func faults(tests []conformance.Test) error {
	var errs []error
	if missing := conformance.Unproven(tests); len(missing) > 0 {
		ids := make([]string, len(missing))
		for i, r := range missing {
			ids[i] = r.ID
		}
		errs = append(errs, fmt.Errorf("due, but proved by no test: %s", strings.Join(ids, ", ")))
	}
	for _, t := range tests {
		if t.Result == conformance.Failed {
			errs = append(errs, fmt.Errorf("%s %s failed", t.Package, t.Name))
		}
	}
	return errors.Join(errs...)
}
