package workflows

import "visite/schema"

// Timeouts are heaped, and the check is aborted, after timeoutsInARow visits of
// a run, or after timeoutsInAll of the last timeoutsWindow (C-51, R-09).
const (
	timeoutsInARow = 3
	timeoutsInAll  = 5
	timeoutsWindow = 20
)

// VisitLog is which of a run's latest visits to its host ran into a timeout, the
// latest last. It begins with the first timeout, so that a site without any
// leaves no trace in the run's input.
type VisitLog []bool

// with is the log after one more visit.
func (l VisitLog) with(timedOut bool) VisitLog {
	if len(l) == 0 && !timedOut {
		return l
	}
	l = append(l, timedOut)
	if len(l) > timeoutsWindow {
		l = l[len(l)-timeoutsWindow:]
	}
	for len(l) > 0 && !l[0] {
		l = l[1:]
	}
	return l
}

// heaped reports whether the host is to be left alone.
func (l VisitLog) heaped() bool {
	all := 0
	for _, timedOut := range l {
		if timedOut {
			all++
		}
	}
	row := 0
	for i := len(l) - 1; i >= 0 && l[i]; i-- {
		row++
	}
	return row >= timeoutsInARow || all >= timeoutsInAll
}

// timeoutsHeaped ends a scan whose visits time out again and again.
func timeoutsHeaped() *scanEnding {
	return &scanEnding{state: schema.ScanStopped, reason: "timeouts_heaped", skip: schema.ReasonStopped}
}
