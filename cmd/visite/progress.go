package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"visite/schema"
)

// progress tells on stderr how a scan goes: one line that renews itself on a
// terminal, a line every few seconds elsewhere.
type progress struct {
	mu      sync.Mutex
	w       io.Writer
	quiet   bool
	width   func() int // columns of the terminal; nil: no terminal
	drawn   bool       // a line stands there that the next one replaces
	last    string
	lastAt  time.Time
	awayFor bool
}

// lineEvery is the pace of lines where there is no terminal.
const lineEvery = 5 * time.Second

func newProgress(w io.Writer, quiet bool) *progress {
	p := &progress{w: w, quiet: quiet}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.width = func() int {
			if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
				return n
			}
			return 80
		}
	}
	return p
}

// say leaves a line for good, also where progress is quiet.
func (p *progress) say(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	fmt.Fprintf(p.w, format+"\n", args...)
}

func (p *progress) scan(s scanStatus) {
	if !p.quiet {
		p.say("Scan %s", s.ID)
	}
}

// update shows where the scan stands.
func (p *progress) update(s scanStatus) {
	if p.awayFor {
		p.awayFor = false
		p.say("The API answers again")
	}
	p.draw(stands(s), s)
}

// away tells that the API does not answer; the scan itself goes on without it.
func (p *progress) away(err error, since time.Time) {
	if !p.awayFor {
		p.awayFor = true
		p.say("no usable answer from the API (%v); trying again, the scan itself goes on", err)
		return
	}
	p.draw(fmt.Sprintf("no usable answer from the API for %s; trying again", time.Since(since).Round(time.Second)), scanStatus{})
}

func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}

func (p *progress) draw(line string, s scanStatus) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.quiet {
		return
	}
	if p.width == nil {
		if line != p.last && time.Since(p.lastAt) >= lineEvery {
			fmt.Fprintln(p.w, line)
			p.last, p.lastAt = line, time.Now()
		}
		return
	}
	columns := p.width() - 1
	if b := bar(s.Progress.Done, total(s), 20); b != "" && len(line)+len(b)+1 < columns {
		line = b + " " + line
	}
	p.clear()
	fmt.Fprint(p.w, cut(line, columns))
	p.drawn = true
}

// clear removes the line that stands there (ECMA-48: erase in line).
func (p *progress) clear() {
	if p.drawn {
		fmt.Fprint(p.w, "\r\x1b[2K")
		p.drawn = false
	}
}

// stands puts a scan's state into one line: pages done of those in sight, found,
// not analysed, findings, and what it waits for until when.
func stands(s scanStatus) string {
	g := s.Progress
	var b strings.Builder
	fmt.Fprintf(&b, "%d/%d pages, %d found, %d not analysed, %d findings", g.Done, total(s), g.Found, g.NotAnalysed, g.Findings)
	switch {
	case s.WaitingFor != "" && s.WaitingUntil == nil:
		b.WriteString(" | waiting: " + s.WaitingFor)
	case s.WaitingFor != "" && time.Now().Before(*s.WaitingUntil):
		b.WriteString(" | waiting: " + s.WaitingFor + ", until " + s.WaitingUntil.Local().Format("15:04:05"))
	case s.Phase != "" && s.Phase != schema.PhasePages:
		b.WriteString(" | " + phaseWords(s.Phase))
	}
	return b.String()
}

func phaseWords(p schema.Phase) string {
	switch p {
	case schema.PhaseQueued:
		return "waiting for a worker"
	case schema.PhaseRobots:
		return "reading robots.txt"
	case schema.PhaseSitemap:
		return "reading sitemaps"
	case schema.PhaseVerdicts:
		return "judging links and the whole site"
	default:
		return string(p)
	}
}

// total is how many pages there are to visit as far as is known.
func total(s scanStatus) int {
	if s.MaxPages > 0 {
		return min(s.Progress.Found, s.MaxPages)
	}
	return s.Progress.Found
}

func bar(done, of, width int) string {
	if of <= 0 {
		return ""
	}
	n := min(done*width/of, width)
	return "[" + strings.Repeat("=", n) + strings.Repeat(" ", width-n) + "]"
}

func cut(s string, columns int) string {
	r := []rune(s)
	if columns > 1 && len(r) > columns {
		return string(r[:columns-1]) + "…"
	}
	return s
}
