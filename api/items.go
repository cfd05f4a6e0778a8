package api

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"visite/internal/report"
	"visite/schema"
)

// Item is a fault, or a question, folded over the pages of a template.
type Item struct {
	ID       string                `json:"id" doc:"The same in every scan of the site."`
	Change   report.Change         `json:"change,omitempty" enum:"new,unchanged,gone,not_compared" doc:"With compare_to: new and gone where the other scan looked and did not find it; not_compared where the other scan did not look in the same way: it had another engine or device, analysed no page of the template, did not validate the source of one, or told trackers by other means."`
	Rule     string                `json:"rule"`
	Engine   string                `json:"engine"`
	Category schema.Category       `json:"category" enum:"accessibility,seo,technical,links,security,performance,privacy"`
	Severity schema.Severity       `json:"severity" enum:"info,minor,moderate,serious,critical" doc:"The gravest of its findings."`
	Outcome  schema.FindingOutcome `json:"outcome" enum:"failed,needs_review"`
	Title    string                `json:"title" doc:"What is wrong."`
	Help     string                `json:"help" doc:"What to do."`
	Selector string                `json:"selector,omitempty" doc:"What the selectors of its places have in common."`
	Template string                `json:"template" example:"/blog/*" doc:"What the paths of its pages have in common."`
	Places   int                   `json:"places" doc:"Findings folded into it."`
	Pages    int                   `json:"pages" doc:"Pages that show it."`
	Examples []string              `json:"examples" doc:"The first of these pages, 5 at most."`
	State    schema.ItemState      `json:"state" enum:"open,acknowledged,ignored" doc:"What was decided about it, see /v1/sites/{id}/items/{item}."`
	Reason   string                `json:"state_reason,omitempty" doc:"Why it was acknowledged or ignored."`
	Until    *time.Time            `json:"state_until,omitempty" doc:"When the acknowledgement ends."`
}

func showItem(i report.ComparedItem) Item {
	return Item{
		ID: i.ID, Change: i.Change, Rule: i.Rule, Engine: i.Engine, Category: i.Category, Severity: i.Severity, Outcome: i.Outcome, Title: i.Title, Help: i.Help,
		Selector: i.Selector, Template: i.Template, Places: i.Places, Pages: i.Pages, Examples: i.Examples,
		State: i.State, Reason: i.StateReason, Until: i.StateUntil,
	}
}

type itemsInput struct {
	ScanRef
	ListInput
	CompareTo string           `query:"compare_to" maxLength:"64" doc:"An earlier scan of the same site: each item says what became of it, and those that only the earlier scan found follow."`
	Change    report.Change    `query:"change" enum:"new,unchanged,gone,not_compared" doc:"With compare_to: only items with this change."`
	State     schema.ItemState `query:"state" enum:"open,acknowledged,ignored" doc:"Only items in this state."`
	Speaks    string           `header:"Accept-Language" hidden:"true"`
	Lang      report.Lang      `query:"lang" enum:"en,de,es" doc:"Language of the rules' names; the same choice as Accept-Language."`
}

func (a *API) registerItems() {
	register(a, huma.Operation{
		OperationID: "list-items", Method: http.MethodGet, Path: "/v1/scans/{id}/items", Tags: []string{"Results"},
		Summary:     "List what there is to mend",
		Description: "Findings folded: one fault of a template is one item. Faults before questions, then by effect times reach: the weight of the severity times the number of pages. At most 10,000 of a scan.",
		Security:    needsWorkspace, Errors: []int{401, 404, 422},
	}, a.listItems)
}

func (a *API) listItems(ctx context.Context, in *itemsInput) (*listOutput[Item], error) {
	r, err := in.rangeOf(idKeys)
	if err != nil {
		return nil, err
	}
	scan, err := a.scanOf(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	before, err := a.comparable(ctx, scan, in.CompareTo)
	if err != nil {
		return nil, err
	}
	items, err := a.Reports.Items(ctx, scan, before, report.Lang(languageFor(string(in.Lang), in.Speaks)))
	if err != nil {
		return nil, err
	}
	items = slices.DeleteFunc(items, func(i report.ComparedItem) bool {
		return in.Change != "" && i.Change != in.Change || in.State != "" && i.State != in.State
	})
	if r.After != "" {
		at := slices.IndexFunc(items, func(i report.ComparedItem) bool { return i.ID == r.After })
		if at < 0 {
			return nil, refuse(schema.RefusalInvalid, codeCursorInvalid, "?cursor")
		}
		items = items[at+1:]
	}
	filter := map[string]string{"compare_to": in.CompareTo, "change": string(in.Change), "state": string(in.State), "lang": string(in.Lang)}
	key := func(i report.ComparedItem) string { return i.ID }
	return listOf(in.ListInput, scanPath(scan.ID)+"/items", filter, items[:min(len(items), r.Limit)], key, showItem), nil
}

// comparable reads the scan to compare with, nil where none is named. It refuses
// what is no other scan of the scan's site.
func (a *API) comparable(ctx context.Context, scan schema.Scan, before string) (*schema.Scan, error) {
	if before == "" {
		return nil, nil
	}
	other, err := a.scanOf(ctx, before)
	if err != nil {
		return nil, err
	}
	if other.SiteID != scan.SiteID || other.ID == scan.ID {
		return nil, refuse(schema.RefusalInvalid, codeNotComparable, "?compare_to")
	}
	return &other, nil
}
