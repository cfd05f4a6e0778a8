package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"visite/api"
	"visite/internal/report"
	"visite/schema"
)

func TestItems(t *testing.T) {
	e := newEdge(t)
	token := e.workspace("w")
	scan := e.scan(token, "http://localhost:4000/")
	for i := range 5 {
		change := report.ChangeNew
		if i == 4 {
			change = report.ChangeGone
		}
		e.reports.items = append(e.reports.items, report.ComparedItem{Item: report.Item{ID: fmt.Sprintf("%016x", i), Rule: "image-alt", Severity: schema.SeverityCritical, Outcome: schema.FindingFailed, Category: schema.CategoryAccessibility, Examples: []string{"http://localhost:4000/"}}, Change: change})
	}
	path := "/v1/scans/" + scan.ID + "/items"
	type stretch = api.List[api.Item]
	var list stretch
	first := e.call("GET", path+"?limit=3", token, nil, "Accept-Language", "de").want(200, &list)
	if len(list.Items) != 3 || list.Next == "" || !strings.Contains(first.header.Get("Link"), list.Next) || e.reports.asked != scan.ID+"  de" {
		t.Errorf("%s, asked %q", first.body, e.reports.asked)
	}
	cursor := list.Next
	list = stretch{}
	e.call("GET", path+"?limit=3&cursor="+cursor, token, nil).want(200, &list)
	if len(list.Items) != 2 || list.Next != "" || list.Items[1].Change != report.ChangeGone {
		t.Errorf("%+v", list)
	}
	list = stretch{}
	e.call("GET", path+"?change=gone", token, nil).want(200, &list)
	if len(list.Items) != 1 {
		t.Errorf("%+v", list)
	}
	e.reports.items[1].State = schema.ItemIgnored
	list = stretch{}
	e.call("GET", path+"?state=ignored", token, nil).want(200, &list)
	if len(list.Items) != 1 || list.Items[0].State != schema.ItemIgnored {
		t.Errorf("%+v", list)
	}
	other := e.scan(token, "http://localhost:4001/")
	for _, before := range []string{scan.ID, other.ID} {
		e.call("GET", path+"?compare_to="+before, token, nil).problem(422, "not-comparable")
	}
	e.call("GET", path+"?compare_to=01M8R8DG46E8KKCV88EZGA2BZ5", token, nil).problem(404, "not-found")
	e.call("GET", path, e.workspace("stranger"), nil).problem(404, "not-found")
}

// What is decided about an item is the site's, and no acknowledgement is without reason and end.
func TestItemDecisions(t *testing.T) {
	e := newEdge(t)
	token := e.workspace("w")
	scan := e.scan(token, "http://localhost:4000/")
	list := "/v1/sites/" + scan.SiteID + "/items"
	path := list + "/00000000000000af"
	until := func(d time.Duration) string { return time.Now().Add(d).UTC().Format(time.RFC3339) }
	type order = map[string]any
	for _, c := range []struct {
		body order
		code string
	}{
		{order{"state": "ignored"}, "item-reason-missing"},
		{order{"state": "ignored", "reason": " "}, "item-reason-missing"},
		{order{"state": "acknowledged", "reason": "next release"}, "item-until-invalid"},
		{order{"state": "acknowledged", "reason": "next release", "until": until(-time.Hour)}, "item-until-invalid"},
		{order{"state": "acknowledged", "reason": "next release", "until": until(800 * 24 * time.Hour)}, "item-until-invalid"},
		{order{"state": "ignored", "reason": "ours", "until": until(time.Hour)}, "item-until-unwanted"},
		{order{"state": "mended"}, "invalid-request"},
	} {
		e.call("PUT", path, token, c.body).problem(422, c.code)
	}
	e.call("PUT", list+"/nonsense", token, order{"state": "open"}).problem(404, "not-found")
	var d api.ItemDecision
	e.call("PUT", path, token, order{"state": "acknowledged", "reason": "next release", "until": until(time.Hour)}).want(200, &d)
	if d.State != schema.ItemAcknowledged || d.Until == nil || d.Reason != "next release" {
		t.Errorf("%+v", d)
	}
	e.call("PUT", list+"/00000000000000b0", token, order{"state": "ignored", "reason": "decoration"}).want(200, &d)
	var all api.List[api.ItemDecision]
	e.call("GET", list+"?limit=1", token, nil).want(200, &all)
	if len(all.Items) != 1 || all.Next == "" || all.Items[0].Item != "00000000000000af" {
		t.Errorf("%+v", all)
	}
	e.call("PUT", path, token, order{"state": "open"}).want(200, &d)
	all = api.List[api.ItemDecision]{}
	e.call("GET", list, token, nil).want(200, &all)
	if len(all.Items) != 1 || all.Items[0].State != schema.ItemIgnored {
		t.Errorf("%+v", all)
	}
}
