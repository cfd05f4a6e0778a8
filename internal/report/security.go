package report

import "visite/schema"

// Security is the key "security": the site's grade by the published scoring of
// the HTTP Observatory, and the checks of the site as a whole.
type Security struct {
	Grade   string                 `json:"grade"` // empty where there is none
	Score   int                    `json:"score"`
	NoGrade string                 `json:"no_grade"` // why there is none
	Tests   []schema.GradeTest     `json:"tests"`
	Checks  []schema.SecurityCheck `json:"checks"`
}

// documentSecurity is null until the site's security has been judged.
func documentSecurity(s schema.SiteSecurity) *Security {
	if s.Grade == nil && s.NoGrade == "" && len(s.Checks) == 0 {
		return nil
	}
	out := &Security{NoGrade: s.NoGrade, Tests: []schema.GradeTest{}, Checks: append([]schema.SecurityCheck{}, s.Checks...)}
	if g := s.Grade; g != nil {
		out.Grade, out.Score, out.Tests = g.Grade, g.Score, append(out.Tests, g.Tests...)
	}
	return out
}
