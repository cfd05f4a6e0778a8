package report

import "math"

// Percent gives a share (0 to 1) in percent as every format shows it: whole between
// 1 and 99, in tenths beyond, so that 0 is only said of nothing and 100 only of all.
func Percent(share float64) float64 {
	percent := 100 * share
	switch {
	case !(percent > 0): // NaN too
		return 0
	case percent >= 100:
		return 100
	case percent < 1:
		return max(0.1, math.Round(10*percent)/10)
	case percent > 99:
		return math.Floor(10*percent) / 10
	}
	return math.Round(percent)
}
