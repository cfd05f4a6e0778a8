package courtesy

import (
	"context"
	"fmt"
	"time"

	"visite/schema"
)

const (
	storeLimit = 10 * time.Second // for one call of the store
	linesMost  = 64               // lines begun in one round trip
)

// ledger begins lines. Lines asked for at the same time go in one round trip.
type ledger struct {
	store Store
	asks  chan beginAsk
	done  chan struct{}
}

type beginAsk struct {
	line  schema.LedgerLine
	reply chan beginReply
}

type beginReply struct {
	id     int64
	parked time.Time
	err    error
}

func newLedger(store Store) *ledger {
	l := &ledger{store: store, asks: make(chan beginAsk), done: make(chan struct{})}
	go l.work()
	return l
}

func (l *ledger) close() { close(l.done) }

// begin writes a line and gives it its id. The request may leave only where the
// error is nil. It waits for the database even where the caller has given up:
// what was written must be known, to be completed.
func (l *ledger) begin(line *schema.LedgerLine) error {
	ask := beginAsk{line: *line, reply: make(chan beginReply, 1)}
	select {
	case l.asks <- ask:
	case <-l.done:
		return errClosed
	}
	r := <-ask.reply
	if r.err != nil {
		return fmt.Errorf("write the ledger: %w", r.err)
	}
	if err := objectionOf(line.Host, r.id, r.parked); err != nil {
		return err
	}
	if r.id == schema.LineParked {
		return &parkedError{host: line.Host, until: r.parked}
	}
	line.ID = r.id
	return nil
}

// parkedError: the request's host asked for rest, whoever was told so.
type parkedError struct {
	host  string
	until time.Time
}

func (e *parkedError) Error() string { return e.host + " asked for rest" }

// SiteReason tells it from our own errors.
func (e *parkedError) SiteReason() schema.Reason { return schema.ReasonServerParked }

func (l *ledger) work() {
	for {
		select {
		case first := <-l.asks:
			l.write(l.gather(first))
		case <-l.done:
			return
		}
	}
}

func (l *ledger) gather(first beginAsk) []beginAsk {
	asks := []beginAsk{first}
	for len(asks) < linesMost {
		select {
		case a := <-l.asks:
			asks = append(asks, a)
		default:
			return asks
		}
	}
	return asks
}

func (l *ledger) write(asks []beginAsk) {
	lines := make([]schema.LedgerLine, len(asks))
	for i, a := range asks {
		lines[i] = a.line
	}
	ctx, cancel := context.WithTimeout(context.Background(), storeLimit)
	defer cancel()
	ids, parked, err := l.store.BeginLines(ctx, lines)
	for i, a := range asks {
		if err != nil {
			a.reply <- beginReply{err: err}
			continue
		}
		a.reply <- beginReply{id: ids[i], parked: parked[i]}
	}
}
