package api

import (
	"context"
	"time"

	"visite/schema"
)

// Link is one distinct address that a scan's pages point to.
type Link struct {
	ID      int64              `json:"id"`
	URL     string             `json:"url"`
	Verdict schema.LinkVerdict `json:"verdict" enum:"ok,broken,redirects,robots_disallowed,refused,not_checked"`
	Status  int                `json:"status" doc:"HTTP status; 0 where nothing is known."`
	FoundOn []string           `json:"found_on" doc:"Pages that point there, 20 at most."`
	Pages   int                `json:"pages" doc:"How many pages point there in all."`

	Reason      schema.Reason `json:"reason" doc:"Why it was not checked, or is broken without a status; empty otherwise."`
	Target      string        `json:"target" doc:"Where an address on another server redirects, values of its query redacted."`
	CheckedAt   *time.Time    `json:"checked_at" doc:"When an address on another server was asked, maybe for another scan: of a server five addresses are asked for in 30 days, whoever orders it. Null where it was not, and within the site."`
	NextCheckAt *time.Time    `json:"next_check_at" doc:"When an address on another server can be checked at the earliest; null where that is not known."`
}

func showLink(l schema.ListedLink) Link {
	found := l.Link.FoundOn
	if found == nil {
		found = []string{}
	}
	return Link{ID: l.ID, URL: l.Link.URL, Verdict: l.Link.Verdict, Status: l.Link.Status, FoundOn: found, Pages: l.Link.Pages,
		Reason: l.Link.Reason, Target: l.Link.Target, CheckedAt: timeOrNil(l.Link.CheckedAt), NextCheckAt: timeOrNil(l.Link.NextAt)}
}

type linksInput struct {
	ScanRef
	ListInput
	Verdict schema.LinkVerdict `query:"verdict" enum:"ok,broken,redirects,robots_disallowed,refused,not_checked" doc:"Only links with this verdict."`
}

func (a *API) listLinks(ctx context.Context, in *linksInput) (*listOutput[Link], error) {
	scan, r, err := a.stretchOf(ctx, in.ScanRef, in.ListInput)
	if err != nil {
		return nil, err
	}
	links, err := a.Store.Links(ctx, scan.ID, schema.LinkFilter{Verdict: in.Verdict}, r)
	if err != nil {
		return nil, err
	}
	filter := map[string]string{"verdict": string(in.Verdict)}
	key := func(l schema.ListedLink) string { return numberKey(l.ID) }
	return listOf(in.ListInput, scanPath(scan.ID)+"/links", filter, links, key, showLink), nil
}
