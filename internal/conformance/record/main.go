// Command record reads the stream of go test -json, prints what go test prints
// without it, and keeps how the tests went that prove rows of the courtesy
// contract. It exits with 1 where a package failed or never ended.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"visite/internal/conformance"
)

func main() {
	to := flag.String("to", "test-results.json", "file that keeps the results")
	version := flag.String("version", "", "version of the sources, as git describes them")
	add := flag.Bool("add", false, "the run belongs to the one before, even if the sources have changes that no version has")
	again := flag.Bool("again", false, "the run repeats single tests: what is known of the others stays; implies -add")
	failures := flag.String("failures", "", "file to which the failures are added that a second look may clear, a line each: package, test; or why there is to be none")
	dir := flag.String("dir", ".", "root of the module")
	module := flag.String("module", "visite", "path of the module")
	flag.Parse()
	ok, err := run(os.Stdin, os.Stdout, settings{to: *to, version: *version, add: *add || *again, again: *again, failures: *failures, root: *dir, module: *module})
	if err != nil {
		fmt.Fprintf(os.Stderr, "record: %v\n", err)
	}
	if !ok || err != nil {
		os.Exit(1)
	}
}

type settings struct {
	to, version, root, module, failures string
	add, again                          bool
}

func run(in io.Reader, out io.Writer, s settings) (ok bool, err error) {
	proofs, err := conformance.FindTests(os.DirFS(s.root))
	if err != nil {
		return false, drained(in, out, err)
	}
	last, err := conformance.ReadResults(s.to)
	if err != nil || last.Version != s.version || (conformance.Dirty(s.version) && !s.add) {
		last = conformance.Results{Version: s.version, From: time.Now().UTC()} // what other sources gave says nothing of these
	}
	told := newTelling(out, s.module, proofs, &last)
	told.again = s.again
	ok, err = told.read(in)
	if s.failures != "" {
		err = errors.Join(err, told.second.add(s.failures))
	}
	last.To = time.Now().UTC()
	if err != nil {
		return false, err
	}
	return ok, last.Write(s.to)
}

// drained lets go test end although we cannot make sense of what it says.
func drained(in io.Reader, out io.Writer, cause error) error {
	_, _ = io.Copy(out, in)
	return cause
}
