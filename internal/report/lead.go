package report

import (
	"context"
	"fmt"

	"visite/schema"
)

// lead is what every format says before its findings: what was done and what
// a reader must know of it.
type lead struct {
	progress schema.Progress
	notes    []string // as sentences
	checked  bool     // a page at least was analysed, and the scan came to an end of its own
}

// lead reads it. A scan that analysed nothing is told as a failure, never as
// one without faults.
func (r Renderer) lead(ctx context.Context, scan schema.Scan, speak words) (lead, error) {
	progress, err := r.Source.Progress(ctx, scan.ID)
	if err != nil {
		return lead{}, fmt.Errorf("report: %w", err)
	}
	brisk, err := r.Source.BriskGaits(ctx, scan.ID)
	if err != nil {
		return lead{}, fmt.Errorf("report: %w", err)
	}
	unlooked, err := r.Source.Unlooked(ctx, scan.ID)
	if err != nil {
		return lead{}, fmt.Errorf("report: %w", err)
	}
	notes, err := notices(speak, &digest{scan: scan, progress: progress, analysed: progress.Analysed, unlooked: unlooked})
	if err != nil {
		return lead{}, err
	}
	gaits, err := briskWords(speak, brisk)
	if err != nil {
		return lead{}, err
	}
	ended := scan.State == schema.ScanFinished || scan.State == schema.ScanStopped
	return lead{progress, append(notes, gaits...), ended && progress.Analysed > 0}, nil
}
