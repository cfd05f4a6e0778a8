package courtesy

import (
	"context"
	"time"

	"visite/schema"
)

// Store is the door's memory, shared by all workers (internal/postgres). Each
// method is one round trip.
type Store interface {
	// Reserve asks for a turn at a host; the answer is a value.
	Reserve(ctx context.Context, ask schema.PaceAsk) (schema.PaceGrant, error)
	// Start asks whether the first request of a visit may leave now (0), or how long
	// it must wait. Others wait then until it is noted, with sent, that it has left.
	Start(ctx context.Context, ask schema.PaceAsk, sent bool) (wait time.Duration, err error)
	// Renew keeps a turn for another ttl; false where it has lapsed.
	Renew(ctx context.Context, host, holder string, ttl time.Duration) (bool, error)
	// Release gives turns back and completes ledger lines.
	Release(ctx context.Context, done []schema.PaceDone, lines []schema.LedgerLine) error
	// Park leaves a host alone for a time, whoever asks; returns until when.
	Park(ctx context.Context, host string, wait time.Duration) (time.Time, error)
	// RobotsCopy reads the copy kept for an origin; false where there is none.
	RobotsCopy(ctx context.Context, origin string) (schema.RobotsCopy, bool, error)
	// SaveRobotsCopy keeps a copy unless a later one is there.
	SaveRobotsCopy(ctx context.Context, c schema.RobotsCopy) error
	// BeginLines writes ledger lines; a line of a parked host gets id 0 and until
	// when the host rests.
	BeginLines(ctx context.Context, lines []schema.LedgerLine) (ids []int64, parked []time.Time, err error)
}
