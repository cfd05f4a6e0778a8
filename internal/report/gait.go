package report

import "visite/schema"

// briskWords say of each order of a brisk gait what came of it (C-47).
func briskWords(speak words, gaits []schema.BriskGait) ([]string, error) {
	var out []string
	for _, g := range gaits {
		said, err := briskSentence(speak, g)
		if err != nil {
			return nil, err
		}
		out = append(out, said)
	}
	return out, nil
}

func briskSentence(speak words, g schema.BriskGait) (string, error) {
	outcome, when := string(g.Outcome), g.Until
	switch {
	case g.Outcome != schema.BriskGranted:
		outcome, when = "none", g.AskedAt
	case g.Held != schema.BriskHeldByNothing:
		outcome = string(g.Held)
	}
	date, err := speak.date(when)
	if err != nil {
		return "", err
	}
	by := clean(g.Order.By, schema.BriskByMax)
	if by == "" {
		by = "–"
	}
	return speak.t("brisk."+outcome, by, date, clean(g.Order.Reason, schema.BriskReasonMax))
}

// busyShare is the part of the scan's time in which at least one request to the
// host was under way; 0 where the scan has not ended.
func busyShare(h schema.HostTotals, scan schema.Scan) float64 {
	took := scan.FinishedAt.Sub(scan.StartedAt).Milliseconds()
	if scan.StartedAt.IsZero() || scan.FinishedAt.IsZero() || took <= 0 {
		return 0
	}
	return min(float64(h.BusyMS)/float64(took), 1)
}
