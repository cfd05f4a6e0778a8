package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"visite/schema"
)

// Page is a page as the API shows it; its findings are in the scan's findings.
type Page struct {
	ID           int64             `json:"id"`
	URL          string            `json:"url"`
	FinalURL     string            `json:"final_url,omitempty"`
	Depth        int               `json:"depth" doc:"Clicks from where the scan began."`
	Status       int               `json:"status" doc:"HTTP status; 0 where nothing answered."`
	Outcome      schema.Outcome    `json:"outcome" enum:"analysed,redirected_out_of_scope,redirected_in_scope,robots_disallowed,blocked,not_analysed,error_answer,not_a_page,password_protected"`
	Reason       schema.Reason     `json:"reason,omitempty" doc:"Why it was not analysed."`
	BlockedBy    string            `json:"blocked_by,omitempty" doc:"The product whose security check stood before the page, where it is known."`
	Redirects    []schema.Hop      `json:"redirects,omitempty"`
	Timing       schema.Timing     `json:"timing"`
	WireBytes    int64             `json:"wire_bytes" doc:"Of the document, as it came."`
	Bytes        int64             `json:"bytes" doc:"Of the document, decoded."`
	MediaType    string            `json:"media_type,omitempty"`
	Charset      string            `json:"charset,omitempty"`
	Protocol     string            `json:"protocol,omitempty"`
	Encoding     string            `json:"encoding,omitempty"`
	Words        int               `json:"words"`
	Elements     int               `json:"elements"`
	Title        string            `json:"title,omitempty"`
	Description  string            `json:"description,omitempty"`
	Sharing      map[string]string `json:"sharing,omitempty" doc:"What the page gives to services that show links to it."`
	Languages    schema.Languages  `json:"languages"`
	Robots       []string          `json:"robots,omitempty" doc:"Directives of meta robots and X-Robots-Tag."`
	Canonical    string            `json:"canonical,omitempty"`
	Requests     int               `json:"requests" doc:"Sent for this page's files."`
	RefusedCalls int               `json:"refused_calls" doc:"What the page's scripts wanted to send and were not allowed to."`
	Speed        *schema.Speed     `json:"speed,omitempty" doc:"How fast the page was, in the scan's Chromium, not throttled, through our proxy."`
	Weight       *schema.Weight    `json:"weight,omitempty" doc:"What the page makes a browser load, by kind."`
	TrackersBy   schema.TrackersBy `json:"trackers_by,omitempty" enum:"lists,names" doc:"How trackers were told among the hosts the page contacted: by the lists EasyPrivacy and EasyList, or by the names of known companies alone."`
	Notes        []string          `json:"notes,omitempty"`
	InspectedAt  *time.Time        `json:"inspected_at,omitempty"`
}

func showPage(p schema.Page) Page {
	return Page{
		ID: p.ID, URL: p.URL, FinalURL: p.FinalURL, Depth: p.Depth, Status: p.Status, Outcome: p.Outcome, Reason: p.Reason, BlockedBy: p.BlockedBy,
		Redirects: p.Redirects, Timing: p.Timing, WireBytes: p.WireBytes, Bytes: p.Bytes, MediaType: p.MediaType, Charset: p.Charset,
		Protocol: p.Protocol, Encoding: p.Encoding, Words: p.Words, Elements: p.Elements, Title: p.Title, Description: p.Description,
		Sharing: p.Sharing, Languages: p.Languages, Robots: p.RobotsTags, Canonical: p.Canonical, Requests: p.Requests,
		RefusedCalls: p.RefusedCalls, Speed: p.Speed, Weight: p.Weight, TrackersBy: p.TrackersBy, Notes: p.Notes, InspectedAt: timeOrNil(p.InspectedAt),
	}
}

type pagesInput struct {
	ScanRef
	ListInput
	Outcome schema.Outcome `query:"outcome" enum:"analysed,redirected_out_of_scope,redirected_in_scope,robots_disallowed,blocked,not_analysed,error_answer,not_a_page,password_protected" doc:"Only pages with this outcome."`
}

func (a *API) registerResults() {
	tags := []string{"Results"}
	register(a, huma.Operation{
		OperationID: "list-pages", Method: http.MethodGet, Path: "/v1/scans/{id}/pages", Tags: tags,
		Summary: "List a scan's pages", Security: needsWorkspace, Errors: []int{401, 404},
	}, a.listPages)
	register(a, huma.Operation{
		OperationID: "list-findings", Method: http.MethodGet, Path: "/v1/scans/{id}/findings", Tags: tags,
		Summary: "List a scan's findings", Security: needsWorkspace, Errors: []int{401, 404},
	}, a.listFindings)
	register(a, huma.Operation{
		OperationID: "list-links", Method: http.MethodGet, Path: "/v1/scans/{id}/links", Tags: tags,
		Summary: "List the addresses a scan's pages point to", Description: "Filled when the scan judges its links, after its last page.", Security: needsWorkspace, Errors: []int{401, 404},
	}, a.listLinks)
}

func (a *API) listPages(ctx context.Context, in *pagesInput) (*listOutput[Page], error) {
	scan, r, err := a.stretchOf(ctx, in.ScanRef, in.ListInput)
	if err != nil {
		return nil, err
	}
	pages, err := a.Store.Pages(ctx, scan.ID, schema.PageFilter{Outcome: in.Outcome}, r)
	if err != nil {
		return nil, err
	}
	filter := map[string]string{"outcome": string(in.Outcome)}
	return listOf(in.ListInput, scanPath(scan.ID)+"/pages", filter, pages, func(p schema.Page) string { return numberKey(p.ID) }, showPage), nil
}
