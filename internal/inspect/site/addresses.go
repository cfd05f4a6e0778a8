package site

import (
	"net/url"
	"strings"

	"visite/schema"
)

// plainAddress is an address without what often varies by mistake: scheme, www,
// case, a slash at the end, the name of an index file.
func plainAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	path := strings.ToLower(u.Path)
	for _, name := range [...]string{"index.html", "index.htm", "index.php"} {
		if strings.HasSuffix(path, "/"+name) {
			path = strings.TrimSuffix(path, name)
		}
	}
	return strings.TrimPrefix(strings.ToLower(u.Host), "www.") + strings.TrimSuffix(path, "/") + "?" + u.RawQuery
}

// variants reports whether pages differ only in how their addresses are written.
func variants(pages []*schema.PageFacts) bool {
	for _, p := range pages[1:] {
		if plainAddress(p.URL) != plainAddress(pages[0].URL) {
			return false
		}
	}
	return true
}

// tellTemporary tells of redirects that only mend how an address is written, which
// nobody means for a while, and are marked as such.
func (j *judgement) tellTemporary() {
	for i := range j.f.Pages {
		p := &j.f.Pages[i]
		if temporary(p.FirstHop) && p.FinalURL != p.URL && plainAddress(p.URL) == plainAddress(p.FinalURL) {
			j.find(p.ID, RedirectTemporary, number(p.FirstHop)+" to "+schema.RedactAddress(p.FinalURL))
		}
	}
}

func temporary(status int) bool { return status == 302 || status == 303 || status == 307 }

// clicksDeep is how many clicks a page may lie from where the scan began, by
// convention.
const clicksDeep = 3

// tellDepth counts clicks by the links that were found, if nothing of the site was
// left unseen: a shorter way might lead by what was not.
func (j *judgement) tellDepth() {
	if !j.complete() {
		return
	}
	from := map[int64][]int64{}
	for _, l := range j.f.Links {
		if target := j.page[l.Page]; l.InScope && target != nil {
			for _, on := range l.FoundOn {
				from[on] = append(from[on], j.arrived(target).ID)
			}
		}
	}
	clicks := map[int64]int{}
	var queue []int64
	for i := range j.f.Pages {
		if p := &j.f.Pages[i]; p.Via == schema.ViaSeed {
			id := j.arrived(p).ID
			clicks[id], queue = 0, append(queue, id)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, next := range from[queue[0]] {
			if _, known := clicks[next]; !known {
				clicks[next], queue = clicks[queue[0]]+1, append(queue, next)
			}
		}
	}
	for i := range j.f.Pages {
		p := &j.f.Pages[i]
		if n := clicks[p.ID]; n > clicksDeep && p.Outcome == schema.OutcomeAnalysed && !noindex(p) && selfCanonical(p) {
			j.find(p.ID, PageDeep, number(n)+" clicks")
		}
	}
}
