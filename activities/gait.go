package activities

import (
	"context"
	"time"

	"visite/schema"
)

// BriskInput puts an operator's order of a brisk gait into force.
type BriskInput struct {
	ID     string // of the order: repeating it is the same order
	ScanID string
	Order  schema.BriskOrder
}

// BriskOutput tells when it ends.
type BriskOutput struct {
	Until time.Time
}

// GrantBrisk records the order; from then on the door lets the scan go briskly,
// until its end (C-47, C-48).
func (s *Scans) GrantBrisk(ctx context.Context, in BriskInput) (BriskOutput, error) {
	until, err := s.Store.GrantBrisk(ctx, in.ID, in.ScanID, in.Order)
	return BriskOutput{Until: until}, asFault("grant a brisk gait", err)
}
