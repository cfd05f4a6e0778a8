package activities

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"

	"visite/internal/inspect"
	"visite/internal/inspect/score"
	"visite/internal/inspect/site"
	"visite/schema"
)

// Scans is the steps that only touch our own records. Repeating any of them is
// harmless, so Temporal's retry policy may.
type Scans struct {
	Store ScanStore
	Links LinkWithdrawer
}

// LinkWithdrawer takes back the link checks a scan asked for (internal/postgres).
type LinkWithdrawer interface {
	WithdrawLinks(ctx context.Context, scanID string) error
}

// ScanRef names a scan.
type ScanRef struct {
	ScanID string
}

// BeginOutput tells where a scan begins.
type BeginOutput struct {
	ScopeHost string
	Closed    bool // cancelled before it began: nothing is to be done
}

// Begin marks the scan as running and queues its seed.
func (s *Scans) Begin(ctx context.Context, in ScanRef) (BeginOutput, error) {
	scan, err := s.Store.StartScan(ctx, in.ScanID)
	if err != nil {
		return BeginOutput{}, asFault("begin scan", err)
	}
	return BeginOutput{ScopeHost: scan.ScopeHost, Closed: scan.State.Final()}, nil
}

// ConcludeInput closes a scan.
type ConcludeInput struct {
	ScanID string
	State  schema.ScanState
	Reason string
	// SkipReason is what addresses never loaded are marked with; empty leaves
	// them as merely found (the page limit was reached).
	SkipReason schema.Reason
	// LinksLeft is why links to other servers were let be in a scan that finished.
	LinksLeft schema.Reason `json:",omitempty"`
}

// ConcludeOutput is what the scan came to.
type ConcludeOutput struct {
	State    schema.ScanState
	Progress schema.Progress
}

// Conclude judges the site as a whole and closes the scan. A scan in which
// nothing could be looked at is refused or failed, never finished clean.
func (s *Scans) Conclude(ctx context.Context, in ConcludeInput) (ConcludeOutput, error) {
	if in.SkipReason != schema.ReasonNone {
		if err := s.Store.SkipQueued(ctx, in.ScanID, in.SkipReason); err != nil {
			return ConcludeOutput{}, asFault("skip queued pages", err)
		}
	}
	if in.State != schema.ScanFinished { // S-44, R-18
		if err := s.Links.WithdrawLinks(ctx, in.ScanID); err != nil {
			return ConcludeOutput{}, asFault("withdraw link checks", err)
		}
	}
	scan, err := s.Store.Scan(ctx, in.ScanID)
	if err != nil {
		return ConcludeOutput{}, asFault("read scan", err)
	}
	if err := s.Store.SetPhase(ctx, in.ScanID, schema.PhaseVerdicts, "", noTime); err != nil {
		return ConcludeOutput{}, asFault("set phase", err)
	}
	facts, err := s.Store.SiteFacts(ctx, in.ScanID)
	if err != nil {
		return ConcludeOutput{}, asFault("read site facts", err)
	}
	if facts.Unordered = in.LinksLeft; facts.Unordered == schema.ReasonNone {
		facts.Unordered = in.SkipReason
	}
	if err := s.Store.WriteVerdicts(ctx, in.ScanID, site.Judge(facts, scan.ScopeHost)); err != nil {
		return ConcludeOutput{}, asFault("write verdicts", err)
	}
	if err := s.score(ctx, in.ScanID); err != nil {
		return ConcludeOutput{}, asFault("score the site", err)
	}
	s.foldItems(ctx, in.ScanID)
	progress, err := s.Store.Progress(ctx, in.ScanID)
	if err != nil {
		return ConcludeOutput{}, asFault("count progress", err)
	}
	state, reason := in.State, in.Reason
	if state == schema.ScanFinished && progress.Analysed == 0 {
		state, reason = schema.ScanStopped, ReasonNothingAnalysed
	}
	if err := s.Store.Finish(ctx, in.ScanID, state, reason); err != nil {
		return ConcludeOutput{}, asFault("finish scan", err)
	}
	return ConcludeOutput{State: state, Progress: progress}, nil
}

// foldLongest is less than what the step has in all: on a slow database the scan ends
// all the same.
const foldLongest = 30 * time.Second

// foldItems keeps what the findings fold to. Where that fails or takes too long, they
// are folded when somebody asks for them, so the scan goes on to its end.
func (s *Scans) foldItems(ctx context.Context, scanID string) {
	bounded, cancel := context.WithTimeout(ctx, foldLongest)
	defer cancel()
	if err := s.Store.FoldItems(bounded, scanID); err != nil && activity.IsActivity(ctx) {
		activity.GetLogger(ctx).Warn("The scan's items are not kept yet; they will be folded when they are asked for.", "error", err)
	}
}

// score records how the site came off; nothing where no page was analysed.
func (s *Scans) score(ctx context.Context, scanID string) error {
	facts, err := s.Store.ScoreFacts(ctx, scanID)
	if err != nil {
		return err
	}
	scores, ok := score.Of(facts, inspect.Categories())
	if !ok {
		return nil
	}
	return s.Store.SetScores(ctx, scanID, scores)
}

// ReasonNothingAnalysed is the state reason of a scan that got no page to judge:
// zero checked is never zero problems.
const ReasonNothingAnalysed = "nothing_analysed"
