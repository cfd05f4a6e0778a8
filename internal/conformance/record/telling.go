package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"visite/internal/conformance"
)

// event is a line of go test -json; see go doc test2json.
type event struct {
	Action, Package, Test, Output string
}

// telling turns the stream of events into what go test prints of it, and into
// results.
type telling struct {
	out     io.Writer
	module  string
	proofs  map[string]bool // "internal/x TestOne"
	results *conformance.Results
	running map[string]*packageRun
	failed  bool
	again   bool // single tests, of packages that ran before
	second  secondLook
}

// packageRun gathers what one package says until it is known what failed.
type packageRun struct {
	own    strings.Builder // said by no test
	tests  []*testRun      // in the order of their start, parts of tests included
	byName map[string]*testRun
}

type testRun struct {
	name, result string
	said         strings.Builder
}

func newTelling(out io.Writer, module string, proofs []conformance.Test, results *conformance.Results) *telling {
	t := &telling{out: out, module: module, proofs: map[string]bool{}, results: results, running: map[string]*packageRun{}}
	for _, p := range proofs {
		t.proofs[p.Package+" "+p.Name] = true
	}
	return t
}

// read takes the whole stream and tells whether everything passed.
func (t *telling) read(in io.Reader) (bool, error) {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			var e event
			if json.Unmarshal([]byte(line), &e) != nil || e.Action == "" {
				fmt.Fprint(t.out, line) // the go command's own words
			} else {
				t.take(e)
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return false, err
		}
	}
	for pkg, p := range t.running {
		t.end(pkg, p, conformance.Failed)
		fmt.Fprintf(t.out, "FAIL\t%s [never ended]\n", pkg)
	}
	if t.failed {
		fmt.Fprintln(t.out, "FAIL")
	}
	return !t.failed, nil
}

func (t *telling) take(e event) {
	switch e.Action {
	case "build-output":
		fmt.Fprint(t.out, e.Output)
		return
	case "build-fail":
		t.failed = true
		t.second.never("a package does not build")
		return
	}
	p := t.running[e.Package]
	if p == nil {
		p = &packageRun{byName: map[string]*testRun{}}
		t.running[e.Package] = p
		if !t.again {
			t.results.Begin(t.within(e.Package))
		}
	}
	ends := slices.Contains([]string{conformance.Passed, conformance.Failed, conformance.Skipped}, e.Action)
	switch {
	case e.Test != "":
		test := p.test(e.Test)
		test.said.WriteString(e.Output)
		if ends {
			test.result = e.Action
		}
	case ends:
		delete(t.running, e.Package)
		t.end(e.Package, p, e.Action)
	default:
		p.own.WriteString(e.Output)
	}
}

func (p *packageRun) test(name string) *testRun {
	test := p.byName[name]
	if test == nil {
		test = &testRun{name: name}
		p.byName[name] = test
		p.tests = append(p.tests, test)
	}
	return test
}

// end tells what a package came to. A test that had not ended when its package
// did took it down or was cut off: it did not pass.
func (t *telling) end(pkg string, p *packageRun, result string) {
	for _, test := range p.tests {
		if test.result == "" {
			test.result = conformance.Failed
		}
		if within := t.within(pkg); t.proofs[within+" "+test.name] {
			t.results.Set(within, test.name, test.result)
		}
	}
	if result != conformance.Failed {
		for line := range strings.Lines(p.own.String()) {
			if strings.HasPrefix(line, "ok  \t") || strings.HasPrefix(line, "?   \t") {
				fmt.Fprint(t.out, line)
			}
		}
		return
	}
	t.failed = true
	t.second.take(pkg, p)
	for _, test := range p.tests {
		if test.result == conformance.Failed {
			fmt.Fprint(t.out, verdictFirst(test.said.String(), 4*strings.Count(test.name, "/")))
		}
	}
	fmt.Fprint(t.out, verdictFirst(p.own.String(), 0))
}

func (t *telling) within(pkg string) string {
	within := strings.TrimPrefix(strings.TrimPrefix(pkg, t.module), "/")
	if within == "" {
		return "."
	}
	return path.Clean(within)
}

// verdictFirst is what a test said, its verdict before it as go test has it,
// without the lines on how tests took turns. The stream leaves the indent of
// parts of tests out.
func verdictFirst(said string, indent int) string {
	var verdict, rest strings.Builder
	margin := strings.Repeat(" ", indent)
	for line := range strings.Lines(said) {
		switch {
		case strings.HasPrefix(line, "=== "):
		case strings.HasPrefix(strings.TrimLeft(line, " "), "--- FAIL:"):
			verdict.WriteString(margin + line)
		default:
			rest.WriteString(margin + line)
		}
	}
	return verdict.String() + rest.String()
}
