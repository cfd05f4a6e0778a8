package report

import (
	"fmt"
	"strings"
	"time"
)

// The trend's drawing, in units of its viewBox.
const (
	trendWidth, trendHeight = 640, 190
	trendLeft, trendRight   = 34, 26
	trendTop, trendBottom   = 16, 30
)

// trend is the overall scores of a site's scans in a drawing and a table, oldest first.
type trend struct {
	Points []trendPoint
	Lines  []trendLine // at 0, 50 and 100
	Path   string      // of the line through the points
	Area   string      // the path closed at the bottom
}

// trendPoint is one scan. Labelled is whether its score and date stand in the drawing.
type trendPoint struct {
	X, Y, Below int
	Anchor      string
	Labelled    bool
	Dated       bool
	Overall     int
	Analysed    int
	At          time.Time
	Now         bool
}

type trendLine struct{ Y, Score int }

// trendOf is nil where there is no former scan to compare with.
func trendOf(s *Scores, now time.Time) *trend {
	if s == nil || len(s.Former) == 0 {
		return nil
	}
	var t trend
	for i := len(s.Former) - 1; i >= 0; i-- {
		f := s.Former[i]
		t.Points = append(t.Points, trendPoint{Overall: f.Overall, Analysed: f.Analysed, At: f.FinishedAt})
	}
	t.Points = append(t.Points, trendPoint{Overall: s.Overall, Analysed: s.Analysed, At: now, Now: true})
	y := func(score int) int {
		return trendTop + (100-score)*(trendHeight-trendTop-trendBottom)/100
	}
	for _, score := range []int{0, 50, 100} {
		t.Lines = append(t.Lines, trendLine{y(score), score})
	}
	last := len(t.Points) - 1
	var path strings.Builder
	for i := range t.Points {
		p := &t.Points[i]
		p.X = trendLeft + 14 + i*(trendWidth-trendLeft-trendRight-14)/last
		p.Y, p.Below, p.Anchor = y(p.Overall), y(p.Overall)-10, "middle"
		if p.Overall > 85 {
			p.Below = p.Y + 20
		}
		p.Labelled = last < 6 || i == 0 || i == last
		p.Dated = i == 0 || i == last
		if i == last {
			p.Anchor = "end"
		}
		fmt.Fprintf(&path, "%c%d %d", "ML"[min(i, 1)], p.X, p.Y)
	}
	t.Path = path.String()
	t.Area = fmt.Sprintf("%sL%d %dL%d %dZ", t.Path, t.Points[last].X, y(0), t.Points[0].X, y(0))
	return &t
}

// First and Last are the ends of the trend.
func (t *trend) First() trendPoint { return t.Points[0] }

// Last is this scan.
func (t *trend) Last() trendPoint { return t.Points[len(t.Points)-1] }
