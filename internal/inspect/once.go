package inspect

import (
	"slices"

	"visite/schema"
)

// sameFault are pairs of rules that say the same of a page. Where the first one
// failed it, the second one is left out: one fault, one finding.
var sameFault = []struct{ kept, left string }{
	{"document-title", "title-missing"},
	{"h1-missing", "page-has-heading-one"},
	{"aria-hidden-focus", "aria-hidden-keeps-focus"},
	{"aria-hidden-focus", "QW-ACT-R13"},
	{"aria-hidden-keeps-focus", "QW-ACT-R13"},
	{"label-in-name", "label-content-name-mismatch"},
	{"orientation-lock", "QW-ACT-R7"},
	{"audio-autoplay", "QW-ACT-R15"},
	{"audio-autoplay", "QW-ACT-R49"},
	{"audio-autoplay", "QW-ACT-R50"},
}

// once leaves out findings that say again what another rule says.
func once(findings []schema.Finding) []schema.Finding {
	for _, pair := range sameFault {
		told := slices.ContainsFunc(findings, func(f schema.Finding) bool {
			return f.Rule == pair.kept && f.Outcome == schema.FindingFailed
		})
		if told {
			findings = slices.DeleteFunc(findings, func(f schema.Finding) bool { return f.Rule == pair.left })
		}
	}
	return findings
}
