package activities

import (
	"context"
	"slices"
	"testing"
	"time"

	"visite/schema"
)

// closingStore is a scan at its end; it takes down in which order it is closed.
type closingStore struct {
	ScanStore
	analysed int
	steps    []string
	state    schema.ScanState
	reason   string
	unfolded error // what keeping the items fails with
	bounded  bool  // it had a deadline
}

func (s *closingStore) note(step string) { s.steps = append(s.steps, step) }

func (s *closingStore) Scan(context.Context, string) (schema.Scan, error) {
	return schema.Scan{ID: "scan", ScopeHost: "shop.example"}, nil
}
func (s *closingStore) SkipQueued(context.Context, string, schema.Reason) error { return nil }
func (s *closingStore) SetPhase(context.Context, string, schema.Phase, string, time.Time) error {
	return nil
}
func (s *closingStore) SiteFacts(context.Context, string) (schema.SiteFacts, error) {
	return schema.SiteFacts{}, nil
}
func (s *closingStore) WriteVerdicts(context.Context, string, schema.SiteVerdicts) error {
	s.note("verdicts")
	return nil
}
func (s *closingStore) ScoreFacts(context.Context, string) (schema.ScoreFacts, error) {
	return schema.ScoreFacts{Templates: []schema.TemplateCount{{Analysed: s.analysed}}}, nil
}
func (s *closingStore) SetScores(context.Context, string, schema.Scores) error {
	s.note("scores")
	return nil
}
func (s *closingStore) FoldItems(ctx context.Context, _ string) error {
	s.note("items")
	_, s.bounded = ctx.Deadline()
	return s.unfolded
}
func (s *closingStore) Progress(context.Context, string) (schema.Progress, error) {
	return schema.Progress{Analysed: s.analysed}, nil
}
func (s *closingStore) Finish(_ context.Context, _ string, state schema.ScanState, reason string) error {
	s.note("finish")
	s.state, s.reason = state, reason
	return nil
}

type noLinks struct{}

func (noLinks) WithdrawLinks(context.Context, string) error { return nil }

// W06: whatever kept us from looking at a page, a scan that looked at none does not
// end as a finished one, has no scores and says so; our own fault stays a failure.
// Items are kept after the verdicts, which are among them, and before the end.
func TestAScanThatLookedAtNothingIsNotFinished(t *testing.T) {
	for name, c := range map[string]struct {
		analysed int
		in       schema.ScanState
		reason   string

		state schema.ScanState
		said  string
		steps []string
	}{
		"nothing analysed": {0, schema.ScanFinished, "", schema.ScanStopped, ReasonNothingAnalysed, []string{"verdicts", "items", "finish"}},
		"our own fault":    {0, schema.ScanFailed, "our_fault", schema.ScanFailed, "our_fault", []string{"verdicts", "items", "finish"}},
		"a page analysed":  {1, schema.ScanFinished, "", schema.ScanFinished, "", []string{"verdicts", "scores", "items", "finish"}},
	} {
		store := &closingStore{analysed: c.analysed}
		out, err := (&Scans{Store: store, Links: noLinks{}}).Conclude(t.Context(), ConcludeInput{ScanID: "scan", State: c.in, Reason: c.reason})
		if err != nil || out.State != c.state || store.state != c.state || store.reason != c.said || !slices.Equal(store.steps, c.steps) {
			t.Errorf("%s: ended %s (%s) by %v, %v; want %s (%s) by %v", name, store.state, store.reason, store.steps, err, c.state, c.said, c.steps)
		}
	}
}

// Items that could not be kept keep no scan from its end: they are folded when
// somebody asks for them.
func TestAScanEndsWhereItsItemsCannotBeKept(t *testing.T) {
	store := &closingStore{analysed: 1, unfolded: context.DeadlineExceeded}
	out, err := (&Scans{Store: store, Links: noLinks{}}).Conclude(t.Context(), ConcludeInput{ScanID: "scan", State: schema.ScanFinished})
	if err != nil || out.State != schema.ScanFinished || store.state != schema.ScanFinished || !store.bounded {
		t.Errorf("ended %q by %v with %v; bounded: %v", store.state, store.steps, err, store.bounded)
	}
}
