package score

import (
	"math"

	"visite/schema"
)

// z bounds the middle 95 % of a normal distribution.
const z = 1.959964

// stratumLeast is how many analysed pages a template needs to speak for its own
// pages; those with fewer speak together.
const stratumLeast = 3

// stratum is a part of the site: pages known, analysed, and of these faulty.
type stratum struct{ known, analysed, faulty float64 }

// strata are the templates, those of which few pages were analysed and others
// wait joined to one.
func strata(templates []schema.TemplateCount, c schema.Category) []stratum {
	var out []stratum
	var rest stratum
	for _, t := range templates {
		s := stratum{float64(t.Analysed + t.Waiting), float64(t.Analysed), float64(t.Faulty[c])}
		if t.Waiting > 0 && t.Analysed < stratumLeast {
			rest = stratum{rest.known + s.known, rest.analysed + s.analysed, rest.faulty + s.faulty}
			continue
		}
		out = append(out, s)
	}
	if rest.known > 0 {
		out = append(out, rest)
	}
	return out
}

// estimate weights each stratum's share of faulty pages by its size. The interval
// is Wilson's with the number of pages that a simple sample would need for the
// same variance, in which each stratum has its finite population correction. What
// was seen bounds it: seen faults are there, and so are seen pages without any.
func estimate(parts []stratum) schema.Estimate {
	var all stratum
	for _, s := range parts {
		all = stratum{all.known + s.known, all.analysed + s.analysed, all.faulty + s.faulty}
	}
	if all.known == 0 || all.analysed == 0 {
		return schema.Estimate{High: 1}
	}
	if all.known == all.analysed {
		share := all.faulty / all.known
		return rounded(schema.Estimate{Share: share, Low: share, High: share, Exact: true})
	}
	var share, smooth, variance, unseen float64
	for _, s := range parts {
		weight := s.known / all.known
		if s.analysed == 0 { // nothing is known of it: as the others, or all, or none
			share += weight * all.faulty / all.analysed
			smooth += weight * (all.faulty + 0.5) / (all.analysed + 1)
			unseen += weight
			continue
		}
		share += weight * s.faulty / s.analysed
		p := (s.faulty + 0.5) / (s.analysed + 1) // no certainty where all seen are alike
		smooth += weight * p
		variance += weight * weight * (1 - s.analysed/s.known) * p * (1 - p) / s.analysed
	}
	low, high := share, share
	if variance > 0 {
		low, high = wilson(share, smooth*(1-smooth)/variance)
	}
	low = max(low-unseen, all.faulty/all.known)
	high = min(high+unseen, 1-(all.analysed-all.faulty)/all.known)
	return rounded(schema.Estimate{Share: min(max(share, low), high), Low: low, High: high})
}

// rounded is to a hundredth of a percent.
func rounded(e schema.Estimate) schema.Estimate {
	for _, x := range []*float64{&e.Share, &e.Low, &e.High} {
		*x = math.Round(*x*1e4) / 1e4
	}
	return e
}

// wilson is the score interval of a share seen in a sample of n (Wilson 1927).
func wilson(share, n float64) (low, high float64) {
	middle := (share + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(share*(1-share)/n+z*z/(4*n*n))
	return max(middle-half, 0), min(middle+half, 1)
}
