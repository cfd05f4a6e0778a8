package activities

import (
	"context"
	"time"

	"visite/schema"
)

// LinkStore keeps what is known of links to other servers (internal/postgres):
// who waits, verdicts, visits, rests.
type LinkStore interface {
	// OrderLinks asks for a scan's links to other servers, as far as no verdict on
	// them holds still; tells which servers' workflows have to be woken. Idempotent.
	OrderLinks(ctx context.Context, scanID string, at time.Time) (asleep []string, err error)
	// PendingLinks counts the addresses a scan waits for whose server is not resting.
	PendingLinks(ctx context.Context, scanID string, at time.Time) (int, error)
	// PlanLinkVisit says what a server's workflow does next, and begins a visit where that is it.
	PlanLinkVisit(ctx context.Context, server string, at time.Time) (schema.LinkPlan, error)
	// ClaimLink takes the visit's next address up; one not settled comes first.
	ClaimLink(ctx context.Context, server string) (schema.LinkClaim, error)
	// BeginLinkRequest records the intent to send HEAD or GET; false: it was recorded before.
	BeginLinkRequest(ctx context.Context, id int64, head bool, at time.Time) (bool, error)
	// UndoLinkRequest takes an intent back of which nothing was sent.
	UndoLinkRequest(ctx context.Context, id int64, head bool) error
	// EndLinkHead records HEAD's answer where a GET follows.
	EndLinkHead(ctx context.Context, id int64, status int) error
	// SettleLink records a verdict; tells which server has to be woken for a redirect's target.
	SettleLink(ctx context.Context, id int64, check schema.LinkCheck) (asleep []string, err error)
	// ReleaseLink gives an address back that was taken up and not asked for.
	ReleaseLink(ctx context.Context, id int64) error
	// RestLinkServer lets a server rest from a request on.
	RestLinkServer(ctx context.Context, server string, at time.Time) error
	// LookAgain notes until when a server's workflow waits.
	LookAgain(ctx context.Context, server string, until time.Time) error
	// EndLinkVisit closes the visit under way.
	EndLinkVisit(ctx context.Context, server string) error
}

// LinkServers wakes the workflows of servers (package worker). Waking one that is
// awake is harmless.
type LinkServers interface {
	Wake(ctx context.Context, servers []string) error
}
