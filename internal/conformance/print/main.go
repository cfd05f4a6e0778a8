// Command print lists every row of the courtesy contract with the tests that
// prove it. It fails where a due row has no test, or a test that proves one failed.
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

	"visite/internal/conformance"
)

func main() {
	results := flag.String("results", "", "file with the output of go test -json")
	dir := flag.String("dir", ".", "root of the module")
	table := flag.String("table", "", "file to write the table to that the program carries; nothing is printed")
	flag.Parse()
	if err := run(os.Stdout, *dir, *results, *table); err != nil {
		fmt.Fprintf(os.Stderr, "conformance: %v\n", err)
		os.Exit(1)
	}
}

func run(w io.Writer, root, results, table string) error {
	tests, err := conformance.FindTests(os.DirFS(root))
	if err != nil {
		return err
	}
	if results != "" {
		f, err := os.Open(results)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := conformance.AddResults(tests, "visite", f); err != nil {
			return err
		}
	}
	if table != "" {
		text, err := conformance.Written(tests)
		if err != nil {
			return err
		}
		return os.WriteFile(table, text, 0o644)
	}
	if err := printRows(w, tests); err != nil {
		return err
	}
	return faults(tests)
}

func printRows(w io.Writer, tests []conformance.Test) error {
	out := bufio.NewWriter(w)
	for _, r := range conformance.Rows {
		fmt.Fprintf(out, "%s  %-15s  %s%s\n", r.ID, r.Area, r.Promise, stage(r))
		for _, t := range tests {
			if slices.Contains(t.Rows, r.ID) {
				fmt.Fprintf(out, "      %s %s%s\n", t.Package, t.Name, result(t))
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

func result(t conformance.Test) string {
	if t.Result == "" {
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
		if t.Result == "fail" {
			errs = append(errs, fmt.Errorf("%s %s failed", t.Package, t.Name))
		}
	}
	return errors.Join(errs...)
}
