package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
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
	logs    string    // folder of the local stack's logs; empty: none here
	began   time.Time // the first news
	pages   int       // visited by the latest news
	pagesAt time.Time // since when it is so many, or a wait was announced
}

// lineEvery is the pace of lines where there is no terminal.
const lineEvery = 5 * time.Second

const (
	// startsWithin is how long a scan that is queued counts as starting.
	startsWithin = 10 * time.Second
	// newsWithin is longer than one page may take; after it the log may say why.
	newsWithin = 90 * time.Second
)

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
	p.draw(p.stands(s, time.Now()), s)
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

// stands puts a scan's state into one line: pages done of those in sight, what
// came of them, and what it waits for until when. What it waits for comes first
// then and the counts are few, so that it fits a narrow terminal.
func (p *progress) stands(s scanStatus, now time.Time) string {
	if p.began.IsZero() {
		p.began = now
	}
	waits := s.WaitingFor != "" && (s.WaitingUntil == nil || now.Before(*s.WaitingUntil))
	if waits || s.Progress.Done != p.pages || p.pagesAt.IsZero() || !visiting(s) {
		p.pages, p.pagesAt = s.Progress.Done, now
	}
	var parts []string
	if counts := countsOf(s, waits); counts != "" {
		parts = append(parts, counts)
	}
	switch {
	case waits && s.WaitingUntil == nil:
		parts = append(parts, "waiting: "+s.WaitingFor)
	case waits:
		parts = append(parts, "until "+s.WaitingUntil.Local().Format("15:04:05")+": "+s.WaitingFor)
	case s.Phase == schema.PhaseQueued && now.Sub(p.began) >= startsWithin:
		parts = append(parts, "waiting for a worker")
	case s.Phase != "" && s.Phase != schema.PhasePages:
		parts = append(parts, phaseWords(s.Phase))
	}
	if silent := now.Sub(p.pagesAt); silent >= newsWithin && p.logs != "" {
		parts = append(parts, fmt.Sprintf("no page for %d s; if that lasts, see %s", int(silent.Truncate(30*time.Second).Seconds()), filepath.Join(p.logs, "worker.log")))
	}
	if len(parts) == 0 {
		return "starting"
	}
	return strings.Join(parts, " | ")
}

// visiting reports whether the next news of the scan is a page. The last phases
// take long without any; an earlier one is shown until the first page is opened.
func visiting(s scanStatus) bool {
	return s.State == schema.ScanRunning && s.Phase != schema.PhaseQueued && s.Phase != schema.PhaseLinks && s.Phase != schema.PhaseVerdicts
}

// countsOf leaves out what is nothing or said already; empty before the first
// page is found.
func countsOf(s scanStatus, short bool) string {
	g := s.Progress
	if g.Found == 0 {
		return ""
	}
	line := fmt.Sprintf("%d/%d pages", g.Done, total(s))
	if !short && g.Found > total(s) {
		line += fmt.Sprintf(", %d found", g.Found)
	}
	if !short && g.NotAnalysed > 0 {
		line += fmt.Sprintf(", %d not analysed", g.NotAnalysed)
	}
	return line + ", " + count(g.Findings, "fault")
}

func phaseWords(p schema.Phase) string {
	switch p {
	case schema.PhaseQueued:
		return "starting"
	case schema.PhaseRobots:
		return "reading robots.txt"
	case schema.PhaseSitemap:
		return "reading sitemaps"
	case schema.PhaseLinks:
		return "checking links to other servers"
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
