package report

import (
	"context"
	"fmt"
	"time"

	"visite/schema"
)

// formerShown is how many former scans a report looks back at.
const formerShown = 11

// Scores is the key "scores": null before the scan's end, and where no page was
// analysed, which is never a good score.
type Scores struct {
	schema.Scores
	Partial bool           `json:"partial"` // the scan did not come to its end
	Former  []FormerScores `json:"former"`
}

// FormerScores is an item of the key "former": an earlier scan of the site with the
// same engine and device, newest first.
type FormerScores struct {
	Scan       string                  `json:"scan"`
	FinishedAt time.Time               `json:"finished_at"`
	Overall    int                     `json:"overall"`
	Analysed   int                     `json:"analysed"`
	Categories map[schema.Category]int `json:"categories"`
}

// scoresOf is nil where there are none.
func scoresOf(ctx context.Context, src Source, scan schema.Scan) (*Scores, error) {
	scores, err := src.Scores(ctx, scan.ID)
	if err != nil || scores == nil {
		return nil, wrapped(err)
	}
	former, err := src.ScoresBefore(ctx, scan.ID, formerShown)
	if err != nil {
		return nil, wrapped(err)
	}
	out := &Scores{Scores: *scores, Partial: scan.State != schema.ScanFinished, Former: make([]FormerScores, len(former))}
	out.Categories = list(out.Categories)
	for i, f := range former {
		out.Former[i] = FormerScores{Scan: f.ScanID, FinishedAt: f.FinishedAt.UTC(), Overall: f.Scores.Overall, Analysed: f.Scores.Analysed, Categories: map[schema.Category]int{}}
		for _, c := range f.Scores.Categories {
			out.Former[i].Categories[c.Category] = c.Score
		}
	}
	return out, nil
}

func wrapped(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("report: %w", err)
}
