// Package score says how a site came off: a score a topic and overall from the
// pages that were analysed, and an estimate for the whole site (decision 0018).
package score

import (
	"math"

	"visite/schema"
)

// Of computes the scores of the topics that were looked at; ok is false where no
// page was analysed: then there is nothing to score, good or bad.
func Of(f schema.ScoreFacts, checked []schema.Category) (scores schema.Scores, ok bool) {
	for _, t := range f.Templates {
		scores.Analysed += t.Analysed
		scores.Known += t.Analysed + t.Waiting
	}
	if scores.Analysed == 0 || len(checked) == 0 {
		return schema.Scores{}, false
	}
	lowest, sum := 1.0, 0.0
	for _, c := range checked {
		kept := keep(f.Reaches, c, scores.Analysed)
		lowest, sum = min(lowest, kept), sum+kept
		scores.Categories = append(scores.Categories, schema.CategoryScore{Category: c, Score: points(kept), Faulty: faulty(f.Templates, c), Estimate: estimate(strata(f.Templates, c))})
	}
	// A site is not good because five topics make up for the sixth: the weakest
	// one counts as much as the average.
	scores.Overall = points((lowest + sum/float64(len(checked))) / 2)
	return scores, true
}

// keep is the share of the score that a topic keeps: each rule takes its weight
// times the share of pages it failed on from what the others left.
func keep(reaches []schema.RuleReach, c schema.Category, analysed int) float64 {
	kept := 1.0
	for _, r := range reaches {
		if r.Category != c {
			continue
		}
		taken := 0.0
		for rank, pages := range r.Pages {
			taken += schema.Severities[rank].Weight() * float64(pages) / float64(analysed)
		}
		kept *= 1 - min(taken, 1)
	}
	return kept
}

// points rounds to whole ones; 100 stays for what has lost nothing.
func points(kept float64) int {
	if kept >= 1 {
		return 100
	}
	return min(99, int(math.Round(100*kept)))
}

func faulty(templates []schema.TemplateCount, c schema.Category) int {
	n := 0
	for _, t := range templates {
		n += t.Faulty[c]
	}
	return n
}
