package main

import (
	"fmt"
	"os"
	"strings"
)

// secondLook gathers the failures that a run of these tests alone may clear: a
// machine that was too busy fails a test whose parts are real. A data race, a
// panic, a test that never ended and a package that failed without a test are
// never the machine's doing.
type secondLook struct {
	lines []string // "package TestName"
	none  string   // why there is to be no second look
}

func (s *secondLook) never(why string) {
	if s.none == "" {
		s.none = why
	}
}

// take looks at a package that failed.
func (s *secondLook) take(pkg string, p *packageRun) {
	said, failed := p.own.String(), 0
	for _, test := range p.tests {
		said += test.said.String()
		if test.result == "fail" && !strings.Contains(test.name, "/") {
			failed++
			s.lines = append(s.lines, pkg+" "+test.name)
		}
	}
	switch {
	case strings.Contains(said, "WARNING: DATA RACE"), strings.Contains(said, "race detected during execution"):
		s.never(pkg + " has a data race")
	case strings.Contains(said, "panic: "), strings.Contains(said, "fatal error: "):
		s.never(pkg + " panicked")
	case failed == 0:
		s.never(pkg + " failed without a test that did")
	}
}

// add appends what was gathered to a file.
func (s *secondLook) add(file string) error {
	lines := s.lines
	if s.none != "" {
		lines = append(lines, "none: "+s.none)
	}
	if len(lines) == 0 {
		return nil
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("note the failures: %w", err)
	}
	_, err = fmt.Fprintln(f, strings.Join(lines, "\n"))
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("note the failures in %s: %w", file, err)
	}
	return nil
}
