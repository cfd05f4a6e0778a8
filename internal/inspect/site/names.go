package site

import (
	"visite/internal/inspect/rule"
	"visite/schema"
)

// tellNames says of links with one name on a page whether what they lead to is
// the same (WCAG 2.4.4, 2.4.9): pages that were read, with other contents and
// other titles, are not.
func (j *judgement) tellNames() {
	ids := map[string]string{schema.RuleLinkSameName: LinkSameNameOther, schema.RuleLinkSameNameAlone: LinkSameNameOtherAlone}
	for _, n := range j.f.SameNames {
		first, second := j.read(n.First), j.read(n.Second)
		if first == nil || second == nil || first.ContentHash == second.ContentHash || first.Title == second.Title {
			continue
		}
		info := infoOf(ids[n.Rule])
		j.out.Findings = append(j.out.Findings, schema.SiteFinding{PageID: n.PageID, Finding: info.Finding(rule.Hit{Detail: n.First + schema.BetweenAddresses + n.Second}, n.Selector)})
	}
}

// read is the page an address comes to, nil where it was not read or has no text.
func (j *judgement) read(address string) *schema.PageFacts {
	p := j.byKey[schema.KeyOf(address)]
	if p == nil {
		return nil
	}
	if p = j.arrived(p); p.Outcome != schema.OutcomeAnalysed || p.ContentHash == 0 {
		return nil
	}
	return p
}
