package schema

import "time"

// ScoreFacts is what a site's scores are made from: counts of analysed pages
// (contract S-41), and of addresses that were not visited.
type ScoreFacts struct {
	Templates []TemplateCount
	Reaches   []RuleReach
}

// TemplateCount is one path shape of a scan.
type TemplateCount struct {
	Analysed int
	Waiting  int              // known, never asked for
	Faulty   map[Category]int // analysed pages with at least one failed finding
}

// RuleReach is on how many analysed pages a rule failed.
type RuleReach struct {
	Rule     string
	Category Category
	Pages    [5]int // by the rank of its gravest finding on the page
}

// Scores is how a site came off (decision 0018). They judge the pages that were
// analysed; only the estimates speak of the whole site.
type Scores struct {
	Overall    int             `json:"overall"`  // 0 to 100
	Analysed   int             `json:"analysed"` // pages; at least 1
	Known      int             `json:"known"`    // these and the addresses that were not visited
	Categories []CategoryScore `json:"categories"`
}

// CategoryScore is the score of one topic that was looked at.
type CategoryScore struct {
	Category Category `json:"category"`
	Score    int      `json:"score"`  // 0 to 100; 100 only where nothing but notices was found
	Faulty   int      `json:"faulty"` // analysed pages with at least one failed finding
	Estimate Estimate `json:"estimate"`
}

// Estimate is the share of all known pages that have at least one failed finding,
// with the interval that holds it in 19 of 20 cases; all from 0 to 1.
type Estimate struct {
	Share float64 `json:"share"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Exact bool    `json:"exact"` // all known pages were analysed: nothing is estimated
}

// Weight is what a fault of this severity takes from a score when it is on every
// page: from 0 (info) to 1.
func (s Severity) Weight() float64 {
	if rank := s.Rank(); rank >= 0 {
		return [...]float64{0, 0.05, 0.15, 0.3, 0.5}[rank]
	}
	return 0
}

// ScoredScan is an ended scan of a site with its scores.
type ScoredScan struct {
	ScanID     string
	FinishedAt time.Time
	Scores     Scores
}
