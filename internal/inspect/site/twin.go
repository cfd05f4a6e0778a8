package site

import (
	"net/url"
	"strings"

	"visite/schema"
)

// tellTwin tells once where the site's other name, with or without www, answers a
// link with success by itself. It goes by what checks of links found; nothing is
// asked for it. Whether that page calls this one canonical is not known.
func (j *judgement) tellTwin() {
	for _, l := range j.f.Links {
		v := j.verdicts[l.ID]
		if l.InScope || v.Verdict != schema.LinkOK || v.Status != 200 || v.Target != "" || !j.isTwin(l.URL) {
			continue
		}
		for _, on := range l.FoundOn {
			if p := j.page[on]; p != nil && p.Outcome == schema.OutcomeAnalysed {
				j.find(on, HostTwin, detail(v.Status, l.URL))
				return
			}
		}
	}
}

// isTwin reports whether an address is on the scope's other name.
func (j *judgement) isTwin(address string) bool {
	u, err := url.Parse(address)
	if err != nil || j.scope == "" {
		return false
	}
	host, scope := strings.ToLower(u.Host), strings.ToLower(j.scope)
	return host == "www."+scope || scope == "www."+host
}
